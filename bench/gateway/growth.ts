/**
 * Whether cost grows with the work and no faster: CPU per chunk of longer and longer streams, CPU per stream of more and
 * more exchanges, and of more and more streams at once. Neighbours: `lineup.ts` starts the contenders, `plot.ts`
 * draws the lines, which should be flat.
 */
import type { Contender } from './contender.ts'
import { benchAnswer } from './frames.ts'
import { CHUNKS, REQUEST_SIZES, startLineup } from './lineup.ts'
import type { Load } from './load.ts'
import { DIRECT, type Group } from './modes.ts'
import type { Other } from './options.ts'
import type { Progress } from './progress.ts'
import { inOrder, runTurn } from './rounds.ts'
import type { BenchUpstream } from './start-upstream.ts'
import { median } from './statistics.ts'

/** CPU in microseconds per `per`, at each place; who cannot be asked for it has no line. */
interface GrowthLine {
  readonly name: string
  readonly costs: readonly number[]
}

export interface GrowthReport {
  /** What grows. */
  readonly axis: string
  readonly per: 'chunk' | 'stream'
  readonly places: readonly number[]
  readonly lines: readonly GrowthLine[]
}

interface Axis extends Omit<GrowthReport, 'lines'> {
  /** Whether what is left for later counts: it grows with what was kept before, and takes time to wait for. */
  readonly hasLater?: boolean
  toLoad(place: number): Pick<Load, 'streams' | 'atOnce' | 'chunks'>
}

const AXES: readonly Axis[] = [
  {
    axis: 'chunks per stream',
    per: 'chunk',
    places: [100, 1000, 10_000],
    toLoad: (chunks) => ({ chunks, atOnce: 8, streams: Math.max(8, 40_000 / chunks) }),
  },
  {
    axis: 'exchanges',
    per: 'stream',
    hasLater: true,
    places: [120, 480, 1920],
    toLoad: (streams) => ({ streams, atOnce: 16, chunks: CHUNKS }),
  },
  {
    axis: 'streams at once',
    per: 'stream',
    places: [16, 64, 256],
    // Several streams on each connection: to open it is not what grows.
    toLoad: (atOnce) => ({ atOnce, streams: Math.max(480, atOnce * 6), chunks: CHUNKS }),
  },
]

export interface GrowthOptions {
  readonly upstream: BenchUpstream
  readonly others: readonly Other[]
  readonly progress: Progress
}

const ROUNDS = 3
const WARM_UP = 600
const SECONDS = 1.2

export const planGrowth = (contenders: number): number =>
  AXES.flatMap(({ places }) => places).length * contenders * ROUNDS * SECONDS

export async function measureGrowth(
  group: Group,
  options: GrowthOptions,
): Promise<readonly GrowthReport[]> {
  const { upstream, others, progress } = options
  const { contenders, stop } = await startLineup(group, {
    others,
    upstreamPort: upstream.port,
    warmUp: WARM_UP,
    onStart: (name) => progress.begin('growth: starting', 0, name),
  })
  try {
    const proxies = contenders.filter(({ name }) => name !== DIRECT)
    const reports: GrowthReport[] = []
    for (const axis of AXES) reports.push(await measureAxis(proxies, axis, { ...options, group }))
    return reports
  } finally {
    await stop()
  }
}

/** All places in every round: what changes in the machine meanwhile is not to look like growth. */
async function measureAxis(
  contenders: readonly Contender[],
  axis: Axis,
  options: GrowthOptions & { readonly group: Group },
): Promise<GrowthReport> {
  const { places } = axis
  const all = contenders.map(({ name }) => ({ name, rounds: places.map((): number[] => []) }))
  for (let round = 0; round < ROUNDS; round++)
    for (const place of inOrder(places, round))
      for (const contender of inOrder(contenders, round)) {
        options.progress.begin(`growth: ${axis.axis}`, SECONDS, `${place}, ${contender.name}`)
        const cost = await costOf(contender, { axis, place, ...options })
        all[contenders.indexOf(contender)]?.rounds[places.indexOf(place)]?.push(cost)
      }
  const lines = all.map(({ name, rounds }) => ({ name, costs: rounds.map(median) }))
  return {
    axis: axis.axis,
    per: axis.per,
    places,
    lines: lines.filter(({ costs }) => costs.every(Number.isFinite)),
  }
}

interface CostPlace {
  readonly axis: Axis
  readonly place: number
  readonly group: Group
  readonly upstream: BenchUpstream
}

/** Microseconds; not a number where nobody knows. */
async function costOf(
  contender: Contender,
  { axis, place, group: { wire }, upstream }: CostPlace,
): Promise<number> {
  const load: Load = { name: axis.axis, paceMs: 0, isStream: true, ...axis.toLoad(place) }
  const { chunks } = benchAnswer(wire, load.chunks)
  const { cpuPerStream = Number.NaN, laterPerStream = 0 } = await runTurn(contender, {
    load,
    chunks,
    wire,
    size: REQUEST_SIZES.stream,
    hasThreads: false,
    hasLater: axis.hasLater ?? false,
    upstreamCpu: upstream.cpuMs,
  })
  const items = axis.per === 'chunk' ? chunks : 1
  return ((cpuPerStream + laterPerStream) * 1000) / items
}
