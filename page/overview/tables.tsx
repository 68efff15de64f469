/** Who and what the figures come from: by model, route or key, and what policies did to which tool. Rows lead to Live. */
import type { ReactElement } from 'react'
import { toCost, toCount, toDuration } from '../core/format.ts'
import { toHref } from '../core/route.ts'
import { VerdictBadge } from '../kit/badge.tsx'
import { classes } from '../kit/classes.ts'
import { Card } from '../kit/toolbar.tsx'
import type { SplitBy } from './data.ts'
import type { DenialRow, SumColumn, SumRow } from './rows.ts'
import { isValue } from './series.ts'

const COLUMNS: readonly {
  readonly id: SumColumn
  readonly label: string
  format(value: number): string
}[] = [
  { id: 'exchanges', label: 'Exchanges', format: toCount },
  { id: 'errors', label: 'Errors', format: toCount },
  { id: 'denied', label: 'Denied', format: toCount },
  { id: 'p50', label: 'p50', format: toDuration },
  { id: 'p99', label: 'p99', format: toDuration },
  { id: 'tokens', label: 'Tokens', format: toCount },
  { id: 'cost', label: 'Cost', format: toCost },
]

const TABLES: readonly { readonly id: SplitBy; readonly label: string }[] = [
  { id: 'model', label: 'Models' },
  { id: 'route', label: 'Routes' },
  { id: 'key', label: 'Keys' },
  { id: 'client', label: 'Clients' },
  { id: 'upstream', label: 'Upstreams' },
]

const MAX_ROWS = 50

interface SumsProps {
  readonly rows: readonly SumRow[]
  readonly by: SplitBy
  readonly column: SumColumn
  readonly since: number
  onBy(by: SplitBy): void
  onColumn(column: SumColumn): void
}

export function Sums({ rows, by, column, since, onBy, onColumn }: SumsProps): ReactElement {
  return (
    <Card
      title="Where it comes from"
      end={
        <div role="group" aria-label="By" className="flex gap-0.5 overflow-x-auto">
          {TABLES.map(({ id, label }) => (
            <button
              key={id}
              type="button"
              aria-pressed={id === by}
              onClick={() => onBy(id)}
              className={classes(
                'rounded px-1.5 py-0.5 text-xs whitespace-nowrap',
                id === by ? 'bg-selected font-medium' : 'text-muted hover:bg-hover',
              )}
            >
              {label}
            </button>
          ))}
        </div>
      }
    >
      <div className="overflow-x-auto">
        <table className="tabular w-full text-xs">
          <thead>
            <tr className="border-b border-line text-faint">
              <th className="px-3 py-1.5 text-left font-normal capitalize">{by}</th>
              {COLUMNS.map(({ id, label }) => (
                <th
                  key={id}
                  aria-sort={id === column ? 'descending' : 'none'}
                  className="px-2 py-1.5 text-right font-normal whitespace-nowrap"
                >
                  <button
                    type="button"
                    onClick={() => onColumn(id)}
                    className={classes('hover:text-ink', id === column && 'font-medium text-ink')}
                  >
                    {label}
                    {id === column ? ' ↓' : ''}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MAX_ROWS).map((row) => (
              <tr
                key={row.name ?? ''}
                className="border-b border-line last:border-0 hover:bg-hover"
              >
                <td className="max-w-60 truncate px-3 py-1.5" title={row.name}>
                  <Name by={by} name={row.name} since={since} />
                </td>
                {COLUMNS.map(({ id, format }) => (
                  <td
                    key={id}
                    className={classes(
                      'px-2 py-1.5 text-right whitespace-nowrap',
                      (id === 'errors' || id === 'denied') && row[id] > 0
                        ? 'text-bad'
                        : 'text-muted',
                    )}
                  >
                    {row[id] === undefined ? '–' : format(row[id])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length > MAX_ROWS ? (
          <p className="px-3 py-1.5 text-xs text-faint">and {rows.length - MAX_ROWS} more</p>
        ) : null}
      </div>
    </Card>
  )
}

function Name({
  by,
  name,
  since,
}: {
  readonly by: SplitBy
  readonly name: string | undefined
  readonly since: number
}): ReactElement {
  if (name === undefined || !isValue(name))
    return <span className="text-faint">{name ?? '(none)'}</span>
  return (
    <a
      href={toHref('live', [], { [by]: name, since })}
      className="hover:text-accent hover:underline"
    >
      {name}
    </a>
  )
}

export function Denials({
  rows,
  since,
}: {
  readonly rows: readonly DenialRow[]
  readonly since: number
}): ReactElement {
  const most = rows[0]?.count ?? 1
  return (
    <Card title="What policies did">
      {rows.length === 0 ? (
        <p className="px-3 py-4 text-xs text-faint">
          No policy acted in this time.{' '}
          <a href={toHref('policies')} className="text-accent hover:underline">
            Policies
          </a>
        </p>
      ) : (
        <table className="tabular w-full table-fixed text-xs">
          <thead className="sr-only">
            <tr>
              <th>Policy</th>
              <th>Tool</th>
              <th>Verdict</th>
              <th>How often</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MAX_ROWS).map((row) => (
              <tr
                key={`${row.policy} ${row.tool} ${row.type} ${row.isShadow}`}
                className="border-b border-line last:border-0 hover:bg-hover"
              >
                <td className="truncate px-3 py-1.5" title={row.policy}>
                  <a
                    href={toHref('live', [], {
                      policy: row.policy,
                      verdict: row.type,
                      tool: row.tool,
                      isShadow: row.isShadow ? 'true' : undefined,
                      since,
                    })}
                    className="hover:text-accent hover:underline"
                  >
                    {row.policy}
                  </a>
                </td>
                <td className="truncate px-2 py-1.5 font-mono text-2xs text-muted" title={row.tool}>
                  {row.tool ?? ''}
                </td>
                <td className="w-28 px-2 py-1.5">
                  <VerdictBadge type={row.type} isShadow={row.isShadow} />
                </td>
                <td className="w-32 px-3 py-1.5">
                  <span className="flex items-center gap-2">
                    <span
                      className="h-1.5 min-w-0.5 rounded-sm bg-line-strong"
                      style={{ width: `${(row.count / most) * 64}px` }}
                    />
                    {toCount(row.count)}
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  )
}
