/**
 * The correlation of an exchange: W3C Trace Context headers ↔ `Trace`, and the request id. Neighbours:
 * `exchange.ts` reads and writes them, `telemetry/` reports by them. Knows no server and no log; what is
 * read here was sent by a client, and goes on to upstreams and into logs, so it is checked strictly.
 */
import type { Trace } from './report.ts'

/** Gives so many random bytes, as two hex digits each. */
export type RandomHex = (size: number) => string

// Version, trace id, parent id, flags. Upper case is not allowed. Later versions may add parts.
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

const ALL_ZERO = /^0+$/

// The standard asks for 512 characters at least. Printable ASCII: it is sent on as a header.
const TRACESTATE = /^[\x20-\x7e]{1,1024}$/

const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/

/** The caller's trace with a span of our own in it; a fresh trace, sampled, if it sent none or a broken one. */
export function readTrace(
  headers: { readonly traceparent?: string | undefined; readonly tracestate?: string | undefined },
  random: RandomHex,
): Trace {
  const caller = readTraceparent(headers.traceparent)
  const spanId = createSpanId(random)
  if (caller === undefined) {
    const traceId = createId(random, 16)
    return { traceId, spanId, parentId: undefined, isSampled: true, state: undefined }
  }
  const { tracestate } = headers
  const state = tracestate !== undefined && TRACESTATE.test(tracestate) ? tracestate : undefined
  return { ...caller, spanId, state }
}

/** The header for a request of ours, of the span that makes the request. */
export const writeTraceparent = (trace: Trace, spanId: string): string =>
  `00-${trace.traceId}-${spanId}-${trace.isSampled ? '01' : '00'}`

/** The id of a span: 16 hex digits. */
export const createSpanId = (random: RandomHex): string => createId(random, 8)

/** The client's `x-request-id` if it is short and plain, else a new one. */
export const readRequestId = (value: string | undefined, create: () => string): string =>
  value !== undefined && REQUEST_ID.test(value) ? value : create()

/**
 * `req_` and 24 hex digits: twelve of the time, in milliseconds, and twelve that are random. In the order of time, so that the
 * index of a store grows at its end: at random, each would change a page of its own.
 */
export const createRequestId = (random: RandomHex, now = Date.now()): string =>
  `req_${timeDigits(now)}${createId(random, 6)}`

/** Requests come many in a millisecond, and a number takes longer to write than all the rest of the id. */
let writtenAt = Number.NaN
let written = ''

function timeDigits(now: number): string {
  if (now !== writtenAt) {
    writtenAt = now
    written = now.toString(16).padStart(12, '0')
  }
  return written
}

function readTraceparent(
  value: string | undefined,
): Pick<Trace, 'traceId' | 'parentId' | 'isSampled'> | undefined {
  const [, version, traceId = '', parentId = '', flags = '', more] =
    TRACEPARENT.exec(value ?? '') ?? []
  // Version ff is forbidden, and version 00 has four parts and no more.
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined))
    return undefined
  if (ALL_ZERO.test(traceId) || ALL_ZERO.test(parentId)) return undefined
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

function createId(random: RandomHex, size: number): string {
  const id = random(size)
  // All zero means "no id" in the standard.
  return id.startsWith('00') && ALL_ZERO.test(id) ? `${id.slice(1)}1` : id
}
