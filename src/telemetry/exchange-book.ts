/**
 * Reports of exchanges that are over, added up until somebody reads the figures. Nearly all exchanges of a gateway are of
 * a few kinds, whose labels are the same: what is counted of each stands together, so that an exchange is looked for once and
 * not once for each of its figures. Neighbours: `metrics.ts` counts and has all of it told before it is read; `tally.ts`
 * is for what has labels of its own.
 */
import type { Usage } from '../event/usage.ts'
import type { ExchangeReport } from '../exchange/report.ts'
import type { Figures } from './figures.ts'

/** What is kept before it is told, so that it stays small where nobody ever reads. */
const MAX_KINDS = 256
const MAX_EXCHANGES = 512

const TOKENS = {
  inputTokens: 'input',
  cacheReadTokens: 'cache_read',
  cacheWriteTokens: 'cache_write',
  outputTokens: 'output',
  reasoningTokens: 'reasoning',
} as const

type Counted = keyof typeof TOKENS
const COUNTED = Object.keys(TOKENS) as readonly Counted[]

type Labelled = Pick<
  ExchangeReport,
  'endpoint' | 'wire' | 'upstreamWire' | 'route' | 'upstream' | 'status' | 'outcome' | 'isStream'
>

/** Whether its one attempt has no label that the exchange itself has not: then it is counted with it. */
export const isPlain = ({ attempts, upstream, status }: ExchangeReport): boolean =>
  attempts.length === 1 && attempts[0]?.upstream === upstream && attempts[0]?.status === status

export class ExchangeBook {
  private readonly figures: Figures
  private readonly kinds = new Map<string, Kind>()
  private last: Kind | undefined

  constructor(figures: Figures) {
    this.figures = figures
  }

  add(report: ExchangeReport): void {
    const kind = this.kindOf(report)
    kind.add(report)
    if (kind.count >= MAX_EXCHANGES) kind.tell(this.figures)
  }

  /** Tells what was added since the last time. */
  flush(): void {
    for (const kind of this.kinds.values()) kind.tell(this.figures)
    this.kinds.clear()
    this.last = undefined
  }

  private kindOf(report: ExchangeReport): Kind {
    if (this.last?.isOf(report) === true) return this.last
    const key = keyOf(report)
    let kind = this.kinds.get(key)
    if (kind === undefined) {
      if (this.kinds.size >= MAX_KINDS) this.flush()
      kind = new Kind(report)
      this.kinds.set(key, kind)
    }
    this.last = kind
    return kind
  }
}

function keyOf(of: Labelled): string {
  const { endpoint, wire, upstreamWire, route, upstream, status, outcome, isStream } = of
  return JSON.stringify([endpoint, wire, upstreamWire, route, upstream, status, outcome, isStream])
}

class Kind {
  count = 0
  private readonly of: Labelled
  private attempts = 0
  private bytesIn = 0
  private bytesOut = 0
  private durations: number[] = []
  private firstBytes: number[] = []
  private readonly tokens: Record<Counted, number> = {
    inputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
  }

  constructor({ endpoint, wire, upstreamWire, route, upstream, ...how }: Labelled) {
    const { status, outcome, isStream } = how
    this.of = { endpoint, wire, upstreamWire, route, upstream, status, outcome, isStream }
  }

  isOf(report: Labelled): boolean {
    const { of } = this
    return (
      of.endpoint === report.endpoint &&
      of.wire === report.wire &&
      of.upstreamWire === report.upstreamWire &&
      of.route === report.route &&
      of.upstream === report.upstream &&
      of.status === report.status &&
      of.outcome === report.outcome &&
      of.isStream === report.isStream
    )
  }

  add(report: ExchangeReport): void {
    const { bytesIn, bytesOut, durationMs, firstByteMs, usage } = report
    this.count += 1
    if (isPlain(report)) this.attempts += 1
    this.bytesIn += bytesIn
    this.bytesOut += bytesOut
    this.durations.push(durationMs / 1000)
    if (firstByteMs !== undefined) this.firstBytes.push(firstByteMs / 1000)
    if (usage !== undefined) this.addTokens(usage)
  }

  private addTokens(usage: Usage): void {
    for (const name of COUNTED) {
      const count = usage[name]
      // What an upstream says of itself; a counter throws on what cannot be added.
      if (count !== undefined && count > 0 && Number.isFinite(count)) this.tokens[name] += count
    }
  }

  tell(figures: Figures): void {
    const { endpoint, wire, upstreamWire = '', route = '', upstream = '' } = this.of
    const { outcome, status, isStream } = this.of
    const timed = { wire, upstream, stream: String(isStream) }
    const labels = { endpoint, wire, upstream_wire: upstreamWire, route, upstream }
    figures.exchanges.inc({ ...labels, status: String(status), outcome }, this.count)
    for (const seconds of this.durations) figures.duration.observe(timed, seconds)
    for (const seconds of this.firstBytes) figures.firstByte.observe(timed, seconds)
    figures.bytes.inc({ direction: 'in' }, this.bytesIn)
    figures.bytes.inc({ direction: 'out' }, this.bytesOut)
    for (const name of COUNTED)
      if (this.tokens[name] > 0)
        figures.tokens.inc({ kind: TOKENS[name], upstream, route }, this.tokens[name])
    if (this.attempts > 0) figures.attempts.inc({ upstream, status: String(status) }, this.attempts)
    this.forget()
  }

  private forget(): void {
    this.count = this.attempts = this.bytesIn = this.bytesOut = 0
    this.durations = []
    this.firstBytes = []
    for (const name of COUNTED) this.tokens[name] = 0
  }
}
