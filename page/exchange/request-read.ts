/**
 * What the request tab asks for: the request of one side as text and as parts, as JSON, and what is different between the
 * two. Neighbours: `raw-body.ts` has the bytes, `blocks/request-view.ts` reads them. A request may have megabytes: each
 * step is a task of its own, so that the page answers between them.
 */
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { ExchangeAnswer } from '../../src/api/types.ts'
import type { WireName } from '../../src/index.ts'
import { readRequestView, type RequestView } from '../blocks/request-view.ts'
import { pause } from '../core/slices.ts'
import { READ, loadBody } from './raw-body.ts'
import { toComparable, type Comparable } from './request-changes.ts'
import { findInJson, type Match } from './request-find.ts'

type Exchange = ExchangeAnswer['exchange']
/** As the client sent it, or as the upstream got it. */
export type RequestSide = 'request' | 'sent'

export interface RequestRead {
  readonly text: string
  readonly bytes: number
  readonly view: RequestView
}

export const requestWireOf = ({ wire, upstreamWire }: Exchange, side: RequestSide): WireName =>
  side === 'request' ? wire : (upstreamWire ?? wire)

export function useRequest(exchange: Exchange, side: RequestSide): UseQueryResult<RequestRead> {
  return useQuery({
    queryKey: ['request', exchange.id, side],
    queryFn: async (): Promise<RequestRead> => {
      const bytes = await loadBody(exchange, side)
      const text = new TextDecoder().decode(bytes)
      await pause()
      const view = readRequestView(requestWireOf(exchange, side), text)
      await pause()
      return { text, bytes: bytes.length, view }
    },
    enabled: exchange.bodies[side] !== undefined,
    ...READ,
  })
}

/** `undefined` in it: no JSON. */
export function useRequestJson(
  exchange: Exchange,
  side: RequestSide,
): UseQueryResult<{ readonly value: unknown }> {
  return useQuery({
    queryKey: ['request-json', exchange.id, side],
    queryFn: () => readJson(exchange, side),
    ...READ,
  })
}

export function useRequestChanges(exchange: Exchange): UseQueryResult<Comparable> {
  return useQuery({
    queryKey: ['request-changes', exchange.id],
    queryFn: async () => {
      const before = await readJson(exchange, 'request')
      const after = await readJson(exchange, 'sent')
      return toComparable(before.value, after.value)
    },
    ...READ,
  })
}

export function useFound(
  exchange: Exchange,
  side: RequestSide,
  text: string,
): UseQueryResult<readonly Match[]> {
  return useQuery({
    queryKey: ['request-find', exchange.id, side, text],
    queryFn: async ({ signal }) => {
      const { value } = await readJson(exchange, side)
      return await findInJson(value, text, signal)
    },
    ...READ,
    gcTime: 0,
  })
}

async function readJson(
  exchange: Exchange,
  side: RequestSide,
): Promise<{ readonly value: unknown }> {
  const bytes = await loadBody(exchange, side)
  const text = new TextDecoder().decode(bytes)
  await pause()
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return { value: undefined }
  } finally {
    await pause()
  }
}
