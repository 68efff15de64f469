/**
 * The turns that are in sight, of however many there are; each is measured when it is drawn. Neighbours: `turn.tsx` draws
 * one. Stays at the end when somebody reads there and more comes.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
  type ReactElement,
  type Ref,
} from 'react'
import type { TurnItem } from './conversation-data.ts'
import { nextActed, nextIndex } from './steps.ts'
import type { Later } from './turn-data.ts'
import { toSideByEndpoint } from './turn-input.ts'
import { Turn } from './turn.tsx'

export interface TurnListHandle {
  show(index: number, align: 'start' | 'center' | 'end'): void
  /** To the next or the one before where a policy acted. */
  step(by: 1 | -1): void
  element(): HTMLElement | null
}

interface TurnListProps {
  readonly items: readonly TurnItem[]
  readonly at: string | undefined
  readonly ref: Ref<TurnListHandle>
}

/** What came back for a call stands in the next request, or a few behind where agents work side by side. */
const LATER = 6
/** Before anything of it was drawn: a head, what was said, and its calls. */
const HEAD_PX = 110
const CALL_PX = 96
const MAX_CALLS = 20

export function TurnList({ items, at, ref }: TurnListProps): ReactElement {
  const place = useRef<HTMLDivElement>(null)
  const laters = useLaters(items)
  const [heights] = useState(() => new Map<string, number>())
  const turns = useVirtualizer({
    count: items.length,
    getScrollElement: () => place.current,
    estimateSize: (index) => toEstimate(items[index]),
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: 2,
    useFlushSync: false,
  })
  const show: TurnListHandle['show'] = (index, align) => {
    if (index >= 0) turns.scrollToIndex(index, { align })
  }

  function step(by: 1 | -1): void {
    const element = place.current
    if (element === null) return
    const near = nextActed(element, by)
    if (near !== undefined) return reveal(near)
    const top = turns.getVirtualItemForOffset(element.scrollTop + 1)?.index ?? 0
    const bottom = turns.getVirtualItemForOffset(element.scrollTop + element.clientHeight - 1)
    const index = nextIndex(items, by === 1 ? (bottom?.index ?? top) : top, by)
    if (index === undefined) return
    show(index, 'start')
    void whenDrawn(element, items[index]?.id ?? '', by).then((found) =>
      found === undefined ? undefined : reveal(found),
    )
  }

  useImperativeHandle(ref, () => ({ show, step, element: () => place.current }))
  useStart(items, at, show)
  useStayAtEnd(place, turns.getTotalSize())
  return (
    <div
      ref={place}
      role="region"
      aria-label="Turns"
      tabIndex={0}
      className="relative min-h-0 flex-1 overflow-y-auto bg-surface [overflow-anchor:none]"
    >
      <div className="relative w-full" style={{ height: turns.getTotalSize() }}>
        {turns.getVirtualItems().map(({ index, key, start, size }) => {
          const item = items[index]
          if (item !== undefined) heights.set(item.id, size)
          return item === undefined ? null : (
            <div
              key={key}
              ref={turns.measureElement}
              data-index={index}
              className="absolute top-0 left-0 w-full"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Turn
                item={item}
                number={index + 1}
                later={laters(index)}
                isFirst={index === 0}
                heights={heights}
              />
            </div>
          )
        })}
      </div>
    </div>
  )
}

function toEstimate(item: TurnItem | undefined): number {
  const calls = item?.summary?.tools.reduce((sum, { count }) => sum + count, 0) ?? 0
  return HEAD_PX + Math.min(calls, MAX_CALLS) * CALL_PX
}

const isAnswering = ({ endpoint }: TurnItem): boolean => toSideByEndpoint(endpoint) === undefined

/** The exchanges behind a turn: the same list as long as they are the same, so that turns stay as they are. */
function useLaters(items: readonly TurnItem[]): (index: number) => readonly Later[] {
  const known = useRef(new Map<string, readonly Later[]>())
  return (index) => {
    const next = items.slice(index + 1, index + 1 + 2 * LATER).filter(isAnswering)
    const later = next.slice(0, LATER)
    const key = later.map(({ id }) => id).join(' ')
    const before = known.current.get(key)
    if (before !== undefined) return before
    known.current.set(key, later)
    return later
  }
}

/** Where a link leads to. */
function useStart(
  items: readonly TurnItem[],
  at: string | undefined,
  show: TurnListHandle['show'],
): void {
  const shown = useRef<string>(undefined)
  useEffect(() => {
    const index = items.findIndex(({ id }) => id === at)
    if (at === undefined || shown.current === at || index === -1) return
    shown.current = at
    show(index, 'start')
  }, [items, at, show])
}

const NEAR_PX = 80

/** Who reads at the end stays there when a turn grows or one is added. */
function useStayAtEnd(place: React.RefObject<HTMLDivElement | null>, size: number): void {
  const isAtEnd = useRef(false)
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const note = (): void => {
      const left = element.scrollHeight - element.scrollTop - element.clientHeight
      isAtEnd.current = left < NEAR_PX && element.scrollTop > 0
    }
    element.addEventListener('scroll', note, { passive: true })
    return () => element.removeEventListener('scroll', note)
  }, [place])
  useEffect(() => {
    const element = place.current
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight
  }, [place, size])
}

function reveal(element: HTMLElement): void {
  element.scrollIntoView({ block: 'center' })
  element.focus({ preventScroll: true })
}

const WAIT_MS = 100
const WAITS = 30

/** Its blocks come a moment after the turn is in sight. */
async function whenDrawn(
  place: HTMLElement,
  id: string,
  by: 1 | -1,
): Promise<HTMLElement | undefined> {
  for (let tries = 0; tries < WAITS; tries++) {
    const turn = place.querySelector(`[data-turn="${CSS.escape(id)}"]`)
    const acted = [...(turn?.querySelectorAll<HTMLElement>('[data-acted]') ?? [])]
    const found = by === 1 ? acted[0] : acted.at(-1)
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
  }
  return undefined
}
