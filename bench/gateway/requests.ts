/**
 * What the clients of the benchmark ask: one HTTP request, ready to be written. Neighbours: `load.ts` writes it,
 * `upstream.ts` reads from the model's name which answer it wants.
 */
import type { WireName } from '../../src/index.ts'
import { PATHS } from './frames.ts'

/** Which answer a request asks for. */
export interface Wanted {
  readonly chunks: number
  /** Between two chunks; 0: as fast as they are taken. */
  readonly paceMs: number
  readonly isStream: boolean
}

export interface RequestOptions extends Wanted {
  readonly wire: WireName
  readonly port: number
  /** Of what was said so far, in characters. */
  readonly size: number
  readonly headers?: readonly string[] | undefined
}

const TURN_SIZE = 2000
/** One address a turn, for `redact` to find. */
const ADDRESS = 'Please tell ann@example.com about it. '
const WORDS = 'Please go on with the work, and say what you have found. '

export function benchRequest(options: RequestOptions): Buffer {
  const { wire, port, chunks, paceMs, isStream, headers = [] } = options
  const turns = makeTurns(options.size)
  const body = JSON.stringify({
    model: `bench-${chunks}-${paceMs}`,
    stream: isStream,
    ...(wire === 'openai-responses' ? { input: turns } : { max_tokens: 1000, messages: turns }),
  })
  const head = [
    `POST ${PATHS[wire]} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    'content-type: application/json',
    'accept: application/json',
    'user-agent: bench/1.0',
    'authorization: Bearer none-needed',
    'anthropic-version: 2023-06-01',
    ...headers,
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** A conversation of that size; the client speaks first and last. */
function makeTurns(size: number): readonly object[] {
  const count = Math.ceil(size / TURN_SIZE / 2) * 2 - 1
  const length = Math.round(size / count)
  const content = (ADDRESS + WORDS.repeat(Math.ceil(length / WORDS.length))).slice(0, length)
  return Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content,
  }))
}

/** What a request asked for, from the bytes of its body. */
export function readWanted(body: Buffer): Wanted | undefined {
  const at = body.indexOf('bench-')
  const [, chunks, paceMs] = /^bench-(\d+)-(\d+)/.exec(body.toString('latin1', at, at + 30)) ?? []
  if (at === -1 || chunks === undefined) return undefined
  return { chunks: Number(chunks), paceMs: Number(paceMs), isStream: isStream(body) }
}

const isStream = (body: Buffer): boolean =>
  body.includes('"stream":true') || body.includes('"stream": true')
