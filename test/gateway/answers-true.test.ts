/**
 * What must not change on the way from an upstream of one wire to a client of another: whose answer it is, whether a
 * call is whole, each digit of its arguments, and what it cost.
 */
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import type { WireName } from '../../src/event/event.ts'
import { withCrossing } from '../support/crossing.ts'
import { chunk, DONE, JSON_TYPE, named, reply, sayJson, sayStream } from '../support/spoken.ts'

const CHAT = 'openai-chat'
const MESSAGES = 'anthropic-messages'
const RESPONSES = 'openai-responses'
type Json = Record<string, unknown>

const framesOf = (text: string): Json[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as Json)

test('answers of an upstream that gives each the same id are told apart', async () => {
  await withCrossing({ wire: CHAT }, async (crossing) => {
    const answer = { id: 'chatcmpl-7', pieces: [{ text: 'Yes.' }] }
    crossing.upstream.answer((request) => reply(CHAT, answer, request))
    const first = await crossing.json(RESPONSES, { input: 'My name is Ann' })
    const second = await crossing.stream(RESPONSES, { input: 'My name is Bob' })
    const ids = new Set(
      framesOf(second.text).flatMap(({ response }) => (response as Json | undefined)?.['id'] ?? []),
    )
    expect([...ids]).toEqual([expect.stringMatching(/^resp_[a-z0-9]{20,}$/)])
    const previous_response_id = first.json['id']
    expect(ids).not.toContain(previous_response_id)
    const [item] = first.json['output'] as Json[]
    expect(item?.['id']).toBe(`${String(previous_response_id).replace('resp_', 'msg_')}_0`)
    await crossing.json(RESPONSES, { input: 'What is my name?', previous_response_id })
    expect(JSON.stringify(crossing.sent(2))).toContain('Ann')
    expect(JSON.stringify(crossing.sent(2))).not.toContain('Bob')
  })
})

test.each([
  [CHAT, MESSAGES, /^msg_[a-z0-9]{20,}$/],
  [RESPONSES, MESSAGES, /^msg_[a-z0-9]{20,}$/],
  [MESSAGES, CHAT, /^chatcmpl-[a-z0-9]{20,}$/],
  [RESPONSES, CHAT, /^chatcmpl-[a-z0-9]{20,}$/],
  [MESSAGES, RESPONSES, /^resp_[a-z0-9]{20,}$/],
] as const)('each answer of %s has an id of its own on %s', async (wire, client, form) => {
  await withCrossing({ wire }, async (crossing) => {
    const answer = { id: 'same', pieces: [{ text: 'Yes.' }] }
    crossing.upstream.answer((request) => reply(wire, answer, request))
    const whole = [await crossing.json(client), await crossing.json(client)]
    const streams = [await crossing.stream(client), await crossing.stream(client)]
    const ids = [...whole.map(({ json }) => json['id']), ...streams.map(({ state }) => state.id)]
    expect(new Set(ids).size).toBe(4)
    for (const id of ids) expect(id).toMatch(form)
  })
})

const NO_ID_CALL = { type: 'function', function: { name: 'run', arguments: '{}' } }

test('calls that an upstream gave no ids have one that no other answer has', async () => {
  await withCrossing({ wire: CHAT }, async (crossing) => {
    const message = { role: 'assistant', content: null, tool_calls: [NO_ID_CALL] }
    const choices = [{ index: 0, message, finish_reason: 'tool_calls' }]
    const body = JSON.stringify({ id: 'chatcmpl-7', created: 1, model: 'm', choices })
    const ids: unknown[] = []
    for (const client of [MESSAGES, RESPONSES] as const) {
      crossing.upstream.always({ body, headers: JSON_TYPE })
      for (const { json } of [await crossing.json(client), await crossing.json(client)])
        ids.push(
          ...((json['content'] ?? json['output']) as Json[]).map(
            (one) => one['call_id'] ?? one['id'],
          ),
        )
      const delta = { tool_calls: [{ index: 0, ...NO_ID_CALL }] }
      crossing.upstream.always({ body: [chunk(delta), chunk({}, 'tool_calls'), DONE].join('') })
      for (const { state } of [await crossing.stream(client), await crossing.stream(client)])
        ids.push(...state.blocks.map(({ id }) => id))
    }
    expect(ids).toHaveLength(8)
    expect(new Set(ids).size).toBe(8)
    for (const id of ids) expect(id).toMatch(/^call_\w{16,}$/)
  })
})

const PATCH = { tools: [{ type: 'custom', name: 'apply_patch' }] }

