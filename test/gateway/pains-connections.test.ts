/**
 * What users of other gateways suffer, as far as it is between the sockets: silence, departures, errors at the
 * wrong time, streams that are no streams. One test for each pain, by its number; the first lines of
 * `pains-answers.test.ts` say which have none yet.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Json } from '../support/api-rules.ts'
import { errorsIn, LIMITS } from '../support/connections.ts'
import { withCrossing } from '../support/crossing.ts'
import { ask, httpUpstream } from '../support/gateway.ts'
import { sendRequest } from '../support/raw-client.ts'
import { chatData, chunk, DONE, JSON_TYPE, reply, sayStream } from '../support/spoken.ts'
import { stateOf } from '../support/streams.ts'
import { startUpstream } from '../support/upstream.ts'

const CHAT = 'openai-chat'
const MESSAGES = 'anthropic-messages'
const RESPONSES = 'openai-responses'
const YES = { pieces: [{ text: 'Yes.' }] }
const refusal = (error: Json, status = 400): { status: number; headers: object; body: string } => ({
  status,
  headers: JSON_TYPE,
  body: JSON.stringify({ error }),
})

test('pain 9: a context that is too long is told in the words that each client acts on, and nobody else is asked', async () => {
  const other = await startUpstream()
  other.answer((request) => reply(CHAT, YES, request))
  const up = { retry: { attempts: 3, backoff: 10, maxBackoff: 20, maxRetryAfter: 100 } }
  await withCrossing({ wire: CHAT, up }, async ({ gateway, upstream, json, stream }) => {
    const [first] = gateway.settings.upstreams
    if (first === undefined) throw new Error('No upstream')
    gateway.reload({
      ...gateway.settings,
      upstreams: [first, httpUpstream(other.url, { name: 'other', wires: [CHAT] })],
      routes: [{ model: '*', wire: undefined, to: ['up', 'other'], as: {} }],
    })
    const overflow = (message: string): void =>
      upstream.always(refusal({ message, type: 'invalid_request_error', code: null }) as object)
    overflow(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
    )
    const claude = await json(MESSAGES)
    expect([claude.status, (claude.json['error'] as Json)['message']]).toEqual([
      400,
      expect.stringMatching(/^prompt is too long: 9000 tokens > 8192/),
    ])
    const chat = await json(RESPONSES)
    expect((chat.json['error'] as Json)['code']).toBe('context_length_exceeded')
    // Codex goes by the event.
    const codex = await stream(RESPONSES, {}, { headers: { originator: 'codex_cli_rs' } })
    expect(codex.text).toMatch(/"type":"response.failed".*"code":"context_length_exceeded"/)
    overflow(
      "This model's maximum context length is 8192 tokens. However, you requested 9500 tokens (7500 in the messages, 2000 in the completion).",
    )
    const lowers = await json(MESSAGES, { max_tokens: 2000 })
    expect((lowers.json['error'] as Json)['message']).toMatch(
      /input length and `max_tokens` exceed context limit: 7500 \+ 2000 > 8192/,
    )
    expect([upstream.requests.length, other.requests.length]).toEqual([4, 0])
  })
  await other.close()
})

test.each([MESSAGES, RESPONSES] as const)(
  'pain 10: in silence %s gets signs of life, and none from a dead upstream',
  async (client) => {
    const up = { limits: { ...LIMITS, idle: 700 } }
    const settings = { keepalive: 100 }
    await withCrossing({ wire: CHAT, up, settings }, async ({ upstream, gateway, stream }) => {
      const begun = chunk({ role: 'assistant', content: 'Well' })
      upstream.always({
        body: begun + chunk({ content: '.' }),
        cuts: [begun.length],
        stallAfter: 1,
      })
      const startedAt = performance.now()
      const { text, state } = await stream(client, {}, { headers: { originator: 'codex_cli_rs' } })
      const beats = text.match(client === MESSAGES ? /^event: ping$/gm : /^:/gm) ?? []
      expect(beats.length).toBeGreaterThanOrEqual(3)
      expect(state.error).toBeDefined()
      expect(performance.now() - startedAt).toBeLessThan(3000)
      expect((await gateway.report(0)).outcome).toBe('broken')
    })
  },
)

test('pain 13: when the client leaves, the upstream stops, before the first byte and behind it', async () => {
  await withCrossing({ wire: CHAT }, async ({ upstream, gateway }) => {
    const body = chunk({ role: 'assistant', content: 'Well' })
    const usage = { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 }
    upstream.next(
      { headDelay: 5000 },
      { body: chatData({ choices: [], usage }) + body, ending: 'hang' },
    )
    const url = `${gateway.url}/v1/messages`
    for (const at of [0, 1]) {
      const call = sendRequest(url, { body: ask(MESSAGES, { stream: true }) })
      const request = await upstream.request(at)
      if (at === 0) await sleep(30)
      else await call.received(1)
      call.leave()
      await request.over
      expect(request.aborted).toBe(true)
      expect((await gateway.report(at)).outcome).toBe('client-left')
    }
    expect((await gateway.report(1)).usage).toMatchObject({ outputTokens: 3 })
  })
})

test('pain 14: an error in a 200 stream is a status while nothing was said, and tried again', async () => {
  const up = { retry: { attempts: 2, backoff: 10, maxBackoff: 20, maxRetryAfter: 100 } }
  await withCrossing({ wire: CHAT, up }, async ({ upstream, stream, json }) => {
    const error = `data: ${JSON.stringify({ error: { message: 'Overloaded', code: 503 } })}\n\n`
    upstream.next({ body: error }, { body: sayStream(CHAT, YES) })
    expect((await stream(MESSAGES)).state.blocks).toMatchObject([{ text: 'Yes.' }])
    upstream.always({ body: error })
    const failed = await json(MESSAGES, { stream: true })
    expect([failed.status, failed.json['type']]).toEqual([529, 'error'])
  })
})

test('pain 14: behind the first content it is an event of the client’s wire, and nothing is spliced', async () => {
  const up = { retry: { attempts: 3, backoff: 10, maxBackoff: 20, maxRetryAfter: 100 } }
  await withCrossing({ wire: CHAT, up }, async ({ upstream, gateway }) => {
    const error = `data: ${JSON.stringify({ error: { message: 'Broke', code: 500 } })}\n\n`
    upstream.always({ body: chunk({ role: 'assistant', content: 'Well' }) + error })
    for (const client of [MESSAGES, RESPONSES] as const) {
      const path = client === MESSAGES ? '/v1/messages' : '/v1/responses'
      const { answer } = sendRequest(gateway.url + path, { body: ask(client, { stream: true }) })
      const { status, body } = await answer
      expect([status, errorsIn(client, body)]).toEqual([200, []])
      const state = stateOf(client, body)
      expect([state.error?.message, state.finishReason]).toEqual([
        expect.stringMatching(/Broke$/),
        undefined,
      ])
    }
    expect(upstream.requests.length).toBe(2)
  })
})

test('pain 32: every piece leaves when it has come', async () => {
  await withCrossing({ wire: CHAT }, async ({ upstream, stream }) => {
    const frames = ['one ', 'two ', 'three ', 'four'].map((content) => chunk({ content }))
    const body = [...frames, chunk({}, 'stop'), DONE].join('')
    let at = 0
    const cuts = frames.map((frame) => (at += frame.length))
    for (const client of [MESSAGES, RESPONSES] as const) {
      upstream.next({ body, cuts, pace: 60 })
      const { pieces } = await stream(client)
      const seen = ['one ', 'two ', 'three ', 'four'].map((word) => {
        const piece = pieces.find(({ bytes }) => bytes.includes(`"${word}"`))
        return piece?.at ?? Number.NaN
      })
      const gaps = seen.slice(1).map((time, i) => time - (seen[i] ?? 0))
      for (const gap of gaps) expect(gap).toBeGreaterThan(25)
    }
  })
})

test('pain 32: an argument of a megabyte in small pieces costs no more than its length', async () => {
  await withCrossing({ wire: CHAT }, async ({ upstream, stream }) => {
    const piece = 'x'.repeat(64)
    const head = {
      index: 0,
      id: 'c1',
      type: 'function',
      function: { name: 'run', arguments: '{"a":"' },
    }
    const part = chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] })
    const end = chunk({ tool_calls: [{ index: 0, function: { arguments: '"}' } }] }, 'tool_calls')
    upstream.always({ body: chunk({ tool_calls: [head] }) + part.repeat(16_000) + end + DONE })
    const startedAt = performance.now()
    const { state } = await stream(MESSAGES)
    const [call] = state.blocks
    expect(call?.type === 'tool-call' && call.arguments.length).toBe(16_000 * 64 + 8)
    expect(performance.now() - startedAt).toBeLessThan(5000)
  })
})

test('pain 33: no proxy on the way is asked to hold or pack a stream', async () => {
  await withCrossing({ wire: CHAT }, async ({ upstream, stream }) => {
    upstream.always({ body: sayStream(CHAT, YES), compress: 'gzip' })
    for (const client of [MESSAGES, RESPONSES, CHAT] as const) {
      const { headers } = await stream(client, {}, { headers: { 'accept-encoding': 'gzip, br' } })
      expect(headers).toMatchObject({
        'x-accel-buffering': 'no',
        'cache-control': 'no-cache, no-transform',
      })
      expect(headers['content-type']).toMatch(/^text\/event-stream/)
      expect(headers['content-encoding']).toBeUndefined()
    }
  })
})
