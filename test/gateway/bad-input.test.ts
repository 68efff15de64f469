/** Requests that are wrong, odd, slow or tricky: a proper answer each, and nothing of them upstream. */
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { demoSettings } from '../../src/config/load.ts'
import type { Settings } from '../../src/config/settings.ts'
import { WIRE_NAMES, WIRES } from '../../src/wire/wires.ts'
import {
  allTo,
  ask,
  httpUpstream,
  PATHS,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { CHAT, MESSAGES, RESPONSES } from '../support/json-answers.ts'
import { fetchRaw, sendRaw } from '../support/raw-client.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

const ANSWERS = {
  'anthropic-messages': MESSAGES.plain,
  'openai-chat': CHAT.plain,
  'openai-responses': RESPONSES.plain,
}

let upstream: TestUpstream
let gateway: TestGateway
let asked = 0
const others: TestGateway[] = []

beforeAll(async () => {
  upstream = await startUpstream()
  upstream.answer(({ path }) => {
    const wire = WIRE_NAMES.find((name) => PATHS[name].endsWith(path)) ?? 'openai-chat'
    return {
      body: JSON.stringify(ANSWERS[wire]),
      headers: { 'content-type': 'application/json' },
    }
  })
  gateway = await startTestGateway(allTo(httpUpstream(upstream.url)))
})
beforeEach(() => {
  asked = upstream.requests.length
})
afterEach(async () => {
  for (const other of others.splice(0)) await other.close(0)
})
afterAll(async () => {
  await gateway.close(0)
  await upstream.close()
})

async function limited(limits: Partial<Settings['limits']>): Promise<TestGateway> {
  const other = await startTestGateway({
    ...allTo(httpUpstream(upstream.url)),
    limits: { ...demoSettings().limits, ...limits },
  })
  others.push(other)
  return other
}

const MB = 1024 ** 2
const open = (rest: string): string => `{"model":"m","messages":[],${rest}}`

describe('a body that is no request gets 400 and stays here', () => {
  const BODIES: readonly (readonly [string, string | Buffer, RegExp])[] = [
    ['nothing', '', /not valid JSON: it ends too early/],
    ['space', ' \n\t', /not valid JSON/],
    ['half of one', '{"model":"m","messages":[', /ends too early/],
    ['a text that does not end', '{"model":"m', /ends too early/],
    ['more than one', '{"model":"m"}{}', /unexpected character at 13/],
    ['a comma too many', '{"model":"m",}', /not valid JSON/],
    ['single quotes', "{'model':'m'}", /not valid JSON/],
    ['a bare word', 'hello', /not valid JSON/],
    ['NaN', '{"model":"m","temperature":NaN}', /not valid JSON/],
    ['a byte order mark', `\ufeff${ask('openai-chat')}`, /not valid JSON/],
    ['UTF-16', Buffer.from(ask('openai-chat'), 'utf16le'), /not valid/],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x7d]), /UTF-8/],
    ['a cut character', Buffer.from('{"model":"é"}').subarray(0, 11), /UTF-8|JSON/],
    ['an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), /UTF-8/],
    ['a list', '[]', /must be a JSON object/],
    ['a list with one', `[${ask('openai-chat')}]`, /must be a JSON object/],
    ['null', 'null', /must be a JSON object/],
    ['true', 'true', /must be a JSON object/],
    ['a number', '42', /must be a JSON object/],
    ['a text', '"m"', /must be a JSON object/],
    ['a megabyte of brackets', '['.repeat(MB), /ends too early|not valid/],
    ['a megabyte of closed brackets', '['.repeat(MB / 2) + ']'.repeat(MB / 2), /JSON object/],
    ['model twice', '{"model":"a","model":"b"}', /"model" twice/],
    ['model twice by an escape', '{"model":"a","mod\\u0065l":"b"}', /"model" twice/],
    ['stream twice', open('"stream":false,"stream":true'), /"stream" twice/],
    ['any member twice', open('"x":1,"x":1'), /"x" twice/],
    ['a name of a megabyte twice', open(`"${'x'.repeat(MB)}":1,"${'x'.repeat(MB)}":1`), /twice/],
    ...['1', 'null', 'true', '[]', '["m"]', '{}', '1e999'].map(
      (model) => [`model ${model}`, `{"model":${model}}`, /model: a string is required/] as const,
    ),
    ['a model of a megabyte', `{"model":"${'m'.repeat(MB)}"}`, /at most 256 characters/],
    ...['1', '0', '"true"', '""', '[]', '{}', '[true]'].map(
      (stream) =>
        [`stream ${stream}`, open(`"stream":${stream}`), /stream: true or false/] as const,
    ),
  ]

  test.each(BODIES)('%s', async (_, body, message) => {
    for (const wire of WIRE_NAMES) {
      const answer = await fetchRaw(gateway.url + PATHS[wire], { body })
      expect(answer.status).toBe(400)
      const json: unknown = JSON.parse(answer.body.toString())
      expect(WIRES[wire].recognise(json as never)).toBe('error')
      expect(answer.body.toString().replaceAll('\\"', '"')).toMatch(message)
      // What could not be read is not quoted back.
      expect(answer.body.length).toBeLessThan(400)
    }
    expect(upstream.requests).toHaveLength(asked)
  })

  test('no model, but where the wire has a default', async () => {
    for (const wire of WIRE_NAMES) {
      const answer = await fetchRaw(gateway.url + PATHS[wire], { body: '{"input":"x"}' })
      expect(answer.status).toBe(wire === 'openai-responses' ? 200 : 400)
    }
  })
})

