/**
 * Counting tokens, from each client wire at each upstream wire: asked of whoever counts, estimated where nobody
 * does, and never an error of ours. Clients ask this all the time and take a failure for a broken model.
 */
import { describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import type { Json } from '../support/api-rules.ts'
import { withCrossing, type Crossing } from '../support/crossing.ts'
import { ask } from '../support/gateway.ts'
import { fetchRaw, type RawAnswer } from '../support/raw-client.ts'
import { JSON_TYPE, reply } from '../support/spoken.ts'

const CHAT = 'openai-chat'
const MESSAGES = 'anthropic-messages'
const RESPONSES = 'openai-responses'
/** Chat has no such endpoint: its clients may ask at either. */
const CLIENTS = {
  [MESSAGES]: '/v1/messages/count_tokens',
  [RESPONSES]: '/v1/responses/input_tokens',
}
const COUNTS: Partial<Record<WireName, string>> = {
  [MESSAGES]: '/v1/messages/count_tokens',
  [RESPONSES]: '/responses/input_tokens',
}
type Counting = keyof typeof CLIENTS
const PAIRS = ([MESSAGES, RESPONSES] as const).flatMap((client) =>
  ([MESSAGES, CHAT, RESPONSES] as const).map((wire) => [client, wire] as const),
)

async function count(
  { gateway }: Crossing,
  client: Counting,
  more: object = {},
): Promise<{ tokens: unknown; isEstimate: boolean; answer: RawAnswer }> {
  const answer = await fetchRaw(gateway.url + CLIENTS[client], { body: ask(client, more) })
  expect([answer.status, answer.body.toString()]).toEqual([
    200,
    expect.stringContaining('input_tokens'),
  ])
  const body = JSON.parse(answer.body.toString()) as Json
  if (client === RESPONSES) expect(body['object']).toBe('response.input_tokens')
  const isEstimate = answer.headers['x-sluice-tokens'] === 'estimate'
  return { tokens: body['input_tokens'], isEstimate, answer }
}

const COUNTED = {
  headers: JSON_TYPE,
  body: '{"input_tokens":321,"object":"response.input_tokens"}',
}

describe.each(PAIRS)('%s at an upstream on %s', (client, wire) => {
  const isCounted = COUNTS[wire] !== undefined

  test('is told what that upstream counts, else an estimate that says so', async () => {
    await withCrossing({ wire }, async (crossing) => {
      crossing.upstream.always(COUNTED)
      const first = await count(crossing, client)
      const again = await count(crossing, client)
      expect([first.isEstimate, again.isEstimate]).toEqual([!isCounted, !isCounted])
      expect(again.tokens).toBe(first.tokens)
      // The second time it is known.
      expect(crossing.upstream.requests.map(({ path }) => path)).toEqual(
        isCounted ? [COUNTS[wire]] : [],
      )
      if (!isCounted) return
      expect(first.tokens).toBe(321)
      const sent = JSON.parse(crossing.upstream.requests[0]?.body.toString() ?? '') as Json
      // A count takes neither a limit nor a stream where we wrote it.
      if (client !== wire) expect(sent).not.toHaveProperty(['max_tokens'])
      expect(sent).not.toHaveProperty(['stream'])
    })
  })

  test.skipIf(!isCounted)('is told an estimate where that fails', async () => {
    await withCrossing({ wire }, async (crossing) => {
      const { upstream } = crossing
      upstream.next(
        { status: 500, headers: JSON_TYPE, body: '{"error":{"message":"Broke"}}' },
        { status: 429, headers: JSON_TYPE, body: '{"error":{"message":"Slow down"}}' },
        { body: 'no JSON at all', headers: { 'content-type': 'text/plain' } },
        { ending: 'reset' },
      )
      for (const content of ['a', 'b', 'c', 'd']) {
        const more = client === MESSAGES ? { system: content } : { instructions: content }
        const { isEstimate, tokens } = await count(crossing, client, more)
        expect([isEstimate, Number(tokens) > 0]).toEqual([true, true])
      }
      expect(upstream.requests.length).toBe(4)
      // An upstream that lacks the endpoint is not asked again for a while.
      upstream.always({
        status: 404,
        headers: JSON_TYPE,
        body: '{"error":{"message":"Not found"}}',
      })
      for (const system of ['e', 'f']) {
        const more = client === MESSAGES ? { system } : { instructions: system }
        expect((await count(crossing, client, more)).isEstimate).toBe(true)
      }
      expect(upstream.requests.length).toBe(5)
      await upstream.refuse()
      expect((await count(crossing, client)).isEstimate).toBe(true)
    })
  })
})

test(
  'a slow count is not waited for, and the upstream is left alone',
  { timeout: 10_000 },
  async () => {
    await withCrossing({ wire: RESPONSES }, async (crossing) => {
      crossing.upstream.always({ headDelay: 60_000 })
      const startedAt = performance.now()
      expect((await count(crossing, MESSAGES)).isEstimate).toBe(true)
      expect(performance.now() - startedAt).toBeLessThan(7000)
      const request = await crossing.upstream.request(0)
      await request.over
      expect(request.aborted).toBe(true)
    })
  },
)

test('a count that fails does not close the way for answers', async () => {
  const up = { breaker: { failures: 2, cooldown: 60_000 } }
  await withCrossing({ wire: MESSAGES, up }, async (crossing) => {
    const { upstream } = crossing
    upstream.always({ status: 503, headers: JSON_TYPE, body: '{"error":{"message":"Broke"}}' })
    for (const instructions of ['a', 'b', 'c']) await count(crossing, RESPONSES, { instructions })
    upstream.answer((request) => reply(MESSAGES, { pieces: [{ text: 'Yes.' }] }, request))
    expect((await crossing.json(RESPONSES)).status).toBe(200)
  })
})

test('estimates learn from what upstreams say of real requests', async () => {
  await withCrossing({ wire: CHAT }, async (crossing) => {
    const messages = [{ role: 'user', content: 'word '.repeat(2000) }]
    const before = Number((await count(crossing, MESSAGES, { messages })).tokens)
    const usage = { input: before * 2, output: 1 }
    crossing.upstream.answer((request) =>
      reply(CHAT, { pieces: [{ text: 'Yes.' }], usage }, request),
    )
    for (let i = 0; i < 5; i++) await crossing.stream(MESSAGES, { messages })
    const after = Number((await count(crossing, MESSAGES, { messages })).tokens)
    expect(after).toBeGreaterThan(before * 1.2)
  })
})
