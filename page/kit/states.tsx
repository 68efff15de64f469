/** Nothing here yet, something went wrong, something is on its way. Each says what to do next. */
import type { ReactElement, ReactNode } from 'react'
import { toSentence } from '../core/api.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icons.tsx'

export function Empty({
  icon = 'info',
  title,
  children,
}: {
  readonly icon?: IconName
  readonly title: string
  readonly children?: ReactNode
}): ReactElement {
  return (
    <div className="mx-auto flex max-w-lg flex-col items-center gap-2 px-6 py-14 text-center">
      <span className="mb-1 flex size-10 items-center justify-center rounded-full bg-raised text-faint">
        <Icon name={icon} size={18} />
      </span>
      <h2 className="text-base font-semibold">{title}</h2>
      <div className="flex flex-col items-center gap-3 text-sm text-muted">{children}</div>
    </div>
  )
}

export function Failed({
  error,
  onRetry,
}: {
  readonly error: unknown
  readonly onRetry?: () => void
}): ReactElement {
  return (
    <div
      role="alert"
      className="m-3 flex items-start gap-2 rounded-md bg-bad-soft px-3 py-2 text-sm text-bad"
    >
      <Icon name="warn" />
      <p className="verbatim min-w-0 flex-1">{toSentence(error)}</p>
      {onRetry === undefined ? null : <Button onClick={onRetry}>Try again</Button>}
    </div>
  )
}

/** Shown after a moment only: what is quick should not flicker. */
export function Loading({ what = 'Loading' }: { readonly what?: string }): ReactElement {
  return (
    <p role="status" className="loading px-4 py-8 text-center text-sm text-faint">
      {what} …
    </p>
  )
}
