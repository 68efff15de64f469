/** What a trial found: how much would be different, by rule and tool, with examples of what was and what would be. */
import type { ReactElement } from 'react'
import type { BacktestResult, ChangeRow } from '../../src/replay/backtest-result.ts'
import type { ChangeKind } from '../../src/replay/compare-verdicts.ts'
import { Verbatim } from '../blocks/verbatim.tsx'
import { plural, toCost, toCount, toDuration } from '../core/format.ts'
import { Badge, toVerdictTone } from '../kit/badge.tsx'
import { CountRows } from './count-rows.tsx'
import { Example, Said } from './example.tsx'
import { CHANGE_WORDS } from './trials.ts'

const KINDS = Object.keys(CHANGE_WORDS) as readonly ChangeKind[]
/** Always said, also where there is none. */
const ALWAYS = new Set<string>(['newly-denied', 'newly-passed', 'rewritten'])

export function TrialResult({
  result,
  isEdit,
}: {
  readonly result: BacktestResult
  /** Compared with what is installed, and not with what was decided then. */
  readonly isEdit: boolean
}): ReactElement {
  const { changes, same, rows, isPartial } = result
  const shown = KINDS.filter((kind) => changes[kind] > 0 || ALWAYS.has(kind))
  return (
    <div className="pb-4">
      <dl className="flex flex-wrap gap-x-6 gap-y-1 px-3 pt-1 pb-2">
        {shown.map((kind) => (
          <Count
            key={kind}
            count={changes[kind]}
            says={CHANGE_WORDS[kind][0]}
            isNews={changes[kind] > 0}
          />
        ))}
        <Count count={same} says="unchanged" isNews={false} />
      </dl>
      <p className="px-3 pb-2 text-xs text-faint">
        {isPartial ? 'Stopped before its end. ' : ''}
        {toNotes(result).join(' ')}
      </p>
      {result.problems.length === 0 ? null : (
        <Verbatim text={result.problems.join('\n')} className="px-3 pb-2 text-xs text-warn" />
      )}
      {rows.length === 0 ? (
        <p className="border-t border-line px-3 py-2 text-sm">
          Nothing would be different in these exchanges.
        </p>
      ) : (
        <CountRows
          label="What would be different"
          rows={rows.map((row, at) => ({
            id: String(at),
            badge: (
              <Badge tone={toVerdictTone(CHANGE_WORDS[row.kind][1])}>
                {CHANGE_WORDS[row.kind][0]}
              </Badge>
            ),
            names: [row.tool, row.rule],
            count: row.count,
            examples: () => <Examples row={row} isEdit={isEdit} />,
          }))}
        />
      )}
    </div>
  )
}

function Count({
  count,
  says,
  isNews,
}: {
  readonly count: number
  readonly says: string
  readonly isNews: boolean
}): ReactElement {
  return (
    <div className="flex items-baseline gap-1.5">
      <dt className="order-2 text-xs text-muted">{says}</dt>
      <dd className={isNews ? 'tabular text-lg font-semibold' : 'tabular text-lg text-faint'}>
        {toCount(count)}
      </dd>
    </div>
  )
}

/** What was looked at and what could not be, a sentence each. */
function toNotes({
  exchanges: of,
  judges,
  asks,
  tookMs,
  errors,
}: BacktestResult): readonly string[] {
  const failed = Object.values(errors).reduce((sum, count) => sum + count, 0)
  const some: readonly (readonly [number, string])[] = [
    [of.passedOver, 'had nothing to judge'],
    [of.metadataOnly + of.dropped, 'could not be tried: their content is not kept'],
    [of.redacted, 'were tried with what is masked in them'],
    [of.failed, 'could not be read'],
  ]
  return [
    `${plural(of.seen, 'exchange')} in ${toDuration(tookMs)}: ${toCount(of.run)} run.`,
    ...some.filter(([count]) => count > 0).map(([count, says]) => `${toCount(count)} ${says}.`),
    ...(asks > 0
      ? [`${plural(asks, 'question')} to a person taken as passed, or as decided then.`]
      : []),
    ...(failed > 0 ? [`The policy failed ${plural(failed, 'time')}.`] : []),
    ...(judges.calls + judges.reused + judges.unjudged > 0
      ? [
          `${plural(judges.calls, 'question')} to models (${toCount(judges.inputTokens + judges.outputTokens)} tokens, ${toCost(judges.cost)}), ${toCount(judges.reused)} taken from the records, ${toCount(judges.unjudged)} not judged.`,
        ]
      : []),
  ]
}

function Examples({
  row,
  isEdit,
}: {
  readonly row: ChangeRow
  readonly isEdit: boolean
}): ReactElement {
  return (
    <ul className="divide-y divide-line">
      {row.examples.map(({ exchangeId, startedAt, original, delivered, before, reason }, at) => (
        <Example
          key={at}
          exchangeId={exchangeId}
          at={startedAt}
          tool={row.tool}
          original={original}
          rewritten={row.kind === 'rewritten' ? delivered : undefined}
        >
          <Said label={isEdit ? 'Installed' : 'Then'} text={before} />
          <Said label={isEdit ? 'This text' : 'Now'} text={toAfter(row, reason)} />
        </Example>
      ))}
    </ul>
  )
}

/** Of one that passes, the reason is that of before. */
const toAfter = ({ kind }: ChangeRow, reason: string | undefined): string => {
  const [, verdict] = CHANGE_WORDS[kind]
  return verdict === 'pass' || reason === undefined ? verdict : `${verdict}: ${reason}`
}
