/** A button that is on or off. */
import type { ButtonHTMLAttributes, ReactElement } from 'react'
import { classes } from '../kit/classes.ts'
import { Icon, type IconName } from '../kit/icons.tsx'

interface ToggleProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly isOn: boolean
  readonly icon?: IconName
  readonly tone?: 'accent' | 'warn'
}

const TONES = { accent: 'bg-selected text-accent', warn: 'bg-warn-soft text-warn' } as const

export function Toggle({
  isOn,
  icon,
  tone = 'accent',
  children,
  className,
  ...rest
}: ToggleProps): ReactElement {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      className={classes(
        'inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md px-2 text-xs font-medium whitespace-nowrap',
        isOn ? TONES[tone] : 'text-muted hover:bg-hover hover:text-ink',
        className,
      )}
      {...rest}
    >
      {icon === undefined ? null : <Icon name={icon} size={14} />}
      {children}
    </button>
  )
}
