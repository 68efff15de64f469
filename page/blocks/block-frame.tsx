/** The line above a block: what kind it is, whose, how long, when; and its content below. */
import type { ReactElement, ReactNode } from 'react'
import { classes } from '../kit/classes.ts'
import { Icon } from '../kit/icons.tsx'
import { toKind } from './block-kinds.ts'
import { showName } from './plain.ts'
import { Name } from './verbatim.tsx'

interface BlockFrameProps {
  readonly type: string
  readonly name?: string | undefined
  readonly marks?: ReactNode
  /** At the end of the line: lengths and times. */
  readonly facts?: ReactNode
  /** No border: the block stands in something that has one. */
  readonly isFlat?: boolean
  readonly children?: ReactNode
}

export function BlockFrame({
  type,
  name,
  marks,
  facts,
  isFlat = false,
  children,
}: BlockFrameProps): ReactElement {
  const kind = toKind(type)
  return (
    <article
      aria-label={name === undefined ? kind.label : `${kind.label} ${showName(name)}`}
      className={classes(
        'min-w-0',
        !isFlat && 'rounded-md border border-line bg-surface px-3 pt-1.5 pb-2.5',
      )}
    >
      <header className="@container flex min-h-6 min-w-0 items-center gap-2">
        <span className={classes('flex', kind.ink)}>
          <Icon name={kind.icon} size={14} />
        </span>
        <span className="shrink-0 text-xs font-medium text-muted">{kind.label}</span>
        {name === undefined || name === '' ? null : (
          <Name text={name} className="font-mono text-xs font-semibold" />
        )}
        {marks === undefined || marks === null ? null : (
          <span className="flex min-w-0 shrink-0 flex-wrap items-center gap-1">{marks}</span>
        )}
        {facts === undefined ? null : (
          <span className="tabular ml-auto flex shrink-0 gap-3 pl-2 text-2xs text-faint max-sm:hidden @max-xs:hidden">
            {facts}
          </span>
        )}
      </header>
      <div className="min-w-0 pl-[22px] max-sm:pl-0">{children}</div>
    </article>
  )
}
