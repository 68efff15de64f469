/**
 * A gateway at rest: nothing is under way, idle connections are closed, what nobody holds is collected. Then what is left
 * can be compared with what was there before. Neighbours: `soak.ts` lets it come to rest, `memory.ts` reads the samples.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clients } from './client.ts'
import type { SoakedGateway } from './gateway.ts'
import { growthOf, type Growth, type Rest } from './memory.ts'
import type { UpstreamProcess } from './upstream-process.ts'

/** Longer than what the gateway waits for when all clients are gone. */
const REST_MS = 30_000
/** Until connections that were closed on one side are closed on the other. */
const CLOSE_MS = 200

export async function comeToRest(
  by: {
    readonly gateway: SoakedGateway
    readonly upstream: UpstreamProcess
    readonly clients: Clients
  },
  problems: string[],
): Promise<Omit<Rest, 'exchanges'>> {
  const { gateway, upstream, clients } = by
  const until = performance.now() + REST_MS
  for (;;) {
    const open = await gateway.metric('sluice_open_exchanges')
    const waiting = await gateway.metric('sluice_records_waiting')
    const { open: above } = await upstream.counts()
    if (open === 0 && waiting === 0 && above === 0) break
    if (performance.now() > until) {
      problems.push(
        `${REST_MS / 1000} s after the last client, ${open} exchanges are open, ${above} at the upstream, and ${waiting} wait for the store`,
      )
      break
    }
    await sleep(50)
  }
  clients.closeIdle()
  await upstream.closeIdle()
  await sleep(CLOSE_MS)
  return await gateway.sample()
}

const MB = 1024 * 1024
/** More than that by the end is a leak: over the second half, by the line through its samples. */
const MAX_HELD = 16 * MB
/** What the system's allocator keeps of the greatest burst so far, it keeps for good: floods come at random. */
const MAX_RSS = 128 * MB
/** Until there were so many, the books of a gateway fill up: so much is then kept of each exchange, and rightly. */
const FILLING = 60_000
const KEPT_EACH = 8 * 1024
/** Connections to the figures, and what a thread just opens. */
const MAX_FILES = 8

/** What is left that should not be; `rests` begins with the one after the tour. */
export function leftovers(rests: readonly Rest[]): {
  readonly growth: Growth
  readonly problems: readonly string[]
} {
  const [first, ...later] = rests
  const last = rests.at(-1)
  const growth = growthOf(later)
  const problems: string[] = []
  const { held, rss, perExchange } = growth
  const exchanges = last?.exchanges ?? 0
  const kept = exchanges < FILLING ? (KEPT_EACH * exchanges) / 2 : 0
  if (held > MAX_HELD + kept)
    problems.push(`it keeps ${Math.round(perExchange)} bytes of each exchange: ${toMb(held)} more`)
  if (rss > MAX_RSS + kept) problems.push(`its memory grows: ${toMb(rss)} more`)
  const files = (last?.files ?? 0) - (first?.files ?? 0)
  if (files > MAX_FILES)
    problems.push(`${files} more files are open than at first, ${last?.sockets} of all are sockets`)
  return { growth, problems }
}

const toMb = (bytes: number): string => `${Math.round(bytes / MB)} MB`
