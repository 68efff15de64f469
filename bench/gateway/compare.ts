/**
 * The turns of all contenders under one load → figures of each, set against the raw pipe and against the gateway that only
 * passes on. Neighbours: `rounds.ts` measures, `report.ts` and `plot.ts` show it. Pure.
 */
import type { Load } from './load.ts'
import { DIRECT, PASS_THROUGH, PIPE, type Limits, type Mode } from './modes.ts'
import type { Turn, Turns } from './rounds.ts'
import { median, pairRounds, toSpread, type Quantiles, type Spread } from './statistics.ts'

/** One against another in the same rounds; differences in milliseconds. */
interface Compared {
  /** CPU per stream, by that of the other. */
  readonly cpu: Spread | undefined
  /** The same of the round in which each took least: a busy machine only ever adds. */
  readonly cpuAtBest: number | undefined
  /** The same of all rounds, with what is left for later. */
  readonly cpuWithLater: Spread | undefined
  /** The median of a round, minus that of the other. */
  readonly firstByte: Spread | undefined
  readonly firstText: Spread | undefined
  readonly delay: Spread | undefined
  /** What is added to the way without a proxy, at p99, by that of the other. */
  readonly firstByteTail: Spread | undefined
  readonly firstTextTail: Spread | undefined
  readonly delayTail: Spread | undefined
}

/** Medians over the rounds; times in milliseconds. */
export interface Figures {
  readonly name: string
  readonly limits: Limits | undefined
  readonly from: string | undefined
  readonly cpuPerStream: number | undefined
  readonly laterPerStream: number | undefined
  readonly cpuPerChunk: number | undefined
  readonly streamsPerSecond: number
  readonly chunksPerSecond: number
  readonly readsPerStream: number
  readonly firstByte: Quantiles | undefined
  readonly firstText: Quantiles | undefined
  readonly delay: Quantiles | undefined
  /** How much of one core each took, of the time that the load took. */
  readonly ownShare: number | undefined
  readonly clientShare: number
  readonly upstreamShare: number | undefined
  readonly peakRss: number | undefined
  readonly threads: Readonly<Record<string, number>> | undefined
  readonly byPipe: Compared | undefined
  readonly byPassThrough: Compared | undefined
  readonly turns: readonly Turn[]
}

/** Who took part, and how much memory it had at most. */
export interface Part {
  readonly name: string
  readonly mode: Mode | undefined
  readonly peakRss: number | undefined
}

export interface LoadReport {
  readonly load: Load
  readonly chunks: number
  readonly figures: readonly Figures[]
}

export function toLoadReport(
  { load, chunks, turns }: { readonly load: Load; readonly chunks: number; readonly turns: Turns },
  parts: readonly Part[],
): LoadReport {
  const turnsOf = (name: string): readonly Turn[] => turns.get(name) ?? []
  const direct = turnsOf(DIRECT)
  const figures = parts.map((part) => {
    const own = turnsOf(part.name)
    const by = (name: string): Compared | undefined =>
      part.name === name || part.name === DIRECT || turnsOf(name).length === 0
        ? undefined
        : compareTurns(own, turnsOf(name), direct)
    return {
      ...toFigures(part, own, chunks),
      byPipe: by(PIPE),
      byPassThrough: part.name === PIPE ? undefined : by(PASS_THROUGH),
    }
  })
  return { load, chunks, figures }
}

function toFigures(
  { name, mode, peakRss }: Part,
  turns: readonly Turn[],
  chunks: number,
): Omit<Figures, 'byPipe' | 'byPassThrough'> {
  const middle = (pick: (turn: Turn) => number | undefined): number | undefined =>
    toSpread(turns.map(pick))?.median
  const middles = (pick: (turn: Turn) => Quantiles | undefined): Quantiles | undefined => {
    const p50 = middle((turn) => pick(turn)?.p50)
    const p99 = middle((turn) => pick(turn)?.p99)
    return p50 === undefined || p99 === undefined ? undefined : { p50, p99 }
  }
  const cpuPerStream = middle((turn) => turn.cpuPerStream)
  return {
    name,
    limits: mode?.limits,
    from: mode?.from,
    cpuPerStream,
    laterPerStream: middle((turn) => turn.laterPerStream),
    cpuPerChunk: cpuPerStream === undefined ? undefined : cpuPerStream / chunks,
    streamsPerSecond: median(turns.map((turn) => turn.streamsPerSecond)),
    chunksPerSecond: median(turns.map((turn) => turn.chunksPerSecond)),
    readsPerStream: median(turns.map((turn) => turn.readsPerStream)),
    firstByte: middles((turn) => turn.firstByte),
    firstText: middles((turn) => turn.firstText),
    delay: middles((turn) => turn.delay),
    ownShare: middle((turn) =>
      turn.cpuPerStream === undefined
        ? undefined
        : (turn.cpuPerStream / 1000) * turn.streamsPerSecond,
    ),
    clientShare: median(turns.map((turn) => turn.clientShare)),
    upstreamShare: middle((turn) => turn.upstreamShare),
    peakRss,
    threads: toThreads(turns),
    turns,
  }
}

function toThreads(turns: readonly Turn[]): Readonly<Record<string, number>> | undefined {
  const names = new Set(turns.flatMap(({ threads = {} }) => Object.keys(threads)))
  if (names.size === 0) return undefined
  return Object.fromEntries(
    [...names].map((name) => [name, median(turns.map(({ threads }) => threads?.[name] ?? 0))]),
  )
}

type Timed = 'firstByte' | 'firstText' | 'delay'

function compareTurns(
  own: readonly Turn[],
  other: readonly Turn[],
  direct: readonly Turn[],
): Compared {
  const withLater = ({ cpuPerStream, laterPerStream = 0 }: Turn): number | undefined =>
    cpuPerStream === undefined ? undefined : cpuPerStream + laterPerStream
  const ratio = (a: number, b: number): number => a / b
  const difference = (what: Timed): Spread | undefined =>
    pairRounds(
      own.map((turn) => turn[what]?.p50),
      other.map((turn) => turn[what]?.p50),
      (a, b) => a - b,
    )
  // Without a proxy the way takes time too, most of it in the clients: that is nobody's fault.
  const added = (turns: readonly Turn[], what: Timed): readonly (number | undefined)[] => {
    const way = toSpread(direct.map((turn) => turn[what]?.p50))?.median
    return turns.map((turn) => {
      const whole = turn[what]?.p99
      return whole === undefined || way === undefined || whole <= way ? undefined : whole - way
    })
  }
  const tail = (what: Timed): Spread | undefined =>
    pairRounds(added(own, what), added(other, what), ratio)
  const cpu = own.map((turn) => turn.cpuPerStream)
  const otherCpu = other.map((turn) => turn.cpuPerStream)
  const [best, otherBest] = [toSpread(cpu)?.low, toSpread(otherCpu)?.low]
  return {
    cpu: pairRounds(cpu, otherCpu, ratio),
    cpuAtBest: best === undefined || otherBest === undefined ? undefined : best / otherBest,
    cpuWithLater: pairRounds(own.map(withLater), other.map(withLater), ratio),
    firstByte: difference('firstByte'),
    firstText: difference('firstText'),
    delay: difference('delay'),
    firstByteTail: tail('firstByte'),
    firstTextTail: tail('firstText'),
    delayTail: tail('delay'),
  }
}
