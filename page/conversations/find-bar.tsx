/**
 * Finds words in a conversation: the store's search says which turns, what is on the page is marked. Neighbours:
 * `find.ts` looks and marks. What was never opened is found too; where the search is off, only what was seen.
 */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState, type ReactElement, type Ref, type RefObject } from 'react'
import { api } from '../core/api.ts'
import { IconButton } from '../kit/button.tsx'
import { TextField } from '../kit/field.tsx'
import type { TurnItem } from './conversation-data.ts'
import { clearMarks, findKnown, markWords, scrollToMark } from './find.ts'
import type { TurnListHandle } from './turn-list.tsx'

interface FindBarProps {
  readonly id: string
  readonly items: readonly TurnItem[]
  readonly list: RefObject<TurnListHandle | null>
  readonly ref: Ref<HTMLInputElement>
}

const MIN_CHARS = 2
const REFETCH_MS = 2000

export function FindBar({ id, items, list, ref }: FindBarProps): ReactElement {
  const [words, setWords] = useState('')
  const [at, setAt] = useState(-1)
  const wanted = useLate(words.trim())
  const isFinding = wanted.length >= MIN_CHARS
  const stored = useQuery({
    queryKey: ['find', id, wanted, items.length],
    queryFn: async () => {
      const { items: found } = await api.exchanges({ conversation: id, text: wanted, limit: 1000 })
      return new Set(found.map((one) => one.id))
    },
    enabled: isFinding,
    retry: false,
    // Words of what was just said are in the index some seconds later.
    refetchInterval: REFETCH_MS,
    placeholderData: (before) => before,
  })
  const known = isFinding ? findKnown(items, wanted) : undefined
  const hits = items.flatMap((item, index) =>
    known?.has(item.id) === true || (isFinding && stored.data?.has(item.id) === true)
      ? [index]
      : [],
  )
  useMarks(list, isFinding ? wanted : '')

  function move(by: 1 | -1): void {
    if (hits.length === 0) return
    const next = at < 0 ? (by === 1 ? 0 : hits.length - 1) : (at + by + hits.length) % hits.length
    setAt(next)
    const index = hits[next] ?? 0
    list.current?.show(index, 'start')
    scrollToMark(list.current?.element() ?? null, items[index]?.id ?? '')
  }

  return (
    <div role="search" aria-label="In this conversation" className="flex items-center">
      <TextField
        label="Find in the conversation"
        isBare
        type="search"
        placeholder="Find ( / )"
        className="w-36 max-sm:w-24"
        ref={ref}
        value={words}
        onChange={(event) => {
          setWords(event.currentTarget.value)
          setAt(-1)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') move(event.shiftKey ? -1 : 1)
          else if (event.key === 'Escape') {
            setWords('')
            list.current?.element()?.focus()
          } else return
          event.preventDefault()
        }}
      />
      {isFinding ? (
        <>
          <span role="status" className="tabular px-1.5 text-xs whitespace-nowrap text-muted">
            {toState(hits.length, at, stored.isFetching)}
          </span>
          <IconButton icon="left" label="Previous turn that has it" onClick={() => move(-1)} />
          <IconButton icon="right" label="Next turn that has it" onClick={() => move(1)} />
        </>
      ) : null}
    </div>
  )
}

function toState(count: number, at: number, isFetching: boolean): string {
  if (count === 0) return isFetching ? '…' : 'Nothing'
  return at < 0 ? `${count} ${count === 1 ? 'turn' : 'turns'}` : `${at + 1} of ${count}`
}

const LATE_MS = 200

/** A moment after the last key. */
function useLate(value: string): string {
  const [late, setLate] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setLate(value), LATE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return late
}

/** Marks what is drawn, and again whenever something else is. */
function useMarks(list: RefObject<TurnListHandle | null>, words: string): void {
  useEffect(() => {
    const place = list.current?.element() ?? null
    if (place === null || words === '') return undefined
    let frame = 0
    const mark = (): void => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => markWords(place, words))
    }
    const observer = new MutationObserver(mark)
    observer.observe(place, { childList: true, subtree: true, characterData: true })
    mark()
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      clearMarks()
    }
  }, [list, words])
}
