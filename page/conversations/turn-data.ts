/**
 * What a turn is made of, fetched when it comes into sight: the blocks of its answer, what its request brought, and what
 * came back for its calls, which stands in a request behind it. Neighbours: `turn-input.ts` reads, `turn.tsx` draws. A few
 * at a time: whoever scrolls fast must not wait for what has gone by.
 */
import { queryOptions } from '@tanstack/react-query'
import type { BlocksAnswer } from '../../src/api/types.ts'
import { isWireName } from '../core/wires.ts'
import { api, ApiError, queries } from '../core/api.ts'
import { openExchanges } from '../core/feed.ts'
import { createLane } from './lane.ts'
import { readTurnInput, type Result, type TurnInput } from './turn-input.ts'

const lane = createLane(3)
/** What is recorded does not change. */
const KEPT = { staleTime: Infinity, gcTime: 600_000 }
/** One that is just over is on its way to the store. */
const AGAIN_MS = 300
const TRIES = 20

const again = {
  retry: (count: number, error: Error) =>
    error instanceof ApiError && error.status === 404 && count < TRIES,
  retryDelay: AGAIN_MS,
}

export const blocksOf = (id: string) =>
  queryOptions<BlocksAnswer>({
    queryKey: ['blocks', id],
    queryFn: () => lane(() => api.blocks(id)),
    ...KEPT,
    ...again,
  })

export const inputOf = (id: string, wire: string) =>
  queryOptions<TurnInput>({
    queryKey: ['turn-input', id],
    queryFn: async () => readTurnInput(isWireName(wire) ? wire : 'openai-chat', await readBody(id)),
    ...KEPT,
    ...again,
  })

/** One that goes on may take its time, and holds nobody else up. */
const readBody = (id: string): Promise<string> =>
  openExchanges.get().has(id) ? readOpen(id) : lane(() => readRecorded(id))

/** A body that was not kept is nothing to read; an exchange that is not there yet is asked for again. */
async function readRecorded(id: string): Promise<string> {
  try {
    return await (await api.body(id, 'request')).text()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
    await api.exchange(id)
    return ''
  }
}

/** Of one that goes on, its request is said first. */
async function readOpen(id: string): Promise<string> {
  const leave = new AbortController()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const event of api.live(id, leave.signal)) {
      if (event.type === 'piece' && event.kind !== 'request') break
      if (event.type === 'piece') text += decoder.decode(event.bytes, { stream: true })
      if (isWhole(text)) break
    }
  } finally {
    leave.abort()
  }
  return text
}

function isWhole(text: string): boolean {
  if (!text.endsWith('}')) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** An exchange behind a turn, where what came back may stand. */
export interface Later {
  readonly id: string
  readonly wire: string
}

/** Results by the ids of calls, out of the requests behind. */
export const resultsOf = (id: string, calls: readonly string[], later: readonly Later[]) =>
  queryOptions<ReadonlyMap<string, Result>>({
    queryKey: ['turn-results', id, calls.length, later.map((one) => one.id).join(' ')],
    queryFn: () => findResults(calls, later),
    structuralSharing: false,
    ...KEPT,
  })

async function findResults(
  calls: readonly string[],
  later: readonly Later[],
): Promise<ReadonlyMap<string, Result>> {
  const found = new Map<string, Result>()
  for (const { id, wire } of later) {
    const { results } = await queries.query(inputOf(id, wire))
    for (const result of results)
      if (calls.includes(result.id) && !found.has(result.id)) found.set(result.id, result)
    if (found.size === calls.length) break
  }
  return found
}
