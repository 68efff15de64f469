/**
 * What can go wrong with an answer, by name. Neighbours: `faulty-upstream-faults.ts` does it. Imports nothing.
 */

/** What each does to a stream; a JSON answer has its body cut, stalled or spoiled in the same way. */
export const FAULTS = {
  none: 'the answer, as fast as it is read',

  'slow-head': 'nothing for 300 ms, then the answer',
  trickle: 'the answer, byte by byte',
  flood: 'an answer of two megabytes or more, as fast as it is read',
  'odd-frame': 'the answer, with frames in its middle that nobody knows',
  'early-close':
    'the answer, and up to 20 ms later the connection is closed, though it was to be kept',

  'stall-before-head': 'silence',
  'stall-after-head': 'headers, then silence',
  'stall-mid-stream': 'half of the answer, then silence',
  'stall-in-frame': 'half of the answer and half a frame, then silence',

  'close-before-head': 'the connection is closed',
  'close-mid-stream': 'half of the answer, then the connection is closed',
  'cut-in-frame': 'half of the answer and half a frame, then the connection is closed',
  'cut-in-character': 'the connection is closed between two bytes of one character',
  'end-early': 'half of the answer and a proper end, as if that were all',
  'short-body': 'half of the answer where content-length promised more',
  'reset-before-head': 'the connection is reset',
  'reset-after-head': 'headers, then the connection is reset',
  'reset-mid-stream': 'half of the answer, then the connection is reset',

  'not-http': 'bytes that are no HTTP',
  'bad-chunk-size': 'half of the answer, then a chunk whose size is no number',
  'wrong-type': 'a page of HTML with status 200',
  'not-sse': 'bytes that are no frames',
  'not-json': 'frames whose JSON is cut off',
  'bad-frame': 'the answer, with a frame in its middle whose JSON is cut off',
  'huge-frame': 'half of the answer, then a frame of 64 MB that does not end',

  'rate-limited': 'status 429 with retry-after',
  'server-error': 'status 500',
  overloaded: 'status 529, on the wires of OpenAI 503',
  'html-502': 'status 502 with a page of HTML',
  'error-event': 'half of the answer, then an error as the wire says it; for JSON status 500',
} as const

export type FaultName = keyof typeof FAULTS

/** All of them; the first is `none`. */
export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[]

export const isFaultName = (name: string): name is FaultName => Object.hasOwn(FAULTS, name)
