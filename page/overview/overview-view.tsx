/**
 * How things go over time: a few figures, plots with one range and one cursor, and where it all comes from. Neighbours:
 * `data.ts` asks, `plots.ts` says which plots there are, `tables.tsx` leads to Live. Range, split and filter stand in the
 * address.
 */
import { useMemo, useRef, useState, type ReactElement } from 'react'
import { toTime } from '../core/format.ts'
import { useNow } from '../core/now.ts'
import { go, toHref, usePlaceQuery } from '../core/route.ts'
import { useShortcuts } from '../core/shortcuts.ts'
import { ApiError } from '../core/api.ts'
import { Button } from '../kit/button.tsx'
import { classes } from '../kit/classes.ts'
import { Select } from '../kit/field.tsx'
import { Empty, Failed, Loading } from '../kit/states.tsx'
import { Toolbar } from '../kit/toolbar.tsx'
import { FilterField } from '../live/filter-field.tsx'
import { fromAddress, toAddress } from '../live/filter.ts'
import type { StatsBucket } from '../../src/store/query.ts'
import { useOverview, type SplitBy } from './data.ts'
import { Figures } from './figures.tsx'
import { Plot } from './plot.tsx'
import { ERRORS_BY_UPSTREAM, PLOTS, toErrorLines, toLines } from './plots.ts'
import { refreshMs, SPANS, timesOf, toRange, type Range } from './range.ts'
import { toDenials, toSumRows, toTotal, type SumColumn } from './rows.ts'
import { Denials, Sums } from './tables.tsx'

const SPLITS: readonly { readonly value: string; readonly label: string }[] = [
  { value: '', label: 'All together' },
  { value: 'model', label: 'By model' },
  { value: 'route', label: 'By route' },
  { value: 'key', label: 'By key' },
  { value: 'client', label: 'By client' },
  { value: 'upstream', label: 'By upstream' },
]

const toSplit = (text: string | undefined): SplitBy | undefined =>
  SPLITS.some(({ value }) => value !== '' && value === text) ? (text as SplitBy) : undefined

export function OverviewView(): ReactElement {
  const [query, setQuery] = usePlaceQuery()
  const range = useRange(query)
  const split = toSplit(query['by'])
  const table = toSplit(query['table']) ?? 'model'
  const [column, setColumn] = useState<SumColumn>('exchanges')
  const isTable = query['as'] === 'table'
  const filter = useMemo(() => fromTime(query), [query])
  const data = useOverview({ range, filter, split, table })
  const field = useRef<HTMLInputElement>(null)
  useShortcuts([{ keys: '/', says: 'Filter', run: () => field.current?.focus() }])
  const setRange = (changes: Readonly<Record<string, string | number | undefined>>): void =>
    setQuery({ range: undefined, from: undefined, to: undefined, ...changes })
  const zoom = {
    onZoom: (from: number, to: number) => setRange({ from, to }),
    onReset: () => setRange({}),
  }
  const total = toTotal(data.total.data)
  const { since, until } = range
  return (
    <>
      <Toolbar
        title="Overview"
        isFull
        end={
          <>
            <Select
              label="Split"
              isBare
              options={SPLITS}
              value={split ?? ''}
              onChange={(event) => setQuery({ by: event.currentTarget.value })}
            />
            <Button
              aria-pressed={isTable}
              onClick={() => setQuery({ as: isTable ? undefined : 'table' })}
            >
              {isTable ? 'As plots' : 'As tables'}
            </Button>
          </>
        }
      >
        <Spans
          range={range}
          onChoose={(id) => setRange({ range: id })}
          onReset={() => setRange({})}
        />
        <div className="min-w-48 flex-1">
          <FilterField
            filter={filter}
            onChange={(next) =>
              go(toHref('overview', [], { ...kept(query), ...toAddress(next) }), true)
            }
            seen={() => []}
            ref={field}
          />
        </div>
      </Toolbar>
      <div className="min-h-0 flex-1 overflow-y-auto p-3">
        {data.total.error !== null ? (
          <Trouble error={data.total.error} onRetry={() => void data.total.refetch()} />
        ) : data.total.data === undefined ? (
          <Loading />
        ) : total === undefined && toTotal(data.totalBefore.data) === undefined ? (
          <Nothing
            isFiltered={Object.keys(filter).length > 0}
            onWider={() => setRange({ range: '30d' })}
          />
        ) : (
          <div className="mx-auto flex max-w-[1600px] flex-col gap-3">
            <Figures now={total} was={toTotal(data.totalBefore.data)} />
            <Plots
              range={range}
              steps={data.steps.data}
              byUpstream={data.byUpstream.data}
              isSplit={split !== undefined}
              isTable={isTable}
              {...zoom}
            />
            <div className="grid gap-3 xl:grid-cols-[3fr_2fr]">
              <Sums
                rows={toSumRows(data.sums.data ?? [], column)}
                by={table}
                column={column}
                since={since}
                onBy={(next) => setQuery({ table: next })}
                onColumn={setColumn}
              />
              <Denials rows={toDenials(data.policies.data ?? [])} since={since} />
            </div>
            <p className="text-2xs text-faint">
              {toTime(since)} – {toTime(until)}. Drag over a plot to look closer; a double click
              goes back.
            </p>
          </div>
        )}
      </div>
    </>
  )
}

