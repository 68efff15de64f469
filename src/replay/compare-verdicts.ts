/**
 * What was decided then and what is decided now → what is different, for each block and for the request. Neighbours:
 * `backtest-tally.ts` counts it. Blocks are told apart by their place in the answer: ids may be made up anew each time.
 */
import type { VerdictRecord } from '../policy/policy.ts'

/** What comes of all verdicts on one thing. */
type Effect = 'passed' | 'changed' | 'asked' | 'refused'

export const CHANGES = [
  'newly-denied',
  'newly-passed',
  'newly-asked',
  'no-longer-asked',
  'rewritten',
  'no-longer-rewritten',
] as const
export type ChangeKind = (typeof CHANGES)[number]

export interface Change {
  readonly kind: ChangeKind
  /** The word that counted, then and now; `undefined`: nobody said anything but a plain pass. */
  readonly before: VerdictRecord | undefined
  readonly after: VerdictRecord | undefined
}

/** What one side has said of one exchange. Verdicts in shadow are not looked at. */
export interface Side {
  readonly verdicts: readonly VerdictRecord[]
  /** Whether the request was refused: a policy that failed on it does not say by itself which way. */
  readonly isRefused: boolean
}

export interface Compared {
  readonly changes: readonly Change[]
  /** Things on which both say the same. */
  readonly same: number
  /** Things that nobody judged now, because no more models are asked. */
  readonly unjudged: number
}

/** On the details of a verdict that was never reached. */
export const UNJUDGED = 'isUnjudged'

export function compareVerdicts(then: Side, now: Side): Compared {
  const before = toDecisions(then)
  const after = toDecisions(now)
  const changes: Change[] = []
  let same = 0
  let unjudged = 0
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const old = before.get(key) ?? NOTHING
    const young = after.get(key) ?? NOTHING
    if (young.isUnjudged) unjudged += 1
    else if (isBehind(key, then, before) || isBehind(key, now, after)) continue
    else {
      const kind = compare(old, young)
      if (kind === undefined) same += 1
      else changes.push({ kind, before: old.by, after: young.by })
    }
  }
  return { changes, same, unjudged }
}

interface Decision {
  readonly effect: Effect
  /** Whether nothing of it was delivered in the end. */
  readonly isRefused: boolean
  readonly by: VerdictRecord | undefined
  readonly delivered: string
  readonly isUnjudged: boolean
}

const NOTHING: Decision = {
  effect: 'passed',
  isRefused: false,
  by: undefined,
  delivered: '',
  isUnjudged: false,
}

const REQUEST = 'request'
const ANSWER = 'answer'

function keyOf({ block, type }: VerdictRecord): string {
  if (block !== undefined) return `${block.index} ${block.type}`
  // A filter ends an answer; nobody ends a request.
  return type === 'halt' ? ANSWER : REQUEST
}

function toDecisions(side: Side): ReadonlyMap<string, Decision> {
  const found = new Map<string, Decision>()
  for (const record of side.verdicts) {
    if (record.isShadow) continue
    const key = keyOf(record)
    const one = toDecision(record, side)
    const other = found.get(key)
    found.set(key, other === undefined ? one : join(other, one))
  }
  return found
}

function toDecision(record: VerdictRecord, side: Side): Decision {
  const effect = effectOf(record, side)
  return {
    effect,
    isRefused: effect === 'refused' || (effect === 'asked' && record.type === 'deny'),
    by: record,
    delivered: effect === 'changed' ? (record.delivered ?? '') : '',
    isUnjudged: record.details[UNJUDGED] === true,
  }
}

function effectOf(record: VerdictRecord, side: Side): Effect {
  switch (record.type) {
    case 'ask':
      return 'asked'
    case 'halt':
      return 'refused'
    case 'error':
      return isRefusedError(record, side) ? 'refused' : 'passed'
    case 'deny':
      return isAsked(record) ? 'asked' : 'refused'
    case 'pass':
      return isAsked(record) ? 'asked' : 'passed'
    case 'rewrite':
      return isAsked(record) ? 'asked' : 'changed'
    case 'replace':
    case 'change':
      return 'changed'
  }
}

/** What failed may pass by its config: then nothing was delivered in its place. */
const isRefusedError = ({ block, delivered }: VerdictRecord, side: Side): boolean =>
  block === undefined ? side.isRefused : delivered !== undefined

/** Whether a person was asked: every question has a ticket. */
const isAsked = ({ details }: VerdictRecord): boolean => details['ticket'] !== undefined

const STRICTNESS: Readonly<Record<Effect, number>> = {
  passed: 0,
  changed: 1,
  asked: 2,
  refused: 3,
}

/** Of two the stricter; what both changed is changed twice. */
function join(one: Decision, other: Decision): Decision {
  const strict = STRICTNESS[other.effect] > STRICTNESS[one.effect] ? other : one
  return {
    ...strict,
    isRefused: one.isRefused || other.isRefused,
    delivered: `${one.delivered}${other.delivered}`,
    isUnjudged: one.isUnjudged || other.isUnjudged,
  }
}

/** Whether it was never reached: the request was refused, or the answer ended before. */
function isBehind(key: string, side: Side, decisions: ReadonlyMap<string, Decision>): boolean {
  if (decisions.has(key)) return false
  if (key === REQUEST) return false
  if (decisions.get(REQUEST)?.isRefused === true || decisions.has(ANSWER)) return true
  const at = Number.parseInt(key, 10)
  return side.verdicts.some(
    ({ type, isShadow, block }) =>
      type === 'halt' && !isShadow && block !== undefined && block.index < at,
  )
}

function compare(then: Decision, now: Decision): ChangeKind | undefined {
  switch (now.effect) {
    case 'refused':
      return then.isRefused ? undefined : 'newly-denied'
    case 'asked':
      return then.effect === 'asked' ? undefined : 'newly-asked'
    case 'passed':
    case 'changed':
      if (then.isRefused) return 'newly-passed'
      if (then.effect === 'asked') return 'no-longer-asked'
      if (then.effect === now.effect && then.delivered === now.delivered) return undefined
      return now.effect === 'changed' ? 'rewritten' : 'no-longer-rewritten'
  }
}
