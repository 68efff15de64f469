/** What the lines in the list come to, as at the foot of a network panel. */
import { memo, useMemo, type ReactElement } from 'react'
import { plural, toCost, toCount } from '../core/format.ts'
import { classes } from '../kit/classes.ts'
import type { LiveRow } from './row.ts'
import { toTotals } from './totals.ts'

interface FootProps {
  readonly rows: readonly LiveRow[]
  /** There are more below than are loaded. */
  readonly hasMore: boolean
}

export const Foot = memo(function Foot({ rows, hasMore }: FootProps): ReactElement {
  const { shown, open, denied, errors, input, output, cost } = useMemo(() => toTotals(rows), [rows])
  return (
    <footer
      aria-label="Summary"
      className="tabular flex h-7 shrink-0 items-center gap-x-4 overflow-hidden border-t border-line bg-surface px-3 text-2xs whitespace-nowrap text-muted"
    >
      <span title={hasMore ? 'Scroll down for more' : undefined}>
        {toCount(shown)} shown{hasMore ? ', more below' : ''}
      </span>
      <Part count={open} says="open" tone="text-accent" />
      <Part count={denied} says="denied" tone="text-bad" />
      <Part count={errors} says={errors === 1 ? 'error' : 'errors'} tone="text-bad" />
      <span className="ml-auto max-sm:hidden" title="Tokens in and out">
        {plural(input, 'token')} in, {toCount(output)} out
      </span>
      {cost === undefined ? null : (
        <span className="max-sm:ml-auto" title="Cost of what is shown">
          {toCost(Math.round(cost))}
        </span>
      )}
    </footer>
  )
})

function Part({
  count,
  says,
  tone,
}: {
  readonly count: number
  readonly says: string
  readonly tone: string
}): ReactElement {
  return (
    <span className={classes(count > 0 && `font-medium ${tone}`)}>
      {toCount(count)} {says}
    </span>
  )
}
