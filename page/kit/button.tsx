/** What can be pressed. `primary` once per view at most; `danger` for what stops or takes away something. */
import type { ButtonHTMLAttributes, ReactElement, ReactNode } from 'react'
import { classes } from './classes.ts'
import { Icon, type IconName } from './icons.tsx'

type Look = 'primary' | 'plain' | 'quiet' | 'danger'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: Look
  readonly icon?: IconName
  readonly children?: ReactNode
}

const LOOKS: Readonly<Record<Look, string>> = {
  primary: 'bg-accent text-on-accent border-transparent hover:opacity-90',
  plain: 'bg-surface text-ink border-line-strong hover:bg-hover',
  quiet: 'bg-transparent text-muted border-transparent hover:bg-hover hover:text-ink',
  danger: 'bg-bad text-on-bad border-transparent hover:opacity-90',
}

export function Button({
  look = 'plain',
  icon,
  children,
  className,
  ...rest
}: ButtonProps): ReactElement {
  return (
    <button
      type="button"
      className={classes(
        'inline-flex h-7 shrink-0 items-center justify-center gap-1.5 rounded-md border px-2.5 text-xs font-medium whitespace-nowrap disabled:opacity-50',
        LOOKS[look],
        className,
      )}
      {...rest}
    >
      {icon === undefined ? null : <Icon name={icon} size={14} />}
      {children}
    </button>
  )
}

/** A picture alone: the label is what a screen reader says and what the pointer shows. */
export function IconButton({
  icon,
  label,
  className,
  ...rest
}: Omit<ButtonProps, 'look' | 'children'> & {
  readonly icon: IconName
  readonly label: string
}): ReactElement {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={classes(
        'inline-flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink disabled:opacity-50',
        className,
      )}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  )
}
