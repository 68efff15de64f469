/** The few numbers one looks at first, each against the time before. */
import type { ReactElement } from 'react'
import type { StatsBucket } from '../../src/store/query.ts'
import { openExchanges } from '../core/feed.ts'
import { toCostSum, toCount, toDuration } from '../core/format.ts'
import { useStore } from '../core/store.ts'
import { classes } from '../kit/classes.ts'

interface Figure {
  readonly label: string
  readonly value: string
  readonly now: number | undefined
  readonly was: number | undefined
  /** More of it is worse. */
  readonly isWorse?: boolean
}

export function Figures({
  now,
  was,
}: {
  readonly now: StatsBucket | undefined
  readonly was: StatsBucket | undefined
}): ReactElement {
  const open = useStore(openExchanges).size
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-4 xl:grid-cols-8">
      {toFigures(now, was).map((figure) => (
        <Cell key={figure.label} {...figure} />
      ))}
      <Cell label="Open now" value={toCount(open)} now={undefined} was={undefined} />
    </dl>
  )
}

function Cell({ label, value, now, was, isWorse = false }: Figure): ReactElement {
  const change = toChange(now, was)
  return (
    <div className="flex min-w-0 flex-col bg-surface px-3 py-2">
      <dt className="truncate text-2xs text-faint">{label}</dt>
      <dd className="tabular text-lg leading-6 font-semibold">{value}</dd>
      <dd
        title="Against the time before"
        className={classes(
          'tabular h-4 text-2xs',
          change?.startsWith('+') === true && isWorse ? 'text-bad' : 'text-faint',
        )}
      >
        {change ?? ''}
      </dd>
    </div>
  )
}

const shareOf = (bucket: StatsBucket | undefined): number | undefined =>
  bucket === undefined || bucket.exchanges === 0 ? undefined : bucket.errors / bucket.exchanges

const deniedIn = (bucket: StatsBucket | undefined): number | undefined =>
  bucket === undefined ? undefined : (bucket.verdicts['deny'] ?? 0) + (bucket.verdicts['halt'] ?? 0)

function toFigures(now: StatsBucket | undefined, was: StatsBucket | undefined): readonly Figure[] {
  const share = shareOf(now)
  return [
    {
      label: 'Exchanges',
      value: toCount(now?.exchanges ?? 0),
      now: now?.exchanges,
      was: was?.exchanges,
    },
    {
      label: 'Errors',
      value:
        share === undefined ? '–' : `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`,
      now: share,
      was: shareOf(was),
      isWorse: true,
    },
    {
      label: 'First byte, p50',
      value: toDuration(now?.firstByteMs?.p50),
      now: now?.firstByteMs?.p50,
      was: was?.firstByteMs?.p50,
      isWorse: true,
    },
    {
      label: 'First byte, p99',
      value: toDuration(now?.firstByteMs?.p99),
      now: now?.firstByteMs?.p99,
      was: was?.firstByteMs?.p99,
      isWorse: true,
    },
    {
      label: 'Tokens',
      value: toCount(tokensOf(now) ?? 0),
      now: tokensOf(now),
      was: tokensOf(was),
    },
    { label: 'Cost', value: toCostSum(now?.cost), now: now?.cost, was: was?.cost },
    {
      label: 'Denied',
      value: toCount(deniedIn(now) ?? 0),
      now: deniedIn(now),
      was: deniedIn(was),
    },
  ]
}

const tokensOf = (bucket: StatsBucket | undefined): number | undefined =>
  bucket === undefined ? undefined : bucket.inputTokens + bucket.outputTokens

/** +12 %, −3 %; nothing where there was nothing to compare with. */
function toChange(now: number | undefined, was: number | undefined): string | undefined {
  if (now === undefined || was === undefined || was === 0) return undefined
  const share = Math.round((now / was - 1) * 100)
  if (share === 0) return '±0 %'
  return `${share > 0 ? '+' : '−'}${toCount(Math.abs(share))} %`
}
