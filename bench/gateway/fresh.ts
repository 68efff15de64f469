/**
 * What a process costs that has just been started: V8 compiles what runs again and again, and until it has, everything costs
 * more. CPU per stream by that of a pipe that was started with it, for the first two thousand streams. Neighbours:
 * `lineup.ts` starts the contenders, `report-more.ts` shows it.
 */
import type { Contender } from './contender.ts'
import { CHUNKS, REQUEST_SIZES, startLineup } from './lineup.ts'
import type { Load } from './load.ts'
import { DIRECT, PIPE, type Group } from './modes.ts'
import type { Other } from './options.ts'
import type { Progress } from './progress.ts'
import { inOrder, runTurn } from './rounds.ts'
import type { BenchUpstream } from './start-upstream.ts'
import { median } from './statistics.ts'

export interface FreshReport {
  /** Where each stretch ends, in streams since the start. */
  readonly ends: readonly number[]
  readonly lines: readonly {
    readonly name: string
    /** CPU milliseconds per stream. */
    readonly costs: readonly number[]
    /** By the pipe's, of the same stretch. */
    readonly ratios: readonly number[]
  }[]
}

const BATCH = 100
const ENDS = [100, 400, 1000, 2000]
/** Processes of each contender, one after the other. */
const STARTS = 3
const SECONDS = 0.4

const LOAD: Load = {
  name: 'as fast as it goes',
  streams: BATCH,
  atOnce: 16,
  chunks: CHUNKS,
  paceMs: 0,
  isStream: true,
}

export interface FreshOptions {
  readonly upstream: BenchUpstream
  readonly others: readonly Other[]
  readonly progress: Progress
}

const batches = (): number => (ENDS.at(-1) ?? 0) / BATCH

export const planFresh = (contenders: number): number => contenders * STARTS * batches() * SECONDS

export async function measureFresh(group: Group, options: FreshOptions): Promise<FreshReport> {
  const starts: Stretches[] = []
  for (let start = 0; start < STARTS; start++) starts.push(await measureStart(group, options))
  const [first = new Map<string, readonly number[]>()] = starts
  const pipeOf = (stretches: Stretches): readonly number[] => stretches.get(PIPE) ?? []
  const lines = [...first.keys()].map((name) => {
    const over = (get: (start: Stretches, at: number) => number): readonly number[] =>
      ENDS.map((_, at) => median(starts.map((start) => get(start, at))))
    const cost = (start: Stretches, at: number): number => start.get(name)?.[at] ?? Number.NaN
    return {
      name,
      costs: over(cost),
      ratios: over((start, at) => cost(start, at) / (pipeOf(start)[at] ?? Number.NaN)),
    }
  })
  return { ends: ENDS, lines: lines.filter(({ costs }) => costs.every(Number.isFinite)) }
}

/** CPU per stream of each stretch, by the name of the contender. */
type Stretches = ReadonlyMap<string, readonly number[]>

async function measureStart(
  group: Group,
  { upstream, others, progress }: FreshOptions,
): Promise<Stretches> {
  const { contenders, stop } = await startLineup(group, {
    others,
    upstreamPort: upstream.port,
    warmUp: 0,
    onStart: (name) => progress.begin('fresh processes: starting', 0, name),
  })
  try {
    const proxies = contenders.filter(({ name }) => name !== DIRECT)
    const costs = new Map(proxies.map(({ name }) => [name, [] as number[]]))
    for (let batch = 0; batch < batches(); batch++)
      for (const contender of inOrder(proxies, batch)) {
        progress.begin('fresh processes', SECONDS, `${contender.name}, from ${batch * BATCH}`)
        costs.get(contender.name)?.push(await costOf(contender, group, upstream))
      }
    return new Map([...costs].map(([name, all]) => [name, toStretches(all)]))
  } finally {
    await stop()
  }
}

async function costOf(
  contender: Contender,
  { wire }: Group,
  { cpuMs }: BenchUpstream,
): Promise<number> {
  const { cpuPerStream = Number.NaN } = await runTurn(contender, {
    load: LOAD,
    chunks: LOAD.chunks,
    wire,
    size: REQUEST_SIZES.stream,
    hasThreads: false,
    hasLater: false,
    upstreamCpu: cpuMs,
  })
  return cpuPerStream
}

/** The mean of the batches of each stretch. */
const toStretches = (costs: readonly number[]): readonly number[] =>
  ENDS.map((end, at) => {
    const some = costs.slice((ENDS[at - 1] ?? 0) / BATCH, end / BATCH)
    return some.reduce((sum, cost) => sum + cost, 0) / some.length
  })
