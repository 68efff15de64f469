/** Who is let in: hosts, web pages and keys, and what each key may do. */
import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Settings } from '../../src/config/settings.ts'
import type { WireName } from '../../src/event/event.ts'
import { install } from '../../src/policy/installed.ts'
import { WIRE_NAMES, WIRES } from '../../src/wire/wires.ts'
import {
  allTo,
  ask,
  httpUpstream,
  key,
  PATHS,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { CHAT, MESSAGES, RESPONSES } from '../support/json-answers.ts'
import { fetchRaw, sendRaw, sendRequest, type RawAnswer } from '../support/raw-client.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

const ANSWERS = {
  'anthropic-messages': MESSAGES.plain,
  'openai-chat': CHAT.plain,
  'openai-responses': RESPONSES.plain,
}
const JSON_TYPE = { 'content-type': 'application/json' }
const SECRET = 'slc_a-key-that-nobody-may-ever-see-again'
const ADMIN = { token: 'a-token-of-some-length', url: undefined }
const OTHER = 'slc_another-key-that-nobody-may-see'
const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

let upstream: TestUpstream
const gateways: TestGateway[] = []

beforeAll(async () => {
  upstream = await startUpstream()
  upstream.answer(({ path }) => {
    const wire = WIRE_NAMES.find((name) => PATHS[name].endsWith(path)) ?? 'openai-chat'
    return { body: JSON.stringify(ANSWERS[wire]), headers: JSON_TYPE }
  })
})
afterAll(() => upstream.close())
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close(0)
})

async function start(
  settings: Partial<Settings> = {},
  more: Parameters<typeof httpUpstream>[1] = {},
): Promise<TestGateway> {
  const gateway = await startTestGateway({
    ...allTo(httpUpstream(upstream.url, more)),
    ...settings,
  })
  gateways.push(gateway)
  return gateway
}

const post = (
  gateway: TestGateway,
  wire: WireName,
  headers: Record<string, string> = {},
  body = ask(wire),
): Promise<RawAnswer> => fetchRaw(gateway.url + PATHS[wire], { body, headers })

const errorOf = ({ body }: RawAnswer): { type?: string; code?: unknown; message: string } =>
  (JSON.parse(body.toString()) as { error: { type?: string; code?: unknown; message: string } })
    .error

