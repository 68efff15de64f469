/**
 * What may come of an exchange, by what went wrong upstream: the one place that says what "properly failed" is.
 * Neighbours: `judge.ts` says what came of it.
 *
 * - `right`: status 200, a proper end, and everything that was said: byte by byte on the same wire, else the same text and
 *   calls in legal frames.
 * - `broken`: status 200 and a proper end, and behind whole frames of the answer an error event of the client's wire.
 * - a number: that status, with an error in the words of the client's wire.
 *
 * A connection that ends without any of these is never proper, and neither is silence: the gateway has all of a JSON
 * answer before it sends a byte, and ends every stream that it began.
 */
import type { WireName } from '../../src/event/event.ts'
import type { FaultName } from '../../src/testkit/faulty-upstream-names.ts'
import type { Plan } from './plan.ts'

export type Proper = 'right' | 'broken' | number

interface Allowed {
  readonly stream: readonly Proper[]
  readonly json: readonly Proper[]
}

const both = (...proper: readonly Proper[]): Allowed => ({ stream: proper, json: proper })
/** What has left cannot be taken back; of JSON nothing has. */
const midway = (status: number): Allowed => ({ stream: ['broken'], json: [status] })

const PROPER: Readonly<Record<Exclude<FaultName, 'overloaded'>, Allowed>> = {
  none: both('right'),
  'slow-head': both('right'),
  trickle: both('right'),
  flood: both('right'),
  'odd-frame': both('right'),
  // A connection that was closed just when it was taken for the next one, twice in a row.
  'early-close': both('right', 502),

  'stall-before-head': both(504),
  'stall-after-head': both(504),
  'stall-mid-stream': midway(504),
  'stall-in-frame': midway(504),

  'close-before-head': both(502),
  'close-mid-stream': midway(502),
  'cut-in-frame': midway(502),
  'cut-in-character': midway(502),
  'end-early': midway(502),
  'short-body': midway(502),
  'reset-before-head': both(502),
  'reset-after-head': both(502),
  // What was sent may be lost with the connection, so that nothing has come.
  'reset-mid-stream': { stream: ['broken', 502], json: [502] },

  'not-http': both(502),
  'bad-chunk-size': midway(502),
  'wrong-type': both(502),
  'not-sse': both(502),
  // Its frames look like content from afar, and pass before it is known that they say nothing.
  'not-json': { stream: ['broken', 502], json: [502] },
  // Where nothing is read it passes as it came, and all that follows.
  'bad-frame': { stream: ['right', 'broken'], json: ['right'] },
  'huge-frame': midway(502),

  'rate-limited': both(429),
  'server-error': both(500),
  'html-502': both(502),
  'error-event': midway(500),
}

export function properFor({ answer, from, isStream }: Plan): readonly Proper[] {
  const { fault, times } = answer
  const allowed = fault === 'overloaded' ? both(overloadedOn(from)) : PROPER[fault]
  const proper = isStream ? allowed.stream : allowed.json
  // The second try goes well.
  return times > 0 ? ['right'] : proper
}

/** Each vendor's clients know their own number. */
const overloadedOn = (wire: WireName): number => (wire === 'anthropic-messages' ? 529 : 503)
