/**
 * One turn, live or recorded → its rows, what it was asked, and what came back for its calls. Neighbours: `turn-data.ts`
 * fetches, `exchange/answer-live.ts` streams, `exchange/answer-model.ts` brings blocks and verdicts together. What was seen
 * live stays until the record is here.
 */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { createLiveSource, type LiveAnswer } from '../exchange/answer-live.ts'
import { toRows, toSides, type AnswerRow, type AnyVerdict } from '../exchange/answer-model.ts'
import type { TurnItem } from './conversation-data.ts'
import { blocksOf, inputOf, resultsOf, type Later } from './turn-data.ts'
import type { Result, TurnInput } from './turn-input.ts'

export interface TurnShown {
  readonly rows: readonly AnswerRow[]
  /** About the request, and no block. */
  readonly verdicts: readonly AnyVerdict[]
  readonly input: TurnInput | undefined
  readonly results: ReadonlyMap<string, Result>
  readonly notes: readonly string[]
  readonly isLive: boolean
  readonly isLoading: boolean
  readonly error: unknown
}

const NO_RESULTS: ReadonlyMap<string, Result> = new Map()
const NO_ROWS: readonly AnswerRow[] = []
/** Who scrolls by does not want to read. */
const SETTLE_MS = 60

export function useTurn(item: TurnItem, later: readonly Later[]): TurnShown {
  const { id, wire, summary } = item
  const isSettled = useSettled()
  const live = useLive(item)
  const isOver = summary !== undefined
  const blocks = useQuery({ ...blocksOf(id), enabled: isSettled && isOver })
  const input = useQuery({ ...inputOf(id, wire), enabled: isSettled })
  const rows = useMemo(() => {
    if (blocks.data !== undefined) return toRows(toSides(blocks.data), blocks.data.verdicts)
    if (live === undefined) return NO_ROWS
    return toRows({ ...live, changes: undefined }, live.verdicts)
  }, [blocks.data, live])
  const calls = useMemo(() => toCallIds(rows), [rows])
  const results = useQuery({
    ...resultsOf(id, calls, later),
    enabled: isSettled && isOver && calls.length > 0 && later.length > 0,
  })
  const verdicts = blocks.data?.verdicts ?? live?.verdicts ?? []
  return {
    rows,
    verdicts: verdicts.filter(({ block }) => block === undefined),
    input: input.data,
    results: results.data ?? NO_RESULTS,
    notes: blocks.data?.notes ?? [],
    isLive: blocks.data === undefined && live !== undefined && live.state !== 'over',
    isLoading: blocks.data === undefined && live === undefined && blocks.error === null,
    error: blocks.error,
  }
}

const toCallIds = (rows: readonly AnswerRow[]): readonly string[] =>
  rows.flatMap(({ block, instead }) =>
    [block, ...instead].flatMap((one) => (one?.type === 'tool-call' ? [one.id] : [])),
  )

/** True a moment after it was put on the page. */
function useSettled(): boolean {
  const [isSettled, setSettled] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [])
  return isSettled
}

const NEVER = (): (() => void) => () => {}

function useLive({ open }: TurnItem): LiveAnswer | undefined {
  const [followed, setFollowed] = useState(open)
  if (open !== undefined && followed === undefined) setFollowed(open)
  const source = useMemo(
    () => (followed === undefined ? undefined : createLiveSource(followed)),
    [followed],
  )
  return useSyncExternalStore(source?.onChange ?? NEVER, () => source?.get())
}