describe('the Host of a request', () => {
  test.each([
    '127.0.0.1',
    '127.0.0.1:1',
    'localhost',
    'LOCALHOST:4141',
    'sluice.localhost',
    '[::1]',
    '[::1]:80',
    '127.9.8.7',
    'gw.example',
    'GW.example:443',
  ])('may be loopback or a name of the config: %s', async (host) => {
    const gateway = await start({ hosts: ['gw.example'] })
    expect((await post(gateway, 'openai-chat', { host })).status).toBe(200)
  })

  test.each([
    'evil.example',
    'evil.example:4141',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'evillocalhost',
    'localhost.',
    '127.0.0.1@evil.example',
    'gw.example.evil.example',
    'notgw.example',
    '169.254.169.254',
    '10.0.0.1',
    '0.0.0.0',
    '[::]',
    '[::ffff:10.0.0.1]',
    '[::1',
    '::1',
    '2130706433',
    '0x7f.1',
    '127.1',
    'localhost:port',
    'http://localhost',
    'localhost/x',
    'local host',
  ])('is no other name, so that none can be bound to loopback: %j', async (host) => {
    const gateway = await start({ hosts: ['gw.example'] })
    const before = upstream.requests.length
    const answer = await post(gateway, 'anthropic-messages', { host })
    expect(answer.status).toBe(403)
    expect(JSON.parse(answer.body.toString())).toMatchObject({
      type: 'error',
      error: { type: 'permission_error' },
    })
    expect(upstream.requests).toHaveLength(before)
    for (const path of ['/health', '/metrics', '/v1/models', '/nowhere'])
      expect(
        (await fetchRaw(gateway.url + path, { method: 'GET', headers: { host } })).status,
      ).toBe(403)
  })

  test.each([
    ['missing', 'GET /health HTTP/1.1\r\n'],
    ['empty', 'GET /health HTTP/1.1\r\nhost:\r\n'],
    ['missing on HTTP/1.0', 'GET /health HTTP/1.0\r\n'],
    ['there twice', 'GET /health HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n'],
    ['another one too', 'GET /health HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\n'],
    ['another one first', 'GET /health HTTP/1.1\r\nhost: evil.example\r\nhost: localhost\r\n'],
  ])('is there once: not when it is %s', async (_, head) => {
    const gateway = await start()
    const { text } = await sendRaw(gateway.url, `${head}connection: close\r\n\r\n`)
    expect(text).toMatch(/^HTTP\/1\.1 (?:400|403) /)
  })

  test('may be any beyond loopback, where everybody shows a key, unless names are given', async () => {
    const keys = [key('a', hash(SECRET))]
    const wide = { listen: { host: '0.0.0.0', port: 0 }, keys, admin: ADMIN }
    const headers = { host: 'anything.example', 'x-api-key': SECRET }
    const toLoopback = async (gateway: TestGateway): Promise<number> =>
      (
        await fetchRaw(`http://127.0.0.1:${gateway.port}/v1/messages`, {
          body: ask('anthropic-messages'),
          headers,
        })
      ).status
    expect(await toLoopback(await start(wide))).toBe(200)
    expect(await toLoopback(await start({ ...wide, hosts: ['gw.example'] }))).toBe(403)
  })

  test('may be the address that is listened on, also where names are given', async () => {
    const gateway = await start({
      listen: { host: '0.0.0.0', port: 0 },
      hosts: ['gw.example'],
      keys: [key('a', hash(SECRET))],
      admin: ADMIN,
    })
    const answer = await fetchRaw(`http://127.0.0.1:${gateway.port}/health`, {
      method: 'GET',
      headers: { host: `0.0.0.0:${gateway.port}` },
    })
    expect(answer.status).toBe(200)
  })
})

describe('a web page', () => {
  const OPEN = { origins: ['https://tools.example', 'http://localhost:3000'] }

  test.each([
    'https://evil.example',
    'http://tools.example',
    'https://tools.example:8443',
    'https://tools.example.evil.example',
    'https://sub.tools.example',
    'HTTPS://TOOLS.EXAMPLE',
    'http://localhost:3001',
    'http://127.0.0.1:9',
    'http://127.0.0.1',
    'null',
    'file://',
    '',
    'https://tools.example, https://evil.example',
    'chrome-extension://abcdef',
  ])('that the config does not name may not use the gateway: %s', async (origin) => {
    const gateway = await start(OPEN)
    const before = upstream.requests.length
    for (const wire of WIRE_NAMES) {
      const answer = await post(gateway, wire, { origin })
      expect(answer.status).toBe(403)
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
    }
    const preflight = await fetchRaw(`${gateway.url}/v1/messages`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(403)
    expect(preflight.headers).not.toHaveProperty('access-control-allow-origin')
    expect(upstream.requests).toHaveLength(before)
  })

  test('on another port of the same host is another page', async () => {
    const gateway = await start()
    const host = `localhost:${gateway.port}`
    const fromOther = await post(gateway, 'openai-chat', { host, origin: 'http://localhost:3000' })
    expect(fromOther.status).toBe(403)
    const fromOwn = await post(gateway, 'openai-chat', { host, origin: `http://${host}` })
    expect(fromOwn.status).toBe(200)
  })

  test.each(['cross-site', 'same-site'])(
    'that sends no origin is known by what the browser says: %s',
    async (site) => {
      const gateway = await start(OPEN)
      for (const path of ['/', '/health', '/metrics', '/v1/models']) {
        const answer = await fetchRaw(gateway.url + path, {
          method: 'GET',
          headers: { 'sec-fetch-site': site },
        })
        expect(answer.status).toBe(403)
      }
      const form = await post(gateway, 'openai-chat', {
        'sec-fetch-site': site,
        'content-type': 'text/plain',
      })
      expect(form.status).toBe(403)
    },
  )

  test.each(['none', 'same-origin'])('typed by a person is no other page: %s', async (site) => {
    const gateway = await start()
    const answer = await fetchRaw(`${gateway.url}/health`, {
      method: 'GET',
      headers: { 'sec-fetch-site': site },
    })
    expect(answer.status).toBe(200)
  })

  test('that is named gets its preflight, its answers and its refusals', async () => {
    const gateway = await start({ ...OPEN, keys: [key('a', hash(SECRET))] })
    const [origin = ''] = OPEN.origins
    const preflight = await fetchRaw(`${gateway.url}/v1/messages`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-api-key',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-headers': 'content-type,x-api-key',
      vary: 'origin',
    })
    expect(preflight.headers).not.toHaveProperty('access-control-allow-credentials')
    const good = await post(gateway, 'anthropic-messages', { origin, 'x-api-key': SECRET })
    expect([good.status, good.headers['access-control-allow-origin']]).toEqual([200, origin])
    const bad = await post(gateway, 'anthropic-messages', { origin })
    expect([bad.status, bad.headers['access-control-allow-origin']]).toEqual([401, origin])
  })
})

