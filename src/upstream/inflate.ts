/**
 * An answer that came compressed although nobody asked for it: bytes as they were before. Bounded,
 * because a few bytes can become many. Neighbours: `http.ts` puts it between parser and sink.
 */
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  constants,
  type BrotliDecompress,
  type Gunzip,
  type Inflate as ZlibInflate,
} from 'node:zlib'
import type { UpstreamSink } from './upstream.ts'

interface InflateOptions {
  readonly encoding: string
  readonly sink: UpstreamSink
  readonly maxBytes: number
  /** The upstream's name. */
  readonly name: string
  abort(): void
}

/** A sink for compressed bytes, in front of one for plain ones. */
export interface Inflate extends UpstreamSink {
  /** The reader waits. A chunk of compressed bytes may hold a thousand times as many plain ones. */
  pause(): void
  resume(): void
  /** Nobody reads any more. */
  stop(): void
}

export function inflate({ encoding, sink, maxBytes, name, abort }: InflateOptions): Inflate {
  const zip = createZip(encoding)
  let total = 0
  let isOver = false

  const fail = (what: string): void => {
    if (isOver) return
    isOver = true
    zip?.destroy()
    abort()
    const message = `Upstream "${name}" could not answer: ${what}`
    sink.onError({ kind: 'bad-stream', isBeforeRequest: false, message })
  }
  zip?.on('data', (chunk: Buffer) => {
    if (isOver) return
    total += chunk.length
    if (total > maxBytes) fail(`its compressed answer has more than ${maxBytes} bytes`)
    else sink.onData(chunk)
  })
  zip?.on('end', () => {
    if (isOver) return
    isOver = true
    sink.onEnd()
  })
  zip?.on('error', () => fail(`its answer is no valid ${encoding}`))

  return {
    onHead(status, headers) {
      const { 'content-encoding': _e, 'content-length': _l, ...rest } = headers
      sink.onHead(status, rest)
      if (zip === undefined) fail(`it compressed its answer with "${encoding}", unasked`)
    },
    onData: (chunk) => {
      if (!isOver) zip?.write(chunk)
    },
    onEnd: () => {
      if (!isOver) zip?.end()
    },
    onError(failure) {
      if (isOver) return
      isOver = true
      zip?.destroy()
      sink.onError(failure)
    },
    pause: () => void zip?.pause(),
    resume: () => void zip?.resume(),
    stop() {
      isOver = true
      zip?.destroy()
    },
  }
}

function createZip(encoding: string): Gunzip | ZlibInflate | BrotliDecompress | undefined {
  // Each frame leaves as soon as it is there: a stream is not over for minutes.
  const now = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
  switch (encoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(now)
    case 'deflate':
      return createInflate(now)
    case 'br':
      return createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH })
    default:
      return undefined
  }
}
