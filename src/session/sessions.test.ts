import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { JsonObject } from '../base/json.ts'
import type { ThinkingPart } from '../request/part.ts'
import type { SessionEntry } from './entry.ts'
import { createSessions, refersBack, type Sessions, type SessionsOptions } from './sessions.ts'

const now = (): number => 0

const thought = (text: string): ThinkingPart => ({
  type: 'thinking',
  text,
  seal: { wire: 'anthropic-messages', issuer: 'east', signature: `sig ${text}` },
})

describe('by call', () => {
  test('every call of a group recalls what was thought before it', () => {
    const sessions = createSessions({ now })
    const sealed: ThinkingPart = {
      type: 'thinking',
      text: '',
      seal: { wire: 'openai-responses', isRedacted: true, item: { id: 'rs_1' } },
    }
    const parts = [thought('a'), sealed, { type: 'thinking', text: 'b', seal: undefined } as const]
    sessions.keepThinking('ann', ['call_1', 'call_2'], parts)
    expect(sessions.recallThinking('ann', 'call_1')).toEqual(parts)
    expect(sessions.recallThinking('ann', 'call_2')).toEqual(parts)
    expect(sessions.recallThinking('ann', 'call_3')).toBeUndefined()
    expect(sessions.recallThinking('bob', 'call_1')).toBeUndefined()
  })

  test('what an upstream had on a call goes back to that one only', () => {
    const sessions = createSessions({ now })
    const extra = { extra_content: { google: { thought_signature: 'sig' } } }
    sessions.keepExtra('ann', 'call_1', extra, 'gemini')
    expect(sessions.recallExtra('ann', 'call_1', 'gemini')).toEqual(extra)
    expect(sessions.recallExtra('ann', 'call_1')).toEqual(extra)
    expect(sessions.recallExtra('ann', 'call_1', 'other')).toBeUndefined()
    expect(sessions.recallExtra('bob', 'call_1')).toBeUndefined()
  })
})

/** One of the things that a session does, on a small world, so that they meet. */
const ids = fc.constantFrom('1', '2', '3')
const act = fc.record({
  owner: fc.constantFrom('ann', 'bob', 'cid'),
  does: fc.constantFrom('response', 'message', 'thinking', 'extra', 'delete', 'wait'),
  id: ids,
  previous: fc.option(ids, { nil: undefined }),
  text: fc.string({ maxLength: 2000, size: 'max' }),
})
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never

function perform(sessions: Sessions, { owner, does, id, previous, text }: Act): void {
  // Every owner's own words begin with its name, so that they can be told apart.
  const words = `${owner}:${text}`
  if (does === 'response')
    sessions.keepAnswer(owner, {
      id,
      wire: 'openai-responses',
      requestBody: { input: words, previous_response_id: previous },
      outputItems: [{ id: `msg_${id}`, text: words }],
      answerBody: { id, model: words },
    })
  else if (does === 'message')
    sessions.keepAnswer(owner, {
      id,
      wire: 'anthropic-messages',
      requestBody: {
        system: words,
        messages: [{ role: 'user', content: words }],
        thread:
          previous === undefined
            ? { type: 'create' }
            : { type: 'continue', previous_message_id: previous },
      },
      outputItems: [{ role: 'assistant', content: words }],
    })
  else if (does === 'thinking') sessions.keepThinking(owner, [id], [thought(words)])
  else if (does === 'extra') sessions.keepExtra(owner, id, { words })
  else if (does === 'delete') sessions.deleteAnswer(owner, id)
}

/** Everything that an owner can get at. */
const seenBy = (sessions: Sessions, owner: string): unknown[] =>
  ['1', '2', '3'].flatMap((id) => [
    sessions.expandResponses(owner, { previous_response_id: id }),
    sessions.expandResponses(owner, { input: [{ type: 'item_reference', id: `msg_${id}` }] }),
    sessions.expandThread(owner, {
      messages: [],
      thread: { type: 'continue', previous_message_id: id },
    }),
    sessions.findAnswer(owner, id),
    sessions.inputItems(owner, id),
    sessions.recallThinking(owner, id),
    sessions.recallExtra(owner, id),
  ])

