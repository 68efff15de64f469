/**
 * As it came against as it left, block by block, with what was decided between them. Neighbours: `answer-model.ts` pairs the
 * blocks, `blocks/text-diff.tsx` shows what differs within one. Only shown where something else was delivered.
 */
import { useState, type ReactElement } from 'react'
import { BlockCard } from '../blocks/block-card.tsx'
import { firstLine, showName } from '../blocks/plain.ts'
import { TextDiff } from '../blocks/text-diff.tsx'
import { plural } from '../core/format.ts'
import { Badge, VerdictBadge } from '../kit/badge.tsx'
import { Icon } from '../kit/icons.tsx'
import { isActing, type AnswerRow, type AnyVerdict } from './answer-model.ts'
import type { AnswerShown } from './answer-shown.ts'
import { toRule } from './answer-words.ts'
import { toBlockLabel } from './waterfall-scale.ts'

export function Compare({ shown }: { readonly shown: AnswerShown }): ReactElement {
  const { rows } = shown
  const changed = rows.filter(({ change }) => change !== 'same').length
  return (
    <div className="@container flex flex-col">
      <div className="sticky top-0 z-10 grid grid-cols-2 border-b border-line bg-surface text-xs font-medium @max-xl:hidden">
        <h3 className="px-3 py-1.5">As it came from the upstream</h3>
        <h3 className="border-l border-line px-3 py-1.5">As it was delivered</h3>
      </div>
      <p className="px-3 py-1.5 text-xs text-muted">
        {plural(changed, 'block')} of {rows.length} {changed === 1 ? 'differs' : 'differ'}
      </p>
      {rows.map((row) =>
        row.change === 'same' ? (
          <Same key={row.key} row={row} />
        ) : (
          <Different key={row.key} row={row} verdicts={row.verdicts} />
        ),
      )}
    </div>
  )
}

function Same({ row }: { readonly row: AnswerRow }): ReactElement {
  const [isOpen, setOpen] = useState(false)
  const { block } = row
  if (block === undefined) return <></>
  return (
    <div className="border-t border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex h-7 w-full items-center gap-2 px-3 text-left text-xs text-muted hover:bg-hover"
      >
        <Icon name={isOpen ? 'down' : 'right'} size={12} />
        <span className="shrink-0 font-medium">{toBlockLabel(block)}</span>
        <span className="min-w-0 flex-1 truncate text-faint">{firstLine(block.content)}</span>
        <span className="shrink-0 text-faint">the same</span>
      </button>
      {isOpen ? (
        <div className="px-3 pb-2">
          <BlockCard block={block} />
        </div>
      ) : null}
    </div>
  )
}

function Different({
  row,
  verdicts,
}: {
  readonly row: AnswerRow
  readonly verdicts: readonly AnyVerdict[]
}): ReactElement {
  const { block, instead, change } = row
  const [left] = instead
  return (
    <section
      aria-label={`${block === undefined ? 'Added' : toBlockLabel(block)}: ${change}`}
      className="border-t border-line"
    >
      <Between row={row} verdicts={verdicts.filter(isActing)} />
      {change === 'changed' && block !== undefined && left !== undefined ? (
        <div className="px-3 pb-3">
          <TextDiff before={toReadable(block)} after={toReadable(left)} isSplit />
        </div>
      ) : (
        <div className="grid grid-cols-1 gap-2 px-3 pb-3 @xl:grid-cols-2">
          <div className="min-w-0">
            <SideTitle>As it came</SideTitle>
            {block === undefined ? (
              <Nothing>Nothing stood here</Nothing>
            ) : (
              <BlockCard block={block} />
            )}
          </div>
          <div className="flex min-w-0 flex-col gap-2">
            <SideTitle>As it was delivered</SideTitle>
            {instead.length === 0 ? <Nothing>It was taken out</Nothing> : null}
            {instead.map((one, at) => (
              <BlockCard key={at} block={one} />
            ))}
          </div>
        </div>
      )}
    </section>
  )
}

/** In a narrow place the two stand below one another, and the head of the columns is not there. */
const SideTitle = ({ children }: { readonly children: string }): ReactElement => (
  <h4 className="pb-1 text-2xs font-medium text-muted @xl:hidden">{children}</h4>
)

const Nothing = ({ children }: { readonly children: string }): ReactElement => (
  <p className="rounded-md border border-dashed border-line-strong px-3 py-2 text-xs text-faint">
    {children}
  </p>
)

const CHANGES = { changed: 'changed', removed: 'not delivered', added: 'put in', same: 'the same' }

function Between({
  row,
  verdicts,
}: {
  readonly row: AnswerRow
  readonly verdicts: readonly AnyVerdict[]
}): ReactElement {
  const block = row.block ?? row.instead[0]
  return (
    <header className="flex flex-wrap items-center gap-x-2 gap-y-1 px-3 py-1.5 text-xs">
      <span className="max-w-60 truncate font-medium">
        {block === undefined ? '' : toBlockLabel(block)}
      </span>
      {verdicts.length === 0 ? <Badge tone="warn">{CHANGES[row.change]}</Badge> : null}
      {verdicts.map((verdict, at) => (
        <span key={at} className="flex min-w-0 flex-wrap items-center gap-x-1.5 text-muted">
          <VerdictBadge type={verdict.type} />
          {toRule(verdict) === undefined ? '' : `rule ${toRule(verdict)} of `}
          {showName(verdict.policy)}
          {verdict.reason === undefined ? '' : ` — ${showName(verdict.reason)}`}
        </span>
      ))}
    </header>
  )
}

const MAX_PRETTY = 200_000

/** Arguments one to a line: in one long line nobody sees what differs. */
function toReadable({
  type,
  content,
}: {
  readonly type: string
  readonly content: string
}): string {
  if (type !== 'tool-call' || content.length > MAX_PRETTY) return content
  try {
    return JSON.stringify(JSON.parse(content), undefined, 2)
  } catch {
    return content
  }
}
