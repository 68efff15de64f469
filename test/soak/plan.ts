/**
 * A seed and a number → one exchange: who asks whom for what, what goes wrong, and how the client behaves. The same two
 * always give the same exchange, so that one of a hundred thousand can be asked for alone. Neighbours: `client.ts`
 * carries it out, `proper.ts` says what may come of it.
 */
import type { WireName } from '../../src/event/event.ts'
import { toFaultyModel, type FaultyAnswer } from '../../src/testkit/faulty-upstream-answer.ts'
import { FAULT_NAMES, type FaultName } from '../../src/testkit/faulty-upstream-names.ts'
import { createSeeded, type Seeded } from '../../src/testkit/faulty-upstream-seeded.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'

/** How a client behaves; times in milliseconds. */
export type Manner =
  | { readonly type: 'reads' }
  /** Stops reading for a while, twice. */
  | { readonly type: 'slow'; readonly ms: number }
  /** As soon as its request is sent, behind so many bytes of the answer, or at that time. */
  | {
      readonly type: 'leaves'
      readonly after: 'request' | 'bytes' | 'time'
      readonly amount: number
    }

export interface Plan {
  readonly number: number
  /** The client's wire, and the upstream's. */
  readonly from: WireName
  readonly to: WireName
  readonly isStream: boolean
  /** Whether policies act on it. */
  readonly isGated: boolean
  readonly answer: FaultyAnswer
  readonly model: string
  readonly manner: Manner
  /** Whether the client keeps its connection for the next one. */
  readonly isKept: boolean
}

/** Every fault on every way through, streamed and not: what a run begins with. Those that take long are far apart. */
const TOUR = WIRE_NAMES.flatMap((from) =>
  WIRE_NAMES.flatMap((to) =>
    [true, false].flatMap((isStream) =>
      FAULT_NAMES.map((fault) => ({ fault, from, to, isStream })),
    ),
  ),
)

/** So much of it as a short run has time for: each fault from every wire, streamed and not, on one way. */
const SHORT_TOUR = TOUR.filter(({ fault, from, to, isStream }) => {
  const turn = FAULT_NAMES.indexOf(fault) + WIRE_NAMES.indexOf(from) + (isStream ? 0 : 1)
  return WIRE_NAMES.indexOf(to) === turn % WIRE_NAMES.length
})

export const tourOf = (isShort: boolean): number => (isShort ? SHORT_TOUR : TOUR).length

/** How often each fault comes; one that is not named here, `USUAL`. Those that take long or much come seldom. */
const USUAL = 12
const WEIGHTS: Partial<Readonly<Record<FaultName, number>>> = {
  none: 600,
  trickle: 2,
  flood: 1,
  'huge-frame': 1,
  'stall-before-head': 3,
  'stall-after-head': 3,
  'stall-mid-stream': 3,
  'stall-in-frame': 3,
}
const weightOf = (fault: FaultName): number => WEIGHTS[fault] ?? USUAL
const ALL_WEIGHTS = FAULT_NAMES.reduce((sum, fault) => sum + weightOf(fault), 0)

/** These may go well at the second try, so that the client gets its answer. */
const PASSING: readonly FaultName[] = [
  'close-before-head',
  'reset-before-head',
  'reset-after-head',
  'not-http',
  'rate-limited',
  'server-error',
  'overloaded',
  'html-502',
  'stall-before-head',
]

export interface PlanOptions {
  readonly seed: number
  /** Those behind them are the streams that stand open together. */
  readonly exchanges: number
  readonly isShort: boolean
}

export const toPlan = ({ seed, exchanges, isShort }: PlanOptions, number: number): Plan =>
  number >= exchanges
    ? toOpenPlan(seed, number, isShort ? 400 : 1000)
    : toUsualPlan(seed, number, isShort)

function toUsualPlan(seed: number, number: number, isShort: boolean): Plan {
  const random = createSeeded(seed * 1_000_003 + number)
  const toured = (isShort ? SHORT_TOUR : TOUR)[number]
  if (toured !== undefined)
    return make(number, { ...toured, answer: { seed: number, calls: number % 3 }, manner: READS })
  const fault = drawFault(random)
  const manner = fault === 'none' ? drawManner(random) : drawLeaving(random, 0.1)
  const size = drawSize(random, fault, manner)
  return make(number, {
    fault,
    from: draw(random, WIRE_NAMES),
    to: draw(random, WIRE_NAMES),
    isStream: random() < 0.75,
    answer: {
      seed: Math.floor(random() * 1e9),
      size: Math.floor(size),
      calls: draw(random, [0, 0, 0, 1, 2]),
      times: PASSING.includes(fault) && random() < 0.4 ? 1 : 0,
    },
    manner,
  })
}

/** A frame now and then, to the end or until the client leaves. */
function toOpenPlan(seed: number, number: number, pace: number): Plan {
  const random = createSeeded(seed * 1_000_003 + number)
  const answer = { seed: Math.floor(random() * 1e9), size: 150, pace }
  const [from, to] = [draw(random, WIRE_NAMES), draw(random, WIRE_NAMES)]
  return make(number, { fault: 'none', from, to, isStream: true, answer, manner: READS })
}

type Draft = Pick<Plan, 'from' | 'to' | 'isStream' | 'manner'> & {
  readonly fault: FaultName
  readonly answer: Partial<Omit<FaultyAnswer, 'fault'>>
}

const READS: Manner = { type: 'reads' }

function make(number: number, { fault, answer, from, to, isStream, manner }: Draft): Plan {
  const whole: FaultyAnswer = { fault, seed: 1, size: 120, calls: 0, pace: 0, times: 0, ...answer }
  // The first word says the route. One that closes connections behind its answers has an upstream of its own: nobody else
  // is to meet them.
  const isGated = number % 3 !== 0
  const route = `${isGated ? 'gated' : 'bare'}-${fault === 'early-close' ? 'hasty-' : ''}${to}`
  // The number makes it a model of its own, also where the answer is another's.
  const model = `${route}:${number}:${toFaultyModel(whole)}`
  const isKept = number % 5 !== 0
  return { number, from, to, isStream, isGated, answer: whole, model, manner, isKept }
}

const draw = <T>(random: Seeded, list: readonly T[]): T =>
  list[Math.floor(random() * list.length)] as T

function drawFault(random: Seeded): FaultName {
  let left = random() * ALL_WEIGHTS
  for (const fault of FAULT_NAMES) {
    left -= weightOf(fault)
    if (left < 0) return fault
  }
  return 'none'
}

/** Mostly short; enough for a client that does not read to be felt upstream; little where each byte costs. */
function drawSize(random: Seeded, fault: FaultName, manner: Manner): number {
  if (manner.type === 'slow') return 200_000 + random() * 800_000
  return 20 + (fault === 'trickle' ? 0 : random() ** 4 * 1500)
}

function drawManner(random: Seeded): Manner {
  if (random() < 0.004) return { type: 'slow', ms: 800 + random() * 1000 }
  return drawLeaving(random, 0.15)
}

function drawLeaving(random: Seeded, share: number): Manner {
  if (random() >= share) return READS
  const after = draw(random, ['request', 'bytes', 'bytes', 'time'] as const)
  const amount = Math.floor(random() ** 2 * (after === 'bytes' ? 6000 : 400))
  return { type: 'leaves', after, amount }
}
