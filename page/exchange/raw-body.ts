/**
 * Recorded bodies as the tabs of an exchange ask for them: the bytes and when they passed. They never change, so they are
 * asked for once. Neighbours: `core/api.ts`; `raw-frames.ts` and `request-read.ts` read them.
 */
import type { ExchangeAnswer } from '../../src/api/types.ts'
import type { BodyKind } from '../../src/store/record.ts'
import { api, queries } from '../core/api.ts'

type Exchange = ExchangeAnswer['exchange']

/** Bodies are large: they are let go soon after nobody looks at them. */
const KEPT = { staleTime: 'static', gcTime: 60_000 } as const

/** What is read of bodies is as large as they are: it is not compared with what was there before. */
export const READ = { ...KEPT, structuralSharing: false } as const

export const hasBody = ({ bodies }: Exchange, kind: BodyKind): boolean => bodies[kind] !== undefined

/** `undefined`: it is there. */
export function whyMissing(exchange: Exchange, kind: BodyKind): string | undefined {
  if (hasBody(exchange, kind)) return undefined
  if (exchange.dropped.includes(kind))
    return 'It was dropped, because there was no room for it at that time'
  if (exchange.record === 'metadata')
    return 'Nothing of the content was kept: it was recorded with "record: metadata"'
  if (kind === 'upstream')
    return `No upstream has answered: the gateway said ${exchange.status} itself`
  return 'It was not kept'
}

export function loadBody(exchange: Exchange, kind: BodyKind): Promise<Uint8Array> {
  return queries.query({
    queryKey: ['body', exchange.id, kind],
    queryFn: async ({ signal }) =>
      new Uint8Array(await (await api.body(exchange.id, kind, signal)).arrayBuffer()),
    ...READ,
  })
}

/** `[bytes, at, bytes, at, …]`, microseconds since the exchange began. */
export async function loadTimes(exchange: Exchange, kind: BodyKind): Promise<readonly number[]> {
  const { times } = await queries.query({
    queryKey: ['times', exchange.id, kind],
    queryFn: () => api.bodyTimes(exchange.id, kind),
    ...READ,
  })
  return times
}
