/** What crosses the gateway towards an upstream: the body as it came, headers by list, no key of ours. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashKey } from '../../src/config/keys.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { allTo, ask, httpUpstream, key, route, startTestGateway } from '../support/gateway.ts'
import { fetchRaw } from '../support/raw-client.ts'
import { SMALL } from '../support/small-streams.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'
import { post, startPair, type Pair } from '../support/connections.ts'

let pair: Pair
let other: TestUpstream
beforeAll(async () => {
  pair = await startPair()
  other = await startUpstream()
})
afterAll(async () => {
  await pair.close()
  await other.close()
})

const FAIL = { status: 500, headers: { 'content-type': 'application/json' }, body: '{"error":{}}' }

/** What the upstream got last. */
const last = (upstream: TestUpstream = pair.upstream) => {
  const request = upstream.requests.at(-1)
  if (request === undefined) throw new Error('Nothing was sent')
  return request
}

describe.each(WIRE_NAMES)('a body of %s', (wire) => {
  const odd = ask(wire, { stream: true, z: 1e21, a: '\u2028ü', nested: { model: 'x', stream: 0 } })
  const spaced = odd.replace('{', '{ \r\n\t').replace('"stream":true', '"stream" :  true')

  test('arrives byte for byte', async () => {
    pair.upstream.next({ body: SMALL[wire] })
    await post(pair.gateway, wire, {}, { body: spaced }).answer
    expect(last().body.toString()).toBe(spaced)
    expect(last().headers['content-length']).toBe(String(Buffer.byteLength(spaced)))
  })

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ] as const)('arrives packed as it came: %s', async (encoding, pack) => {
    const body = pack(spaced)
    pair.upstream.next({ body: SMALL[wire] })
    const headers = { 'content-encoding': encoding, 'content-type': 'application/json' }
    const answer = await post(pair.gateway, wire, {}, { body, headers }).answer
    expect(answer.status).toBe(200)
    expect(last().body.equals(body)).toBe(true)
    expect(last().headers['content-encoding']).toBe(encoding)
  })

  test('changes in nothing but the name of the model, also when it was packed', async () => {
    const routes = [{ ...route('*', 'up'), as: { up: 'real "model"' } }]
    const upstreams = [httpUpstream(pair.upstream.url)]
    const gateway = await startTestGateway({ upstreams, routes })
    const renamed = spaced.replace('"model":"m"', '"model":"real \\"model\\""')
    pair.upstream.next({ body: SMALL[wire] }, { body: SMALL[wire] })
    await post(gateway, wire, {}, { body: spaced }).answer
    expect(last().body.toString()).toBe(renamed)
    const headers = { 'content-encoding': 'gzip' }
    await post(gateway, wire, {}, { body: gzipSync(spaced), headers }).answer
    expect(last().body.toString()).toBe(renamed)
    expect(last().headers).not.toHaveProperty('content-encoding')
    await gateway.close(0)
  })
})

describe('a body that comes in many pieces', () => {
  const large = ask('anthropic-messages', { stream: true, a: 'ü'.repeat(150_000) })
  const got = () => pair.upstream.requests.map(({ body }) => body.toString())

  test('arrives byte for byte, with its length', async () => {
    pair.upstream.next({ body: SMALL['anthropic-messages'] })
    const answer = await post(pair.gateway, 'anthropic-messages', {}, { body: large }).answer
    expect(answer.status).toBe(200)
    expect(last().body.toString() === large).toBe(true)
    expect(last().headers['content-length']).toBe(String(Buffer.byteLength(large)))
    expect(last().headers).not.toHaveProperty('transfer-encoding')
  })

  test('changes in nothing but the name of the model, and is sent as often as it must be', async () => {
    const routes = [{ ...route('*', 'up'), as: { up: 'real' } }]
    const retry = { attempts: 2, backoff: 1, maxBackoff: 1, maxRetryAfter: 1 }
    const upstreams = [httpUpstream(pair.upstream.url, { retry })]
    const gateway = await startTestGateway({ upstreams, routes })
    pair.upstream.next(FAIL, { body: SMALL['anthropic-messages'] })
    const answer = await post(gateway, 'anthropic-messages', {}, { body: large }).answer
    expect(answer.status).toBe(200)
    const renamed = large.replace('"model":"m"', '"model":"real"')
    expect(got().slice(-2)).toEqual([renamed, renamed])
    await gateway.close(0)
  })
})

