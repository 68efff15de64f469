/** A block of an answer with what was decided of it, what the agent got instead, and what came back for a call. */
import { memo, type ReactElement } from 'react'
import { BlockCard, Thinking } from '../blocks/block-card.tsx'
import { ResultText } from '../blocks/part-view.tsx'
import { showHidden, showName } from '../blocks/plain.ts'
import { TextDiff } from '../blocks/text-diff.tsx'
import { Verbatim } from '../blocks/verbatim.tsx'
import { toHref } from '../core/route.ts'
import { isActing, type AnswerRow, type AnyVerdict } from '../exchange/answer-model.ts'
import { toRule, toVerdictWord } from '../exchange/answer-words.ts'
import { Badge, toVerdictTone, VerdictBadge, type Tone } from '../kit/badge.tsx'
import { classes } from '../kit/classes.ts'
import { Icon } from '../kit/icons.tsx'
import type { Result } from './turn-input.ts'

interface TurnBlockProps {
  readonly row: AnswerRow
  readonly result: Result | undefined
  readonly isLive: boolean
  readonly memory: string
}

export const TurnBlock = memo(function TurnBlock({
  row,
  result,
  isLive,
  memory,
}: TurnBlockProps): ReactElement | null {
  const { block, instead, verdicts } = row
  const shown = block ?? instead[0]
  if (shown === undefined) return null
  const acting = verdicts.filter(isActing)
  if (verdicts.length === 0 && block !== undefined && row.change === 'same') {
    if (block.type === 'text')
      return <Verbatim text={block.content} isLive={isLive} memory={memory} />
    if (block.type === 'thinking')
      return (
        <Thinking text={block.content} isLive={isLive} label={<ThinkingLabel />} memory={memory} />
      )
  }
  return (
    <div
      data-acted={acting.length > 0 ? '' : undefined}
      tabIndex={acting.length > 0 ? -1 : undefined}
      className="min-w-0 rounded-md"
    >
      <BlockCard
        block={shown}
        isLive={isLive}
        isFlat
        memory={memory}
        marks={<Marks row={row} acting={acting} />}
      >
        {acting.map((verdict, at) => (
          <VerdictNote key={at} verdict={verdict} />
        ))}
        <Instead row={row} />
        {result === undefined ? null : <Came result={result} memory={`${memory} result`} />}
      </BlockCard>
    </div>
  )
})

const ThinkingLabel = (): ReactElement => (
  <span className="flex items-center gap-1.5">
    <span className="text-thinking">
      <Icon name="thinking" size={14} />
    </span>
    Thinking
  </span>
)

function Marks({
  row,
  acting,
}: {
  readonly row: AnswerRow
  readonly acting: readonly AnyVerdict[]
}): ReactElement {
  const shadow = row.verdicts.filter(({ isShadow, type }) => isShadow && type !== 'pass')
  return (
    <>
      {row.block === undefined ? <Badge tone="warn">put in by a policy</Badge> : null}
      {[...acting, ...shadow].map((verdict, at) => (
        <VerdictBadge key={at} type={verdict.type} isShadow={verdict.isShadow} />
      ))}
    </>
  )
}

const RULES: Readonly<Record<Tone, string>> = {
  plain: 'border-line-strong',
  accent: 'border-accent',
  ok: 'border-ok',
  warn: 'border-warn',
  bad: 'border-bad',
  hold: 'border-hold',
  thinking: 'border-thinking',
}

/** Who decided, and why. */
export function VerdictNote({ verdict }: { readonly verdict: AnyVerdict }): ReactElement {
  const rule = toRule(verdict)
  return (
    <p
      className={classes(
        'verbatim mt-1.5 border-l-2 pl-2 text-xs',
        RULES[verdict.type === 'error' ? 'bad' : toVerdictTone(verdict.type)],
      )}
    >
      <b className="font-semibold">{toWord(verdict)}</b>{' '}
      <span className="text-muted">
        by {rule === undefined ? '' : `rule ${rule} of `}
        <a
          href={toHref('policies', [verdict.policy])}
          className="underline decoration-line-strong underline-offset-2 hover:text-ink"
        >
          {showName(verdict.policy)}
        </a>
        {verdict.by === undefined ? '' : `, ${showName(verdict.by)}`}
      </span>
      {verdict.reason === undefined ? '' : `: ${showHidden(verdict.reason)}`}
    </p>
  )
}

/** The words have an object elsewhere; here the block above is it. */
const toWord = (verdict: AnyVerdict): string =>
  toVerdictWord(verdict).replace(/ (?:of|about|on)$/, '')

const MAX_DIFF = 8000

function Instead({ row }: { readonly row: AnswerRow }): ReactElement | null {
  const { block, instead, change } = row
  const [only] = instead
  if (block === undefined || change === 'same') return null
  const isShort = block.content.length + (only?.content.length ?? 0) < MAX_DIFF
  return (
    <div className="mt-1.5">
      <h4 className="text-2xs font-medium text-muted">
        {only === undefined ? 'The agent got nothing in its place' : 'The agent got instead'}
      </h4>
      {change === 'changed' && only !== undefined && isShort ? (
        <TextDiff before={block.content} after={only.content} isBare />
      ) : (
        instead.map((one, at) => (
          <div key={at} className="min-w-0 text-xs">
            {one.name === undefined || one.name === '' ? null : (
              <span className="font-mono font-semibold">{showName(one.name)} </span>
            )}
            <Verbatim text={one.content} lines={12} isMono={one.type === 'tool-call'} />
          </div>
        ))
      )}
    </div>
  )
}

/** What came back for a call. */
function Came({
  result,
  memory,
}: {
  readonly result: Result
  readonly memory: string
}): ReactElement {
  return (
    <div
      role="group"
      aria-label={result.isError ? 'Result, an error' : 'Result'}
      className="mt-1.5 flex min-w-0 gap-2 border-t border-dashed border-line pt-1.5"
    >
      <span
        title={result.isError ? 'What came back: an error' : 'What came back'}
        className={classes('pt-0.5', result.isError ? 'text-bad' : 'text-faint')}
      >
        <Icon name={result.isError ? 'warn' : 'back'} size={13} />
      </span>
      <div className="min-w-0 flex-1 text-muted">
        {result.isError ? <Badge tone="bad">error</Badge> : null}
        <ResultText text={result.text} memory={memory} />
      </div>
    </div>
  )
}