test.each([MESSAGES, CHAT] as const)(
  'a free text of %s that breaks off is no whole call for a Responses client',
  async (wire) => {
    const up = wire === CHAT ? ({ wire, vendor: 'vllm', model: 'local' } as const) : { wire }
    await withCrossing(up, async (crossing) => {
      const args = '{"input":"rm -rf /tmp/x'
      const piece = { call: 'apply_patch', id: 'call_1', args }
      crossing.upstream.always({ body: cutStream(wire, piece) })
      const { text } = await crossing.stream(RESPONSES, PATCH)
      const frames = framesOf(text)
      const done = frames.find(({ type }) => type === 'response.output_item.done')
      const call = { type: 'custom_tool_call', input: 'rm -rf /tmp/x', status: 'incomplete' }
      expect(done?.['item']).toMatchObject(call)
      expect(frames.at(-1)).toMatchObject({
        type: 'response.incomplete',
        response: { output: [call] },
      })
      if (wire !== CHAT) return
      crossing.upstream.answer((request) => reply(CHAT, { pieces: [piece], isCut: true }, request))
      const { json } = await crossing.json(RESPONSES, PATCH)
      expect(json).toMatchObject({ status: 'incomplete', output: [call] })
    })
  },
)

function cutStream(wire: WireName, piece: { call: string; id: string; args: string }): string {
  const spoken = { pieces: [piece], isCut: true }
  if (wire === CHAT) return sayStream(CHAT, spoken)
  const { call: name, id, args } = piece
  return [
    sayStream(MESSAGES, { pieces: [] }).split('event: message_delta')[0],
    named('content_block_start', {
      index: 0,
      content_block: { type: 'tool_use', id, name, input: {} },
    }),
    named('content_block_delta', {
      index: 0,
      delta: { type: 'input_json_delta', partial_json: args },
    }),
    named('content_block_stop', { index: 0 }),
    named('message_delta', {
      delta: { stop_reason: 'max_tokens', stop_sequence: null },
      usage: { output_tokens: 9 },
    }),
    named('message_stop'),
  ].join('')
}

const EXACT =
  '{"id":1234567890123456789,"at":[{"x":0.12345678901234567891}],"s":"9007199254740993"}'

test('arguments keep each digit from a Chat upstream to a Messages client and back', async () => {
  await withCrossing({ wire: CHAT }, async (crossing) => {
    const pieces = [{ call: 'run', id: 'call_1', args: EXACT }]
    crossing.upstream.answer((request) => reply(CHAT, { pieces }, request))
    const whole = await crossing.json(MESSAGES)
    expect(whole.body.toString()).toContain(`"input":${EXACT}`)
    const content = `[{"type":"tool_use","id":"call_1","name":"run","input":${EXACT}}]`
    const result = '[{"type":"tool_result","tool_use_id":"call_1","content":"ok"}]'
    const messages = `[{"role":"user","content":"Go"},{"role":"assistant","content":${content}},{"role":"user","content":${result}}]`
    const body = `{"model":"m","max_tokens":99,"messages":${messages}}`
    await crossing.json(MESSAGES, {}, { body: Buffer.from(body) })
    expect(crossing.upstream.requests[1]?.body.toString()).toContain(JSON.stringify(EXACT))
  })
})

test.each([CHAT, RESPONSES] as const)(
  'arguments keep each digit from a Messages upstream to a client of %s and back',
  async (client) => {
    await withCrossing({ wire: MESSAGES }, async (crossing) => {
      const answer = JSON.stringify(
        sayJson(MESSAGES, { pieces: [{ call: 'run', id: 'call_1', args: '{"here":0}' }] }),
      ).replace('{"here":0}', EXACT)
      crossing.upstream.always({ body: answer, headers: JSON_TYPE })
      const { body } = await crossing.json(client)
      expect(body.toString()).toContain(JSON.stringify(EXACT))
      await crossing.json(client, client === CHAT ? chatHistory : responsesHistory)
      expect(crossing.upstream.requests[1]?.body.toString()).toContain(`"input":${EXACT}`)
    })
  },
)

const chatHistory: JsonObject = {
  messages: [
    { role: 'user', content: 'Go' },
    {
      role: 'assistant',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'run', arguments: EXACT } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
  ],
}
const responsesHistory: JsonObject = {
  input: [
    { role: 'user', content: 'Go' },
    { type: 'function_call', call_id: 'call_1', name: 'run', arguments: EXACT },
    { type: 'function_call_output', call_id: 'call_1', output: 'ok' },
  ],
}

test('an answer that a stop sequence ends says what it cost', async () => {
  await withCrossing({ wire: RESPONSES }, async (crossing) => {
    const pieces = [{ text: 'one two three STOP four' }]
    const usage = { input: 50, output: 40 }
    const asked = { stop_sequences: ['STOP'] }
    crossing.upstream.answer((request) => reply(RESPONSES, { pieces, usage }, request))
    const { json } = await crossing.json(MESSAGES, asked)
    expect(json).toMatchObject({
      stop_sequence: 'STOP',
      content: [{ text: 'one two three ' }],
      usage: { input_tokens: 50, output_tokens: 40 },
    })
    // The upstream never comes to say it: it is not read to its end.
    const body = sayStream(RESPONSES, { pieces, usage })
    const at = body.indexOf('event: response.output_text.done')
    crossing.upstream.always({ body: body.slice(0, at), ending: 'hang' })
    const { state } = await crossing.stream(MESSAGES, asked)
    expect(state).toMatchObject({ finishReason: 'stop-sequence', stopSequence: 'STOP' })
    expect(state.usage?.outputTokens).toBe(6)
  })
})