const SMALL: SessionsOptions = { now, maxBytes: 20_000, maxEntries: 12 }

test('no owner ever sees what is another’s', () => {
  const apart = fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
    const sessions = createSessions(SMALL)
    for (const one of acts) perform(sessions, one)
    const seen = JSON.stringify(seenBy(sessions, 'ann'))
    expect(seen).not.toContain('bob:')
    expect(seen).not.toContain('cid:')
  })
  fc.assert(apart, { numRuns: 100 })
})

test('bytes and entries stay within their bounds, and all room comes back', () => {
  const within = fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
    let time = 0
    const sessions = createSessions({ ...SMALL, now: () => time, maxAge: 100 })
    for (const one of acts) {
      perform(sessions, one)
      if (one.does === 'wait') time += 30
      expect(sessions.size().bytes).toBeLessThanOrEqual(20_000)
      expect(sessions.size().entries).toBeLessThanOrEqual(12)
    }
    time += 1000
    sessions.findAnswer('ann', '1')
    expect(sessions.size()).toEqual({ entries: 0, bytes: 0, owners: 0 })
  })
  fc.assert(within, { numRuns: 100 })
})

test('an answer that is too large for its owner’s share is not kept, and nothing goes for it', () => {
  const sessions = createSessions(SMALL)
  const keep = (id: string, input: readonly string[]): void =>
    sessions.keepAnswer('ann', {
      id,
      wire: 'openai-responses',
      requestBody: { input },
      outputItems: [],
    })
  keep('1', ['small', 'x'.repeat(3000)])
  keep('2', ['y'.repeat(6000)])
  expect(sessions.findAnswer('ann', '2')).toBeUndefined()
  expect(sessions.findAnswer('ann', '1')).toBeDefined()
  // Only what is new counts.
  keep('3', ['x'.repeat(3000), 'z'.repeat(3000)])
  expect(sessions.findAnswer('ann', '3')).toBeDefined()
})

test('a worker that is told of every entry knows what the other knows', () => {
  const same = fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
    const told: string[] = []
    const sessions = createSessions({
      now,
      onKeep: (entry) => told.push(JSON.stringify(entry)),
    })
    for (const one of acts) perform(sessions, one)
    const other = createSessions({ now })
    for (const text of told) other.add(JSON.parse(text) as SessionEntry)
    for (const owner of ['ann', 'bob', 'cid'])
      expect(seenBy(other, owner)).toEqual(seenBy(sessions, owner))
  })
  fc.assert(same, { numRuns: 50 })
})

test('what is added is not told again', () => {
  const told: SessionEntry[] = []
  const sessions = createSessions({ now, onKeep: (entry) => told.push(entry) })
  sessions.add({ type: 'extra', owner: 'ann', callId: 'call_1', extra: {} })
  expect(told).toEqual([])
  expect(sessions.recallExtra('ann', 'call_1')).toEqual({})
})

test('no request throws, whatever is in it', () => {
  const body = fc.dictionary(
    fc.constantFrom('input', 'previous_response_id', 'conversation', 'thread', 'messages', 'store'),
    fc.oneof(
      fc.jsonValue(),
      fc.array(fc.record({ type: fc.constantFrom('item_reference', null), id: fc.jsonValue() })),
      fc.record({ type: fc.constant('continue'), previous_message_id: fc.jsonValue() }),
    ),
  )
  const calm = fc.property(body, (any) => {
    const sessions = createSessions({ now })
    for (const wire of ['anthropic-messages', 'openai-chat', 'openai-responses'] as const)
      sessions.keepAnswer('ann', { id: '1', wire, requestBody: any, outputItems: [] })
    sessions.expandResponses('ann', any)
    sessions.expandThread('ann', any)
    sessions.inputItems('ann', '1')
  })
  fc.assert(calm, { numRuns: 200 })
})

test('JSON that is nested deeper than the stack is not kept', () => {
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown
  const requestBody: JsonObject = { input: [deep], messages: [deep], thread: { type: 'create' } }
  const sessions = createSessions({ now })
  for (const wire of ['anthropic-messages', 'openai-responses'] as const)
    sessions.keepAnswer('ann', { id: '1', wire, requestBody, outputItems: [] })
  expect(sessions.expandResponses('ann', { previous_response_id: deep }).ok).toBe(false)
  expect(sessions.size()).toEqual({ entries: 0, bytes: 0, owners: 0 })
})

