/** Names and values in two columns, dense; a value that is a text of somebody else is shown as it is. */
import type { ReactElement, ReactNode } from 'react'
import { showName } from '../blocks/plain.ts'
import { classes } from '../kit/classes.ts'

interface PairsProps {
  readonly pairs: readonly (readonly [name: string, value: ReactNode])[]
  /** Names as well as values: fields and headers. */
  readonly isMono?: boolean
}

export function Pairs({ pairs, isMono = false }: PairsProps): ReactElement {
  return (
    <dl
      className={classes(
        'grid grid-cols-1 text-xs @2xl:grid-cols-2 @2xl:gap-x-8',
        isMono && 'font-mono',
      )}
    >
      {pairs.map(([name, value]) => (
        <div key={name} className="flex min-h-6 min-w-0 items-baseline gap-3 py-0.5">
          <dt className="w-32 shrink-0 truncate text-faint @max-sm:w-24" title={name}>
            {showName(name)}
          </dt>
          <dd className="tabular min-w-0 flex-1 break-words">
            {typeof value === 'string' ? showName(value) : value}
          </dd>
        </div>
      ))}
    </dl>
  )
}
