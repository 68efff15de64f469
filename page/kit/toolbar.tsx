/** The head of a view: its name, what it shows, what can be done. */
import type { ReactElement, ReactNode } from 'react'

export function Toolbar({
  title,
  children,
  end,
  isFull = false,
}: {
  readonly title: ReactNode
  readonly children?: ReactNode
  readonly end?: ReactNode
  /** There is much in it: in a narrow window it has lines of its own. */
  readonly isFull?: boolean
}): ReactElement {
  return (
    <header className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line bg-surface px-3 py-1.5">
      <h1 className="text-sm font-semibold whitespace-nowrap">{title}</h1>
      <div
        className={`flex min-w-0 flex-1 flex-wrap items-center gap-2 ${isFull ? 'max-md:order-last max-md:basis-full' : ''}`}
      >
        {children}
      </div>
      {end === undefined ? null : <div className="ml-auto flex items-center gap-1.5">{end}</div>}
    </header>
  )
}

/** A box with a heading, for views that are made of several. */
export function Card({
  title,
  end,
  children,
  className = '',
}: {
  readonly title?: ReactNode
  readonly end?: ReactNode
  readonly children: ReactNode
  readonly className?: string
}): ReactElement {
  return (
    <section className={`min-w-0 rounded-lg border border-line bg-surface ${className}`}>
      {title === undefined ? null : (
        <header className="flex min-h-9 items-center justify-between gap-2 border-b border-line px-3 py-1">
          <h2 className="truncate text-xs font-semibold">{title}</h2>
          {end}
        </header>
      )}
      {children}
    </section>
  )
}

export const Kbd = ({ children }: { readonly children: ReactNode }): ReactElement => (
  <kbd className="inline-flex h-[18px] min-w-[18px] items-center justify-center rounded border border-line-strong bg-raised px-1 font-mono text-2xs text-muted">
    {children}
  </kbd>
)