describe('an answer that is written down when somebody comes back to it', () => {
  const wire = 'openai-responses' as const
  const output = [{ type: 'message', id: 'msg_1', role: 'assistant', content: [] }]
  const unwritten = (id: string, requestBody: JsonObject = { input: 'Hello' }) => {
    const answer = { id, wire, requestBody, outputItems: output, answerBody: { id, model: 'm' } }
    const make = vi.fn<() => typeof answer>(() => answer)
    return { id, wire, refersBack: refersBack(wire, requestBody), bytes: 1000, make }
  }

  test('is not written before, and is found as one that was', () => {
    const [lazy, eager] = [createSessions({ now: () => 0 }), createSessions({ now: () => 0 })]
    const one = unwritten('resp_1')
    lazy.keepWhenAsked('ann', one)
    eager.keepAnswer('ann', one.make())
    one.make.mockClear()
    expect(lazy.findAnswer('bob', 'resp_1')).toBeUndefined()
    expect(one.make).not.toHaveBeenCalled()
    const next = { previous_response_id: 'resp_1', input: 'And?' }
    expect(lazy.expandResponses('ann', next)).toEqual(eager.expandResponses('ann', next))
    expect(lazy.findAnswer('ann', 'resp_1')).toEqual(eager.findAnswer('ann', 'resp_1'))
    expect(lazy.inputItems('ann', 'resp_1')).toEqual(eager.inputItems('ann', 'resp_1'))
    expect(one.make).toHaveBeenCalledTimes(1)
  })

  test('is found by an item of it', () => {
    const sessions = createSessions({ now: () => 0 })
    sessions.keepWhenAsked('ann', unwritten('resp_1'))
    const asked = { input: [{ type: 'item_reference', id: 'msg_1' }] }
    expect(sessions.expandResponses('ann', asked)).toMatchObject({
      ok: true,
      body: { input: output },
    })
    expect(sessions.expandResponses('bob', asked)).toMatchObject({ ok: false })
  })

  test('can be deleted', () => {
    const sessions = createSessions({ now: () => 0 })
    sessions.keepWhenAsked('ann', unwritten('resp_1'))
    expect(sessions.deleteAnswer('ann', 'resp_1')).toMatchObject({ deleted: true })
    expect(sessions.findAnswer('ann', 'resp_1')).toBeUndefined()
    expect(sessions.size()).toMatchObject({ entries: 0, bytes: 0 })
  })

  test('is written at once where it goes on from another, or others are told', () => {
    const told = vi.fn<(entry: unknown) => void>()
    const alone = createSessions({ now: () => 0 })
    alone.keepWhenAsked('ann', unwritten('resp_1'))
    const second = unwritten('resp_2', { previous_response_id: 'resp_1', input: 'And?' })
    alone.keepWhenAsked('ann', second)
    expect(second.make).toHaveBeenCalledTimes(1)
    alone.deleteAnswer('ann', 'resp_1')
    const third = { previous_response_id: 'resp_2', input: 'So?' }
    expect(alone.expandResponses('ann', third)).toMatchObject({ ok: true })
    const shared = createSessions({ now: () => 0, onKeep: told })
    shared.keepWhenAsked('ann', unwritten('resp_1'))
    expect(told).toHaveBeenCalledTimes(1)
  })

  test('counts with what it holds: the longest unused is forgotten', () => {
    const sessions = createSessions({ now: () => 0, maxBytes: 20_000 })
    for (let at = 0; at < 100; at++) sessions.keepWhenAsked('ann', unwritten(`resp_${at}`))
    expect(sessions.size().bytes).toBeLessThanOrEqual(20_000)
    expect(sessions.size().entries).toBeGreaterThan(5)
    expect(sessions.findAnswer('ann', 'resp_99')).toBeDefined()
    expect(sessions.findAnswer('ann', 'resp_0')).toBeUndefined()
    sessions.keepWhenAsked('ann', { ...unwritten('large'), bytes: 15_000 })
    expect(sessions.findAnswer('ann', 'large')).toBeUndefined()
  })
})
