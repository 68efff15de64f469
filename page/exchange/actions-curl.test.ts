import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startUpstream, type TestUpstream } from '../../test/support/upstream.ts'
import { quote, toCurl } from './actions-curl.ts'
import { toFileName } from './raw-bytes.ts'

const run = promisify(execFile)
let server: TestUpstream
beforeAll(async () => {
  server = await startUpstream()
  server.always({ body: 'ok' })
})
afterAll(() => server.close())

const EXCHANGE = {
  method: 'POST',
  endpoint: '/v1/messages',
  query: '?beta=true',
  wire: 'anthropic-messages',
  isStream: true,
  requestHeaders: {
    host: 'elsewhere.example',
    'content-type': 'application/json',
    'content-length': '3',
    'anthropic-version': '2023-06-01',
    'user-agent': `it's "quoted" $HOME \`id\``,
    'x-request-id': 'mine',
  },
} as const

async function send(body: string | Uint8Array, exchange: Parameters<typeof toCurl>[1] = EXCHANGE) {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const command = toCurl(server.url, exchange, bytes)
  const index = server.requests.length
  // By its standard input, as a terminal would: a command may be longer than an argument.
  const shell = run('sh', ['-s'], { env: { PATH: process.env['PATH'], SLUICE_KEY: 'k-1' } })
  shell.child.stdin?.end(`${command}\n`)
  await shell
  const request = await server.request(index)
  await request.over
  return { command, request, body: new Uint8Array(request.body) }
}

describe('a request as curl', () => {
  test.each([
    ['plain', '{"model":"m"}'],
    ['quotes', `{"a":"it's","b":"'; touch /tmp/x; '","c":"\\"$(id)\\" \`id\` $HOME !!"}`],
    ['lines and tabs', '{\n\t"a": "b"\n}\n'],
    ['an at sign first', '@/etc/passwd'],
    ['a percent sign and backslashes', String.raw`%s %d \n \\ \0`],
    ['other scripts', '{"a":"zażółć 漢字 🙂 \u200Fעברית"}'],
    ['carriage returns', '{"a":1}\r\n'],
    ['control characters', 'a\u001B[31mb\u0007c\u0000d'],
    ['marks of direction', '{"file":"\u202Etxt.exe"}'],
    ['more than an argument may have', JSON.stringify({ a: "it's ".repeat(60_000) })],
  ])('sends the same bytes with %s', async (_, text) => {
    const { body } = await send(text)
    expect(Buffer.from(body).toString('base64')).toBe(Buffer.from(text).toString('base64'))
  })

  test('sends bytes that are no text', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, at) => at)
    expect((await send(bytes)).body).toEqual(bytes)
  })

  test('goes to the same path with the headers of the wire and the key of the shell', async () => {
    const { request, command } = await send('{}')
    expect(request.method).toBe('POST')
    expect(request.path).toBe('/v1/messages?beta=true')
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'user-agent': `it's "quoted" $HOME \`id\``,
      'x-api-key': 'k-1',
    })
    expect(request.headers.host).not.toContain('elsewhere')
    expect(request.headers['x-request-id']).toBeUndefined()
    expect(command).toContain('-H "x-api-key: $SLUICE_KEY"')
    const other = await send('{}', { ...EXCHANGE, wire: 'openai-chat' })
    expect(other.request.headers.authorization).toBe('Bearer k-1')
  })

  test('asks without a body as it was asked', async () => {
    const { request } = await send('', { ...EXCHANGE, method: 'GET', endpoint: '/v1/models' })
    expect(request.method).toBe('GET')
  })

  test('lets no header break out of its line or its quotes', () => {
    const command = toCurl(
      'http://localhost',
      { ...EXCHANGE, requestHeaders: { "x'; id; '": 'a', 'x-b': 'c\nid', 'x-c': "'; id; '" } },
      new Uint8Array(0),
    )
    expect(command).not.toContain('x-b')
    expect(command).not.toContain("x'; id")
    expect(command).toContain(quote("x-c: '; id; '"))
  })
})

test('a file name holds nothing that leads elsewhere', () => {
  expect(toFileName('../../etc/passwd', 'sse')).toBe('______etc_passwd.sse')
  expect(toFileName('01m7\u202Eabc', 'sse')).toBe('01m7_abc.sse')
  expect(toFileName('', 'jsonl')).toBe('exchange.jsonl')
})
