/**
 * What is installed, in the order in which it is asked. Neighbours: `policies-view.tsx` chooses between this and the short
 * list beside one that is opened.
 */
import type { ReactElement } from 'react'
import type { PoliciesAnswer, PolicySummaryAnswer, PolicyView } from '../../src/api/types.ts'
import { showName } from '../blocks/plain.ts'
import { Name } from '../blocks/verbatim.tsx'
import { toDuration } from '../core/format.ts'
import { go, toHref } from '../core/route.ts'
import { classes } from '../kit/classes.ts'
import {
  isCounted,
  NOT_COUNTED,
  toFigures,
  toFigureTitle,
  toFigureWords,
  toHolds,
  toHoldsTitle,
  toVersion,
} from './policy-words.ts'
import { StateBadges } from './state-badges.tsx'

interface TableProps {
  readonly answer: PoliciesAnswer
  /** `undefined` while it comes, or where nothing is recorded. */
  readonly summary: PolicySummaryAnswer | undefined
  readonly spanSays: string
  readonly query: Readonly<Record<string, string>>
}

const HEADS: readonly (readonly [label: string, look?: string])[] = [
  ['#', 'w-10 text-right max-sm:hidden'],
  ['Policy', 'w-[18%] max-lg:w-[32%] max-sm:w-auto max-sm:pl-3'],
  ['State', 'w-36 max-sm:w-28'],
  ['Version', 'w-20 max-xl:hidden'],
  ['Waits for it', 'w-24 max-lg:hidden'],
  ['Applies to', 'w-[14%] max-lg:hidden'],
  ['On error', 'w-18 max-xl:hidden'],
]

export function PolicyTable({ answer, summary, spanSays, query }: TableProps): ReactElement {
  return (
    <table className="w-full table-fixed border-collapse text-left text-xs">
      <caption className="sr-only">Policies in the order in which they are asked</caption>
      <thead>
        <tr className="h-7 border-b border-line bg-surface text-faint">
          {HEADS.map(([label, look]) => (
            <th key={label} scope="col" className={classes('px-2 font-medium', look)}>
              {label}
            </th>
          ))}
          <th scope="col" className="px-2 font-medium max-sm:hidden">
            What it did, {spanSays}
          </th>
        </tr>
      </thead>
      <tbody>
        {answer.policies.map((policy, at) => (
          <Row
            key={`${at} ${policy.name}`}
            number={at + 1}
            policy={policy}
            fallen={answer.fallen}
            summary={summary}
            href={toHref('policies', [policy.name], query)}
          />
        ))}
      </tbody>
    </table>
  )
}

function Row({
  number,
  policy,
  fallen,
  summary,
  href,
}: {
  readonly number: number
  readonly policy: PolicyView
  readonly href: string
} & Pick<PoliciesAnswer, 'fallen'> &
  Pick<TableProps, 'summary'>): ReactElement {
  const { name, use, version, holds, appliesTo, onError, timeoutMs } = policy
  return (
    <tr
      onClick={() => go(href)}
      className="h-[30px] cursor-pointer border-b border-line hover:bg-hover"
    >
      <td className="tabular px-2 text-right text-faint max-sm:hidden">{number}</td>
      <td className="max-w-0 px-2 max-sm:py-1 max-sm:pl-3">
        <span className="flex min-w-0 items-baseline gap-2">
          <a
            href={href}
            onClick={(event) => event.stopPropagation()}
            className="flex min-w-0 hover:underline"
          >
            <Name text={name} className="text-sm font-medium text-ink" />
          </a>
          <Name
            text={use === name ? '' : (use ?? 'of the program')}
            className="shrink-[4] text-faint"
          />
        </span>
        <Figures policy={policy} summary={summary} className="sm:hidden" />
      </td>
      <td className="px-2">
        <span className="flex flex-wrap items-center gap-1 py-1">
          <StateBadges policy={policy} fallen={fallen} />
        </span>
      </td>
      <td
        className="truncate px-2 font-mono text-2xs text-muted max-xl:hidden"
        title={version === undefined ? undefined : showName(version)}
      >
        {toVersion(version)}
      </td>
      <td className="truncate px-2 text-muted max-lg:hidden" title={toHoldsTitle(holds)}>
        {toHolds(holds)}
      </td>
      <td className="max-w-0 px-2 max-lg:hidden">
        <span className="flex">
          <Name
            text={appliesTo ?? 'everything'}
            className={appliesTo === undefined ? 'text-faint' : 'text-muted'}
          />
        </span>
      </td>
      <td
        className="px-2 text-muted max-xl:hidden"
        title={`When it fails, or takes longer than ${toDuration(timeoutMs)}`}
      >
        {onError}
      </td>
      <td className="max-w-0 px-2 max-sm:hidden">
        <Figures policy={policy} summary={summary} />
      </td>
    </tr>
  )
}

function Figures({
  policy,
  summary,
  className,
}: {
  readonly policy: PolicyView
  readonly summary: PolicySummaryAnswer | undefined
  readonly className?: string
}): ReactElement | null {
  if (summary === undefined) return null
  const figures = toFigures(summary, policy.name)
  if (figures.length === 0)
    return (
      <span
        title={isCounted(policy) ? undefined : NOT_COUNTED}
        className={classes('text-faint', className)}
      >
        {isCounted(policy) ? 'nothing yet' : 'leaves no verdicts'}
      </span>
    )
  return (
    <span className={classes('tabular flex min-w-0 flex-col text-xs', className)}>
      {figures.map((figure, at) => (
        <span
          key={at}
          title={`${toFigureWords(figure)}: ${toFigureTitle(figure)}`}
          className={classes('truncate', figure.counts.length === 0 ? 'text-faint' : 'text-ink')}
        >
          {toFigureWords(figure)}
        </span>
      ))}
    </span>
  )
}
