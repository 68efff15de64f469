/**
 * What a process and all that it started have used: CPU time and memory. From `/proc` where there is one, which costs
 * the process nothing; else it is asked over IPC (`report-usage.mjs`). Neighbours: `contender.ts`.
 */
import { execFileSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Memory in bytes; of several processes the sum. */
export interface Used {
  readonly cpuMs: number
  readonly rss: number
  /** The most it ever had. */
  readonly peakRss: number
}

/** CPU milliseconds by thread. */
export type ThreadTimes = ReadonlyMap<string, number>

export const HAS_PROC = existsSync('/proc/self/stat')

export async function usedBy(child: ChildProcess): Promise<Used> {
  if (HAS_PROC) return familyOf(pidOf(child)).map(fromProc).reduce(add)
  child.send({})
  const [used] = (await once(child, 'message')) as [Used]
  return used
}

/** Empty where there is no `/proc`. Threads of Node 20 have no names of their own: they are told apart by number. */
export function threadsOf(child: ChildProcess): ThreadTimes {
  if (!HAS_PROC) return new Map()
  const times = new Map<string, number>()
  for (const pid of familyOf(pidOf(child)))
    tasksOf(pid).forEach((id, place) => {
      const name = read(`/proc/${pid}/task/${id}/comm`).trim()
      const label = place === 0 ? 'main' : `thread ${place}`
      times.set(`${label} of ${name} ${pid}`, runTimeOf(pid, id) / 1e6)
    })
  return times
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('The process has not started')
  return pid
}

const NOTHING: Used = { cpuMs: 0, rss: 0, peakRss: 0 }

const add = (a: Used, b: Used): Used => ({
  cpuMs: a.cpuMs + b.cpuMs,
  rss: a.rss + b.rss,
  peakRss: a.peakRss + b.peakRss,
})

function fromProc(pid: number): Used {
  const stat = readStat(pid)
  const status = read(`/proc/${pid}/status`)
  if (stat === undefined || status === '') return NOTHING
  const kilobytes = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024
  const threads = tasksOf(pid).reduce((sum, id) => sum + runTimeOf(pid, id), 0) / 1e6
  return {
    // The sum of the threads is exact, but those that ended are missing: the ticks have them. Not every kernel keeps the first.
    cpuMs: Math.max(threads, stat.ownMs) + stat.endedMs,
    rss: kilobytes('VmRSS'),
    peakRss: kilobytes('VmHWM'),
  }
}

/** In the order in which they began, the main one first. */
const tasksOf = (pid: number): readonly number[] =>
  list(`/proc/${pid}/task`).toSorted((a, b) => a - b)

/** Nanoseconds of one thread. */
const runTimeOf = (pid: number, thread: number): number =>
  Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0])

/**
 * The process, those it started, and those of its session: a shell that was told to start something may be gone. All of
 * `/proc` is looked through, because not every kernel lists children.
 */
function familyOf(root: number): readonly number[] {
  const all = list('/proc').map((pid) => ({ pid, stat: readStat(pid) }))
  const family = new Set([root])
  for (let size = 0; size < family.size;) {
    size = family.size
    for (const { pid, stat } of all)
      if (stat !== undefined && (family.has(stat.parent) || stat.session === root)) family.add(pid)
  }
  return [...family]
}

interface Stat {
  readonly parent: number
  readonly session: number
  readonly ownMs: number
  /** Of children that have ended. */
  readonly endedMs: number
}

let msPerTick: number | undefined

function readStat(pid: number): Stat | undefined {
  const line = read(`/proc/${pid}/stat`)
  if (line === '') return undefined
  msPerTick ??= 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  // The name, in brackets, may hold anything: what counts stands behind it.
  const fields = line
    .slice(line.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [, parent = 0, , session = 0] = fields
  const [own = 0, ownSystem = 0, ended = 0, endedSystem = 0] = fields.slice(11, 15)
  return {
    parent,
    session,
    ownMs: (own + ownSystem) * msPerTick,
    endedMs: (ended + endedSystem) * msPerTick,
  }
}

/** Nothing, where the process has ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function list(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map(Number).filter(Boolean)
  } catch {
    return []
  }
}
