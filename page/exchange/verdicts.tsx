/**
 * What policies did, before everything else: which call, by which rule of which policy, why, and what the agent got
 * instead. Neighbours: `answer-words.ts` has the words, `answer-model.ts` the rows they are about.
 */
import { useState, type ReactElement } from 'react'
import { showHidden, showName } from '../blocks/plain.ts'
import { toDuration, plural } from '../core/format.ts'
import { toHref } from '../core/route.ts'
import { toVerdictTone, type Tone } from '../kit/badge.tsx'
import { classes } from '../kit/classes.ts'
import { Icon, type IconName } from '../kit/icons.tsx'
import { isActing, toNotable, type AnswerRow, type AnyVerdict } from './answer-model.ts'
import {
  toDeliveredText,
  toDetails,
  toOneLine,
  toRule,
  toSubject,
  toVerdictWord,
} from './answer-words.ts'

interface VerdictsProps {
  readonly verdicts: readonly AnyVerdict[]
  readonly rows: readonly AnswerRow[]
  onChoose(key: string): void
  /** Where something was changed that no verdict tells of. */
  readonly onCompare: (() => void) | undefined
}

/** So many are shown at once: the answer below them is wanted, too. */
const MAX_SHOWN = 2
const MAX_DELIVERED = 600

export function Verdicts(props: VerdictsProps): ReactElement | null {
  const { verdicts, rows, onChoose, onCompare } = props
  const [isWhole, setWhole] = useState(false)
  const notable = toNotable(verdicts)
  const unexplained = toUnexplained(rows)
  if (notable.length + unexplained.length === 0) return null
  const shown = isWhole ? notable : notable.slice(0, MAX_SHOWN)
  const hidden = notable.length - shown.length
  return (
    <section
      aria-label="What policies did"
      className="max-h-[50vh] shrink-0 overflow-y-auto border-b border-line"
    >
      <ul className="divide-y divide-line">
        {shown.map((verdict, at) => (
          <VerdictItem key={at} verdict={verdict} row={rowOf(rows, verdict)} onChoose={onChoose} />
        ))}
        {unexplained.length > 0 && onCompare !== undefined ? (
          <Unexplained rows={unexplained} onCompare={onCompare} />
        ) : null}
      </ul>
      {notable.length > MAX_SHOWN ? (
        <button
          type="button"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
          className="flex h-7 w-full items-center gap-1.5 border-t border-line px-3 text-xs text-muted hover:bg-hover hover:text-ink"
        >
          <Icon name={isWhole ? 'down' : 'right'} size={12} />
          {isWhole ? 'Show fewer' : `${plural(hidden, 'more verdict')}`}
        </button>
      ) : null}
    </section>
  )
}

/** Policies that change text while it streams say nothing of single changes. */
const toUnexplained = (rows: readonly AnswerRow[]): readonly AnswerRow[] =>
  rows.filter(({ change, verdicts }) => change !== 'same' && !verdicts.some(isActing))

function Unexplained({
  rows,
  onCompare,
}: {
  readonly rows: readonly AnswerRow[]
  onCompare(): void
}): ReactElement {
  return (
    <li className="flex flex-wrap items-center gap-x-1.5 border-l-2 border-l-warn bg-warn-soft px-3 py-1.5 text-xs">
      <span className="flex items-center gap-1.5 font-semibold text-warn">
        <Icon name="edit" size={13} />
        Changed
      </span>
      <span>{plural(rows.length, 'block')} on the way to the agent, while streaming.</span>
      <button
        type="button"
        onClick={onCompare}
        className="font-medium underline decoration-line-strong underline-offset-2 hover:decoration-current"
      >
        Compare
      </button>
    </li>
  )
}

const rowOf = (rows: readonly AnswerRow[], verdict: AnyVerdict): AnswerRow | undefined =>
  rows.find((row) => row.verdicts.includes(verdict))

const LOOKS: Readonly<Record<Tone, string>> = {
  plain: 'border-l-line-strong',
  accent: 'border-l-accent',
  ok: 'border-l-ok bg-ok-soft',
  warn: 'border-l-warn bg-warn-soft',
  bad: 'border-l-bad bg-bad-soft',
  hold: 'border-l-hold bg-hold-soft',
  thinking: 'border-l-thinking',
}

const INKS: Readonly<Record<Tone, string>> = {
  plain: 'text-muted',
  accent: 'text-accent',
  ok: 'text-ok',
  warn: 'text-warn',
  bad: 'text-bad',
  hold: 'text-hold',
  thinking: 'text-thinking',
}

