/**
 * The folder of the built page → its files in memory, by the path that they are asked for. Neighbours: `page.ts` answers
 * from them; Vite has written the folder. No part of a request reaches the file system.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export type Encoding = 'br' | 'gzip' | 'identity'

export interface PageFile {
  readonly type: string
  /** Weak: the same for all encodings. */
  readonly etag: string
  /** Its name changes with its content, so that it can be kept for good. */
  readonly isImmutable: boolean
  /** Compressed once, when somebody first wants it so. Gives back what it became. */
  encode(wanted: Encoding): Promise<Encoded>
}

interface Encoded {
  readonly encoding: Encoding
  readonly body: Buffer
}

/** By path: `/` is the page itself. */
export type PageFiles = ReadonlyMap<string, PageFile>

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
}
/** The others are compressed already. */
const SQUEEZED: ReadonlySet<string> = new Set(['.html', '.js', '.css', '.svg', '.json'])
/** A page has some dozens; a folder that holds more is not one. */
const MAX_FILES = 500
const MAX_BYTES = 32 * 1024 ** 2
/** Below this the headers weigh more than what is saved. */
const MIN_BYTES = 512

/** All files at once, so that a build that runs meanwhile cannot mix two pages. `undefined`: there is no page. */
export async function readPageFiles(folder: URL): Promise<PageFiles | undefined> {
  const [top, assets] = await Promise.all([namesIn(folder), namesIn(new URL('assets/', folder))])
  if (!top.includes('index.html')) return undefined
  const paths = [
    ...top.filter((name) => name === 'index.html' || name.startsWith('favicon.')),
    ...assets.map((name) => `assets/${name}`),
  ].filter((path) => extname(path) in TYPES)
  const files = new Map<string, PageFile>()
  let bytes = 0
  for (const path of paths.slice(0, MAX_FILES)) {
    const body = await readFile(new URL(encodeURI(path), folder))
    bytes += body.length
    if (bytes > MAX_BYTES) break
    files.set(path === 'index.html' ? '/' : `/${path}`, toFile(path, body))
  }
  return files
}

/** Plain files only: a link could lead anywhere. */
async function namesIn(folder: URL): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  } catch {
    return []
  }
}

function toFile(path: string, body: Buffer): PageFile {
  const ending = extname(path)
  const isSqueezed = SQUEEZED.has(ending) && body.length >= MIN_BYTES
  const kept = new Map<Encoding, Promise<Encoded>>()
  return {
    type: TYPES[ending] ?? 'application/octet-stream',
    etag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    isImmutable: path.startsWith('assets/'),
    encode(wanted) {
      const encoding = isSqueezed ? wanted : 'identity'
      const known = kept.get(encoding) ?? squeeze(body, encoding)
      kept.set(encoding, known)
      return known
    },
  }
}

const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

/** Better ones take a second for a large script, and the first visitor would wait for it. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

async function squeeze(body: Buffer, encoding: Encoding): Promise<Encoded> {
  switch (encoding) {
    case 'br':
      return { encoding, body: await toBrotli(body, QUALITY) }
    case 'gzip':
      return { encoding, body: await toGzip(body) }
    case 'identity':
      return { encoding, body }
  }
}
