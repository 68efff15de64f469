import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../base/json.ts'
import { createSessions, type Sessions } from './sessions.ts'

const now = (): number => 0

const user = (text: string): JsonObject => ({ type: 'message', role: 'user', content: text })

const said = (id: string, text: string): JsonObject => ({
  id,
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})

function keep(
  sessions: Sessions,
  id: string,
  requestBody: JsonObject,
  outputItems: readonly unknown[] = [],
): void {
  sessions.keepAnswer('ann', { id, wire: 'openai-responses', requestBody, outputItems })
}

describe('previous_response_id', () => {
  test('the conversation before comes first, and the field is gone', () => {
    const sessions = createSessions({ now })
    keep(sessions, 'resp_1', { input: 'hello', instructions: 'be kind', tools: [1] }, [
      said('msg_1', 'hi'),
    ])
    const body = { model: 'm', previous_response_id: 'resp_1', input: [user('more')], tools: [2] }
    expect(sessions.expandResponses('ann', body)).toEqual({
      ok: true,
      // Neither instructions nor tools are inherited.
      body: { model: 'm', input: [user('hello'), said('msg_1', 'hi'), user('more')], tools: [2] },
    })
  })

  test('a text as input becomes a message behind the rest', () => {
    const sessions = createSessions({ now })
    keep(sessions, 'resp_1', { input: 'a' })
    expect(sessions.expandResponses('ann', { previous_response_id: 'resp_1', input: 'b' })).toEqual(
      { ok: true, body: { input: [user('a'), user('b')] } },
    )
  })

  test('what is not here is missing, by the id that the client said', () => {
    const sessions = createSessions({ now })
    expect(sessions.expandResponses('ann', { previous_response_id: 'resp_9' })).toEqual({
      ok: false,
      missing: 'resp_9',
      path: 'previous_response_id',
    })
  })

  test('an answer that the client did not want stored is not kept', () => {
    const sessions = createSessions({ now })
    keep(sessions, 'resp_1', { input: 'a', store: false }, [said('msg_1', 'b')])
    expect(sessions.size().entries).toBe(0)
  })

  test('an answer that failed is not kept', () => {
    const sessions = createSessions({ now })
    sessions.keepAnswer('ann', {
      id: 'resp_1',
      wire: 'openai-responses',
      requestBody: { input: 'a' },
      outputItems: [],
      answerBody: { id: 'resp_1', status: 'failed' },
    })
    expect(sessions.findAnswer('ann', 'resp_1')).toBeUndefined()
  })

  test('an answer that goes on from one that is not here is not kept: it would not be whole', () => {
    const sessions = createSessions({ now })
    keep(sessions, 'resp_2', { input: 'b', previous_response_id: 'resp_1' })
    expect(sessions.findAnswer('ann', 'resp_2')).toBeUndefined()
  })

  test('conversations are never here', () => {
    const { expandResponses } = createSessions({ now })
    const path = 'conversation'
    const gone = { ok: false, missing: 'conv_1', path }
    expect(expandResponses('ann', { conversation: 'conv_1' })).toEqual(gone)
    expect(expandResponses('ann', { conversation: { id: 'conv_1' } })).toEqual(gone)
  })

  test('a request that names nothing stays the same object', () => {
    const { expandResponses } = createSessions({ now })
    const body = { model: 'm', input: [user('a')] }
    const expanded = expandResponses('ann', body)
    expect(expanded.ok && expanded.body).toBe(body)
    expect(expandResponses('ann', { previous_response_id: null, conversation: null })).toEqual({
      ok: true,
      body: {},
    })
  })

  test('a server that gives every answer the same id does not make a circle', () => {
    const sessions = createSessions({ now })
    keep(sessions, 'resp_1', { input: 'a' })
    keep(sessions, 'resp_1', { input: 'b', previous_response_id: 'resp_1' })
    expect(sessions.expandResponses('ann', { previous_response_id: 'resp_1' })).toEqual({
      ok: true,
      body: { input: [user('a'), user('b')] },
    })
  })

  test('a turn that was forgotten or deleted does not break those behind it', () => {
    const sessions = createSessions({ now })
    keep(sessions, 'resp_1', { input: 'a' })
    keep(sessions, 'resp_2', { input: 'b', previous_response_id: 'resp_1' })
    expect(sessions.deleteAnswer('ann', 'resp_1')).toEqual({
      id: 'resp_1',
      object: 'response',
      deleted: true,
    })
    expect(sessions.expandResponses('ann', { previous_response_id: 'resp_1' }).ok).toBe(false)
    expect(sessions.expandResponses('ann', { previous_response_id: 'resp_2' })).toEqual({
      ok: true,
      body: { input: [user('a'), user('b')] },
    })
    sessions.deleteAnswer('ann', 'resp_2')
    expect(sessions.size()).toEqual({ entries: 0, bytes: 0, owners: 0 })
  })

  test('a chain of any length is the plain concatenation of its turns', () => {
    const item = fc.record({ type: fc.constant('message'), content: fc.string() })
    const turn = fc.record({ input: fc.array(item, { maxLength: 3 }), output: fc.array(item) })
    const same = fc.property(fc.array(turn, { maxLength: 12 }), fc.array(item), (turns, last) => {
      const sessions = createSessions({ now })
      const plain: unknown[] = []
      let previous: JsonObject = {}
      for (const [at, { input, output }] of turns.entries()) {
        keep(sessions, `resp_${at}`, { ...previous, input }, output)
        previous = { previous_response_id: `resp_${at}` }
        plain.push(...input, ...output)
      }
      expect(sessions.expandResponses('ann', { ...previous, input: last })).toEqual({
        ok: true,
        body: { input: [...plain, ...last] },
      })
    })
    fc.assert(same, { numRuns: 50 })
  })
})

