/**
 * A fault and the bytes of an answer → the steps that the faulty upstream takes. Neighbours: `faulty-upstream-names.ts`
 * says in words what each fault is, `faulty-upstream-play.ts` takes the steps on a socket. Knows no socket, so that a
 * client can work out which bytes were sent.
 */
import type { WireName } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import { WIRES } from '../wire/wires.ts'
import { writeFaulty, type FaultyAnswer, type Saying } from './faulty-upstream-answer.ts'
import type { FaultName } from './faulty-upstream-names.ts'
import { createSeeded, type Seeded } from './faulty-upstream-seeded.ts'

/** Times in milliseconds. */
export type Step =
  | {
      readonly type: 'head'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
    }
  | { readonly type: 'write'; readonly bytes: Uint8Array }
  /** Past HTTP, as it is. */
  | { readonly type: 'raw'; readonly text: string }
  | { readonly type: 'wait'; readonly ms: number }
  /** `thenClose`: and that much later the connection is closed. */
  | { readonly type: 'end'; readonly thenClose?: number }
  /** Silence, until the other side leaves. */
  | { readonly type: 'hang' }
  | { readonly type: 'close' }
  | { readonly type: 'reset' }

/** What is to be said to a request, step by step. */
export function toSteps(answer: FaultyAnswer, saying: Saying): Iterable<Step> {
  let pieces: readonly Uint8Array[] | undefined
  return STEPS[answer.fault]({
    ...saying,
    pace: answer.pace,
    pieces: () => (pieces ??= writeFaulty(answer, saying)),
    broken: (error) => writeFaulty(answer, saying, error),
    random: createSeeded(answer.seed),
  })
}

interface Told extends Saying {
  readonly pace: number
  /** Of the whole answer. */
  pieces(): readonly Uint8Array[]
  /** Of its first half, and of that error. */
  broken(error: StreamFault): readonly Uint8Array[]
  readonly random: Seeded
}

const SLOW_MS = 300
const CLOSE_MS = 20
/** Until what was sent has been read: what breaks the connection takes away what lies between the two. */
const READ_MS = 30
const HUGE_PIECES = 1024
/** A comment, an event that there is not, and one that has no content. */
const ODD = ': odd\n\nevent: odd\ndata: {"type":"odd","odd":true}\n\nevent: empty\n\n'
const PAGE = '<html><body><h1>Something is wrong</h1></body></html>'

const NOTHING = new Uint8Array(0)
const END: Step = { type: 'end' }
const HANG: Step = { type: 'hang' }
const CLOSE: Step = { type: 'close' }
const RESET: Step = { type: 'reset' }

const STEPS: Readonly<Record<FaultName, (told: Told) => Iterable<Step>>> = {
  none: (told) => [head(told), ...paced(told, told.pieces()), END],

  'slow-head': (told) => [wait(SLOW_MS), ...STEPS.none(told)],
  *trickle(told) {
    yield head(told)
    for (const piece of told.pieces())
      for (let at = 0; at < piece.length; at++) {
        yield write(piece.subarray(at, at + 1))
        yield wait(0)
      }
    yield END
  },
  flood: (told) => STEPS.none(told),
  'odd-frame': (told) => inTheMiddle(told, ODD),
  'bad-frame': (told) => inTheMiddle(told, 'data: {"half": \n\n'),
  'early-close': (told) => [
    head(told),
    ...paced(told, told.pieces()),
    { type: 'end', thenClose: told.random() * CLOSE_MS },
  ],

  'stall-before-head': () => [HANG],
  'stall-after-head': (told) => [head(told), HANG],
  'stall-mid-stream': (told) => [...half(told), HANG],
  'stall-in-frame': (told) => [...half(told), write(torn(told)), HANG],

  'close-before-head': () => [CLOSE],
  'close-mid-stream': (told) => [...half(told), CLOSE],
  'cut-in-frame': (told) => [...half(told), write(torn(told)), CLOSE],
  'cut-in-character'(told) {
    const pieces = told.pieces()
    const place = pieces.findLastIndex((piece) => wideAt(piece) !== -1)
    const piece = pieces[place] ?? NOTHING
    const cut = piece.subarray(0, wideAt(piece) + 1)
    return [head(told), ...paced(told, pieces.slice(0, place)), write(cut), CLOSE]
  },
  'end-early': (told) => [...half(told), END],
  'short-body'(told) {
    const length = told.pieces().reduce((sum, piece) => sum + piece.length, 0)
    return [
      head(told, { 'content-length': String(length) }),
      ...paced(told, firstHalf(told)),
      CLOSE,
    ]
  },
  'reset-before-head': () => [RESET],
  'reset-after-head': (told) => [head(told), wait(READ_MS), RESET],
  'reset-mid-stream': (told) => [...half(told), wait(READ_MS), RESET],

  'not-http': () => [{ type: 'raw', text: 'SSH-2.0-OpenSSH_9.6\r\n\r\n' }, CLOSE],
  'bad-chunk-size': (told) => [
    ...half(told),
    wait(READ_MS),
    { type: 'raw', text: 'many\r\nbytes\r\n' },
    CLOSE,
  ],
  'wrong-type': (told) => [head(told, { 'content-type': 'text/html' }), write(text(PAGE)), END],
  'not-sse': (told) => [head(told), write(rubbish(told.random)), END],
  'not-json': (told) => [
    head(told),
    ...told.pieces().map((piece) => write(cutJson(piece, told))),
    END,
  ],
  *'huge-frame'(told) {
    yield* half(told)
    yield write(text('data: {"a":"'))
    const piece = text('x'.repeat(64 * 1024))
    for (let count = 0; count < HUGE_PIECES; count++) yield write(piece)
    yield CLOSE
  },

  'rate-limited': (told) => failed(told, 429, RATE_LIMIT),
  'server-error': (told) => failed(told, 500, INTERNAL),
  overloaded: (told) => failed(told, told.wire === 'anthropic-messages' ? 529 : 503, OVERLOADED),
  'html-502': (told) => [
    { ...head(told, { 'content-type': 'text/html' }), status: 502 },
    write(text(PAGE)),
    END,
  ],
  'error-event': (told) =>
    told.isStream
      ? [head(told), ...paced(told, told.broken(INTERNAL)), END]
      : failed(told, 500, INTERNAL),
}

