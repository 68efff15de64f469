/**
 * The page: what a browser gets at `/`, and the files that belong to it. It holds nothing, so it needs no token; all that
 * it shows comes from `/api`, which does. Neighbours: `page-files.ts` has the files, `gateway.ts` asks here, `own.ts`
 * answers programs at `/`.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { readPageFiles, type Encoding, type PageFile, type PageFiles } from './page-files.ts'
import type { Visit } from './visit.ts'

export interface Page {
  /** `undefined` when the request is for something else. */
  serve(visit: Visit): Promise<void> | undefined
}

/** Where `npm run build` puts it: beside the built server, also for a server that runs from its sources. */
const FOLDER = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/page/' : '../page/',
  import.meta.url,
)

/**
 * Scripts, styles and fonts come from here and nowhere else, and a text cannot become one: what models write is shown in
 * this page.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const STRICT = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
} as const

const NOT_BUILT = `The page is not built here: run "npm run build", then load this again.
The gateway itself works without it.
`
const NO_FILE = 'There is no such file of the page.\n'

export function createPage(folder: URL = FOLDER): Page {
  let reading: Promise<PageFiles | undefined> | undefined

  /** Once there is a page it is kept; where there is none it may still be built. */
  async function files(): Promise<PageFiles | undefined> {
    reading ??= readPageFiles(folder)
    const found = await reading.catch(() => undefined)
    if (found === undefined) reading = undefined
    return found
  }

  async function answer(visit: Visit, path: string): Promise<void> {
    visit.request.resume()
    const file = (await files())?.get(path)
    if (file === undefined) sendText(visit, path === '/' ? NOT_BUILT : NO_FILE)
    else await sendFile(visit, file)
  }

  return {
    serve(visit) {
      const path = toPagePath(visit)
      return path === undefined ? undefined : answer(visit, path)
    },
  }
}

function toPagePath({ found, request }: Visit): string | undefined {
  if (found.type === 'page') return found.path
  return found.type === 'own' && found.path === '/' && wantsHtml(request.headers) ? '/' : undefined
}

/** Browsers say so; curl and SDKs take anything, and get a few lines of text. */
const wantsHtml = ({ accept = '' }: IncomingHttpHeaders): boolean => weigh(accept, 'text/html') > 0

async function sendFile({ request, response, id }: Visit, file: PageFile): Promise<void> {
  const headers = {
    ...STRICT,
    etag: file.etag,
    // At `/` another answer is for those who do not want HTML.
    vary: 'accept, accept-encoding, origin',
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    'x-request-id': id,
  }
  if (isKnown(request.headers['if-none-match'], file.etag)) {
    response.writeHead(304, headers)
    response.end()
    return
  }
  const { encoding, body } = await file.encode(pickEncoding(request.headers))
  response.writeHead(200, {
    ...headers,
    'content-type': file.type,
    'content-length': body.length,
    ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

function sendText({ response, id }: Visit, text: string): void {
  response.writeHead(404, {
    ...STRICT,
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-request-id': id,
  })
  response.end(text)
}

function isKnown(given: string | undefined, etag: string): boolean {
  const bare = etag.replace(/^W\//, '')
  return (given ?? '')
    .split(',')
    .map((one) => one.trim())
    .some((one) => one === '*' || one.replace(/^W\//, '') === bare)
}

function pickEncoding(headers: IncomingHttpHeaders): Encoding {
  const given = headers['accept-encoding']
  const list = typeof given === 'string' ? given : ''
  if (weigh(list, 'br') > 0) return 'br'
  return weigh(list, 'gzip') > 0 ? 'gzip' : 'identity'
}

/** How much a word of such a list is wanted, from 0 to 1; not named is 0. */
function weigh(list: string, word: string): number {
  for (const item of list.toLowerCase().split(',')) {
    const [name = '', ...rest] = item.split(';').map((part) => part.trim())
    if (name !== word) continue
    const quality = rest.find((part) => part.startsWith('q='))
    const weight = quality === undefined ? 1 : Number(quality.slice(2))
    return Number.isFinite(weight) ? weight : 0
  }
  return 0
}
