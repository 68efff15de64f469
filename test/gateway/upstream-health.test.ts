/** What `GET /api/health` says of upstreams: where they lead, how they do and why not, and nothing of what was said. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createApiClient } from '../../src/api/client.ts'
import type { UpstreamView } from '../../src/api/types.ts'
import { allTo, ask, httpUpstream, startTestGateway, type TestGateway } from '../support/gateway.ts'
import { CHAT } from '../support/json-answers.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

const JSON_HEADERS = { 'content-type': 'application/json' }

let provider: TestUpstream
let gateway: TestGateway | undefined
beforeAll(async () => {
  provider = await startUpstream()
})
afterEach(() => gateway?.close(0))
afterAll(() => provider.close())

async function start(more: Parameters<typeof httpUpstream>[1] = {}): Promise<TestGateway> {
  gateway = await startTestGateway(allTo(httpUpstream(`${provider.url}/secret-part`, more)))
  return gateway
}

async function viewOf({ url, adminToken }: TestGateway): Promise<UpstreamView | undefined> {
  return (await createApiClient({ url, token: adminToken() }).health()).upstreams[0]
}

const send = ({ url }: TestGateway): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: JSON_HEADERS,
    body: ask('openai-chat'),
  })

test('an upstream that was never asked is known by its host, and nothing more is said', async () => {
  const view = await viewOf(await start({ apiKey: 'sk-secret' }))
  expect(view).toEqual({
    name: 'up',
    kind: 'http',
    wires: ['anthropic-messages', 'openai-chat', 'openai-responses'],
    host: new URL(provider.url).host,
    circuit: 'closed',
    open: 0,
  })
})

test('success, failure and an open circuit are told with their times, in words without content', async () => {
  const own = await start({ breaker: { failures: 1, cooldown: 60_000 } })
  const before = Date.now()
  provider.next(
    { body: JSON.stringify(CHAT.plain), headers: JSON_HEADERS },
    {
      status: 503,
      body: JSON.stringify({
        error: { message: 'cannot do "what you wrote"', type: 'server_error' },
      }),
      headers: JSON_HEADERS,
    },
  )
  await (await send(own)).text()
  const well = await viewOf(own)
  expect(well?.lastSuccessAt).toBeGreaterThanOrEqual(before)
  expect(well?.lastFailureAt).toBeUndefined()
  await (await send(own)).text()
  const view = await viewOf(own)
  expect(view).toMatchObject({
    circuit: 'open',
    open: 0,
    circuitWhy: expect.stringMatching(/^It answered with an error: \w+, status 503$/),
  })
  expect(view?.circuitSince).toBeGreaterThanOrEqual(before)
  expect(JSON.stringify(view)).not.toMatch(/what you wrote|secret-part/)
})

test('a connection that is refused is told as it is', async () => {
  const gone = await startUpstream()
  await gone.close()
  gateway = await startTestGateway(allTo(httpUpstream(gone.url)))
  await (await send(gateway)).text()
  expect((await viewOf(gateway))?.lastFailure).toContain('it refused the connection')
})

test('requests under way are counted, also those that a client gives up', async () => {
  const own = await start()
  provider.next({ body: '{}', headDelay: 60_000 })
  const left = new AbortController()
  const waiting = fetch(`${own.url}/v1/chat/completions`, {
    method: 'POST',
    headers: JSON_HEADERS,
    body: ask('openai-chat'),
    signal: left.signal,
  }).catch(() => undefined)
  await expect.poll(async () => (await viewOf(own))?.open).toBe(1)
  left.abort()
  await waiting
  await expect.poll(async () => (await viewOf(own))?.open).toBe(0)
  // Nobody knows how it would have gone.
  expect((await viewOf(own))?.lastFailureAt).toBeUndefined()
})

test('a gateway of the demo alone says so, and whether it asks for a key', async () => {
  gateway = await startTestGateway()
  const { url, adminToken } = gateway
  const health = await createApiClient({ url, token: adminToken() }).health()
  expect(health.gateway).toMatchObject({ url, isDemo: true, needsKey: false })
  expect(health.upstreams[0]).toMatchObject({ kind: 'demo', circuit: 'closed' })
})
