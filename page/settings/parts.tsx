/** What the tabs of settings are made of: a part with a heading, facts in two columns, a text to copy. */
import type { ReactElement, ReactNode } from 'react'
import { CopyButton } from '../kit/copy.tsx'

export function Part({
  title,
  says,
  end,
  children,
}: {
  readonly title: string
  readonly says?: ReactNode
  readonly end?: ReactNode
  readonly children?: ReactNode
}): ReactElement {
  return (
    <section aria-label={title} className="border-b border-line px-4 py-4 last:border-b-0">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h2 className="text-sm font-semibold">{title}</h2>
          {says === undefined ? null : <p className="max-w-2xl text-xs text-muted">{says}</p>}
        </div>
        {end}
      </div>
      {children === undefined ? null : <div className="mt-3">{children}</div>}
    </section>
  )
}

export const Facts = ({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ReactNode])[]
}): ReactElement => (
  <dl className="grid max-w-3xl gap-x-8 text-xs md:grid-cols-2">
    {facts.map(([name, value]) => (
      <div key={name} className="flex min-h-7 min-w-0 items-baseline gap-3 py-1">
        <dt className="w-32 shrink-0 text-faint">{name}</dt>
        <dd className="tabular min-w-0 flex-1 break-words">{value}</dd>
      </div>
    ))}
  </dl>
)

/** A text that is meant to be taken along. */
export function Copyable({
  title,
  text,
  onCopied,
}: {
  readonly title: string
  readonly text: string
  onCopied?(): void
}): ReactElement {
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 text-xs text-muted">{title}</figcaption>
      <div className="flex min-w-0 items-start gap-1 rounded-md bg-raised py-1 pr-1 pl-3">
        <pre className="verbatim min-w-0 flex-1 py-1 font-mono text-xs">{text}</pre>
        <CopyButton
          text={text}
          label={`Copy: ${title}`}
          isSmall
          {...(onCopied === undefined ? {} : { onCopied })}
        />
      </div>
    </figure>
  )
}
