/** A row of tabs: arrows move, as screen readers expect. */
import type { KeyboardEvent, ReactElement, ReactNode } from 'react'
import { classes } from './classes.ts'

export interface Tab<T extends string> {
  readonly id: T
  readonly label: ReactNode
  /** A number or a mark behind the label. */
  readonly mark?: ReactNode
}

interface TabsProps<T extends string> {
  readonly label: string
  readonly tabs: readonly Tab<T>[]
  readonly selected: T
  onSelect(id: T): void
}

export function Tabs<T extends string>({
  label,
  tabs,
  selected,
  onSelect,
}: TabsProps<T>): ReactElement {
  function move(event: KeyboardEvent<HTMLDivElement>): void {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const at = tabs.findIndex(({ id }) => id === selected)
    const next = tabs[(at + step + tabs.length) % tabs.length]
    if (next === undefined) return
    onSelect(next.id)
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus()
  }

  return (
    <div
      role="tablist"
      aria-label={label}
      onKeyDown={move}
      className="flex gap-0.5 overflow-x-auto border-b border-line px-2"
    >
      {tabs.map(({ id, label: says, mark }) => (
        <button
          key={id}
          type="button"
          role="tab"
          data-tab={id}
          aria-selected={id === selected}
          tabIndex={id === selected ? 0 : -1}
          onClick={() => onSelect(id)}
          className={classes(
            '-mb-px flex h-9 items-center gap-1.5 border-b-2 px-2.5 text-xs font-medium whitespace-nowrap',
            id === selected
              ? 'border-accent text-ink'
              : 'border-transparent text-muted hover:text-ink',
          )}
        >
          {says}
          {mark === undefined ? null : <span className="text-faint">{mark}</span>}
        </button>
      ))}
    </div>
  )
}
