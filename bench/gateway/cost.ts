/**
 * What a stream costs: all modes that get the same request and answer, in turns, as fast as it goes and at a pace.
 * Neighbours: `lineup.ts` starts them, `rounds.ts` has them take turns, `compare.ts` makes figures of it.
 *
 * All gateways of a group run from the beginning to the end of it. One that waits takes no CPU, and only so does
 * everybody have a turn in each round, within seconds of the pipe's.
 */
import type { WireName } from '../../src/index.ts'
import { toLoadReport, type LoadReport } from './compare.ts'
import type { Contender } from './contender.ts'
import { CHUNKS, REQUEST_SIZES, startLineup } from './lineup.ts'
import type { Load } from './load.ts'
import { DIRECT, type Group, type LoadKind } from './modes.ts'
import type { Other } from './options.ts'
import type { Progress } from './progress.ts'
import { chunksOf } from './real-streams.ts'
import { runRounds } from './rounds.ts'
import type { BenchUpstream } from './start-upstream.ts'

export interface GroupReport {
  readonly wire: WireName
  readonly kind: LoadKind
  readonly loads: readonly LoadReport[]
  readonly leftOut: readonly string[]
}

export interface CostOptions {
  readonly upstream: BenchUpstream
  readonly others: readonly Other[]
  readonly rounds: number
  readonly isShort: boolean
  readonly hasThreads: boolean
  /** A folder of streams that were recorded, if those are sent. */
  readonly streams: string | undefined
  readonly progress: Progress
}

/** Frames join on the way here, so this is what a request and its bytes cost. */
const toFast = ({ kind }: Group, isShort: boolean): Load => ({
  name: 'as fast as it goes',
  // About half a second: a JSON answer takes a third of a stream's time.
  streams: kind === 'json' ? 1200 : isShort ? 300 : 400,
  atOnce: 16,
  chunks: CHUNKS,
  paceMs: 0,
  isStream: kind !== 'json',
})

/** And here each frame arrives by itself, as from a model: what a chunk costs. */
const PACED: Load = {
  name: 'a chunk every 20 ms',
  streams: 100,
  atOnce: 100,
  chunks: 50,
  paceMs: 20,
  isStream: true,
}

/** What a load is worth: at a pace a turn takes long, and differs less from the next. */
interface Worth {
  readonly rounds: number
  /** A hundred streams leave little for later: in the short form there is no time to wait for it. */
  readonly hasLater: boolean
  readonly hasDirect: boolean
}

const toWorth = (
  { paceMs }: Load,
  { rounds, isShort }: Pick<CostOptions, 'rounds' | 'isShort'>,
): Worth =>
  isShort && paceMs > 0
    ? { rounds: Math.min(rounds, SHORT_PACED_ROUNDS), hasLater: false, hasDirect: false }
    : { rounds, hasLater: true, hasDirect: true }

const SHORT_PACED_ROUNDS = 5

const toLoads = (group: Group, isShort: boolean): readonly Load[] =>
  group.kind === 'stream' ? [toFast(group, isShort), PACED] : [toFast(group, isShort)]

/** Seconds, about: for the progress alone. */
const START_SECONDS = 2.5
const toSeconds = (load: Load, chunks: number, contender?: Contender): number =>
  (load.paceMs > 0 ? 0.3 + (chunks * load.paceMs) / 1000 : 0.6) +
  (contender?.mode?.laterMs ?? 0) / 1000

export const planCost = (
  groups: readonly Group[],
  options: Pick<CostOptions, 'rounds' | 'isShort' | 'streams'>,
): number =>
  groups
    .flatMap((group) => {
      const loads = toLoads(group, options.isShort).map((load) => {
        const { rounds, hasLater } = toWorth(load, options)
        const later = hasLater ? group.modes.map(({ laterMs = 0 }) => laterMs / 1000) : []
        const chunks = chunksOf(options.streams, group.wire, load.chunks)
        const turns = (group.modes.length + 2) * toSeconds(load, chunks)
        return rounds * later.reduce((sum, seconds) => sum + seconds, turns)
      })
      return [START_SECONDS * (group.modes.length + 1), ...loads]
    })
    .reduce((sum, seconds) => sum + seconds, 0)

export async function measureGroup(group: Group, options: CostOptions): Promise<GroupReport> {
  const { upstream, others, isShort, hasThreads, streams, progress } = options
  const about = `${group.wire}${group.kind === 'stream' ? '' : `, ${group.kind}`}`
  const { contenders, leftOut, stop } = await startLineup(group, {
    others,
    upstreamPort: upstream.port,
    streams,
    warmUp: isShort ? 400 : 4000,
    onStart: (name) => progress.begin(`${about}: starting`, START_SECONDS, name),
  })
  try {
    const loads: LoadReport[] = []
    for (const load of toLoads(group, isShort)) {
      const { rounds, hasLater, hasDirect } = toWorth(load, options)
      const chunks = chunksOf(streams, group.wire, load.chunks)
      const present = contenders.filter(({ name }) => hasDirect || name !== DIRECT)
      const turns = await runRounds(present, {
        load,
        chunks,
        rounds,
        hasThreads,
        hasLater,
        wire: group.wire,
        size: REQUEST_SIZES[group.kind],
        upstreamCpu: upstream.cpuMs,
        onTurn: (round, contender) =>
          progress.begin(
            `${about}: ${load.name}, round ${round + 1} of ${rounds}`,
            toSeconds(load, chunks, hasLater ? contender : undefined),
            contender.name,
          ),
      })
      const parts = await Promise.all(
        present.map(async ({ name, mode, used }) => ({
          name,
          mode,
          peakRss: (await used())?.peakRss,
        })),
      )
      loads.push(toLoadReport({ load, chunks: load.isStream ? chunks : 1, turns }, parts))
    }
    return { wire: group.wire, kind: group.kind, loads, leftOut }
  } finally {
    await stop()
  }
}
