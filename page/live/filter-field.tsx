/**
 * One field to narrow a list by anything: words as `tool:Bash` and free text, with what could stand at the caret, and a chip for
 * each that holds. Neighbours: `filter-draft.ts` says when a word is whole, `filter-complete.ts` what is offered. Knows no
 * list: it is given a filter and what was seen.
 */
import { useId, useRef, useState, type KeyboardEvent, type ReactElement, type Ref } from 'react'
import { Icon } from '../kit/icons.tsx'
import { FilterChips } from './filter-chips.tsx'
import { complete, type Offer, type Seen } from './filter-complete.ts'
import { NO_DRAFT, takeAll, takeBack, takeWhole, type Draft, type Taken } from './filter-draft.ts'
import { FilterOffers, toOfferId } from './filter-offers.tsx'
import { FILTER_NAMES, isEmptyFilter, type Filter, type FilterName } from './filter.ts'

interface FilterFieldProps {
  readonly filter: Filter
  onChange(filter: Filter): void
  readonly seen: Seen
  readonly label?: string
  readonly ref?: Ref<HTMLInputElement>
}

export function FilterField({
  filter,
  onChange,
  seen,
  label = 'Filter',
  ref,
}: FilterFieldProps): ReactElement {
  const [draft, setDraft] = useState<Draft>(NO_DRAFT)
  const [caret, setCaret] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const input = useRef<HTMLInputElement>(null)
  const listId = useId()
  const found = isOpen ? complete(draft.typed, caret, seen) : undefined
  const offers = found?.offers ?? []

  function take({ filter: next, draft: rest }: Taken): void {
    if (next !== filter) onChange(next)
    setDraft(rest)
    setCaret(rest.typed.length)
    setActive(-1)
  }

  function accept(offer: Offer): void {
    if (found === undefined) return
    const { typed } = draft
    const whole = `${typed.slice(0, found.start)}${offer.text}${offer.isName ? '' : ' '}${typed.slice(found.end).trimStart()}`
    take(takeWhole(filter, whole))
    setOpen(offer.isName)
    input.current?.focus()
  }

  function edit(name: FilterName): void {
    take(takeBack(filter, name, draft.typed))
    input.current?.focus()
  }

  function remove(name: FilterName): void {
    const { [name]: _gone, ...rest } = filter
    onChange(rest)
    input.current?.focus()
  }

  function press(event: KeyboardEvent<HTMLInputElement>): void {
    if (pressed(event.key)) event.preventDefault()
  }

  /** Whether the key meant something here. */
  function pressed(key: string): boolean {
    const offer = offers[active]
    const last = FILTER_NAMES.findLast((name) => filter[name] !== undefined)
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      const step = key === 'ArrowDown' ? 1 : -1
      if (isOpen) setActive(((active + step + 1 + offers.length + 1) % (offers.length + 1)) - 1)
      else setOpen(true)
    } else if ((key === 'Enter' || key === 'Tab') && offer !== undefined) accept(offer)
    else if (key === 'Enter') {
      take(takeAll(filter, draft.typed))
      setOpen(false)
    } else if (key === 'Escape') {
      if (isOpen) setOpen(false)
      else input.current?.blur()
    } else if (key === 'Backspace' && draft.typed === '' && last !== undefined) edit(last)
    else return false
    return true
  }

  function note(element: HTMLInputElement): void {
    setCaret(element.selectionStart ?? element.value.length)
  }

  return (
    <div className="relative min-w-0 flex-1">
      <div
        className="flex min-h-7 flex-wrap items-center gap-1 rounded-md border border-line-strong bg-surface px-1.5 py-[3px] focus-within:border-accent"
        onClick={(event) => (event.target === event.currentTarget ? input.current?.focus() : null)}
      >
        <span className="text-faint">
          <Icon name="filter" size={14} />
        </span>
        <FilterChips filter={filter} onRemove={remove} onEdit={edit} />
        <div className="relative min-w-32 flex-1">
          <input
            ref={(element) => {
              input.current = element
              if (typeof ref === 'function') ref(element)
              else if (ref !== null && ref !== undefined) ref.current = element
            }}
            role="combobox"
            aria-label={label}
            aria-expanded={isOpen && offers.length > 0}
            aria-controls={isOpen && offers.length > 0 ? listId : undefined}
            aria-autocomplete="list"
            aria-activedescendant={active === -1 ? undefined : toOfferId(listId, active)}
            aria-invalid={draft.fault !== undefined}
            aria-describedby={draft.fault === undefined ? undefined : `${listId}-fault`}
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="off"
            value={draft.typed}
            placeholder={isEmptyFilter(filter) ? 'tool:Bash verdict:deny since:2h or any text' : ''}
            onChange={(event) => {
              take(takeWhole(filter, event.target.value))
              note(event.target)
              setOpen(true)
            }}
            onKeyUp={(event) => note(event.currentTarget)}
            onClick={(event) => note(event.currentTarget)}
            onFocus={() => setOpen(true)}
            onBlur={() => setOpen(false)}
            onKeyDown={press}
            className="h-5 w-full bg-transparent font-mono text-xs outline-none placeholder:font-sans placeholder:text-faint"
          />
          {draft.fault === undefined ? null : (
            <p
              id={`${listId}-fault`}
              role="alert"
              className="absolute top-6 z-30 max-w-80 rounded-md border border-bad bg-surface px-2 py-1 text-xs text-bad shadow-pop"
              style={{ left: toColumn(draft.fault.start) }}
            >
              {draft.fault.fault}
            </p>
          )}
          {offers.length === 0 || draft.fault !== undefined ? null : (
            <FilterOffers
              id={listId}
              offers={offers}
              active={active}
              left={toColumn(found?.start ?? 0)}
              onPick={accept}
            />
          )}
        </div>
      </div>
    </div>
  )
}

/** The field has letters of one width, so that a word's place is its number of letters. */
const toColumn = (letters: number): string => `min(${letters}ch, 60%)`
