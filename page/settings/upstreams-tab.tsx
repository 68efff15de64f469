/** Upstreams: how each does, and which models lead there. Asks again by itself. */
import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import type { ConfigAnswer, UpstreamView } from '../../src/api/types.ts'
import { Name } from '../blocks/verbatim.tsx'
import { showHidden } from '../blocks/plain.ts'
import { api } from '../core/api.ts'
import { plural, toAgo, toTime, toWireName, toWholeTime } from '../core/format.ts'
import { useNow } from '../core/now.ts'
import { toHref } from '../core/route.ts'
import { Badge } from '../kit/badge.tsx'
import { Failed, Loading } from '../kit/states.tsx'
import { useConfig, useHealth } from './data.ts'
import { Facts, Part } from './parts.tsx'
import { CIRCUITS, sumUp, type UpstreamCount } from './upstream-words.ts'

const HOUR = 3_600_000

export function UpstreamsTab(): ReactElement {
  const { data, error, refetch } = useHealth(2000)
  const config = useConfig()
  const stats = useQuery({
    queryKey: ['upstream-hour'],
    queryFn: async () =>
      sumUp((await api.stats({ since: Date.now() - HOUR, step: HOUR, by: 'upstream' })).buckets),
    refetchInterval: 10_000,
  })
  if (data === undefined)
    return error === null ? <Loading /> : <Failed error={error} onRetry={() => void refetch()} />
  return (
    <>
      {data.upstreams.map((upstream) => (
        <Upstream
          key={upstream.name}
          upstream={upstream}
          routes={config.data?.routes ?? []}
          // Without records nothing is counted.
          count={stats.data === undefined ? undefined : (stats.data.get(upstream.name) ?? NONE)}
        />
      ))}
    </>
  )
}

const NONE: UpstreamCount = { exchanges: 0, errors: 0 }

function Upstream({
  upstream,
  routes,
  count,
}: {
  readonly upstream: UpstreamView
  readonly routes: ConfigAnswer['routes']
  readonly count: UpstreamCount | undefined
}): ReactElement {
  const now = useNow()
  const { name, kind, wires, host, circuit, open } = upstream
  const { label, tone, says } = CIRCUITS[circuit]
  const models = routes.filter(({ to }) => to.includes(name)).map(({ model }) => model)
  return (
    <Part
      title={name}
      end={
        <div className="flex items-center gap-2 text-xs text-muted">
          <Badge tone={tone} title={says}>
            {label}
          </Badge>
          {upstream.circuitSince === undefined ? null : (
            <span title={toWholeTime(upstream.circuitSince)}>
              since {toTime(upstream.circuitSince, now)}
            </span>
          )}
        </div>
      }
    >
      {circuit === 'closed' ? null : (
        <p className="mb-2 rounded-md bg-raised px-3 py-1.5 text-xs">
          {says}.{upstream.circuitWhy === undefined ? '' : ` ${showHidden(upstream.circuitWhy)}`}
        </p>
      )}
      <Facts
        facts={[
          ['Where', kind === 'http' ? (host ?? '–') : KINDS[kind]],
          ['Wire', wires.map(toWireName).join(', ')],
          ['Models', <Name key="models" text={models.join(', ') || 'no route leads here'} />],
          ['Open now', plural(open, 'request')],
          ['Last hour', <LastHour key="hour" name={name} count={count} />],
          ['Last success', toMoment(upstream.lastSuccessAt, now)],
          [
            'Last failure',
            upstream.lastFailureAt === undefined
              ? 'none since start'
              : `${toAgo(upstream.lastFailureAt, now)}${upstream.lastFailure === undefined ? '' : `: ${showHidden(upstream.lastFailure)}`}`,
          ],
        ]}
      />
    </Part>
  )
}

const KINDS = { demo: 'embedded demo, no network', replay: 'recordings' } as const

const toMoment = (at: number | undefined, now: number): string =>
  at === undefined ? 'none since start' : toAgo(at, now)

function LastHour({
  name,
  count,
}: {
  readonly name: string
  readonly count: UpstreamCount | undefined
}): ReactElement {
  if (count === undefined) return <span className="text-faint">not recorded</span>
  return (
    <>
      {plural(count.exchanges, 'exchange')}
      {count.errors === 0 ? (
        ', no errors'
      ) : (
        <>
          {', '}
          <a
            href={toHref('live', [], { upstream: name, status: 'error', since: '1h' })}
            className="text-bad underline"
          >
            {plural(count.errors, 'error')}
          </a>
        </>
      )}
    </>
  )
}
