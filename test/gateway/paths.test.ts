/** Every path that is served, and that nothing else is: no trick with a path reaches an upstream. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { WIRES } from '../../src/wire/wires.ts'
import { allTo, ask, httpUpstream, startTestGateway, type TestGateway } from '../support/gateway.ts'
import { CHAT, MESSAGES, RESPONSES } from '../support/json-answers.ts'
import { fetchRaw, sendRaw } from '../support/raw-client.ts'
import { SMALL } from '../support/small-streams.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

let upstream: TestUpstream
let gateway: TestGateway
let asked = 0

beforeAll(async () => {
  upstream = await startUpstream()
  gateway = await startTestGateway(allTo(httpUpstream(upstream.url)))
})
beforeEach(() => {
  asked = upstream.requests.length
})
afterAll(async () => {
  await gateway.close(0)
  await upstream.close()
})

const JSON_TYPE = { 'content-type': 'application/json' }

/** The status line and the body of what came back over a bare socket. */
function readTalk(text: string): { status: number; head: string; body: string } {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]),
    head,
    body: rest.join('\r\n\r\n'),
  }
}

/** Sends a request line as it stands. */
async function sendLine(
  line: string,
  body = '',
): Promise<{ status: number; head: string; body: string }> {
  const length = body === '' ? '' : `content-length: ${body.length}\r\n`
  const { text } = await sendRaw(
    gateway.url,
    Buffer.from(
      `${line}\r\nhost: 127.0.0.1\r\nconnection: close\r\n${length}\r\n${body}`,
      'latin1',
    ),
  )
  return readTalk(text)
}

const isErrorOf = (wire: WireName, body: string): boolean =>
  WIRES[wire].recognise(JSON.parse(body)) === 'error'

const COUNT = { input_tokens: 7, n: 1 }

describe('a path that is served', () => {
  test.each([
    ['/v1/messages', 'anthropic-messages', '/v1/messages', MESSAGES.plain],
    ['/v1/messages/count_tokens', 'anthropic-messages', '/v1/messages/count_tokens', COUNT],
    ['/v1/chat/completions', 'openai-chat', '/chat/completions', CHAT.plain],
    ['/v1/responses', 'openai-responses', '/responses', RESPONSES.plain],
    ['/v1/responses/input_tokens', 'openai-responses', '/responses/input_tokens', COUNT],
    ['/v1/responses/compact', 'openai-responses', '/responses/compact', { n: 1 }],
  ] as const)('leads to its place at the upstream: POST %s', async (path, wire, there, json) => {
    upstream.next({ body: JSON.stringify(json), headers: JSON_TYPE })
    const answer = await fetchRaw(gateway.url + path, { body: ask(wire) })
    expect(answer.status).toBe(200)
    expect(answer.body.toString()).toBe(JSON.stringify(json))
    expect(upstream.requests[asked]).toMatchObject({ method: 'POST', path: there })
  })

  test('streams where its name says so, whatever the body says', async () => {
    upstream.next({ body: SMALL['anthropic-messages'] })
    const answer = await fetchRaw(`${gateway.url}/v1/messages/stream`, {
      body: ask('anthropic-messages'),
    })
    expect(answer.body.toString()).toBe(SMALL['anthropic-messages'])
    expect(upstream.requests[asked]?.path).toBe('/v1/messages')
    expect(JSON.parse(String(upstream.requests[asked]?.body))).toMatchObject({ stream: true })
  })

  test.each([
    ['GET', '/v1/responses/resp_1', '/responses/resp_1'],
    ['DELETE', '/v1/responses/resp_1', '/responses/resp_1'],
    ['POST', '/v1/responses/resp_1/cancel', '/responses/resp_1/cancel'],
    ['GET', '/v1/responses/resp_1/input_items', '/responses/resp_1/input_items'],
  ])('leads to a stored answer: %s %s', async (method, path, there) => {
    upstream.next({ body: JSON.stringify(RESPONSES.plain), headers: JSON_TYPE })
    const answer = await fetchRaw(gateway.url + path, { method })
    expect(answer.status).toBe(200)
    expect(upstream.requests[asked]).toMatchObject({ method, path: there })
    expect(upstream.requests[asked]?.body).toHaveLength(0)
  })

  test('takes its query along as it is', async () => {
    upstream.next({ body: JSON.stringify(CHAT.plain), headers: JSON_TYPE })
    const query = '?beta=true&a=%2F..%2F&b=c%20d&e=//&&=%ff'
    await fetchRaw(`${gateway.url}/v1/chat/completions${query}`, { body: ask('openai-chat') })
    expect(upstream.requests[asked]?.path).toBe(`/chat/completions${query}`)
  })

  test.each(['/', '/health', '/ready', '/metrics', '/v1/models'])(
    'is answered by the gateway itself, also as HEAD: %s',
    async (path) => {
      upstream.always({ body: '{"data":[]}', headers: JSON_TYPE })
      const got = await fetchRaw(gateway.url + path, { method: 'GET' })
      expect([got.status, got.end]).toEqual([200, 'whole'])
      expect(got.body.length).toBeGreaterThan(0)
      const head = await fetchRaw(gateway.url + path, { method: 'HEAD' })
      expect([head.status, head.end, head.body.length]).toEqual([200, 'whole', 0])
      expect(head.headers['x-request-id']).toMatch(/^req_/)
    },
  )
})

