/** The list below the filter field. It never takes the focus: the field keeps it, and says which one is active. */
import type { ReactElement } from 'react'
import { showName } from '../blocks/plain.ts'
import { classes } from '../kit/classes.ts'
import type { Offer } from './filter-complete.ts'

interface FilterOffersProps {
  readonly id: string
  readonly offers: readonly Offer[]
  readonly active: number
  readonly left: string
  onPick(offer: Offer): void
}

export const toOfferId = (id: string, at: number): string => `${id}-${at}`

export function FilterOffers({
  id,
  offers,
  active,
  left,
  onPick,
}: FilterOffersProps): ReactElement {
  return (
    <ul
      id={id}
      role="listbox"
      aria-label="Filters"
      style={{ left }}
      className="absolute top-6 z-30 max-h-80 w-max max-w-[min(28rem,85vw)] min-w-48 overflow-y-auto rounded-md border border-line-strong bg-surface py-1 shadow-pop"
    >
      {offers.map((offer, at) => (
        <li
          key={offer.text}
          id={toOfferId(id, at)}
          role="option"
          aria-selected={at === active}
          // Before the field loses the focus.
          onMouseDown={(event) => {
            event.preventDefault()
            onPick(offer)
          }}
          className={classes(
            'flex cursor-default items-baseline gap-3 px-2.5 py-1 text-xs',
            at === active ? 'bg-selected' : 'hover:bg-hover',
          )}
        >
          <span className={classes('shrink-0 truncate font-mono', offer.isName && 'w-24')}>
            {showName(offer.text)}
          </span>
          <span className="min-w-0 flex-1 truncate text-2xs text-faint">{offer.says}</span>
        </li>
      ))}
    </ul>
  )
}
