/** One of a few ways to look at something: a row of radio buttons that looks like a switch. Arrows move. */
import { useId, type ReactElement, type ReactNode } from 'react'
import { classes } from './classes.ts'

interface Option<T extends string> {
  readonly id: T
  readonly label: ReactNode
  readonly title?: string
  readonly isDisabled?: boolean
}

interface ChoiceProps<T extends string> {
  readonly label: string
  readonly options: readonly Option<NoInfer<T>>[]
  readonly selected: T
  onSelect(id: NoInfer<T>): void
}

export function Choice<T extends string>({
  label,
  options,
  selected,
  onSelect,
}: ChoiceProps<T>): ReactElement {
  const group = useId()
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className="inline-flex h-7 shrink-0 rounded-md border border-line-strong bg-surface p-px"
    >
      {options.map(({ id, label: says, title, isDisabled = false }) => (
        <label
          key={id}
          title={title}
          className={classes(
            'relative inline-flex cursor-pointer items-center gap-1 rounded-[5px] px-2 text-xs font-medium whitespace-nowrap',
            'has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-accent',
            id === selected ? 'bg-accent-soft text-accent' : 'text-muted hover:text-ink',
            isDisabled && 'pointer-events-none opacity-50',
          )}
        >
          <input
            type="radio"
            name={group}
            value={id}
            checked={id === selected}
            disabled={isDisabled}
            onChange={() => onSelect(id)}
            className="absolute inset-0 cursor-pointer appearance-none rounded outline-none"
          />
          {says}
        </label>
      ))}
    </div>
  )
}
