/** A word or two in a colour that says how things are. Colour is never all that says it. */
import type { ReactElement, ReactNode } from 'react'
import { classes } from './classes.ts'

export type Tone = 'plain' | 'accent' | 'ok' | 'warn' | 'bad' | 'hold' | 'thinking'

const TONES: Readonly<Record<Tone, string>> = {
  plain: 'bg-raised text-muted',
  accent: 'bg-accent-soft text-accent',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  hold: 'bg-hold-soft text-hold',
  thinking: 'bg-thinking-soft text-thinking',
}

interface BadgeProps {
  readonly tone?: Tone
  readonly title?: string | undefined
  readonly className?: string
  readonly children: ReactNode
}

export function Badge({ tone = 'plain', title, className, children }: BadgeProps): ReactElement {
  return (
    <span
      title={title}
      className={classes(
        'inline-flex h-[18px] max-w-full items-center gap-1 truncate rounded px-1.5 text-2xs font-medium whitespace-nowrap',
        TONES[tone],
        className,
      )}
    >
      {children}
    </span>
  )
}

/** Verdicts have the same colour wherever they stand. */
const VERDICT_TONES: Readonly<Record<string, Tone>> = {
  pass: 'ok',
  deny: 'bad',
  halt: 'bad',
  replace: 'warn',
  rewrite: 'warn',
  redact: 'warn',
  ask: 'hold',
}

export const toVerdictTone = (type: string): Tone => VERDICT_TONES[type] ?? 'plain'

export function VerdictBadge({
  type,
  isShadow = false,
  title = isShadow ? `In shadow: would have been ${type}` : type,
  children,
}: {
  readonly type: string
  readonly isShadow?: boolean
  readonly title?: string
  readonly children?: ReactNode
}): ReactElement {
  return (
    <Badge
      tone={isShadow ? 'plain' : toVerdictTone(type)}
      title={title}
      className={isShadow ? 'border border-dashed border-line-strong' : ''}
    >
      {isShadow ? `would ${type}` : type}
      {children}
    </Badge>
  )
}