describe('the room that it takes', () => {
  const text = (turn: number): string => `${turn} ${'x'.repeat(10_000)}`

  test('fifty turns that go on from each other take the room of fifty', () => {
    const sessions = createSessions({ now })
    for (let turn = 0; turn < 50; turn++) {
      const previous = turn === 0 ? {} : { previous_response_id: `resp_${turn - 1}` }
      keep(sessions, `resp_${turn}`, { ...previous, input: text(turn) })
    }
    expect(sessions.size().bytes).toBeLessThan(50 * 11_000)
  })

  test('so do fifty turns that each bring the whole conversation', () => {
    const sessions = createSessions({ now })
    const input: JsonObject[] = []
    for (let turn = 0; turn < 50; turn++) {
      input.push(user(text(turn)))
      keep(sessions, `resp_${turn}`, { input: [...input] })
    }
    expect(sessions.size().bytes).toBeLessThan(50 * 12_000)
  })

  test('what an answer repeats of its request is kept once', () => {
    const sessions = createSessions({ now })
    const tools = [{ type: 'function', name: 'f', description: 'x'.repeat(100_000) }]
    for (let turn = 0; turn < 50; turn++)
      sessions.keepAnswer('ann', {
        id: `resp_${turn}`,
        wire: 'openai-responses',
        requestBody: { input: `${turn}`, tools },
        outputItems: [],
        answerBody: { id: `resp_${turn}`, created_at: turn, tools },
      })
    expect(sessions.size().bytes).toBeLessThan(200_000)
    expect(sessions.findAnswer('ann', 'resp_7')).toMatchObject({ created_at: 7, tools })
  })
})

describe('item_reference', () => {
  const reasoning = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'sealed' }

  test('stands for the item that the client was given', () => {
    const sessions = createSessions({ now })
    keep(sessions, 'resp_1', { input: 'a' }, [reasoning, said('msg_1', 'b')])
    const input = [
      user('a'),
      { type: 'item_reference', id: 'rs_1' },
      { id: 'msg_1' },
      { type: 'item_reference', id: 'rs_1' },
    ]
    expect(sessions.expandResponses('ann', { input })).toEqual({
      ok: true,
      body: { input: [user('a'), reasoning, said('msg_1', 'b'), reasoning] },
    })
  })

  test('an item that is not here is missing, and it is said where', () => {
    const sessions = createSessions({ now })
    const input = [user('a'), { type: 'item_reference', id: 'rs_1' }]
    const path = 'input[1].id'
    expect(sessions.expandResponses('ann', { input })).toEqual({ ok: false, missing: 'rs_1', path })
  })

  test('an item lives as long as an answer whose request referred to it', () => {
    const sessions = createSessions({ now })
    keep(sessions, 'resp_0', { input: 'another conversation' })
    keep(sessions, 'resp_1', { input: 'a' }, [reasoning])
    keep(sessions, 'resp_2', { input: [{ type: 'item_reference', id: 'rs_1' }, user('b')] })
    sessions.deleteAnswer('ann', 'resp_1')
    expect(sessions.expandResponses('ann', { previous_response_id: 'resp_2' })).toEqual({
      ok: true,
      body: { input: [reasoning, user('b')] },
    })
    sessions.deleteAnswer('ann', 'resp_2')
    expect(
      sessions.expandResponses('ann', { input: [{ type: 'item_reference', id: 'rs_1' }] }).ok,
    ).toBe(false)
  })

  test('what a client sends back under an id does not replace what it was given', () => {
    const sessions = createSessions({ now })
    keep(sessions, 'resp_1', { input: 'a' }, [reasoning])
    keep(sessions, 'resp_2', { input: [{ id: 'rs_1', type: 'reasoning', summary: [] }] })
    expect(
      sessions.expandResponses('ann', { input: [{ type: 'item_reference', id: 'rs_1' }] }),
    ).toEqual({ ok: true, body: { input: [reasoning] } })
  })
})

describe('asking for an answer again', () => {
  test('it is the body that the client was given', () => {
    const sessions = createSessions({ now })
    const answerBody = {
      id: 'resp_1',
      object: 'response',
      model: 'm',
      output: [said('msg_1', 'b')],
    }
    sessions.keepAnswer('ann', {
      id: 'resp_1',
      wire: 'openai-responses',
      requestBody: { input: 'a' },
      outputItems: answerBody.output,
      answerBody,
    })
    expect(sessions.findAnswer('ann', 'resp_1')).toMatchObject(answerBody)
    expect(sessions.findAnswer('ann', 'resp_2')).toBeUndefined()
  })

  test('its input is listed the last first, page by page', () => {
    const sessions = createSessions({ now })
    keep(sessions, 'resp_1', {
      input: [user('a'), user('b'), { id: 'fc_1', type: 'function_call' }],
    })
    const page = sessions.inputItems('ann', 'resp_1', { limit: 2 })
    expect(page).toEqual({
      object: 'list',
      data: [
        { id: 'fc_1', type: 'function_call' },
        {
          id: 'msg_1_in1',
          type: 'message',
          role: 'user',
          content: [{ type: 'input_text', text: 'b' }],
        },
      ],
      first_id: 'fc_1',
      last_id: 'msg_1_in1',
      has_more: true,
    })
    expect(sessions.inputItems('ann', 'resp_1', { after: 'msg_1_in1' })).toMatchObject({
      data: [{ id: 'msg_1_in0' }],
      has_more: false,
    })
    expect(sessions.inputItems('ann', 'resp_1', { order: 'asc' })).toMatchObject({
      first_id: 'msg_1_in0',
    })
    expect(sessions.inputItems('ann', 'resp_2')).toBeUndefined()
  })
})
