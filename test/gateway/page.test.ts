/** How the page is served: what a browser gets, what nobody gets, and who may ask from where. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeCertificate } from '../support/certificate.ts'
import { ask, startTestGateway, type TestGateway } from '../support/gateway.ts'
import { fetchRaw, sendRaw, type RawAnswer, type RawRequest } from '../support/raw-client.ts'

const HTML = `<!doctype html><title>Sluice</title>${'<p>'.repeat(300)}`
const SCRIPT = `console.log('page')\n`.repeat(100)
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

let folder = ''
let gateway: TestGateway
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-page-'))
  writeFileSync(join(folder, 'secret.html'), 'secret')
  writeFileSync(join(folder, 'secret.js'), 'secret')
  writePage(join(folder, 'page'))
  gateway = await startTestGateway({}, { page: pathToFileURL(`${folder}/page/`) })
})
afterAll(async () => {
  await gateway.close()
  rmSync(folder, { recursive: true, force: true })
})

function writePage(to: string): void {
  mkdirSync(join(to, 'assets', 'deeper'), { recursive: true })
  writeFileSync(join(to, 'index.html'), HTML)
  writeFileSync(join(to, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(to, 'notes.html'), 'secret')
  writeFileSync(join(to, 'assets', 'index-a1B2.js'), SCRIPT)
  writeFileSync(join(to, 'assets', 'index-a1B2.css'), 'p { color: red }\n'.repeat(100))
  writeFileSync(join(to, 'assets', 'small-c3.js'), '1')
  writeFileSync(join(to, 'assets', 'inter-d4.woff2'), Buffer.alloc(2000, 'w'))
  writeFileSync(join(to, 'assets', '.env'), 'secret')
  writeFileSync(join(to, 'assets', 'deeper', 'x.js'), 'secret')
  symlinkSync(join(folder, 'secret.js'), join(to, 'assets', 'link-e5.js'))
}

const get = (path: string, headers: RawRequest['headers'] = {}): Promise<RawAnswer> =>
  fetchRaw(gateway.url + path, { method: 'GET', headers })

const STRICT = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'content-security-policy': [
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'",
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'",
    "frame-ancestors 'none'; require-trusted-types-for 'script'",
  ].join('; '),
}

describe('at /', () => {
  test('a browser gets the page, under headers that let nothing else run', async () => {
    const { status, headers, body } = await get('/', BROWSER)
    expect([status, body.toString()]).toEqual([200, HTML])
    expect(headers).toMatchObject({
      ...STRICT,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      vary: 'accept, accept-encoding, origin',
    })
    expect(headers).not.toHaveProperty('set-cookie')
  })

  test.each([{}, { accept: '*/*' }, { accept: 'application/json' }, { accept: 'text/html;q=0' }])(
    'a program gets a few lines of text: %j',
    async (headers) => {
      const { status, headers: got, body } = await get('/', headers)
      expect([status, got['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
      expect(body.toString()).toMatch(/^Sluice \S+ is running\./)
      expect(got['vary']).toContain('accept')
    },
  )

  test('a page that was seen before is not sent again', async () => {
    const { etag = '' } = (await get('/', BROWSER)).headers
    for (const known of [etag, `"x", ${etag}`, etag.replace('W/', ''), '*']) {
      const { status, headers, body } = await get('/', { ...BROWSER, 'if-none-match': known })
      expect([status, body.length]).toEqual([304, 0])
      expect(headers).toMatchObject({ ...STRICT, etag, 'cache-control': 'no-cache' })
    }
    for (const other of ['"x"', 'W/"x"', ''])
      expect((await get('/', { ...BROWSER, 'if-none-match': other })).status).toBe(200)
  })

  test('HEAD says what GET would, and other methods are told which there are', async () => {
    const head = await fetchRaw(gateway.url, { method: 'HEAD', headers: BROWSER })
    expect([head.status, head.body.length]).toEqual([200, 0])
    expect(head.headers['content-length']).toBe(String(HTML.length))
    for (const path of ['/', '/assets/index-a1B2.js', '/favicon.svg'])
      for (const method of ['POST', 'PUT', 'DELETE']) {
        const { status, headers } = await fetchRaw(gateway.url + path, { method, headers: BROWSER })
        expect([status, headers.allow]).toEqual([405, 'GET, HEAD'])
      }
  })

  test('needs no key and no token, and is in no log', async () => {
    const before = gateway.reports.length
    await get('/', BROWSER)
    await get('/assets/index-a1B2.js')
    await get('/favicon.ico')
    expect(gateway.reports).toHaveLength(before)
  })
})

