/**
 * What a policy decided over a time: by verdict and tool, acting and in shadow apart, with the newest of each. Neighbours:
 * `policy-words.ts` says the figures.
 */
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactElement } from 'react'
import type { PolicySummaryAnswer, PolicyView } from '../../src/api/types.ts'
import { Name } from '../blocks/verbatim.tsx'
import { api } from '../core/api.ts'
import { VerdictBadge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { Choice } from '../kit/choice.tsx'
import { Empty, Failed, Loading } from '../kit/states.tsx'
import { CountRows, type CountRow } from './count-rows.tsx'
import { useSummary } from './data.ts'
import { Example, Said } from './example.tsx'
import {
  isCounted,
  NOT_COUNTED,
  toFigures,
  toFigureTitle,
  toFigureWords,
  toVersion,
} from './policy-words.ts'
import { SPANS, type Span } from './spans.ts'

interface ResultsProps {
  readonly policy: PolicyView
  readonly span: Span
  onSpan(id: string): void
}

type Summary = PolicySummaryAnswer['policies'][number]

export function ResultsTab({ policy, span, onSpan }: ResultsProps): ReactElement {
  const { name, version } = policy
  const { data, error, refetch } = useSummary(span)
  const [isAll, setAll] = useState(version === undefined)
  if (data === undefined)
    return error === null ? <Loading /> : <Failed error={error} onRetry={() => void refetch()} />
  const all = data.policies.filter((one) => one.policy === name)
  const own = all.filter((one) => isAll || one.version === version)
  const hasOthers = all.some((one) => one.version !== version)
  const figures = toFigures(data, name, isAll ? undefined : version)
  return (
    <>
      {hasOthers && version !== undefined ? (
        <div className="px-3 pt-3">
          <Choice
            label="Versions"
            options={[
              { id: 'this', label: `Version ${toVersion(version)}` },
              { id: 'all', label: 'All versions' },
            ]}
            selected={isAll ? 'all' : 'this'}
            onSelect={(id) => setAll(id === 'all')}
          />
        </div>
      ) : null}
      {own.length === 0 ? (
        <Empty
          icon="policies"
          title={isCounted(policy) ? 'Nothing decided yet' : 'No verdicts to count'}
        >
          <p>
            {isCounted(policy)
              ? `${isAll || !hasOthers ? 'It' : 'This version'} has not been asked in the ${span.says}.`
              : `${NOT_COUNTED}.`}
          </p>
          {span.id === '30d' || !isCounted(policy) ? null : (
            <Button onClick={() => onSpan(SPANS[2].id)}>Look at the {SPANS[2].says}</Button>
          )}
        </Empty>
      ) : null}
      {[false, true].map((isShadow) => {
        const rows = own.filter((one) => one.isShadow === isShadow)
        if (rows.length === 0) return null
        return (
          <section key={String(isShadow)} className="pt-3">
            <h3 className="px-3 text-xs font-semibold">{isShadow ? 'In shadow' : 'Acting'}</h3>
            {figures
              .filter((one) => one.isShadow === isShadow)
              .map((figure, at) => (
                <p key={at} className="px-3 pb-2 text-sm">
                  <span className="first-letter:uppercase inline-block">
                    {toFigureWords(figure)}.
                  </span>{' '}
                  <span className="text-xs text-faint">{toFigureTitle(figure)}.</span>
                </p>
              ))}
            <CountRows
              label={isShadow ? 'Verdicts in shadow' : 'Verdicts'}
              rows={toRows(rows, span, isAll ? undefined : version)}
            />
          </section>
        )
      })}
    </>
  )
}

function toRows(
  rows: readonly Summary[],
  span: Span,
  version: string | undefined,
): readonly CountRow[] {
  const groups = new Map<string, Summary>()
  for (const row of rows) {
    const key = JSON.stringify([row.type, row.block, row.tool])
    const before = groups.get(key)
    groups.set(key, before === undefined ? row : { ...before, count: before.count + row.count })
  }
  // What passed is the bulk, and the least of a surprise.
  return [...groups]
    .toSorted(
      ([, a], [, b]) => Number(a.type === 'pass') - Number(b.type === 'pass') || b.count - a.count,
    )
    .map(([id, row]) => ({
      id,
      badge: <VerdictBadge type={row.type} isShadow={row.isShadow} />,
      names: [row.tool ?? row.block],
      count: row.count,
      examples: () => <Examples row={row} span={span} version={version} />,
    }))
}

const ASKED = 50
const SHOWN = 5

/** The newest of a row, with what they were about. */
function Examples({
  row: { policy, type, isShadow, tool, block, examples },
  span,
  version,
}: {
  readonly row: Summary
  readonly span: Span
  readonly version: string | undefined
}): ReactElement {
  const { data, error } = useQuery({
    queryKey: ['policies', 'examples', policy, type, isShadow, tool, block, span.id],
    queryFn: () =>
      api.verdicts({
        policy,
        verdict: type,
        isShadow,
        since: Date.now() - span.ms,
        limit: ASKED,
        ...(tool === undefined ? {} : { tool }),
      }),
  })
  if (error !== null) return <Failed error={error} />
  if (data === undefined) return <Loading />
  // Names may hold stars, which stand for anything when they are asked for.
  const found = data.items
    .filter(
      (one) =>
        one.policy === policy &&
        one.block?.name === tool &&
        (one.block?.type ?? 'request') === block &&
        (version === undefined || one.version === version),
    )
    .slice(0, SHOWN)
  return (
    <ul className="divide-y divide-line">
      {found.map((one) => (
        <Example
          key={one.seq}
          exchangeId={one.exchangeId}
          at={one.decidedAt}
          about={
            typeof one.details['rule'] === 'string' ? (
              <Name text={`rule ${one.details['rule']}`} />
            ) : null
          }
          tool={tool ?? ''}
          original={one.original}
          rewritten={type === 'rewrite' ? one.delivered : undefined}
        >
          {one.reason === undefined ? null : <Said label="Reason" text={one.reason} />}
        </Example>
      ))}
      {found.length > 0
        ? null
        : examples.map(({ exchangeId, reason }) => (
            <Example key={exchangeId} exchangeId={exchangeId} tool="" original={undefined}>
              {reason === undefined ? null : <Said label="Reason" text={reason} />}
            </Example>
          ))}
    </ul>
  )
}