const ICONS: Readonly<Record<AnyVerdict['type'], IconName>> = {
  pass: 'check',
  deny: 'halt',
  halt: 'stop',
  error: 'warn',
  ask: 'clock',
  replace: 'edit',
  rewrite: 'edit',
  change: 'edit',
}

const toTone = ({ type, isShadow }: AnyVerdict): Tone => {
  if (isShadow) return 'plain'
  if (type === 'error') return 'bad'
  return type === 'change' ? 'warn' : toVerdictTone(type)
}

interface ItemProps {
  readonly verdict: AnyVerdict
  readonly row: AnswerRow | undefined
  onChoose(key: string): void
}

function VerdictItem({ verdict, row, onChoose }: ItemProps): ReactElement {
  const tone = toTone(verdict)
  const original = verdict.original ?? row?.block?.content
  const key = row?.key
  return (
    <li
      className={classes(
        'flex flex-col gap-0.5 border-l-2 px-3 py-1.5 text-xs',
        LOOKS[tone],
        verdict.isShadow && 'border-dashed',
      )}
    >
      <p className="flex min-w-0 flex-wrap items-center gap-x-1.5">
        <span className={classes('flex items-center gap-1.5 font-semibold', INKS[tone])}>
          <Icon name={ICONS[verdict.type]} size={13} />
          {toVerdictWord(verdict)}
        </span>
        <Subject verdict={verdict} onChoose={key === undefined ? undefined : () => onChoose(key)} />
        {original === undefined || original === '' ? null : (
          <code
            className="max-w-full min-w-0 truncate font-mono text-xs"
            title={showHidden(original)}
          >
            {toOneLine(original)}
          </code>
        )}
        <Origin verdict={verdict} />
      </p>
      {verdict.reason === undefined ? null : (
        <p className="verbatim">
          <span className="text-muted">Because: </span>
          {showHidden(verdict.reason)}
        </p>
      )}
      <Delivered verdict={verdict} row={row} />
    </li>
  )
}

function Subject({
  verdict,
  onChoose,
}: {
  readonly verdict: AnyVerdict
  readonly onChoose: (() => void) | undefined
}): ReactElement {
  const subject = toSubject(verdict)
  return onChoose === undefined ? (
    <span className="max-w-48 truncate font-medium">{subject}</span>
  ) : (
    <button
      type="button"
      onClick={onChoose}
      title={`${subject}: go to the block`}
      className="max-w-48 truncate font-medium underline decoration-line-strong underline-offset-2 hover:decoration-current"
    >
      {subject}
    </button>
  )
}

function Origin({ verdict }: { readonly verdict: AnyVerdict }): ReactElement {
  const rule = toRule(verdict)
  const details = toDetails(verdict)
  return (
    <span className="text-muted">
      by{' '}
      {rule === undefined ? null : (
        <>
          rule <b className="font-semibold text-ink">{rule}</b> of{' '}
        </>
      )}
      policy{' '}
      <a
        href={toHref('policies', [verdict.policy])}
        className="font-semibold text-ink underline decoration-line-strong underline-offset-2 hover:decoration-current"
      >
        {showName(verdict.policy)}
      </a>
      {verdict.by === undefined ? null : `, decided by ${showName(verdict.by)}`}
      {verdict.tookMs >= 1 ? ` in ${toDuration(verdict.tookMs)}` : ''}
      {details.length === 0 ? '' : ` (${details.join(', ')})`}
    </span>
  )
}

/** Only where something else left: what passed is below. */
function Delivered({
  verdict,
  row,
}: {
  readonly verdict: AnyVerdict
  readonly row: AnswerRow | undefined
}): ReactElement | null {
  if (verdict.isShadow || verdict.type === 'pass') return null
  // What really left: a policy behind this one may have changed its words.
  const left = row?.instead.map(({ content }) => content).join('\n')
  const text = left === undefined || left === '' ? toDeliveredText(verdict) : left
  if (text === undefined || (text === '' && row?.change === 'same')) return null
  return (
    <p className="verbatim max-h-24 overflow-y-auto">
      <span className="text-muted">The agent got: </span>
      {text === '' ? 'nothing' : showHidden(text.slice(0, MAX_DELIVERED))}
      {text.length > MAX_DELIVERED ? '…' : ''}
    </p>
  )
}
