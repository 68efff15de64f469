/** Counts with a small bar each; a row opens to show examples. Neighbours: results and trials. */
import type { ReactElement, ReactNode } from 'react'
import { Name } from '../blocks/verbatim.tsx'
import { toCount } from '../core/format.ts'
import { OpenRow } from './open-row.tsx'

export interface CountRow {
  readonly id: string
  readonly badge: ReactNode
  /** A tool, a rule. */
  readonly names: readonly string[]
  readonly count: number
  /** What is behind it, drawn when it is opened. */
  examples(): ReactNode
}

export function CountRows({
  label,
  rows,
}: {
  readonly label: string
  readonly rows: readonly CountRow[]
}): ReactElement {
  const most = Math.max(...rows.map(({ count }) => count))
  return (
    <ul aria-label={label} className="border-t border-line">
      {rows.map(({ id, badge, names, count, examples }) => (
        <OpenRow
          key={id}
          line={
            <>
              <span className="flex w-28 shrink-0 max-sm:w-24">{badge}</span>
              <span className="flex min-w-0 flex-1 gap-2">
                {names.map((name, at) => (
                  <Name key={at} text={name} className={at === 0 ? 'font-medium' : 'text-muted'} />
                ))}
              </span>
              <span aria-hidden="true" className="flex w-32 shrink-0 max-sm:w-12">
                <span
                  className="h-1.5 min-w-0.5 rounded-full bg-line-strong"
                  style={{ width: `${(count / most) * 100}%` }}
                />
              </span>
              <span className="tabular w-12 shrink-0 text-right">{toCount(count)}</span>
            </>
          }
        >
          {examples}
        </OpenRow>
      ))}
    </ul>
  )
}
