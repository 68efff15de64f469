/**
 * One load on all contenders, round by round, and what came of it. These machines are shared and their
 * speed changes by the minute: contenders take turns inside a round, in changing order, and the ratio of
 * each round is what is kept. Neighbours: `run.ts` chooses loads, `report.ts` prints.
 */
import type { WireName } from '../../src/index.ts'
import type { Contender } from './contender.ts'
import { runLoad, type Load } from './load.ts'

/** Figures of one contender under one load; times in milliseconds. */
export interface Figures {
  readonly name: string
  /** CPU of the proxy, median over the rounds. */
  readonly cpuPerStream: number | undefined
  readonly cpuPerChunk: number | undefined
  readonly streamsPerSecond: number
  readonly firstByte: Quantiles
  /** From the upstream's write to the client's read; only where frames are stamped. */
  readonly delay: Quantiles | undefined
  readonly readsPerStream: number
  readonly peakRss: number | undefined
}

interface Quantiles {
  readonly p50: number
  readonly p99: number
}

/** CPU per stream of one by that of another. */
interface Ratio {
  /** The median of the rounds' ratios: steady where the times are not. */
  readonly median: number
  readonly low: number
  readonly high: number
  readonly rounds: readonly number[]
}

export interface LoadReport {
  readonly wire: WireName
  /** The wire of the gateway's clients, where it is another. */
  readonly from: WireName | undefined
  readonly load: Load
  readonly chunks: number
  readonly figures: readonly Figures[]
  readonly compared: readonly [string, string]
  readonly ratio: Ratio
}

export interface RoundsOptions {
  readonly wire: WireName
  readonly rounds: number
  readonly bodySize: number
  readonly chunks: number
  /** Whose CPU is set against whose. */
  readonly compared: readonly [string, string]
}

interface Turn {
  readonly cpuPerStream: number | undefined
  readonly streamsPerSecond: number
  readonly readsPerStream: number
}

export async function runRounds(
  contenders: readonly Contender[],
  load: Load,
  options: RoundsOptions,
): Promise<LoadReport> {
  const samples = new Map(
    contenders.map((contender) => [
      contender,
      { turns: [] as Turn[], firstByte: [] as number[], delays: [] as number[] },
    ]),
  )
  for (let round = 0; round < options.rounds; round++) {
    const order = round % 2 === 0 ? contenders : contenders.toReversed()
    for (const contender of order) {
      const before = await contender.used()
      const result = await runLoad(load, {
        ...options,
        wire: contender.wire ?? options.wire,
        port: contender.port,
      })
      const after = await contender.used()
      const sample = samples.get(contender)
      sample?.firstByte.push(...result.firstByte)
      for (const delay of result.delays) sample?.delays.push(delay)
      sample?.turns.push({
        cpuPerStream:
          before === undefined || after === undefined
            ? undefined
            : (after.cpuMs - before.cpuMs) / load.streams,
        streamsPerSecond: load.streams / result.seconds,
        readsPerStream: result.readsPerStream,
      })
    }
  }
  const figures: Figures[] = []
  const cpu: Record<string, readonly (number | undefined)[]> = {}
  for (const [contender, { turns, firstByte, delays }] of samples) {
    const own = turns.map(({ cpuPerStream }) => cpuPerStream)
    cpu[contender.name] = own
    const known = own.filter((value) => value !== undefined)
    const cpuPerStream = known.length === 0 ? undefined : median(known)
    figures.push({
      name: contender.name,
      cpuPerStream,
      cpuPerChunk: cpuPerStream === undefined ? undefined : cpuPerStream / options.chunks,
      streamsPerSecond: median(turns.map((turn) => turn.streamsPerSecond)),
      firstByte: quantiles(firstByte),
      delay: delays.length === 0 ? undefined : quantiles(delays),
      readsPerStream: median(turns.map((turn) => turn.readsPerStream)),
      peakRss: (await contender.used())?.peakRss,
    })
  }
  const { wire, chunks, compared } = options
  const from = contenders.find((contender) => contender.wire !== undefined)?.wire
  return {
    wire,
    from,
    load,
    chunks,
    figures,
    compared,
    ratio: toRatio(cpu[compared[0]] ?? [], cpu[compared[1]] ?? []),
  }
}

function toRatio(
  gateway: readonly (number | undefined)[],
  pipe: readonly (number | undefined)[],
): Ratio {
  const rounds = gateway.map((value, round) => (value ?? Number.NaN) / (pipe[round] ?? Number.NaN))
  return {
    median: median(rounds),
    low: Math.min(...rounds),
    high: Math.max(...rounds),
    rounds,
  }
}

const median = (values: readonly number[]): number => quantile(values, 0.5)

const quantiles = (values: readonly number[]): Quantiles => ({
  p50: quantile(values, 0.5),
  p99: quantile(values, 0.99),
})

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