describe('a body that is odd and right goes on as it is', () => {
  test.each([
    ['stream null', open('"stream":null')],
    ['deep', open(`"x":${'['.repeat(900)}${']'.repeat(900)}`)],
    ['large numbers', open('"x":123456789012345678901234567890,"y":1e999,"z":-0.0')],
    ['a large text', open(`"x":"${'é'.repeat(2 * MB)}"`)],
    ['names of objects', open('"__proto__":{"a":1},"constructor":1,"toString":1')],
    ['half a character', open('"x":"\\ud800"')],
    ['space all over', ' \n{ "model" :\t"m" ,\r\n"messages":[ ] } \n'],
    ['the same name further in', open('"x":{"model":1,"model":2,"stream":7}')],
    ['many members', open(Array.from({ length: 20_000 }, (_, i) => `"k${i}":${i}`).join())],
  ])('%s', async (_, body) => {
    const answer = await fetchRaw(`${gateway.url}/v1/chat/completions`, { body })
    expect(answer.status).toBe(200)
    expect(upstream.requests[asked]?.body.equals(Buffer.from(body))).toBe(true)
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'x',
    'application/json; charset=x',
  ])('with any content type: %s', async (type) => {
    const answer = await fetchRaw(`${gateway.url}/v1/messages`, {
      body: ask('anthropic-messages'),
      headers: { 'content-type': type },
    })
    expect(answer.status).toBe(200)
  })

  test('in pieces with trailers, which do not travel', async () => {
    const body = ask('openai-chat')
    const half = body.length >> 1
    const chunk = (text: string): string => `${text.length.toString(16)};ext=1\r\n${text}\r\n`
    const { text } = await sendRaw(
      gateway.url,
      `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\ntrailer: x-secret\r\nconnection: close\r\n\r\n${chunk(body.slice(0, half))}${chunk(body.slice(half))}0\r\nx-secret: 1\r\nhost: evil.example\r\n\r\n`,
    )
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(upstream.requests[asked]?.body.toString()).toBe(body)
    expect(upstream.requests[asked]?.headers).not.toHaveProperty('x-secret')
  })

  test.each(['100-continue', 'the-unexpected'])(
    'that expects something: %s',
    async (expectation) => {
      const body = ask('openai-chat')
      const { text } = await sendRaw(
        gateway.url,
        [
          `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nexpect: ${expectation}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`,
          body,
        ],
        { pace: 50 },
      )
      expect(text).toMatch(/HTTP\/1\.1 200 OK/)
      expect(text.startsWith('HTTP/1.1 100 Continue')).toBe(expectation === '100-continue')
    },
  )

  test('on a GET is not read as a request', async () => {
    const answer = await fetchRaw(`${gateway.url}/health`, {
      method: 'GET',
      body: ask('openai-chat'),
      headers: { 'content-length': String(ask('openai-chat').length) },
    })
    expect(answer.status).toBe(200)
    const { text } = await sendRaw(
      gateway.url,
      'GET /health HTTP/1.1\r\nhost: localhost\r\ncontent-length: 30\r\n\r\nGET /v1/x HTTP/1.1\r\nhost: a\r\n\r\n',
      { wait: 300 },
    )
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
  })
})

describe('a packed body', () => {
  const post = (
    to: TestGateway,
    body: Buffer | string,
    encoding: string,
  ): ReturnType<typeof fetchRaw> =>
    fetchRaw(`${to.url}/v1/chat/completions`, { body, headers: { 'content-encoding': encoding } })

  test('that is not what it says, or not known, is refused', async () => {
    expect((await post(gateway, 'no gzip', 'gzip')).status).toBe(400)
    expect((await post(gateway, gzipSync(ask('openai-chat')).subarray(0, 30), 'gzip')).status).toBe(
      400,
    )
    expect((await post(gateway, 'x', 'zstd')).status).toBe(415)
    expect((await post(gateway, 'x', 'constructor')).status).toBe(415)
    expect((await post(gateway, 'x', 'gzip, gzip')).status).toBe(415)
    expect(upstream.requests).toHaveLength(asked)
  })

  test('that unpacks to too much is refused before it does', async () => {
    const small = await limited({ body: MB })
    const bomb = gzipSync(Buffer.alloc(100 * MB))
    const answer = await post(small, bomb, 'gzip')
    expect(answer.status).toBe(413)
    expect((await post(small, gzipSync(ask('openai-chat')), 'GZIP')).status).toBe(200)
  })
})

