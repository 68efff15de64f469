/**
 * The body of a request: read to its end within a size and a time, and unpacked where it came packed.
 * Neighbours: `plan.ts` has it read; `request-bytes.ts` is what comes of it. Reads no JSON.
 */
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { append, NOTHING } from '../base/few.ts'
import type { StreamFault } from '../event/fault.ts'
import { Body } from './request-bytes.ts'
import type { Ticker } from './ticker.ts'

export type ReadBody =
  | { readonly type: 'body'; readonly body: Body }
  | { readonly type: 'refused'; readonly fault: StreamFault; readonly status: number }
  | { readonly type: 'left' }

export interface BodyOptions {
  readonly maxBytes: number
  readonly maxMs: number
  readonly ticker: Ticker
}

export async function readBody(request: IncomingMessage, options: BodyOptions): Promise<ReadBody> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > options.maxBytes) return tooLarge(options.maxBytes)
  const read = await collect(request, options)
  if (read.type !== 'body') return read
  const encoding = request.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === undefined || encoding === '' || encoding === 'identity') return read
  return unpack(read.body.plain, encoding, options.maxBytes)
}

function collect(request: IncomingMessage, options: BodyOptions): Promise<ReadBody> {
  return new Promise((resolve) => {
    let pieces: Buffer[] = NOTHING
    let bytes = 0
    const { ticker, maxMs } = options
    const startedAt = ticker.now()
    const place = ticker.watch({
      look(now) {
        if (now - startedAt > maxMs) finish(tooSlow(maxMs))
      },
    })
    const finish = (result: ReadBody): void => {
      ticker.unwatch(place)
      request.off('data', onData)
      request.off('end', onEnd)
      request.off('close', onClose)
      resolve(result)
    }
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length
      if (bytes > options.maxBytes) finish(tooLarge(options.maxBytes))
      else pieces = append(pieces, chunk)
    }
    const onEnd = (): void => finish({ type: 'body', body: new Body(pieces) })
    const onClose = (): void => finish({ type: 'left' })
    request.on('data', onData)
    request.on('end', onEnd)
    request.on('close', onClose)
  })
}

type Unpack = (raw: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const UNPACK: Readonly<Record<string, Unpack>> = {
  gzip: promisify(gunzip) as Unpack,
  deflate: promisify(inflate) as Unpack,
  br: promisify(brotliDecompress) as Unpack,
}

/** Unpacks a body that came packed. */
export async function unpack(raw: Buffer, encoding: string, maxBytes: number): Promise<ReadBody> {
  const how = Object.hasOwn(UNPACK, encoding) ? UNPACK[encoding] : undefined
  if (how === undefined)
    return refuse(
      415,
      'invalid-request',
      'This content-encoding is not known here: send the body with gzip, deflate, br or none',
    )
  try {
    const plain = await how(raw, { maxOutputLength: maxBytes })
    return { type: 'body', body: new Body([plain], { raw, encoding }) }
  } catch (error) {
    const isLarge = error instanceof RangeError
    return isLarge
      ? tooLarge(maxBytes)
      : refuse(400, 'invalid-request', `The request body is not valid ${encoding}`)
  }
}

const tooLarge = (maxBytes: number): ReadBody =>
  refuse(413, 'too-large', `The request body is larger than ${maxBytes} bytes, the limit here`)

const tooSlow = (maxMs: number): ReadBody =>
  refuse(408, 'timeout', `The request body did not arrive within ${Math.round(maxMs / 1000)} s`)

const refuse = (status: number, kind: StreamFault['kind'], message: string): ReadBody => ({
  type: 'refused',
  status,
  fault: { kind, message },
})
