/**
 * What a process and its children have used: CPU time and peak memory. From `/proc` where there is one,
 * which costs the process nothing; else it is asked over IPC (`report-usage.mjs`). Neighbours:
 * `contender.ts`.
 */
import { execFileSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

export interface Used {
  readonly cpuMs: number
  /** The most memory it ever had, in bytes; of several processes the sum. */
  readonly peakRss: number
}

export const HAS_PROC = existsSync('/proc/self/stat')

export async function usedBy(child: ChildProcess): Promise<Used> {
  const { pid } = child
  if (pid === undefined) throw new Error('The process has not started')
  if (HAS_PROC) return fromProc(pid)
  child.send({})
  const [used] = (await once(child, 'message')) as [Used]
  return used
}

function fromProc(pid: number): Used {
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  const own = {
    cpuMs: nanosecondsOf(pid) / 1e6 || ticksOf(pid),
    peakRss: Number(peak ?? 0) * 1024,
  }
  return childrenOf(pid)
    .map(fromProc)
    .reduce(
      (sum, used) => ({ cpuMs: sum.cpuMs + used.cpuMs, peakRss: sum.peakRss + used.peakRss }),
      own,
    )
}

/** Of all threads. Not every kernel keeps it: then there are none. */
function nanosecondsOf(pid: number): number {
  const files = readdirSync(`/proc/${pid}/task`).map((id) => `/proc/${pid}/task/${id}/schedstat`)
  return files
    .filter((file) => existsSync(file))
    .reduce((sum, file) => sum + Number(readFileSync(file, 'utf8').split(' ')[0]), 0)
}

let ticksPerSecond: number | undefined

/** Milliseconds, in steps of the kernel's tick, which is often ten of them. */
function ticksOf(pid: number): number {
  ticksPerSecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  // The name, in brackets, may hold anything; user and system time are the 12th and 13th after it.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
}

function childrenOf(pid: number): readonly number[] {
  const file = `/proc/${pid}/task/${pid}/children`
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number)
}
