/**
 * What the raw tab asks for: both sides as frames, how they compare, and which of them fit the filter. Neighbours:
 * `raw-body.ts` has the bytes, `raw-frames.ts`, `raw-sides.ts` and `raw-filter.ts` do the work. Kept as long as the bytes.
 */
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { ExchangeAnswer } from '../../src/api/types.ts'
import type { WireName } from '../../src/index.ts'
import { queries } from '../core/api.ts'
import { hasBody, loadBody, loadTimes, READ } from './raw-body.ts'
import { isJsonBody } from './raw-bytes.ts'
import { filterFrames, type FrameFilter } from './raw-filter.ts'
import { readFrames, type RawFrames } from './raw-frames.ts'
import { compareSides, type Sides } from './raw-sides.ts'

type Exchange = ExchangeAnswer['exchange']
export type Side = 'upstream' | 'delivered'

/** A stream, or one JSON body. */
export type RawAnswer =
  | ({ readonly type: 'stream'; readonly bytes: number } & RawFrames)
  | { readonly type: 'json'; readonly bytes: Uint8Array }

export const wireOf = ({ wire, upstreamWire }: Exchange, side: Side): WireName =>
  side === 'upstream' ? (upstreamWire ?? wire) : wire

/** What the client got stands apart only where it is not what came. */
export const hasBoth = (exchange: Exchange): boolean =>
  hasBody(exchange, 'upstream') && hasBody(exchange, 'delivered')

export function useRawAnswer(exchange: Exchange, side: Side): UseQueryResult<RawAnswer> {
  return useQuery({ ...toQuery(exchange, side), enabled: hasBody(exchange, side) })
}

/** From 0 to 1, while it is read. */
export function useProgress({ id }: Exchange, side: Side): number {
  const { data } = useQuery<number>({ queryKey: ['raw-progress', id, side], enabled: false })
  return data ?? 0
}

const toQuery = (exchange: Exchange, side: Side) => ({
  queryKey: ['raw', exchange.id, side],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<RawAnswer> => {
    const [bytes, times] = await Promise.all([loadBody(exchange, side), loadTimes(exchange, side)])
    if (isJsonBody(bytes)) return { type: 'json', bytes }
    const wire = wireOf(exchange, side)
    const onProgress = (done: number): void =>
      void queries.setQueryData(['raw-progress', exchange.id, side], done)
    const read = await readFrames({ wire, bytes, times, signal, onProgress })
    return { type: 'stream', bytes: bytes.length, ...read }
  },
  ...READ,
})

/** How the two sides compare: only where both are streams of the same wire. */
export function useSides(exchange: Exchange): Sides | undefined {
  const isSameWire = wireOf(exchange, 'upstream') === wireOf(exchange, 'delivered')
  const { data } = useQuery({
    queryKey: ['raw-sides', exchange.id],
    queryFn: async ({ signal }): Promise<Sides | null> => {
      const [came, left] = await Promise.all([
        queries.query(toQuery(exchange, 'upstream')),
        queries.query(toQuery(exchange, 'delivered')),
      ])
      if (came.type !== 'stream' || left.type !== 'stream') return null
      return await compareSides(came.frames, left.frames, signal)
    },
    enabled: isSameWire && hasBoth(exchange),
    ...READ,
  })
  return data ?? undefined
}

/** Places of those that fit; `undefined`: all. */
export function useFiltered(
  exchange: Exchange,
  of: { readonly side: Side; readonly raw: RawFrames; readonly pairs: Int32Array | undefined },
  filter: FrameFilter,
): readonly number[] | undefined {
  const { side, raw, pairs } = of
  const { data } = useQuery({
    queryKey: ['raw-filter', exchange.id, side, filter, pairs === undefined],
    queryFn: async ({ signal }) =>
      (await filterFrames(raw.frames, filter, { pairs, signal })) ?? null,
    ...READ,
    gcTime: 0,
    placeholderData: keepPreviousData,
  })
  return data ?? undefined
}
