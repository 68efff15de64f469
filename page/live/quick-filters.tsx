/** The filters that are wanted most often, one press each. */
import type { ReactElement } from 'react'
import type { Filter, FilterName } from './filter.ts'
import { Toggle } from './toggle.tsx'

const QUICK: readonly {
  readonly label: string
  readonly name: FilterName
  readonly value: string
  readonly says: string
}[] = [
  { label: 'Denied', name: 'verdict', value: 'deny', says: 'A policy has denied something' },
  { label: 'Errors', name: 'status', value: 'error', says: 'Everything that is no whole answer' },
  { label: 'Waiting', name: 'is', value: 'waiting', says: 'A person must decide' },
  { label: 'Open', name: 'is', value: 'open', says: 'Goes on now' },
]

interface QuickFiltersProps {
  readonly filter: Filter
  onChange(filter: Filter): void
}

export function QuickFilters({ filter, onChange }: QuickFiltersProps): ReactElement {
  return (
    <div role="group" aria-label="Quick filters" className="flex shrink-0">
      {QUICK.map(({ label, name, value, says }) => {
        const isOn = filter[name] === value
        return (
          <Toggle
            key={label}
            isOn={isOn}
            title={says}
            className="max-sm:px-1.5"
            onClick={() => {
              const { [name]: _before, ...rest } = filter
              onChange(isOn ? rest : { ...rest, [name]: value })
            }}
          >
            {label}
          </Toggle>
        )
      })}
    </div>
  )
}