interface PlotsProps {
  readonly range: Range
  readonly steps: readonly StatsBucket[] | undefined
  readonly byUpstream: readonly StatsBucket[] | undefined
  readonly isSplit: boolean
  readonly isTable: boolean
  onZoom(since: number, until: number): void
  onReset(): void
}

function Plots({
  range,
  steps,
  byUpstream,
  isSplit,
  isTable,
  onZoom,
  onReset,
}: PlotsProps): ReactElement {
  const { since, until, step } = range
  const times = useMemo(
    () => timesOf({ since, until, step, isRunning: true }),
    [since, until, step],
  )
  const all = useMemo(
    () => PLOTS.map((spec) => ({ spec, lines: toLines(spec, steps ?? [], { times, isSplit }) })),
    [steps, times, isSplit],
  )
  const errors = useMemo(() => toErrorLines(byUpstream ?? [], times), [byUpstream, times])
  const shared = { times, step, isTable, onZoom, onReset }
  return (
    <div className="grid gap-3 md:grid-cols-2 2xl:grid-cols-4">
      {all.map(({ spec, lines }) => (
        <Plot
          key={spec.id}
          title={spec.title}
          says={isSplit ? spec.splitSays : undefined}
          lines={lines}
          format={spec.format}
          isWhole={spec.isWhole === true}
          {...shared}
        />
      ))}
      <Plot
        title={ERRORS_BY_UPSTREAM.title}
        lines={errors}
        format={ERRORS_BY_UPSTREAM.format}
        isWhole
        {...shared}
      />
    </div>
  )
}

interface SpansProps {
  readonly range: ReturnType<typeof toRange>
  onChoose(id: string): void
  onReset(): void
}

function Spans({ range, onChoose, onReset }: SpansProps): ReactElement {
  return (
    <div
      role="group"
      aria-label="Time"
      className="flex items-center rounded-md border border-line-strong"
    >
      {SPANS.map(({ id, says }) => (
        <button
          key={id}
          type="button"
          aria-pressed={range.id === id}
          onClick={() => onChoose(id)}
          className={classes(
            'h-[26px] px-2 text-xs whitespace-nowrap first:rounded-l-md last:rounded-r-md',
            range.id === id ? 'bg-selected font-medium' : 'text-muted hover:bg-hover',
          )}
        >
          {says}
        </button>
      ))}
      {range.id === undefined ? (
        <button
          type="button"
          onClick={onReset}
          className="h-[26px] rounded-r-md bg-selected px-2 text-xs font-medium"
        >
          Own time ×
        </button>
      ) : null}
    </div>
  )
}

function Trouble({
  error,
  onRetry,
}: {
  readonly error: Error
  readonly onRetry: () => void
}): ReactElement {
  if (error instanceof ApiError && error.status === 503)
    return (
      <Empty icon="overview" title="No figures">
        <p className="verbatim">{error.message}</p>
      </Empty>
    )
  return <Failed error={error} onRetry={onRetry} />
}

function Nothing({
  isFiltered,
  onWider,
}: {
  readonly isFiltered: boolean
  readonly onWider: () => void
}): ReactElement {
  return (
    <Empty icon="overview" title="Nothing in this time">
      <p>
        {isFiltered
          ? 'No exchange fits the filter in this time or the one before.'
          : 'Figures appear here as soon as a client has used the gateway.'}
      </p>
      <div className="flex gap-2">
        <Button onClick={onWider}>Look at 30 days</Button>
        <Button look="primary" onClick={() => go(toHref('settings', ['connect']))}>
          Connect a client
        </Button>
      </div>
    </Empty>
  )
}

/** Moves on by whole steps, so that nothing is asked anew in between. */
function useRange(query: Readonly<Record<string, string>>): ReturnType<typeof toRange> {
  const { isRunning, step } = toRange(query, Date.now())
  const now = useNow(
    isRunning
      ? Math.min(step, Number(refreshMs({ isRunning, step, since: 0, until: 0 })) || step)
      : 60_000,
  )
  const at = Math.ceil(now / step)
  return useMemo(() => toRange(query, now), [query, at, isRunning])
}

/** The time is chosen above, so it is no filter here. */
function fromTime(query: Readonly<Record<string, string>>): ReturnType<typeof fromAddress> {
  const { since: _since, until: _until, is: _is, ...rest } = fromAddress(query)
  return rest
}

function kept(
  query: Readonly<Record<string, string>>,
): Readonly<Record<string, string | undefined>> {
  const { range, from, to, by, as, table } = query
  return { range, from, to, by, as, table }
}
