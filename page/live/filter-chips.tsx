/** What the list is narrowed to, one chip each: pressed it can be changed, its cross takes it away. */
import type { ReactElement } from 'react'
import { showName } from '../blocks/plain.ts'
import { classes } from '../kit/classes.ts'
import { Icon } from '../kit/icons.tsx'
import { checkValue, FILTER_NAMES, type Filter, type FilterName } from './filter.ts'

interface FilterChipsProps {
  readonly filter: Filter
  onRemove(name: FilterName): void
  onEdit(name: FilterName): void
}

export function FilterChips({ filter, onRemove, onEdit }: FilterChipsProps): ReactElement {
  return (
    <>
      {FILTER_NAMES.map((name) => {
        const value = filter[name]
        return value === undefined ? null : (
          <Chip
            key={name}
            name={name}
            value={value}
            onRemove={() => onRemove(name)}
            onEdit={() => onEdit(name)}
          />
        )
      })}
    </>
  )
}

interface ChipProps {
  readonly name: FilterName
  readonly value: string
  onRemove(): void
  onEdit(): void
}

function Chip({ name, value, onRemove, onEdit }: ChipProps): ReactElement {
  const fault = checkValue(name, value)
  const says = `${name}:${showName(value)}`
  return (
    <span
      className={classes(
        'flex h-5 min-w-0 items-center rounded text-xs',
        fault === undefined
          ? 'max-w-60 bg-accent-soft text-accent'
          : 'max-w-80 bg-bad-soft text-bad',
      )}
    >
      <button
        type="button"
        title={fault ?? `Change ${says}`}
        aria-label={`Change ${says}`}
        onClick={onEdit}
        className="min-w-0 truncate pl-1.5"
      >
        <span className="opacity-75">{name}:</span>
        <span className="font-medium">{showName(value)}</span>
      </button>
      {fault === undefined ? null : (
        <span role="alert" title={fault} className="min-w-0 shrink-[9] truncate pl-2 text-2xs">
          {fault}
        </span>
      )}
      <button
        type="button"
        aria-label={`Remove ${says}`}
        title="Remove"
        onClick={onRemove}
        className="flex size-5 shrink-0 items-center justify-center rounded opacity-75 hover:opacity-100"
      >
        <Icon name="close" size={10} />
      </button>
    </span>
  )
}