describe('a key', () => {
  const KEYS = { keys: [key('first', hash(OTHER)), key('blue', hash(SECRET))] }

  test.each([
    ['authorization', `Bearer ${SECRET}`],
    ['authorization', `bearer  ${SECRET}`],
    ['x-api-key', SECRET],
    ['api-key', SECRET],
    ['x-sluice-key', SECRET],
  ])('lets its client in as %s: %s', async (name, value) => {
    const gateway = await start(KEYS)
    const before = upstream.requests.length
    for (const wire of WIRE_NAMES) {
      expect((await post(gateway, wire, { [name]: value })).status).toBe(200)
    }
    expect(gateway.reports.map(({ key: name }) => name)).toEqual(['blue', 'blue', 'blue'])
    for (const { rawHeaders } of upstream.requests.slice(before))
      expect(rawHeaders.join('\n')).not.toContain(SECRET)
  })

  test.each([
    ['none', {}],
    ['empty', { 'x-api-key': '' }],
    ['an empty one of ours', { 'x-sluice-key': '' }],
    ['a bearer without a token', { authorization: 'Bearer' }],
    ['a bearer of space', { authorization: 'Bearer   ' }],
    ['another scheme', { authorization: `Basic ${SECRET}` }],
    ['no scheme', { authorization: SECRET }],
    ['a wrong one', { 'x-api-key': 'slc_wrong' }],
    ['a beginning of a right one', { 'x-api-key': SECRET.slice(0, -1) }],
    ['a right one and more', { 'x-api-key': `${SECRET}x` }],
    ['a right one in other case', { 'x-api-key': SECRET.toUpperCase() }],
    ['its hash', { 'x-api-key': hash(SECRET) }],
    ['two in one header', { 'x-api-key': `${SECRET}, ${SECRET}` }],
    ['a wrong one of ours beside a right one', { 'x-sluice-key': 'no', 'x-api-key': SECRET }],
    ['a cookie', { cookie: `key=${SECRET}` }],
    ['bytes', { 'x-api-key': '\u00ff\u00fe' }],
  ])('is needed: not %s', async (_, headers) => {
    const gateway = await start(KEYS)
    const before = upstream.requests.length
    for (const wire of WIRE_NAMES) {
      const answer = await post(gateway, wire, headers)
      expect(answer.status).toBe(401)
      expect(WIRES[wire].recognise(JSON.parse(answer.body.toString()))).toBe('error')
      expect(answer.body.toString()).not.toContain(SECRET)
      const said = errorOf(answer)
      if (wire === 'anthropic-messages') expect(said.type).toBe('authentication_error')
      else expect(said.code).toBe('invalid_api_key')
    }
    for (const path of ['/metrics', '/v1/models', '/v1/models/m', '/v1/responses/resp_1'])
      expect((await fetchRaw(gateway.url + path, { method: 'GET', headers })).status).toBe(401)
    expect(upstream.requests).toHaveLength(before)
    for (const path of ['/', '/health', '/ready'])
      expect((await fetchRaw(gateway.url + path, { method: 'GET', headers })).status).toBe(200)
  })

  test('in the query is none', async () => {
    const gateway = await start(KEYS)
    const answer = await fetchRaw(`${gateway.url}/v1/messages?key=${SECRET}`, {
      body: ask('anthropic-messages'),
    })
    expect(answer.status).toBe(401)
  })

  test('leaves the client its own credential for the upstream, and does not travel itself', async () => {
    const gateway = await start(KEYS)
    const before = upstream.requests.length
    await post(gateway, 'anthropic-messages', {
      'x-sluice-key': SECRET,
      authorization: 'Bearer mine',
    })
    expect(upstream.requests[before]?.headers.authorization).toBe('Bearer mine')
    // A client that says it twice would give it to the provider.
    await post(gateway, 'anthropic-messages', { 'x-sluice-key': SECRET, 'x-api-key': SECRET })
    await post(gateway, 'anthropic-messages', {
      'x-sluice-key': SECRET,
      authorization: `Bearer ${SECRET}`,
    })
    expect(upstream.requests).toHaveLength(before + 3)
    for (const { rawHeaders } of upstream.requests.slice(before))
      expect(rawHeaders.join('\n')).not.toContain(SECRET)
  })

  test('gives way to the one of the config', async () => {
    const gateway = await start(KEYS, { apiKey: 'sk-theirs' })
    const before = upstream.requests.length
    await post(gateway, 'anthropic-messages', { 'x-sluice-key': SECRET, authorization: 'Bearer x' })
    expect(upstream.requests[before]?.headers).toMatchObject({ 'x-api-key': 'sk-theirs' })
    expect(upstream.requests[before]?.headers).not.toHaveProperty('authorization')
  })

  test('stands in no report, log line, metric or answer', async () => {
    const gateway = await start({ keys: [...KEYS.keys, key('poor', hash('p'), { models: [] })] })
    const said: string[] = []
    for (const headers of [
      { 'x-api-key': SECRET },
      { authorization: `Bearer ${SECRET}` },
      { 'x-sluice-key': SECRET },
      { 'x-api-key': `${SECRET}x` },
      { 'x-api-key': 'p' },
    ]) {
      const answer = await post(gateway, 'openai-chat', headers as Record<string, string>)
      said.push(answer.rawHeaders.join(), answer.body.toString())
    }
    const metrics = await fetchRaw(`${gateway.url}/metrics`, {
      method: 'GET',
      headers: { 'x-api-key': SECRET },
    })
    expect(metrics.status).toBe(200)
    const all = [
      ...said,
      metrics.body.toString(),
      JSON.stringify(gateway.reports),
      ...gateway.lines,
    ].join('\n')
    expect(all).not.toContain(SECRET)
    expect(all).not.toContain(hash(SECRET))
  })
})

