/** Which time is looked at, in how many steps, and what came before it. Neighbours: the address holds it. */
export interface Range {
  readonly since: number
  readonly until: number
  /** Milliseconds. */
  readonly step: number
  /** It ends now and moves on. */
  readonly isRunning: boolean
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export const SPANS = [
  { id: '15m', says: '15 min', span: 15 * MINUTE, step: 15_000 },
  { id: '1h', says: '1 h', span: HOUR, step: MINUTE },
  { id: '6h', says: '6 h', span: 6 * HOUR, step: 5 * MINUTE },
  { id: '24h', says: '24 h', span: DAY, step: 15 * MINUTE },
  { id: '7d', says: '7 d', span: 7 * DAY, step: 2 * HOUR },
  { id: '30d', says: '30 d', span: 30 * DAY, step: 12 * HOUR },
] as const

export type SpanId = (typeof SPANS)[number]['id']

const STEPS = [1, 5, 15, 60, 300, 900, 3600, 7200, 21_600, 43_200, 86_400].map((s) => s * 1000)
/** About so many points: more cannot be told apart on a small plot. */
const POINTS = 80
const USUAL: SpanId = '1h'

/** `range` names a span up to now; `from` and `to` a time of one's own. */
export function toRange(
  query: Readonly<Record<string, string>>,
  now: number,
): Range & { readonly id: SpanId | undefined } {
  const from = Number(query['from'])
  const to = Number(query['to'])
  if (Number.isFinite(from) && Number.isFinite(to) && from > 0 && to > from)
    return { since: from, until: to, step: stepFor(to - from), isRunning: false, id: undefined }
  const chosen =
    SPANS.find(({ id }) => id === query['range']) ?? SPANS.find(({ id }) => id === USUAL)
  const { id, span, step } = chosen ?? SPANS[1]
  // Steps begin at whole multiples, so that a plot does not change its past while it moves on.
  const until = Math.ceil(now / step) * step
  return { since: until - span, until, step, isRunning: true, id }
}

export const stepFor = (span: number): number =>
  STEPS.find((step) => span / step <= POINTS) ?? Math.ceil(span / POINTS / DAY) * DAY

/** The same length just before it. */
export const before = ({
  since,
  until,
}: Range): { readonly since: number; readonly until: number } => ({
  since: since - (until - since),
  until: since,
})

/** When each step begins, in milliseconds. */
export function timesOf({ since, until, step }: Range): readonly number[] {
  const times: number[] = []
  for (let at = Math.floor(since / step) * step; at < until; at += step) times.push(at)
  return times
}

/** How long to wait before asking again: a plot of a month does not change by the second. */
export const refreshMs = ({ isRunning, step }: Range): number | false =>
  isRunning ? Math.min(60_000, Math.max(5000, step / 3)) : false
