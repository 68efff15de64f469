/**
 * Memory: what a contender holds with 500 streams open, what each further one takes, and whether a stream of a million
 * chunks leaves anything behind. Neighbours: `lineup.ts` starts them, `report-more.ts` shows it.
 */
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WireName } from '../../src/index.ts'
import type { Contender } from './contender.ts'
import { benchAnswer } from './frames.ts'
import { REQUEST_SIZES, startLineup } from './lineup.ts'
import { DIRECT, type Group } from './modes.ts'
import type { Other } from './options.ts'
import type { Progress } from './progress.ts'
import { askFor, openSocket } from './read-answer.ts'
import { benchRequest } from './requests.ts'
import type { BenchUpstream } from './start-upstream.ts'
import { median } from './statistics.ts'

/** Bytes. */
interface OpenMemory {
  readonly name: string
  /** Before any was open. */
  readonly idle: number
  readonly few: number
  readonly many: number
  readonly perFurther: number
}

interface LongMemory {
  readonly name: string
  readonly chunks: number
  readonly seconds: number
  /** The most in the first tenth of it, in the first half, and in all of it. */
  readonly tenth: number
  readonly half: number
  readonly peak: number
}

export interface MemoryReport {
  readonly open: readonly OpenMemory[]
  readonly long: readonly LongMemory[]
}

export const FEW = 500
export const MANY = 2000
/** Slow enough that thousands are no load, fast enough that each moves. */
const PACE_MS = 500
const HOLD_MS = 3500
const LOOK_MS = 100
const LONG = 1_000_000

/** Code and tables are there after some hundred streams. */
const WARM_UP = 500

const OPEN_SECONDS = 14
const LONG_SECONDS = 16

export const planMemory = (contenders: number): number => contenders * (OPEN_SECONDS + LONG_SECONDS)

export interface MemoryOptions {
  readonly upstream: BenchUpstream
  readonly others: readonly Other[]
  readonly progress: Progress
}

/** Fresh processes for either: what one of them left behind is not to count in the other. */
export async function measureMemory(group: Group, options: MemoryOptions): Promise<MemoryReport> {
  const { wire } = group
  const { progress } = options
  const open = await onEach(group, options, async (contender) => {
    progress.begin(`memory: ${FEW} and ${MANY} open streams`, OPEN_SECONDS, contender.name)
    return await openOn(contender, toRequest(contender, wire, PACE_MS))
  })
  const long = await onEach(group, options, async (contender) => {
    progress.begin('memory: a stream of a million chunks', LONG_SECONDS, contender.name)
    const { chunks } = benchAnswer(wire, LONG)
    return { ...(await streamOn(contender, toRequest(contender, wire, 0))), chunks }
  })
  return { open, long }
}

async function onEach<T>(
  group: Group,
  { upstream, others, progress }: MemoryOptions,
  look: (contender: Contender) => Promise<T>,
): Promise<readonly T[]> {
  const { contenders, stop } = await startLineup(group, {
    others,
    upstreamPort: upstream.port,
    warmUp: WARM_UP,
    onStart: (name) => progress.begin('memory: starting', 0, name),
  })
  try {
    const all: T[] = []
    for (const contender of contenders)
      if (contender.name !== DIRECT) all.push(await look(contender))
    return all
  } finally {
    await stop()
  }
}

const toRequest = ({ wire, port, headers }: Contender, to: WireName, paceMs: number): Buffer =>
  benchRequest({
    port,
    headers,
    paceMs,
    wire: wire ?? to,
    chunks: LONG,
    isStream: true,
    size: REQUEST_SIZES.stream,
  })

async function openOn(contender: Contender, request: Buffer): Promise<OpenMemory> {
  const sockets: Socket[] = []
  const openUpTo = async (count: number): Promise<void> => {
    while (sockets.length < count) {
      const socket = await openSocket(contender.port)
      // It ends when we leave.
      askFor(socket, request, () => {}).catch(() => {})
      sockets.push(socket)
    }
  }
  const idle = await rssOf(contender)
  try {
    await openUpTo(FEW)
    const few = await holdAndLook(contender)
    await openUpTo(MANY)
    const many = await holdAndLook(contender)
    return { name: contender.name, idle, few, many, perFurther: (many - few) / (MANY - FEW) }
  } finally {
    for (const socket of sockets) socket.destroy()
    await sleep(500)
  }
}

/** The middle of what it holds for some seconds: garbage comes and goes. */
async function holdAndLook(contender: Contender): Promise<number> {
  await sleep(HOLD_MS / 2)
  const seen: number[] = []
  for (let look = 0; look < HOLD_MS / 2 / LOOK_MS; look++) {
    seen.push(await rssOf(contender))
    await sleep(LOOK_MS)
  }
  return median(seen)
}

async function streamOn(
  contender: Contender,
  request: Buffer,
): Promise<Omit<LongMemory, 'chunks'>> {
  const socket = await openSocket(contender.port)
  const start = performance.now()
  let bytes = 0
  const seen: { readonly bytes: number; readonly rss: number }[] = []
  const look = async (): Promise<void> => {
    const at = bytes
    seen.push({ bytes: at, rss: await rssOf(contender) })
  }
  const timer = setInterval(() => void look(), LOOK_MS)
  try {
    await askFor(socket, request, (piece) => (bytes += piece.length))
  } finally {
    clearInterval(timer)
    socket.destroy()
  }
  await look()
  const upTo = (share: number): number =>
    Math.max(...seen.filter((one) => one.bytes <= bytes * share).map(({ rss }) => rss))
  return {
    name: contender.name,
    seconds: (performance.now() - start) / 1000,
    tenth: upTo(0.1),
    half: upTo(0.5),
    peak: upTo(1),
  }
}

const rssOf = async ({ used }: Contender): Promise<number> => (await used())?.rss ?? Number.NaN
