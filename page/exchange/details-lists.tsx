/** Attempts at upstreams, and verdicts as links of their chain. */
import type { ReactElement } from 'react'
import type { ExchangeAnswer } from '../../src/api/types.ts'
import { showName } from '../blocks/plain.ts'
import { toDuration, toTime } from '../core/format.ts'
import { Badge, VerdictBadge } from '../kit/badge.tsx'

const HEAD = 'h-6 pr-4 text-left text-2xs font-normal whitespace-nowrap text-faint'
const CELL = 'tabular h-7 max-w-72 truncate border-t border-line py-1 pr-4 align-top'

export function Attempts({
  attempts,
  start,
}: {
  readonly attempts: ExchangeAnswer['exchange']['attempts']
  /** When the exchange began. */
  readonly start: number
}): ReactElement {
  return (
    <div className="overflow-x-auto">
      <table aria-label="Attempts" className="w-full text-xs">
        <thead>
          <tr>
            {['#', 'Upstream', 'Began', 'First byte', 'Took', 'Status', 'What happened'].map(
              (name) => (
                <th key={name} scope="col" className={HEAD}>
                  {name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {attempts.map((attempt, at) => (
            <tr key={at}>
              <td className={CELL}>{at + 1}</td>
              <td className={CELL} title={attempt.upstream}>
                {showName(attempt.upstream)}
              </td>
              <td className={CELL} title={toTime(attempt.startedAt)}>
                +{toDuration(Math.max(0, attempt.startedAt - start))}
              </td>
              <td className={CELL}>{toDuration(attempt.firstByteMs)}</td>
              <td className={CELL}>{toDuration(attempt.durationMs)}</td>
              <td className={CELL}>{attempt.status ?? '–'}</td>
              <td className={`${CELL} min-w-40 whitespace-normal`}>
                {attempt.fault === undefined ? (
                  <Badge tone="ok">answered</Badge>
                ) : (
                  <span className="inline-flex flex-wrap items-baseline gap-x-2">
                    <Badge tone="bad">{showName(attempt.fault.kind)}</Badge>
                    <span className="break-words">{showName(attempt.fault.message)}</span>
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Enough of a hash to compare two by eye; the whole of it is in the title. */
const short = (hash: string): string => hash.slice(0, 12)

export function Chain({
  verdicts,
}: {
  readonly verdicts: ExchangeAnswer['verdicts']
}): ReactElement {
  return (
    <div className="overflow-x-auto">
      <table aria-label="Verdicts in the chain" className="w-full text-xs">
        <thead>
          <tr>
            {['Link', 'Verdict', 'Policy', 'Decided', 'Hash', 'Previous'].map((name) => (
              <th key={name} scope="col" className={HEAD}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {verdicts.map((verdict) => (
            <tr key={verdict.seq}>
              <td className={CELL}>{verdict.seq}</td>
              <td className={CELL}>
                <VerdictBadge type={verdict.type} isShadow={verdict.isShadow ?? false} />
              </td>
              <td className={CELL} title={verdict.policy}>
                {showName(verdict.policy)}
                {verdict.version === undefined ? null : (
                  <span className="text-faint"> {showName(verdict.version)}</span>
                )}
              </td>
              <td className={CELL}>{toTime(verdict.decidedAt)}</td>
              <td className={`${CELL} font-mono`} title={verdict.hash}>
                {short(verdict.hash)}
              </td>
              <td className={`${CELL} font-mono text-faint`} title={verdict.previous}>
                {short(verdict.previous)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