describe('what a key may do', () => {
  const one = (more: Parameters<typeof key>[2]): Partial<Settings> => ({
    keys: [key('blue', hash(SECRET), more), key('free', hash(OTHER))],
  })
  const BLUE = { 'x-api-key': SECRET }
  const FREE = { 'x-api-key': OTHER }

  test('is ask for its models, and see only them', async () => {
    const gateway = await start(one({ models: ['claude-*', 'one'] }))
    for (const wire of WIRE_NAMES) {
      for (const model of ['claude-x', 'one'])
        expect((await post(gateway, wire, BLUE, ask(wire, { model }))).status).toBe(200)
      for (const model of ['gpt', 'one-more', 'Claude-x', 'xclaude-', '']) {
        const answer = await post(gateway, wire, BLUE, ask(wire, { model }))
        expect(answer.status).toBe(403)
        expect(errorOf(answer).message).toContain('may not use model')
        expect((await post(gateway, wire, FREE, ask(wire, { model }))).status).toBe(200)
      }
    }
    upstream.next(
      ...[0, 1].map(() => ({
        body: '{"data":[{"id":"claude-x"},{"id":"gpt"},{"id":"one"}]}',
        headers: JSON_TYPE,
      })),
    )
    const list = async (headers: Record<string, string>): Promise<unknown> => {
      const answer = await fetchRaw(`${gateway.url}/v1/models`, { method: 'GET', headers })
      return (JSON.parse(answer.body.toString()) as { data: { id: string }[] }).data.map(
        ({ id }) => id,
      )
    }
    expect(await list(BLUE)).toEqual(['claude-x', 'one'])
    expect(await list(FREE)).toEqual(['claude-x', 'gpt', 'one'])
  })

  test('is so many requests in a time, then it is told when to come back', async () => {
    const gateway = await start(one({ rate: { requests: 2, per: 60_000 } }))
    for (const wire of WIRE_NAMES.slice(0, 2))
      expect((await post(gateway, wire, BLUE)).status).toBe(200)
    for (const wire of WIRE_NAMES) {
      const before = upstream.requests.length
      const answer = await post(gateway, wire, BLUE)
      expect(answer.status).toBe(429)
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(20)
      expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(30)
      if (wire === 'anthropic-messages') expect(errorOf(answer).type).toBe('rate_limit_error')
      else expect(errorOf(answer).code).toBe('rate_limit_exceeded')
      expect(upstream.requests).toHaveLength(before)
    }
    expect((await post(gateway, 'openai-chat', FREE)).status).toBe(200)
  })

  test('is so many tokens, then no client tries again', async () => {
    const gateway = await start(one({ budget: { tokens: 1, per: 'ever' } }))
    expect((await post(gateway, 'openai-chat', BLUE)).status).toBe(200)
    await gateway.report(0)
    for (const wire of WIRE_NAMES) {
      const answer = await post(gateway, wire, BLUE)
      expect(answer.status).toBe(wire === 'anthropic-messages' ? 402 : 429)
      expect(answer.headers['x-should-retry']).toBe('false')
      expect(answer.headers).not.toHaveProperty('retry-after')
      if (wire === 'anthropic-messages') expect(errorOf(answer).type).toBe('billing_error')
      else expect(errorOf(answer).code).toBe('insufficient_quota')
    }
  })

  test('is so many requests at once', async () => {
    const gateway = await start(one({ concurrent: 1 }))
    const before = upstream.requests.length
    upstream.next({ body: '', ending: 'hang' })
    const waiting = sendRequest(`${gateway.url}/v1/messages`, {
      body: ask('anthropic-messages'),
      headers: BLUE,
    })
    await upstream.request(before)
    const second = await post(gateway, 'openai-chat', BLUE)
    expect([second.status, second.headers['retry-after']]).toEqual([429, '1'])
    expect((await post(gateway, 'openai-chat', FREE)).status).toBe(200)
    waiting.leave()
    await gateway.report(2)
    expect((await post(gateway, 'openai-chat', BLUE)).status).toBe(200)
  })

  test('does not shrink when an exchange fails in the gateway itself', async () => {
    const gateway = await startTestGateway(
      { ...allTo(httpUpstream(upstream.url)), ...one({ concurrent: 1 }) },
      {
        policies: [
          install({
            name: 'broken',
            onChunk() {},
            state() {
              throw new Error('broken')
            },
          }),
        ],
      },
    )
    gateways.push(gateway)
    const before = upstream.requests.length
    for (let count = 0; count < 3; count++)
      expect((await post(gateway, 'openai-chat', BLUE)).status).toBe(500)
    // Whoever should act could not be asked, so nothing is spent on an answer that cannot leave.
    expect(upstream.requests).toHaveLength(before)
  })
})

test('the gateway has so many exchanges at once as its config says', async () => {
  const gateway = await start({
    limits: { ...(await start()).settings.limits, concurrent: 1 },
  })
  const before = upstream.requests.length
  upstream.next({ body: '', ending: 'hang' })
  const waiting = sendRequest(`${gateway.url}/v1/messages`, { body: ask('anthropic-messages') })
  await upstream.request(before)
  for (const wire of WIRE_NAMES) {
    const answer = await post(gateway, wire)
    expect(answer.status).toBe(wire === 'anthropic-messages' ? 529 : 503)
    expect(answer.headers['retry-after']).toBe('1')
  }
  waiting.leave()
})
