/**
 * One load on all contenders, round by round. These machines are shared and their speed changes by the minute: contenders
 * take turns inside a round, in changing order, and what is kept is what each round gave. Neighbours: `cost.ts` chooses
 * contenders and loads, `compare.ts` sets the rounds against each other.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { WireName } from '../../src/index.ts'
import type { Contender } from './contender.ts'
import { runLoad, type Load } from './load.ts'
import { toQuantiles, type Quantiles } from './statistics.ts'
import type { ThreadTimes } from './usage.ts'

/** What one contender did in one round; times in milliseconds. */
export interface Turn {
  /** CPU of the contender and all that it started, until it had come to rest. */
  readonly cpuPerStream: number | undefined
  /** CPU of what it had left for later. */
  readonly laterPerStream: number | undefined
  readonly streamsPerSecond: number
  readonly chunksPerSecond: number
  readonly readsPerStream: number
  readonly firstByte: Quantiles | undefined
  readonly firstText: Quantiles | undefined
  /** From the upstream's write to the client's read. */
  readonly delay: Quantiles | undefined
  /** How much of one core the clients and the upstream took meanwhile. */
  readonly clientShare: number
  readonly upstreamShare: number | undefined
  /** CPU per stream by thread, where somebody wants it. */
  readonly threads: Readonly<Record<string, number>> | undefined
}

export interface RoundsOptions {
  readonly load: Load
  /** The upstream's. */
  readonly wire: WireName
  /** Of the request. */
  readonly size: number
  /** Of an answer. */
  readonly chunks: number
  readonly rounds: number
  readonly hasThreads: boolean
  /** Whether it waits for what a contender leaves for later, and counts it. */
  readonly hasLater: boolean
  /** CPU milliseconds of the upstream so far. */
  upstreamCpu(): Promise<number | undefined>
  onTurn(round: number, contender: Contender): void
}

/** The turns of each contender, by its name. */
export type Turns = ReadonlyMap<string, readonly Turn[]>

export async function runRounds(
  contenders: readonly Contender[],
  options: RoundsOptions,
): Promise<Turns> {
  const turns = new Map(contenders.map(({ name }) => [name, [] as Turn[]]))
  for (let round = 0; round < options.rounds; round++)
    for (const contender of inOrder(contenders, round)) {
      options.onTurn(round, contender)
      turns.get(contender.name)?.push(await runTurn(contender, options))
    }
  return turns
}

/** Each begins a round in its turn, and every second round runs backwards: nobody is always behind the same one. */
export function inOrder<T>(all: readonly T[], round: number): readonly T[] {
  const first = round % all.length
  const turned = [...all.slice(first), ...all.slice(0, first)]
  const [begins, ...others] = turned
  return round % 2 === 0 || begins === undefined ? turned : [begins, ...others.toReversed()]
}

export async function runTurn(
  contender: Contender,
  options: Omit<RoundsOptions, 'rounds' | 'onTurn'>,
): Promise<Turn> {
  const { load, wire, size, chunks, hasThreads, hasLater, upstreamCpu } = options
  const { port, headers } = contender
  const threadsBefore = hasThreads ? contender.threads() : undefined
  const upstreamBefore = await upstreamCpu()
  const before = await contender.used()
  const result = await runLoad(load, { port, headers, size, wire: contender.wire ?? wire })
  const upstreamAfter = await upstreamCpu()
  const rested = await untilRest(contender)
  const later = hasLater ? await untilLater(contender) : undefined
  const perStream = (from: number | undefined, to: number | undefined): number | undefined =>
    from === undefined || to === undefined ? undefined : (to - from) / load.streams
  const upstreamMs = perStream(upstreamBefore, upstreamAfter)
  const streamsPerSecond = load.streams / result.seconds
  return {
    cpuPerStream: perStream(before?.cpuMs, rested),
    laterPerStream: later === undefined ? undefined : perStream(rested, later),
    streamsPerSecond,
    chunksPerSecond: streamsPerSecond * (load.isStream ? chunks : 1),
    readsPerStream: result.readsPerStream,
    firstByte: toQuantiles(result.firstByte),
    firstText: toQuantiles(result.firstText),
    delay: toQuantiles(result.delays),
    clientShare: result.cpuMs / 1000 / result.seconds,
    upstreamShare: upstreamMs === undefined ? undefined : (upstreamMs / 1000) * streamsPerSecond,
    threads:
      threadsBefore === undefined
        ? undefined
        : toThreads(threadsBefore, contender.threads(), load.streams),
  }
}

const LOOK_MS = 30
/** It rests when it uses less than that between two looks. */
const REST_CPU_MS = 1
const MAX_LOOKS = 100

/**
 * The CPU of a contender once it has nothing more to do. What is written in batches comes a little after the last stream:
 * it belongs to the turn that asked for it, and would be in the way of the next one.
 */
async function untilRest(contender: Contender): Promise<number | undefined> {
  let cpuMs = (await contender.used())?.cpuMs
  for (let look = 0; look < MAX_LOOKS && cpuMs !== undefined; look++) {
    await sleep(LOOK_MS)
    const now = (await contender.used())?.cpuMs
    if (now === undefined || now - cpuMs < REST_CPU_MS) return now
    cpuMs = now
  }
  return cpuMs
}

/** `undefined` where nothing is left for later. */
async function untilLater(contender: Contender): Promise<number | undefined> {
  if (contender.mode?.laterMs === undefined) return undefined
  await sleep(contender.mode.laterMs)
  return await untilRest(contender)
}

const toThreads = (
  before: ThreadTimes,
  after: ThreadTimes,
  streams: number,
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...after].map(([thread, ms]) => [thread, (ms - (before.get(thread) ?? 0)) / streams]),
  )
