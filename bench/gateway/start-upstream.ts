/**
 * Starts the provider of the benchmark (`upstream.ts`) and knows what it uses. Neighbours: `run.ts`.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { HAS_PROC, usedBy } from './usage.ts'

export interface BenchUpstream {
  readonly port: number
  /** CPU milliseconds so far; `undefined` where nobody knows. */
  cpuMs(): Promise<number | undefined>
  stop(): void
}

/** `folder`: of streams that were recorded, to be sent in place of made ones. */
export async function startUpstream(folder?: string): Promise<BenchUpstream> {
  const child = fork(new URL('upstream.ts', import.meta.url), folder === undefined ? [] : [folder])
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    port,
    cpuMs: async () => (HAS_PROC ? (await usedBy(child)).cpuMs : undefined),
    stop: () => child.disconnect(),
  }
}
