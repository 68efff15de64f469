import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeCertificate } from '../../test/support/certificate.ts'
import { httpUpstream } from '../../test/support/gateway.ts'
import { startUpstream, type TestUpstream } from '../../test/support/upstream.ts'
import { isLoopbackName } from './dispatcher.ts'
import { createHttpUpstream } from './http.ts'
import type { HttpUpstreamSettings } from './settings.ts'

type Env = Readonly<Record<string, string>>

/** Asks that upstream for something; gives back the status and body, or what went wrong. */
async function fetchFrom(settings: HttpUpstreamSettings, env: Env = {}): Promise<string> {
  const upstream = createHttpUpstream(settings, { env })
  const told = await new Promise<string>((resolve) => {
    let said = ''
    upstream.send(
      { method: 'GET', wire: 'openai-chat', path: '/x', query: '', headers: {}, body: undefined },
      {
        onHead: (status) => (said = `${status} `),
        onData: (chunk) => (said += chunk.toString()),
        onEnd: () => resolve(said),
        onError: ({ message }) => resolve(message),
      },
    )
  })
  await upstream.close()
  return told
}

describe('a certificate that no authority of this machine knows', () => {
  const certificate = makeCertificate()
  const folder = mkdtempSync(join(tmpdir(), 'sluice-ca-'))
  const file = join(folder, 'ca.pem')
  writeFileSync(file, certificate.cert)
  let upstream: TestUpstream
  beforeAll(async () => {
    upstream = await startUpstream({ tls: certificate })
    upstream.always({ body: 'hello' })
  })
  afterAll(async () => {
    await upstream.close()
    rmSync(folder, { recursive: true })
  })

  test('is not trusted', async () => {
    expect(await fetchFrom(httpUpstream(upstream.url))).toMatch(/certificate is not trusted.*"ca"/)
    expect(upstream.requests).toEqual([])
  })

  test('is trusted when the config names it', async () => {
    const settings = httpUpstream(upstream.url, { ca: certificate.cert })
    expect(await fetchFrom(settings)).toBe('200 hello')
  })

  test('is trusted when the environment names it', async () => {
    expect(await fetchFrom(httpUpstream(upstream.url), { SSL_CERT_FILE: file })).toBe('200 hello')
    const both = { SSL_CERT_FILE: join(folder, 'gone.pem'), NODE_EXTRA_CA_CERTS: file }
    expect(await fetchFrom(httpUpstream(upstream.url), both)).toBe('200 hello')
  })

  test('is not trusted because another one is', async () => {
    const settings = httpUpstream(upstream.url, { ca: makeCertificate().cert })
    expect(await fetchFrom(settings)).toMatch(/certificate is not trusted/)
  })
})

describe('a proxy', () => {
  /** A proxy that leads wherever it is asked to go to the one upstream, and keeps who asked for what. */
  const asked: string[] = []
  const sockets = new Set<Socket>()
  let refuses = false
  const server = createServer()
  const certificate = makeCertificate()
  let plain: TestUpstream
  let secure: TestUpstream
  let proxy = ''
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const { url = '', headers } = request
    asked.push(`${url} ${headers['proxy-authorization'] ?? ''}`.trim())
    if (refuses) return void socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
    const onward = connect(url.endsWith(':443') ? secure.port : plain.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    onward.on('error', () => {})
  })
  beforeAll(async () => {
    plain = await startUpstream()
    secure = await startUpstream({ tls: certificate })
    plain.always({ body: 'plain' })
    secure.always({ body: 'secure' })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    proxy = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await Promise.all([plain.close(), secure.close()])
  })
  /** What the proxy was asked during that. */
  async function seen(work: () => Promise<string>): Promise<readonly [string, readonly string[]]> {
    asked.length = 0
    const told = await work()
    return [told, [...asked]]
  }

  test('of the config is gone through, with its user and password', async () => {
    const withUser = proxy.replace('//', '//me:secret@')
    const settings = httpUpstream('http://provider.test', { proxy: withUser })
    expect(await seen(() => fetchFrom(settings))).toEqual([
      '200 plain',
      ['provider.test:80 Basic bWU6c2VjcmV0'],
    ])
  })

  test('is gone through to a server with TLS, whose certificate is checked', async () => {
    const settings = httpUpstream('https://localhost', { proxy, ca: certificate.cert })
    expect(await seen(() => fetchFrom(settings))).toEqual(['200 secure', ['localhost:443']])
    const wrong = httpUpstream('https://localhost', { proxy })
    expect(await fetchFrom(wrong)).toMatch(/certificate is not trusted/)
  })

  test.each(['http_proxy', 'HTTP_PROXY'])(
    'of the environment is gone through: %s',
    async (name) => {
      const settings = httpUpstream('http://provider.test')
      expect(await seen(() => fetchFrom(settings, { [name]: proxy }))).toEqual([
        '200 plain',
        ['provider.test:80'],
      ])
    },
  )

  test('of the environment is for its own scheme', async () => {
    const settings = httpUpstream('https://provider.test', { ca: certificate.cert })
    const [told, to] = await seen(() => fetchFrom(settings, { https_proxy: proxy }))
    expect(to).toEqual(['provider.test:443'])
    // It is another name than the certificate's, so that all of it was looked at.
    expect(told).toMatch(/certificate is not trusted/)
  })

  test('is not gone through to this machine, nor where the config says so', async () => {
    const env = { http_proxy: proxy, https_proxy: proxy }
    expect(await seen(() => fetchFrom(httpUpstream(plain.url), env))).toEqual(['200 plain', []])
    const none = httpUpstream(plain.url, { proxy: '' })
    expect(await seen(() => fetchFrom(none, env))).toEqual(['200 plain', []])
  })

  test('that refuses is told', async () => {
    refuses = true
    const told = await fetchFrom(httpUpstream('http://provider.test', { proxy }))
    refuses = false
    expect(told).toMatch(/the proxy did not let the connection through/)
  })
})

test.each([
  ['localhost', true],
  ['a.localhost', true],
  ['127.0.0.1', true],
  ['127.255.0.9', true],
  ['::1', true],
  ['[::1]', true],
  ['127.0.0.1.example.com', false],
  ['localhost.example.com', false],
  ['10.0.0.1', false],
  ['0.0.0.0', false],
])('whether %s is this machine: %s', (host, expected) => {
  expect(isLoopbackName(host)).toBe(expected)
})
