/**
 * Exchanges as they happen and as they were, in one list, with one of them open beside it. Neighbours: `live-list.ts` holds the
 * lines, `exchange/` shows one, the address says which one and by what the list is narrowed.
 */
import {
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactElement,
  type RefObject,
} from 'react'
import { pendingTickets } from '../core/feed.ts'
import { usePlaceQuery } from '../core/route.ts'
import { useStore } from '../core/store.ts'
import { ExchangePanel } from '../exchange/exchange-panel.tsx'
import { Button } from '../kit/button.tsx'
import { Failed, Loading } from '../kit/states.tsx'
import { DemoKey } from './demo-menu.tsx'
import { useIsDemo } from './demo.ts'
import { fromAddress, isEmptyFilter, toAddress, type Filter } from './filter.ts'
import { listPlace } from './follow.ts'
import { Foot } from './foot.tsx'
import { LiveHead } from './live-head.tsx'
import { columnChoice, liveList, panelWidth } from './live-list.ts'
import { MAX_ROWS, type LiveState } from './live-model.ts'
import { useLiveKeys } from './live-keys.ts'
import { NewPill } from './new-pill.tsx'
import { NoRows } from './no-rows.tsx'
import { isWaiting, RowList, type RowListHandle } from './row-list.tsx'
import type { LiveRow } from './row.ts'
import { Split } from './split.tsx'
import { useMedia } from './use-width.ts'
import { useSelection, type Selection } from './use-selection.ts'

export function LiveView(): ReactElement {
  const [query, setQuery] = usePlaceQuery()
  const filter = useMemo(() => fromAddress(query), [query])
  const state = useSyncExternalStore(liveList.onChange, liveList.get)
  useEffect(() => liveList.filterBy(filter), [filter])
  const waiting = useWaiting()
  const rows = useMemo(() => narrow(state.rows, filter, waiting), [state.rows, filter, waiting])
  const selection = useSelection(rows)
  const [isFollowing, setFollowing] = useState(() => listPlace.top === 0)
  const list = useRef<RowListHandle>(null)
  const field = useRef<HTMLInputElement>(null)
  const isDemo = useIsDemo()
  const isWide = useMedia('(min-width: 1000px)')
  const isCovered = selection.opened !== undefined && !isWide
  const setFilter = (next: Filter): void => setQuery(toAddress(next))
  const follow = (isOn: boolean): void => {
    setFollowing(isOn)
    if (isOn) list.current?.toTop()
  }
  // The focus goes back to the line, which a narrow window has hidden until now.
  const close = (): void => {
    selection.close()
    requestAnimationFrame(() => list.current?.focus())
  }
  const pause = (): void => liveList.pause(!state.isPaused)
  const move = useCallback(
    (step: number) => {
      const place = selection.move(step)
      if (place === undefined) return
      list.current?.show(place)
      // So that Enter and the arrows go on from there.
      list.current?.focus()
    },
    [selection],
  )
  useLiveKeys({ selection, move, follow: () => follow(!isFollowing), pause, field })

  const body = (
    <>
      {state.error === undefined ? null : <Failed error={state.error} onRetry={liveList.retry} />}
      {rows.length > 0 ? (
        <div className="relative flex min-h-0 flex-1 flex-col">
          <NewPill
            rows={rows}
            heldCount={state.heldCount}
            isPaused={state.isPaused}
            isFollowing={isFollowing}
            onResume={pause}
            onTop={() => follow(true)}
          />
          <RowListOf
            state={state}
            rows={rows}
            waiting={waiting}
            selection={selection}
            isFollowing={isFollowing}
            onFollow={setFollowing}
            onMove={move}
            list={list}
          />
        </div>
      ) : state.isLoading ? (
        <Loading />
      ) : state.error === undefined ? (
        <NoRows filter={filter} isDemo={isDemo} onClear={() => setFilter({})} />
      ) : (
        <div className="flex-1" />
      )}
      <Foot rows={rows} hasMore={state.hasMore} />
    </>
  )

  return (
    <>
      {isCovered ? (
        <BackBar onBack={close} />
      ) : (
        <LiveHead
          filter={filter}
          onFilter={setFilter}
          isPaused={state.isPaused}
          onPause={pause}
          isFollowing={isFollowing}
          onFollow={() => follow(!isFollowing)}
          isDemo={isDemo && (rows.length > 0 || !isEmptyFilter(filter))}
          field={field}
        />
      )}
      <Beside opened={selection.opened} onClose={close} isCovering={isCovered}>
        {body}
      </Beside>
      <DemoKey />
    </>
  )
}

function Beside({
  opened,
  onClose,
  isCovering,
  children,
}: {
  readonly opened: string | undefined
  onClose(): void
  readonly isCovering: boolean
  readonly children: ReactElement
}): ReactElement {
  const width = useStore(panelWidth)
  // Whoever runs down the list with a key held sees the list move first.
  const deferred = useDeferredValue(opened)
  const shown = opened === undefined ? undefined : (deferred ?? opened)
  return (
    <Split
      label="Width of the exchange"
      left={children}
      right={
        shown === undefined ? undefined : <ExchangePanel key={shown} id={shown} onClose={onClose} />
      }
      isCovering={isCovering}
      width={width}
      onWidth={panelWidth.set}
    />
  )
}

/** Where the exchange covers the list. */
const BackBar = ({ onBack }: { onBack(): void }): ReactElement => (
  <header className="flex h-10 shrink-0 items-center border-b border-line bg-surface px-1.5">
    <Button look="quiet" icon="left" onClick={onBack}>
      All exchanges
    </Button>
  </header>
)

interface RowListOfProps {
  readonly state: LiveState
  readonly rows: readonly LiveRow[]
  readonly waiting: ReadonlySet<string>
  readonly selection: Selection
  readonly isFollowing: boolean
  onFollow(isFollowing: boolean): void
  onMove(step: number): void
  readonly list: RefObject<RowListHandle | null>
}

function RowListOf({ state, selection, list, ...rest }: RowListOfProps): ReactElement {
  const choice = useStore(columnChoice)
  return (
    <RowList
      {...rest}
      ref={list}
      selected={selection.cursor}
      choice={choice}
      onSelect={selection.open}
      onEnd={liveList.more}
      end={
        state.isFull ? (
          <p className="px-3 py-2 text-center text-xs text-faint">
            The newest {MAX_ROWS.toLocaleString()} are here. For older ones, filter by until:
          </p>
        ) : null
      }
    />
  )
}

/** By request ids, as tickets know them. */
function useWaiting(): ReadonlySet<string> {
  const tickets = useStore(pendingTickets)
  return useMemo(() => new Set(tickets.map(({ exchangeId }) => exchangeId)), [tickets])
}

/** What only the page knows. */
function narrow(
  rows: readonly LiveRow[],
  { is }: Filter,
  waiting: ReadonlySet<string>,
): readonly LiveRow[] {
  if (is === 'open') return rows.filter((row) => row.state === 'open')
  return is === 'waiting' ? rows.filter((row) => isWaiting(row, waiting)) : rows
}
