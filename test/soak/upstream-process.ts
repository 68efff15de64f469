/**
 * The faulty upstream in a process of its own, and what can be asked of it. Neighbours: `upstream.ts` is what runs there,
 * `soak.ts` starts it.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { FaultyCounts } from '../../src/testkit/faulty-upstream.ts'
import type { ToUpstream } from './upstream.ts'

export interface UpstreamProcess {
  readonly url: string
  counts(): Promise<FaultyCounts>
  /** Closes connections on which nothing is under way. */
  closeIdle(): Promise<FaultyCounts>
  stop(): void
}

export async function startUpstreamProcess(): Promise<UpstreamProcess> {
  const child = fork(join(import.meta.dirname, 'upstream.ts'), { execArgv: ['--import', 'tsx'] })
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  // One question at a time: answers carry no name.
  let last: Promise<unknown> = Promise.resolve()
  const ask = (message: ToUpstream): Promise<FaultyCounts> => {
    const answer = last.then(async () => {
      child.send(message)
      const [counts] = (await once(child, 'message')) as [FaultyCounts]
      return counts
    })
    last = answer.catch(() => undefined)
    return answer
  }
  return {
    url,
    counts: () => ask('counts'),
    closeIdle: () => ask('close-idle'),
    stop: () => void child.kill('SIGKILL'),
  }
}