describe('a request that is larger than it may be', () => {
  test('is refused by what it announces, and by what it sends', async () => {
    const small = await limited({ body: 2048 })
    for (const wire of WIRE_NAMES) {
      const body = ask(wire, { x: 'y'.repeat(4096) })
      for (const one of [body, [body.slice(0, 1000), body.slice(1000)]]) {
        const answer = await fetchRaw(small.url + PATHS[wire], { body: one })
        expect([answer.status, answer.end]).toEqual([413, 'whole'])
        expect(WIRES[wire].recognise(JSON.parse(answer.body.toString()))).toBe('error')
      }
    }
    const { text } = await sendRaw(
      small.url,
      'POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99999999999999999999\r\n\r\n',
    )
    expect(text).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect(upstream.requests).toHaveLength(asked)
  })

  test('in its headers gets 431', async () => {
    const small = await limited({ headers: 2048 })
    const answer = await fetchRaw(`${small.url}/v1/messages`, {
      body: ask('anthropic-messages'),
      headers: { 'x-long': 'x'.repeat(4096) },
    })
    expect(answer.status).toBe(431)
    expect(JSON.parse(answer.body.toString())).toMatchObject({ error: {} })
  })
})

describe('a request that could be read in two ways is read in none', () => {
  const HEAD = 'POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n'
  const SMUGGLED =
    'POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 13\r\n\r\n{"model":"m"}'
  test.each([
    ['both lengths', 'content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
    [
      'both lengths, the other way',
      'transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n',
    ],
    ['two lengths', 'content-length: 5\r\ncontent-length: 6\r\n\r\n12345'],
    ['a list of lengths', 'content-length: 5, 6\r\n\r\n12345'],
    ['a length with a sign', 'content-length: +5\r\n\r\n12345'],
    ['a negative length', 'content-length: -1\r\n\r\n'],
    ['a length in hex', 'content-length: 0x5\r\n\r\n12345'],
    ['chunked that is not last', 'transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
    ['almost chunked', 'transfer-encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['a space before the colon', 'transfer-encoding : chunked\r\n\r\n0\r\n\r\n'],
    ['a folded header', 'transfer-encoding:\r\n chunked\r\n\r\n0\r\n\r\n'],
    ['a bare line feed in a chunk', 'transfer-encoding: chunked\r\n\r\n0\n\n'],
    ['a chunk size that is none', 'transfer-encoding: chunked\r\n\r\nzz\r\n\r\n'],
    ['a huge chunk size', 'transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n'],
    ['a header without a colon', 'nonsense\r\n\r\n'],
    ['a control character', 'x: a\0b\r\n\r\n'],
  ])('%s', async (_, rest) => {
    const { text } = await sendRaw(gateway.url, HEAD + rest + SMUGGLED, { wait: 1000 })
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(text.match(/HTTP\/1\.1 \d/g)).toHaveLength(1)
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({ error: {} })
    expect(upstream.requests).toHaveLength(asked)
  })
})

describe('a sender that takes its time', () => {
  test('with its body is told so, on every wire', async () => {
    const small = await limited({ requestTime: 300 })
    for (const wire of WIRE_NAMES) {
      const { text, closedAt } = await sendRaw(
        small.url,
        `POST ${PATHS[wire]} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"mod`,
        { wait: 5000 },
      )
      expect(text).toMatch(/^HTTP\/1\.1 408 /)
      expect(text).toContain('did not arrive within')
      expect(closedAt).toBeDefined()
    }
    expect(upstream.requests).toHaveLength(asked)
  })

  test('byte by byte is served as long as it is in time', async () => {
    const body = ask('openai-chat')
    const answer = await fetchRaw(`${gateway.url}/v1/chat/completions`, {
      body: [...body].map(String),
      pace: 1,
    })
    expect(answer.status).toBe(200)
  })
})

test('requests that come one behind the other are answered in their order', async () => {
  const body = ask('openai-chat')
  const one = (path: string, more = ''): string =>
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n${more}\r\n${body}`
  const { text } = await sendRaw(
    gateway.url,
    [
      one('/v1/chat/completions'),
      'GET /nowhere HTTP/1.1\r\nhost: localhost\r\n\r\n',
      one('/v1/responses'),
      one('/v1/messages', 'connection: close\r\n'),
    ].join(''),
    { wait: 5000 },
  )
  expect(text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(
    ['200', '404', '200', '200'].map((status) => `HTTP/1.1 ${status}`),
  )
  const order = ['"chat.completion"', 'nowhere', '"response"', '"type":"message"'].map((word) =>
    text.lastIndexOf(word),
  )
  expect(order).toEqual(order.toSorted((a, b) => a - b))
})

test('a client that closes its half of the connection is let go, and nothing hangs', async () => {
  const before = gateway.reports.length
  const { hostname, port } = new URL(gateway.url)
  const closed = new Promise<void>((resolve) => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.resume()
    socket.end(
      `POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9000\r\n\r\n{"model":"m"`,
    )
  })
  await closed
  expect(['client-left', 'refused']).toContain((await gateway.report(before)).outcome)
  expect(upstream.requests).toHaveLength(asked)
})
