/**
 * Many streams that stand open together for a while: half of their clients leave at once and the upstream must hear of it,
 * the others must get everything. Neighbours: `soak.ts` runs it between two loads.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Begun, Clients } from './client.ts'
import type { SoakedGateway } from './gateway.ts'
import type { Plan } from './plan.ts'
import type { Tally } from './tally.ts'
import type { UpstreamProcess } from './upstream-process.ts'

export interface Stood {
  /** How many were open at once, as the gateway counts them. */
  readonly open: number
  /** The memory of the gateway then, in bytes. */
  readonly peakRss: number
  /** From the moment when the first of the clients left until the upstream had been left by all of them. */
  readonly upstreamLeftMs: number
}

/** Together with the time that it takes a thousand clients to leave. */
const MAX_LEFT_MS = 5000

export async function standOpen(
  plans: readonly Plan[],
  by: {
    readonly clients: Clients
    readonly gateway: SoakedGateway
    readonly upstream: UpstreamProcess
    readonly tally: Tally
  },
  problems: string[],
): Promise<Stood> {
  const begun: Begun[] = []
  for (const [at, plan] of plans.entries()) {
    begun.push(by.clients.begin(plan))
    // In groups: the system refuses more at once than fit into its queue.
    if (at % 100 === 99) await sleep(20)
  }
  await Promise.all(begun.map(({ call }) => call.received(1)))
  const open = await by.gateway.metric('sluice_open_exchanges')
  if (open < plans.length) problems.push(`only ${open} of ${plans.length} streams stand open`)
  const { rss } = await by.gateway.sample()

  const leavers = begun.filter((_, at) => at % 2 === 0)
  const from = performance.now()
  for (const { leave } of leavers) leave()
  const above = await untilLeft(by.upstream, begun.length - leavers.length)
  const upstreamLeftMs = performance.now() - from
  if (above > begun.length - leavers.length)
    problems.push(`${leavers.length} clients left, and the upstream still sends to ${above}`)
  for (const { asked } of begun) by.tally.add(await asked)
  return { open, peakRss: rss, upstreamLeftMs }
}

/** Waits until the upstream sends to no more than so many; gives back to how many it does. */
async function untilLeft({ counts }: UpstreamProcess, stayers: number): Promise<number> {
  const until = performance.now() + MAX_LEFT_MS
  for (;;) {
    const { open } = await counts()
    if (open <= stayers || performance.now() > until) return open
    await sleep(20)
  }
}
