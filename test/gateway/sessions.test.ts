/**
 * Conversations that a client names instead of sending them, where the upstream is of another wire and keeps
 * nothing: `previous_response_id`, `item_reference`, `store`, `thread`. By stream and by JSON, on real sockets.
 */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { toObjects, type Json } from '../support/api-rules.ts'
import { breaks, withCrossing, type Crossing } from '../support/crossing.ts'
import { httpUpstream, key, route } from '../support/gateway.ts'
import { reply } from '../support/spoken.ts'
import { startUpstream } from '../support/upstream.ts'

const CHAT = 'openai-chat'
const MESSAGES = 'anthropic-messages'
const RESPONSES = 'openai-responses'
const TOOLS = [{ type: 'function', name: 'run', parameters: { type: 'object', properties: {} } }]

/** Each answer says which it is; the first of them calls. */
function speakInTurn({ upstream }: Crossing, wire: WireName): void {
  upstream.answer((request) => {
    const count = upstream.requests.length
    const words = { text: `Answer ${count}.` }
    const call = { call: 'run', id: 'call_1', args: '{}' }
    return reply(wire, { pieces: count === 1 ? [words, call] : [words], id: `x${count}` }, request)
  })
}

/** The answer as one body, however it came. */
async function answered(
  crossing: Crossing,
  wire: WireName,
  isStream: boolean,
  more: object,
): Promise<Json> {
  if (!isStream) {
    const { status, json } = await crossing.json(wire, more)
    expect([status, json['error'] ?? undefined]).toEqual([200, undefined])
    return json
  }
  const { text } = await crossing.stream(wire, more)
  const found =
    wire === RESPONSES
      ? /^data: (\{"type":"response\.completed".*)$/m.exec(text)
      : /^data: (\{"type":"message_start".*)$/m.exec(text)
  const event = JSON.parse(found?.[1] ?? '{}') as Record<string, Json>
  return event['response'] ?? event['message'] ?? {}
}

const WAYS = ([MESSAGES, CHAT] as const).flatMap((wire) =>
  [true, false].map((isStream) => [wire, isStream ? 'stream' : 'JSON', isStream] as const),
)

/** All that is said in the conversation that the provider got. */
const said = (body: Json): string => JSON.stringify(body['messages'] ?? body['input'])

test.each(WAYS)(
  'a chain of responses goes on from ids alone, on %s by %s',
  async (wire, _by, isStream) => {
    await withCrossing({ wire }, async (crossing) => {
      speakInTurn(crossing, wire)
      const ask = (more: object): Promise<Json> =>
        answered(crossing, RESPONSES, isStream, { tools: TOOLS, ...more })
      const first = await ask({ input: 'First question', instructions: 'Be brief.' })
      expect(first['store']).toBe(true)
      const output = { type: 'function_call_output', call_id: 'call_1', output: 'Result one' }
      const second = await ask({ previous_response_id: first['id'], input: [output] })
      expect(second['previous_response_id']).toBe(first['id'])
      await ask({ previous_response_id: second['id'], input: 'Second question' })
      const third = said(crossing.sent(2))
      for (const words of [
        'First question',
        'Answer 1.',
        'Result one',
        'Answer 2.',
        'Second question',
      ])
        expect([words, third.split(words).length]).toEqual([words, 2])
      // Instructions hold for one answer only.
      expect(JSON.stringify(crossing.sent(1))).not.toContain('Be brief.')
      // From one answer two conversations may go on.
      await ask({ previous_response_id: second['id'], input: 'Another question' })
      expect(said(crossing.sent(3))).not.toContain('Second question')
    })
  },
)

test.each(WAYS)('an item is known by its reference, on %s by %s', async (wire, _by, isStream) => {
  await withCrossing({ wire }, async (crossing) => {
    speakInTurn(crossing, wire)
    const ask = (more: object): Promise<Json> =>
      answered(crossing, RESPONSES, isStream, { tools: TOOLS, ...more })
    const question = { role: 'user', content: 'First question' }
    const first = await ask({ input: [question] })
    const items = toObjects(first['output']).map(({ id }) => ({ type: 'item_reference', id }))
    const output = { type: 'function_call_output', call_id: 'call_1', output: 'Result one' }
    await ask({ input: [question, ...items, output] })
    expect(said(crossing.sent(1))).toContain('Answer 1.')
    expect(said(crossing.sent(1))).toContain('Result one')
  })
})

test('what was not to be stored, was never said or is another key’s is refused, so that the client resends', async () => {
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
  const keys = ['ann', 'bob'].map((name) => key(name, hash(`sk-${name}`)))
  await withCrossing({ wire: MESSAGES, settings: { keys } }, async (crossing) => {
    speakInTurn(crossing, MESSAGES)
    const as = (name: string): { headers: Record<string, string> } => ({
      headers: { authorization: `Bearer sk-${name}` },
    })
    const ask = (name: string, more: object): ReturnType<Crossing['json']> =>
      crossing.json(RESPONSES, more, as(name))
    const kept = (await ask('ann', { input: 'Secret of Ann' })).json
    const { json: loose } = await ask('ann', { input: 'Not kept', store: false })
    const [item] = toObjects(kept['output'])
    const count = crossing.upstream.requests.length
    const refused: [string, object][] = [
      ['ann', { previous_response_id: loose['id'] }],
      ['ann', { previous_response_id: 'resp_never' }],
      ['bob', { previous_response_id: kept['id'] }],
      ['bob', { input: [{ type: 'item_reference', id: item?.['id'] }] }],
    ]
    for (const [name, more] of refused)
      for (const stream of [true, false]) {
        const { status, json } = await ask(name, { input: 'On', stream, ...more })
        expect([status, (json['error'] as Json)['code']]).toEqual([
          400,
          'previous_response_not_found',
        ])
      }
    expect(crossing.upstream.requests.length).toBe(count)
    const { status } = await ask('ann', { previous_response_id: kept['id'], input: 'On' })
    expect([status, said(crossing.sent(count))]).toEqual([200, expect.stringContaining('Secret')])
  })
})

const RUN = { name: 'run', input_schema: { type: 'object', properties: {} } }

test.each(
  ([CHAT, RESPONSES] as const).flatMap((wire) =>
    [true, false].map((isStream) => [wire, isStream] as const),
  ),
)(
  'a thread is begun, goes on and ends in a resend when it is lost, on %s, stream: %s',
  async (wire, isStream) => {
    await withCrossing({ wire }, async (crossing) => {
      speakInTurn(crossing, wire)
      const ask = (more: object): Promise<Json> => answered(crossing, MESSAGES, isStream, more)
      const first = await ask({
        system: 'You are a coder.',
        tools: [RUN],
        thread: { type: 'create' },
        messages: [{ role: 'user', content: 'First question' }],
      })
      const result = { type: 'tool_result', tool_use_id: 'call_1', content: 'Result one' }
      const second = await ask({
        thread: { type: 'continue', previous_message_id: first['id'] },
        messages: [{ role: 'user', content: [result] }],
      })
      await ask({
        thread: { type: 'continue', previous_message_id: second['id'] },
        messages: [{ role: 'user', content: 'Second question' }],
      })
      const body = JSON.stringify(crossing.sent(2))
      for (const words of [
        'You are a coder.',
        'First question',
        'Answer 1.',
        'Result one',
        'Answer 2.',
      ])
        expect([words, body.split(words).length]).toEqual([words, 2])
      expect(toObjects(crossing.sent(2)['tools']).length).toBe(1)
      const lost = { type: 'continue', previous_message_id: 'msg_lost' }
      const { status, json } = await crossing.json(MESSAGES, { thread: lost, stream: isStream })
      expect([status, json['type']]).toEqual([404, 'error'])
      expect(json['error']).toMatchObject({ details: { error_code: 'thread_not_found' } })
      expect(crossing.upstream.requests.length).toBe(3)
    })
  },
)

test.each([CHAT, RESPONSES] as const)(
  'losses on %s are said, and refused where the config is strict',
  async (wire) => {
    const more = { top_k: 5, context_management: { edits: [{ type: 'clear_thinking_20251015' }] } }
    await withCrossing({ wire }, async (crossing) => {
      speakInTurn(crossing, wire)
      const { headers } = await crossing.stream(MESSAGES, more)
      const { headers: also, status } = await crossing.json(MESSAGES, more)
      for (const told of [headers, also])
        expect(told['x-sluice-losses']).toMatch(/dropped:context_management.*top_k|top_k.*context_/)
      expect([status, (await crossing.gateway.report(0)).losses?.length]).toEqual([200, 2])
      const [route] = crossing.gateway.settings.routes
      if (route === undefined) throw new Error('No route')
      const { settings, reload } = crossing.gateway
      for (const changed of [
        { ...settings, isStrict: true },
        { ...settings, routes: [{ ...route, isStrict: true }] },
      ]) {
        reload(changed)
        const refused = await crossing.json(MESSAGES, { ...more, stream: true })
        expect(refused.status).toBe(400)
        expect((refused.json['error'] as Json)['message']).toMatch(/top_k/)
        // What loses nothing is served all the same.
        expect((await crossing.json(MESSAGES)).status).toBe(200)
      }
      expect(crossing.upstream.requests.length).toBe(4)
    })
  },
)

test('a chain goes over a switch from a foreign upstream to one of the client’s own wire', async () => {
  const own = await startUpstream()
  own.answer((request) => reply(RESPONSES, { pieces: [{ text: 'Own.' }], id: 'resp_own' }, request))
  await withCrossing({ wire: MESSAGES }, async (crossing) => {
    speakInTurn(crossing, MESSAGES)
    const { gateway } = crossing
    const [foreign] = gateway.settings.upstreams
    if (foreign === undefined) throw new Error('No upstream')
    const to = (name: string): void =>
      gateway.reload({
        ...gateway.settings,
        upstreams: [foreign, httpUpstream(own.url, { name: 'own', wires: [RESPONSES] })],
        routes: [{ ...route('*', name), as: { up: 'claude-sonnet-4-5', own: 'gpt-5.2' } }],
      })
    const { json: first } = await crossing.json(RESPONSES, { input: 'First question' })
    to('own')
    const output = { type: 'function_call_output', call_id: 'call_1', output: 'Result one' }
    const more = { previous_response_id: first['id'], input: [output] }
    const { json: second } = await crossing.json(RESPONSES, more)
    const sent = JSON.parse(own.requests[0]?.body.toString() ?? '') as Json
    expect(breaks(RESPONSES, sent)).toEqual([])
    expect(sent).not.toHaveProperty(['previous_response_id'])
    for (const words of ['First question', 'Answer 1.', 'Result one'])
      expect(said(sent)).toContain(words)
    // What the own upstream keeps no other knows: the client is asked to send it.
    to('up')
    const back = await crossing.json(RESPONSES, { previous_response_id: second['id'], input: 'On' })
    expect([back.status, (back.json['error'] as Json)['code']]).toEqual([
      400,
      'previous_response_not_found',
    ])
  })
  await own.close()
})
