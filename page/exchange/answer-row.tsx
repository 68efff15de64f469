/**
 * One block of an answer with what was decided of it, and what left in its place. Neighbours: `blocks/block-card.tsx` shows
 * the block itself. Drawn again only when something of this very block has changed.
 */
import { memo, type ReactElement, type ReactNode } from 'react'
import { BlockCard } from '../blocks/block-card.tsx'
import { showHidden } from '../blocks/plain.ts'
import { TextDiff } from '../blocks/text-diff.tsx'
import { toDuration } from '../core/format.ts'
import { useNow } from '../core/now.ts'
import { toHref } from '../core/route.ts'
import { Badge, VerdictBadge } from '../kit/badge.tsx'
import { Icon } from '../kit/icons.tsx'
import { isActing, type AnswerRow, type AnyVerdict } from './answer-model.ts'

export interface AnswerRowProps {
  readonly row: AnswerRow
  /** It is still coming. */
  readonly isLive: boolean
  /** It waits for a verdict: since when, by the clock of this browser. */
  readonly heldSince: number | undefined
  /** The ticket of a person who is asked. */
  readonly ticket: string | undefined
  /** By which it is remembered what was unfolded. */
  readonly memory: string
}

export const AnswerRowView = memo(function AnswerRowView(props: AnswerRowProps): ReactElement {
  const { row, isLive, heldSince, ticket, memory } = props
  const { block, instead } = row
  const shown = block ?? instead[0]
  return (
    <div data-block={row.key} tabIndex={-1} className="rounded-md">
      {shown === undefined ? null : (
        <BlockCard block={shown} isLive={isLive} memory={memory} marks={<Marks {...props} />}>
          {ticket === undefined ? null : <Asked ticket={ticket} />}
          <Instead row={row} />
        </BlockCard>
      )}
      {heldSince === undefined ? null : <span className="sr-only">This block is held</span>}
    </div>
  )
}, isSame)

function isSame(one: AnswerRowProps, other: AnswerRowProps): boolean {
  return (
    one.isLive === other.isLive &&
    one.heldSince === other.heldSince &&
    one.ticket === other.ticket &&
    one.row.block === other.row.block &&
    one.row.change === other.row.change &&
    areSame(one.row.instead, other.row.instead) &&
    areSame(one.row.verdicts, other.row.verdicts)
  )
}

const areSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((item, at) => item === other[at])

function Marks({ row, heldSince }: AnswerRowProps): ReactElement {
  return (
    <>
      {row.block === undefined ? <Badge tone="warn">put in by a policy</Badge> : null}
      {row.verdicts.filter(isTelling).map((verdict, at) => (
        <VerdictBadge key={at} type={verdict.type} isShadow={verdict.isShadow} />
      ))}
      {heldSince === undefined ? null : <HeldClock since={heldSince} />}
    </>
  )
}

const isTelling = (verdict: AnyVerdict): boolean =>
  isActing(verdict) || (verdict.isShadow && verdict.type !== 'pass')

/** What is over at once was never seen to wait. */
const SHOWN_AFTER_MS = 250

function HeldClock({ since }: { readonly since: number }): ReactElement | null {
  const now = useNow(100)
  if (now - since < SHOWN_AFTER_MS) return null
  return (
    <Badge tone="hold" title="It has come, and leaves when a policy has decided">
      <Icon name="clock" size={11} />
      <span>
        held <span className="tabular">{toDuration(now - since)}</span>
      </span>
    </Badge>
  )
}

const Asked = ({ ticket }: { readonly ticket: string }): ReactElement => (
  <p className="pt-1.5 text-xs text-hold">
    A person is asked.{' '}
    <a href={toHref('approvals', [ticket])} className="font-medium underline underline-offset-2">
      Decide in Approvals
    </a>
  </p>
)

/** Long ones are compared in a tab of their own. */
const MAX_DIFF = 4000

function Instead({ row }: { readonly row: AnswerRow }): ReactElement | null {
  const { block, instead, change } = row
  const [only] = instead
  if (block === undefined || change === 'same') return null
  if (only === undefined) return <Said title="The agent got nothing in its place">{undefined}</Said>
  const isShort = block.content.length + only.content.length < MAX_DIFF
  if (change === 'changed')
    return (
      <Said title="Changed on its way: as it came, and as the agent got it">
        {isShort ? (
          <TextDiff before={block.content} after={only.content} />
        ) : (
          'It is long: see Compare.'
        )}
      </Said>
    )
  return (
    <Said title="The agent got instead">
      {instead.map(({ name, content }, at) => (
        <p key={at} className="verbatim">
          {name === undefined || name === '' ? '' : `${showHidden(name)} `}
          {showHidden(content)}
        </p>
      ))}
    </Said>
  )
}

function Said({
  title,
  children,
}: {
  readonly title: string
  readonly children: ReactNode
}): ReactElement {
  return (
    <div className="mt-2 border-t border-dashed border-line-strong pt-1.5 text-xs">
      <h4 className="pb-0.5 text-2xs font-medium text-muted">{title}</h4>
      {children}
    </div>
  )
}