const RATE_LIMIT: StreamFault = { kind: 'rate-limit', message: 'Too many requests, as asked for' }
const INTERNAL: StreamFault = { kind: 'internal', message: 'It failed, as asked for' }
const OVERLOADED: StreamFault = { kind: 'overloaded', message: 'Overloaded, as asked for' }

const head = ({ isStream }: Told, headers: Readonly<Record<string, string>> = {}) =>
  ({
    type: 'head',
    status: 200,
    headers: { 'content-type': isStream ? 'text/event-stream' : 'application/json', ...headers },
  }) as const

const write = (bytes: Uint8Array): Step => ({ type: 'write', bytes })
const wait = (ms: number): Step => ({ type: 'wait', ms })

const encoder = new TextEncoder()
const text = (said: string): Uint8Array => encoder.encode(said)

function* paced({ pace }: Told, pieces: Iterable<Uint8Array>): Generator<Step> {
  for (const bytes of pieces) {
    yield { type: 'write', bytes }
    if (pace > 0) yield wait(pace)
  }
}

/** So much of it that there is content, and no finish. */
function firstHalf(told: Told): readonly Uint8Array[] {
  const pieces = told.pieces()
  return pieces.slice(0, Math.floor(pieces.length / 2))
}

function secondHalf(told: Told): readonly Uint8Array[] {
  const pieces = told.pieces()
  return pieces.slice(Math.floor(pieces.length / 2))
}

/** The whole answer, and between its halves that; JSON has no place for it. */
function inTheMiddle(told: Told, frames: string): readonly Step[] {
  const between = told.isStream ? [text(frames)] : []
  return [head(told), ...paced(told, [...firstHalf(told), ...between, ...secondHalf(told)]), END]
}

const half = (told: Told): Step[] => [head(told), ...paced(told, firstHalf(told))]

/** The first bytes of the next frame. */
function torn(told: Told): Uint8Array {
  const [next = NOTHING] = secondHalf(told)
  return next.subarray(0, Math.ceil(next.length / 2))
}

/** Where a character of several bytes begins. */
const wideAt = (bytes: Uint8Array): number => bytes.findIndex((byte) => byte >= 0xc2)

/** Bytes of every kind but those that end a line. */
const rubbish = (random: Seeded): Uint8Array =>
  Uint8Array.from({ length: 4096 }, () => Math.floor(random() * 256)).map((byte) =>
    byte === 10 || byte === 13 ? 0 : byte,
  )

/** Half of each frame, and still a frame; of a JSON body each piece without its last byte. */
function cutJson(piece: Uint8Array, { isStream }: Told): Uint8Array {
  if (!isStream) return piece.subarray(0, -1)
  const said = new TextDecoder().decode(piece)
  return text(`${said.slice(0, Math.ceil(said.length / 2)).trimEnd()}\n\n`)
}

function failed(told: Told, status: number, fault: StreamFault): readonly Step[] {
  const more = status === 429 ? { 'retry-after': '1' } : undefined
  const { headers } = head({ ...told, isStream: false }, more)
  return [{ type: 'head', status, headers }, write(errorBody(told.wire, fault)), END]
}

export const errorBody = (wire: WireName, fault: StreamFault): Uint8Array =>
  text(JSON.stringify(WIRES[wire].writeError(fault)))