describe('a path that is not served', () => {
  const TRICKS: readonly string[] = [
    '//v1/messages',
    '/v1//messages',
    '/v1/messages/',
    '/v1/messages//',
    '/./v1/messages',
    '/v1/./messages',
    '/v1/x/../messages',
    '/../v1/messages',
    '/v1/messages/..',
    '/v1/messages/.',
    '/v1/%6dessages',
    '/v1%2fmessages',
    '/v1%2Fmessages',
    '/%76%31/messages',
    '/v1/messages%00',
    '/v1/messages%20',
    '/v1/messages%3Fa',
    '/v1/messages%23',
    '/v1/messages%0d%0ax:y',
    '/V1/messages',
    '/v1/Messages',
    '/v1/MESSAGES',
    '/v1/messages;a=b',
    '/v1;a/messages',
    '/v1/messages\\',
    '\\v1\\messages',
    '/v1\\messages',
    '/v1/messages#x',
    '/v1/messages/batches',
    '/v1/messages/count_tokens/',
    '/v1/messages/stream/x',
    '/v1/complete',
    '/v1/chat/completions/',
    '/v1/Chat/completions',
    '/v1/chat//completions',
    '/v1/chat/completions/x',
    '/v1/completions',
    '/chat/completions',
    '/responses',
    '/v1/embeddings',
    '/v1/files',
    '/v1/responses/',
    '/v1/responses/a/b',
    '/v1/responses/a%2Fb/cancel',
    '/v1/responses/../messages',
    '/v1/responses/./cancel',
    '/v1/responses/a.b',
    '/v1/responses/a/cancel/',
    '/v1/responses//cancel',
    '/v1/responses/{id}/x',
    `/v1/responses/${'a'.repeat(129)}`,
    '/v1/models/',
    '/v1/models//',
    '/v1/models/a/b/c',
    '/v1/models/../messages',
    '/metrics/',
    '/Metrics',
    '/health/',
    '/api',
    '/v1',
    '/v1/',
    '/__proto__',
    '/constructor',
    `/${'x'.repeat(4000)}`,
    '/v1/messag\u00e9s',
    '/\u00fc\u00fc',
    'v1/messages',
    'messages',
    'http://127.0.0.1/v1/messages',
    'http://evil.example/v1/messages',
    'https://api.anthropic.com/v1/messages',
    'http://evil.example',
    'file:///etc/passwd',
  ]

  test.each(TRICKS)('gets a proper no and reaches no upstream: %s', async (path) => {
    const { status, body: said } = await sendLine(
      `POST ${path} HTTP/1.1`,
      ask('anthropic-messages'),
    )
    // A path without a slash or with bytes that are none of a URL is no HTTP at all.
    // And the admin's own asks who is there before it says anything.
    expect([400, 404, 405, ...(path === '/api' ? [401] : [])]).toContain(status)
    expect(JSON.parse(said)).toMatchObject({ error: { message: expect.any(String) as string } })
    expect(upstream.requests).toHaveLength(asked)
  })

  test.each([
    ['/v1/messages/', {}, 'anthropic-messages'],
    ['/anthropic/v1/x', {}, 'anthropic-messages'],
    ['/v1/what', { 'anthropic-version': '2023-06-01' }, 'anthropic-messages'],
    ['/v1/chat/', {}, 'openai-chat'],
    ['/v1/responses/a/b', {}, 'openai-responses'],
    ['/v1/embeddings', {}, 'openai-chat'],
  ] as const)('is refused in the words of its wire: %s', async (path, headers, wire) => {
    const answer = await fetchRaw(gateway.url + path, { body: ask(wire), headers })
    expect(answer.status).toBe(404)
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.headers['x-request-id']).toBeDefined()
    expect(isErrorOf(wire, answer.body.toString())).toBe(true)
    const isAnthropic = wire === 'anthropic-messages'
    expect(JSON.parse(answer.body.toString())).toMatchObject(
      isAnthropic ? { type: 'error', error: { type: 'not_found_error' } } : { error: {} },
    )
  })

  test('is told what was meant', async () => {
    const answer = await fetchRaw(`${gateway.url}/v1/message`, { body: '{}' })
    expect(answer.body.toString()).toContain('did you mean /v1/messages?')
  })

  test.each(['\0', '\x01', '\x7f', '\x1f', ' ', '\t'])(
    'is no HTTP with a control character in it: %j',
    async (character) => {
      const { status, body } = await sendLine(`POST /v1/messages${character}x HTTP/1.1`)
      expect([400, 404]).toContain(status)
      expect(JSON.parse(body)).toMatchObject({ error: {} })
      expect(upstream.requests).toHaveLength(asked)
    },
  )

  test('is refused when it is longer than all headers may be', async () => {
    const { status, body } = await sendLine(`GET /${'x'.repeat(100_000)} HTTP/1.1`)
    expect(status).toBe(431)
    expect(JSON.parse(body)).toMatchObject({ error: {} })
  })
})