describe('files of the page', () => {
  test.each([
    ['/assets/index-a1B2.js', 'text/javascript; charset=utf-8'],
    ['/assets/index-a1B2.css', 'text/css; charset=utf-8'],
    ['/assets/inter-d4.woff2', 'font/woff2'],
  ])('%s has its type and is kept for good', async (path, type) => {
    const { status, headers } = await get(path)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      ...STRICT,
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
    })
  })

  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['identity', undefined],
    ['', undefined],
    ['br;q=x', undefined],
  ])('are compressed as the browser asks: %j', async (wanted, encoding) => {
    const { headers, body } = await get('/assets/index-a1B2.js', { 'accept-encoding': wanted })
    expect(headers['content-encoding']).toBe(encoding)
    const read = encoding === 'br' ? brotliDecompressSync : gunzipSync
    expect((encoding === undefined ? body : read(body)).toString()).toBe(SCRIPT)
    if (encoding !== undefined) expect(body.length).toBeLessThan(SCRIPT.length / 5)
    expect(headers['content-length']).toBe(String(body.length))
  })

  test('are sent as they are where that gains nothing', async () => {
    for (const path of ['/assets/inter-d4.woff2', '/assets/small-c3.js']) {
      const { headers } = await get(path, { 'accept-encoding': 'br' })
      expect(headers).not.toHaveProperty('content-encoding')
    }
  })

  test('an icon is asked for by every browser, and one that is missing is no matter', async () => {
    const { status, headers } = await get('/favicon.svg')
    expect([status, headers['content-type']]).toEqual([200, 'image/svg+xml'])
    expect((await get('/favicon.ico')).status).toBe(404)
  })

  test.each([
    '/assets/../../secret.html',
    '/assets/../notes.html',
    '/assets/../index.html',
    '/assets/..%2f..%2fsecret.html',
    '/assets/%2e%2e/%2e%2e/secret.js',
    '/assets/..\\..\\secret.js',
    '/assets//index-a1B2.js',
    '/assets/./index-a1B2.js',
    '/assets/index-a1B2.js/',
    '/assets/index-a1B2.js%00.css',
    '/assets/INDEX-a1B2.js',
    '/assets/deeper/x.js',
    '/assets/link-e5.js',
    '/assets/.env',
    '/assets/',
    '/assets/__proto__',
    '/assets/constructor',
    '/assets/file:///etc/passwd',
    '//assets/index-a1B2.js',
    '/index.html',
    '/notes.html',
    '/page/index.html',
    '/favicon.svg/../notes.html',
    'http://127.0.0.1/assets/../notes.html',
  ])('there are no others: %s', async (path) => {
    const head = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`
    const { text } = await sendRaw(gateway.url, head)
    expect(text).toMatch(/^HTTP\/1\.1 404 /)
    expect(text).not.toContain('secret\r\n')
    expect(text).not.toContain('\r\nsecret')
    expect(text).not.toContain('<!doctype')
  })
})

describe('where the page is not built', () => {
  test('a browser is told what to run, and gets it once that is done', async () => {
    const place = join(folder, 'later')
    const other = await startTestGateway({}, { page: pathToFileURL(`${place}/`) })
    try {
      const ask = (): Promise<RawAnswer> => fetchRaw(other.url, { method: 'GET', headers: BROWSER })
      const { status, headers, body } = await ask()
      expect([status, headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8'])
      expect(body.toString()).toContain('npm run build')
      expect(headers).toMatchObject(STRICT)
      expect((await fetchRaw(other.url, { method: 'GET' })).status).toBe(200)
      writePage(place)
      expect((await ask()).body.toString()).toBe(HTML)
    } finally {
      await other.close()
    }
  })
})

describe('requests of the page itself', () => {
  const paths = ['/v1/messages', '/api/approvals', '/api/health']
  const send = async (path: string, headers: Record<string, string>): Promise<number> => {
    const isPost = path === '/v1/messages'
    const answer = await fetchRaw(gateway.url + path, {
      method: isPost ? 'POST' : 'GET',
      headers: {
        ...(path.startsWith('/api') ? { authorization: `Bearer ${gateway.adminToken()}` } : {}),
        ...headers,
      },
      ...(isPost ? { body: ask('anthropic-messages', { model: 'demo-text' }) } : {}),
    })
    return answer.status
  }

  test.each(paths)('reach %s by every name of this machine', async (path) => {
    for (const name of ['127.0.0.1', 'localhost', '[::1]', 'LocalHost']) {
      const host = `${name}:${gateway.port}`
      const origin = `http://${host.toLowerCase()}`
      expect(await send(path, { host, origin, 'sec-fetch-site': 'same-origin' })).toBe(200)
    }
  })

  test.each(paths)('of other pages do not reach %s', async (path) => {
    const host = `127.0.0.1:${gateway.port}`
    for (const origin of [
      'http://evil.example',
      `http://evil.example:${gateway.port}`,
      `http://localhost:${gateway.port}`,
      'http://127.0.0.1',
      `http://127.0.0.1:${gateway.port}.evil.example`,
      `http://127.0.0.1:${gateway.port}@evil.example`,
      `file://127.0.0.1:${gateway.port}`,
      'null',
      '',
    ])
      expect([origin, await send(path, { host, origin })]).toEqual([origin, 403])
  })

  test.each(paths)('by a name that was bent to this machine do not reach %s', async (path) => {
    const host = `evil.example:${gateway.port}`
    expect(await send(path, { host, origin: `http://${host}` })).toBe(403)
    expect(await send(path, { host, 'sec-fetch-site': 'same-origin' })).toBe(403)
  })

  test('by a name that was bent do not even get the page', async () => {
    for (const path of ['/', '/assets/index-a1B2.js'])
      expect((await get(path, { ...BROWSER, host: `evil.example:${gateway.port}` })).status).toBe(
        403,
      )
  })

  test('a link may lead to the page from anywhere, but nothing may be taken from it', async () => {
    const visit = { ...BROWSER, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    expect((await get('/', { ...visit, 'sec-fetch-dest': 'document' })).status).toBe(200)
    for (const dest of ['iframe', 'embed', 'object', ''])
      expect((await get('/', { ...visit, 'sec-fetch-dest': dest })).status).toBe(403)
    const taken = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }
    for (const path of ['/', '/assets/index-a1B2.js'])
      expect((await get(path, { ...taken, 'sec-fetch-dest': 'script' })).status).toBe(403)
    for (const path of ['/health', '/v1/models', '/api/approvals', '/metrics'])
      expect((await get(path, { ...visit, 'sec-fetch-dest': 'document' })).status).toBe(403)
  })
})

test('over TLS the page and its requests are served the same', async () => {
  const other = await startTestGateway(
    { tls: makeCertificate() },
    { page: pathToFileURL(`${folder}/page/`) },
  )
  const statusOf = (path: string, headers: Record<string, string>, body?: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { method: body === undefined ? 'GET' : 'POST', rejectUnauthorized: false }
      const sent = httpsRequest(
        other.url + path,
        { ...options, headers, agent: false },
        (answer) => {
          answer.resume()
          answer.on('end', () => resolve(answer.statusCode))
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  try {
    expect(other.url).toMatch(/^https:/)
    expect(await statusOf('/', BROWSER)).toBe(200)
    const body = ask('openai-chat', { model: 'demo-text' })
    expect(await statusOf('/v1/chat/completions', { origin: other.url }, body)).toBe(200)
    const foreign = { origin: 'https://evil.example' }
    expect(await statusOf('/v1/chat/completions', foreign, body)).toBe(403)
  } finally {
    await other.close()
  }
})
