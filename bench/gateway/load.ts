/**
 * The clients of the benchmark: so many streams, so many at once, on kept connections. Neighbours: `rounds.ts` points
 * them at a contender, `read-answer.ts` reads, `stamps.ts` knows how long a frame took.
 */
import { STAMP_MARK, createStampReader } from './stamps.ts'
import { askFor, openSocket, type OnPiece } from './read-answer.ts'
import { benchRequest, type RequestOptions, type Wanted } from './requests.ts'

export interface Load extends Wanted {
  readonly name: string
  readonly streams: number
  readonly atOnce: number
}

export type LoadTarget = Pick<RequestOptions, 'wire' | 'port' | 'size' | 'headers'>

/** Times in milliseconds. */
export interface LoadResult {
  readonly seconds: number
  /** CPU of the clients themselves. */
  readonly cpuMs: number
  readonly firstByte: readonly number[]
  /** Until the first text was there. */
  readonly firstText: readonly number[]
  /** From the upstream's write to the client's read, one per stamp. */
  readonly delays: readonly number[]
  /** Reads that a stream took: how far frames were joined on the way. */
  readonly readsPerStream: number
}

/** Between two that begin, at a pace: several times what a request costs anybody. */
const APART_MS = 3

export async function runLoad(load: Load, target: LoadTarget): Promise<LoadResult> {
  const request = benchRequest({ ...load, ...target })
  const firstByte: number[] = []
  const firstText: number[] = []
  const delays: number[] = []
  let reads = 0
  let left = load.streams

  const watchOne = (): OnPiece => {
    const asked = performance.now()
    const stamps = load.paceMs > 0 ? createStampReader() : undefined
    let hasByte = false
    let hasText = !load.isStream
    return (piece) => {
      reads++
      if (!hasByte) firstByte.push(performance.now() - asked)
      hasByte = true
      if (!hasText && piece.includes(STAMP_MARK)) {
        hasText = true
        firstText.push(performance.now() - asked)
      }
      stamps?.read(piece, delays)
    }
  }
  const client = async (index: number): Promise<void> => {
    // A hundred people do not press enter together, and the first byte is not to wait for ninety-nine others.
    if (load.paceMs > 0) await pause(index * APART_MS)
    const socket = await openSocket(target.port)
    while (left-- > 0) await askFor(socket, request, watchOne())
    socket.destroy()
  }
  const start = performance.now()
  const before = process.cpuUsage()
  await Promise.all(Array.from({ length: load.atOnce }, (_, index) => client(index)))
  const { user, system } = process.cpuUsage(before)
  return {
    seconds: (performance.now() - start) / 1000,
    cpuMs: (user + system) / 1000,
    firstByte,
    firstText,
    delays,
    readsPerStream: reads / load.streams,
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