describe('a method', () => {
  test.each([
    ['GET', '/v1/messages', 'POST'],
    ['HEAD', '/v1/messages', 'POST'],
    ['PUT', '/v1/chat/completions', 'POST'],
    ['PATCH', '/v1/responses', 'POST'],
    ['DELETE', '/v1/responses', 'POST'],
    ['GET', '/v1/responses/input_tokens', 'POST'],
    ['POST', '/v1/responses/resp_1', 'GET, DELETE'],
    ['GET', '/v1/responses/resp_1/cancel', 'POST'],
    ['POST', '/v1/models', 'GET, HEAD'],
    ['POST', '/metrics', 'GET, HEAD'],
    ['DELETE', '/health', 'GET, HEAD'],
    ['OPTIONS', '/v1/messages', 'POST'],
    ['TRACE', '/v1/messages', 'POST'],
    ['PROPFIND', '/v1/messages', 'POST'],
  ])('that a path does not have gets 405 and those it has: %s %s', async (method, path, allow) => {
    const answer = await fetchRaw(gateway.url + path, { method })
    expect([answer.status, answer.headers.allow]).toEqual([405, allow])
    if (method !== 'HEAD') expect(JSON.parse(answer.body.toString())).toMatchObject({ error: {} })
    expect(upstream.requests).toHaveLength(asked)
  })

  test.each(['OPTIONS * HTTP/1.1', 'GET * HTTP/1.1'])('for no path gets 404: %s', async (line) => {
    expect((await sendLine(line)).status).toBe(404)
  })

  test('CONNECT opens no tunnel, and is told so', async () => {
    const { status, head, body } = await sendLine(`CONNECT 127.0.0.1:${upstream.port} HTTP/1.1`)
    expect(status).toBe(405)
    expect(head.toLowerCase()).toContain('connection: close')
    expect(JSON.parse(body)).toMatchObject({ error: {} })
    expect(upstream.requests).toHaveLength(asked)
  })

  test('of another protocol, or none that is known, is no HTTP', async () => {
    for (const line of ['SSH-2.0-x', 'POST /v1/messages HTTP/9.9', 'FROB / HTTP/1.1']) {
      const { status, body } = await sendLine(line)
      expect(status).toBe(400)
      expect(JSON.parse(body)).toMatchObject({ error: {} })
    }
  })
})

test.each([
  ['GET /v1/responses HTTP/1.1', 'upgrade: websocket\r\nconnection: upgrade\r\n', 405],
  ['GET /v1/realtime HTTP/1.1', 'upgrade: websocket\r\nconnection: upgrade\r\n', 404],
  ['GET /health HTTP/1.1', 'upgrade: h2c\r\nconnection: upgrade, http2-settings\r\n', 200],
])(
  'an upgrade is not made, and the request is answered as HTTP: %s',
  async (line, more, status) => {
    const { text } = await sendRaw(gateway.url, `${line}\r\nhost: 127.0.0.1\r\n${more}\r\n`, {
      wait: 500,
    })
    expect(readTalk(text).status).toBe(status)
    expect(upstream.requests).toHaveLength(asked)
  },
)

test('a refusal without a body behind it leaves the connection open for the next request', async () => {
  const { text } = await sendRaw(
    gateway.url,
    'GET /nowhere HTTP/1.1\r\nhost: localhost\r\n\r\nGET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
  )
  expect(text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200'])
})