describe('headers and query', () => {
  test('cross by list in both directions', async () => {
    pair.upstream.next({
      body: SMALL['openai-chat'],
      headers: {
        'x-ratelimit-remaining-requests': '7',
        'openai-organization': 'o',
        'set-cookie': ['a=b', 'c=d'],
        'x-internal': 'secret',
        'transfer-coding': 'x',
      },
    })
    const answer = await post(
      pair.gateway,
      'openai-chat',
      { stream: true },
      {
        headers: {
          'user-agent': 'test/1.0',
          'openai-beta': 'x=1',
          'x-stainless-lang': 'js',
          'idempotency-key': 'i1',
          cookie: 'session=1',
          'x-forwarded-for': '10.0.0.1',
          forwarded: 'for=10.0.0.1',
          'x-sluice-key': 'k',
          'accept-encoding': 'gzip, br',
          te: 'trailers',
          'x-whatever': 'y',
        },
      },
    ).answer
    const { headers } = last()
    expect(headers).toMatchObject({
      'user-agent': 'test/1.0',
      'openai-beta': 'x=1',
      'x-stainless-lang': 'js',
      'idempotency-key': 'i1',
      'accept-encoding': 'identity',
      host: new URL(pair.upstream.url).host,
    })
    for (const name of [
      'cookie',
      'x-forwarded-for',
      'forwarded',
      'x-sluice-key',
      'te',
      'x-whatever',
    ])
      expect(headers).not.toHaveProperty(name)
    expect(answer.headers).toMatchObject({
      'x-ratelimit-remaining-requests': '7',
      'openai-organization': 'o',
    })
    for (const name of ['set-cookie', 'x-internal', 'transfer-coding'])
      expect(answer.headers).not.toHaveProperty(name)
  })

  test('of the config are merged with those of the client, as Azure wants them', async () => {
    const up = httpUpstream(`${pair.upstream.url}/openai/deployments/x/`, {
      apiKey: 'azure-key',
      auth: 'api-key',
      headers: { 'X-Extra': '1', 'anthropic-beta': 'b,c' },
      query: { 'api-version': '2025-01-01', beta: 'theirs' },
    })
    const gateway = await startTestGateway(allTo(up))
    pair.upstream.next({ body: SMALL['openai-chat'] })
    await fetchRaw(`${gateway.url}/v1/chat/completions?beta=true&a=%20b`, {
      body: ask('openai-chat', { stream: true }),
      headers: { authorization: 'Bearer client', 'anthropic-beta': 'a, b', 'x-api-key': 'client2' },
    })
    const { path, headers } = last()
    expect(path).toBe(
      '/openai/deployments/x/chat/completions?a=%20b&api-version=2025-01-01&beta=theirs',
    )
    expect(headers).toMatchObject({
      'x-extra': '1',
      'anthropic-beta': 'a,b,c',
      'api-key': 'azure-key',
    })
    expect(headers).not.toHaveProperty('authorization')
    expect(headers).not.toHaveProperty('x-api-key')
    await gateway.close(0)
  })
})

describe('credentials', () => {
  const CLIENT = { authorization: 'Bearer client-secret', 'x-api-key': 'client-secret-2' }
  const secretsIn = (upstream: TestUpstream): string[] =>
    last(upstream).rawHeaders.filter((text) => /secret|gateway/.test(text))

  test.each(WIRE_NAMES)('of a client stay with the first origin of its route: %s', async (wire) => {
    const gateway = await startTestGateway(
      allTo(
        httpUpstream(pair.upstream.url, { name: 'one' }),
        httpUpstream(`${pair.upstream.url}/again`, { name: 'same-origin' }),
        httpUpstream(other.url, { name: 'elsewhere' }),
      ),
    )
    pair.upstream.next(FAIL, FAIL)
    other.next({ body: SMALL[wire] })
    const place = pair.upstream.requests.length
    const answer = await post(gateway, wire, { stream: true }, { headers: CLIENT }).answer
    expect(answer.status).toBe(200)
    for (const { headers } of pair.upstream.requests.slice(place))
      expect(headers).toMatchObject(CLIENT)
    expect(pair.upstream.requests.length).toBe(place + 2)
    expect(secretsIn(other)).toEqual([])
    await gateway.close(0)
  })

  test('of a client do not reach an upstream that has its own key', async () => {
    const own = httpUpstream(pair.upstream.url, { apiKey: 'own-key' })
    const gateway = await startTestGateway(allTo(own))
    for (const wire of WIRE_NAMES) {
      pair.upstream.next({ body: SMALL[wire] })
      await post(gateway, wire, { stream: true }, { headers: CLIENT }).answer
      expect(secretsIn(pair.upstream)).toEqual([])
      expect(last().headers).toMatchObject(
        wire === 'anthropic-messages'
          ? { 'x-api-key': 'own-key' }
          : { authorization: 'Bearer own-key' },
      )
    }
    await gateway.close(0)
  })

  test.each([
    ['as a bearer', { authorization: 'Bearer gateway-key' }, {}],
    ['as x-api-key', { 'x-api-key': 'gateway-key' }, {}],
    [
      'as x-sluice-key, beside its own',
      { 'x-sluice-key': 'gateway-key', authorization: 'Bearer client-own' },
      { authorization: 'Bearer client-own' },
    ],
    [
      'everywhere at once',
      {
        'x-sluice-key': 'gateway-key',
        authorization: 'Bearer gateway-key',
        'x-api-key': 'gateway-key',
      },
      {},
    ],
  ] as const)('a key of the gateway reaches no upstream: %s', async (_, headers, passed) => {
    const gateway = await startTestGateway({
      ...allTo(httpUpstream(pair.upstream.url), httpUpstream(other.url, { name: 'next' })),
      keys: [key('me', hashKey('gateway-key'))],
    })
    pair.upstream.next(FAIL)
    other.next({ body: SMALL['openai-chat'] })
    const answer = await post(gateway, 'openai-chat', { stream: true }, { headers }).answer
    expect(answer.status).toBe(200)
    expect(secretsIn(pair.upstream)).toEqual([])
    expect(secretsIn(other)).toEqual([])
    expect(last().headers).toMatchObject(passed)
    expect(last(other).headers).not.toHaveProperty('authorization')
    await gateway.close(0)
  })

  test('of a client are not shown to several origins to list models', async () => {
    const gateway = await startTestGateway(
      allTo(httpUpstream(pair.upstream.url), httpUpstream(other.url, { name: 'next' })),
    )
    const list = { headers: { 'content-type': 'application/json' }, body: '{"data":[{"id":"m1"}]}' }
    pair.upstream.next(list)
    other.next(list)
    await fetchRaw(`${gateway.url}/v1/models`, { method: 'GET', headers: CLIENT })
    expect(last(other).path).toMatch(/\/models/)
    expect(secretsIn(other)).toEqual([])
    expect(secretsIn(pair.upstream)).toEqual(['Bearer client-secret', 'client-secret-2'])
    await gateway.close(0)
  })
})
