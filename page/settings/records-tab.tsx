/** Records: how much there is, whether the chain of verdicts is whole, and how to delete. */
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactElement } from 'react'
import type { ConfigAnswer, HealthAnswer } from '../../src/api/types.ts'
import type { ChainReport } from '../../src/store/store.ts'
import { showHidden } from '../blocks/plain.ts'
import { api, leaveIfRefused } from '../core/api.ts'
import { plural, toCount, toDuration, toSize, toWholeTime } from '../core/format.ts'
import { Badge, type Tone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy.tsx'
import { Empty, Failed, Loading } from '../kit/states.tsx'
import { toValueText } from './config-rows.ts'
import { useConfig, useHealth } from './data.ts'
import { DeleteRecords } from './delete-records.tsx'
import { Facts, Part } from './parts.tsx'

const STATES: Readonly<Record<HealthAnswer['records']['state'], readonly [string, Tone]>> = {
  off: ['off', 'plain'],
  ok: ['recording', 'ok'],
  behind: ['behind', 'warn'],
  failing: ['failing', 'bad'],
}

export function RecordsTab(): ReactElement {
  const { data, error, refetch } = useHealth()
  const config = useConfig()
  if (data === undefined)
    return error === null ? <Loading /> : <Failed error={error} onRetry={() => void refetch()} />
  if (data.records.state === 'off')
    return (
      <Empty title="Nothing is recorded">
        <p>
          Write <code className="font-mono">record: bytes</code> into the config to keep exchanges,
          or <code className="font-mono">record: metadata</code> to keep them without content.
        </p>
      </Empty>
    )
  return (
    <>
      <State health={data} config={config.data} />
      <Chain />
      <DeleteRecords oldestAt={data.store?.oldestAt} />
    </>
  )
}

function State({
  health: { records, store },
  config,
}: {
  readonly health: HealthAnswer
  readonly config: ConfigAnswer | undefined
}): ReactElement {
  const newest = useQuery({
    queryKey: ['newest'],
    queryFn: async () => (await api.exchanges({ limit: 1 })).items[0]?.startedAt,
    refetchInterval: 5000,
  })
  const [label, tone] = STATES[records.state]
  const say = (path: string): string => {
    const value = config?.values.find((one) => one.path === path)
    return value === undefined ? '–' : showHidden(toValueText(value))
  }
  const place = say(
    config?.values.some(({ path }) => path === 'store') === true ? 'store' : 'store.file',
  )
  return (
    <Part
      title="Records"
      says="Exchanges with their bytes and verdicts, as they passed."
      end={<Badge tone={tone}>{label}</Badge>}
    >
      {records.why === undefined ? null : (
        <p role="alert" className="mb-2 rounded-md bg-warn-soft px-3 py-1.5 text-xs text-warn">
          {showHidden(records.why)}
        </p>
      )}
      <Facts
        facts={[
          ['Exchanges', toCount(store?.exchanges)],
          ['Size', toSize(store?.bytes)],
          ['Oldest', toMoment(store?.oldestAt)],
          ['Newest', toMoment(newest.data ?? undefined)],
          ['Content', say('record')],
          ['Kept for', say('store.keep')],
          ['Kept up to', say('store.size')],
          ...(place === '–' ? [] : [['In', place] as const]),
          [
            'Waiting',
            `${plural(records.waitingExchanges, 'exchange')}, ${toSize(records.waitingBytes)}`,
          ],
          ['Dropped bodies', `${toCount(records.droppedBodies)} since start`],
        ]}
      />
    </Part>
  )
}

const toMoment = (at: number | undefined): string => (at === undefined ? '–' : toWholeTime(at))

type Checked = ChainReport & { readonly tookMs: number }

function Chain(): ReactElement {
  const [report, setReport] = useState<Checked>()
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<unknown>()
  async function verify(): Promise<void> {
    setRunning(true)
    setError(undefined)
    const began = performance.now()
    try {
      setReport({ ...(await api.verifyVerdicts()), tookMs: performance.now() - began })
    } catch (thrown) {
      leaveIfRefused(thrown)
      setError(thrown)
    }
    setRunning(false)
  }
  return (
    <Part
      title="Chain of verdicts"
      says="Each verdict carries the hash of the one before, so that none can be changed or taken out unseen."
      end={
        <Button icon="check" disabled={isRunning} onClick={() => void verify()}>
          {isRunning ? 'Verifying …' : 'Verify the chain'}
        </Button>
      }
    >
      {error === undefined ? null : <Failed error={error} />}
      {report === undefined ? null : <Report report={report} />}
    </Part>
  )
}

function Report({
  report: { links, broken, head, tookMs },
}: {
  readonly report: Checked
}): ReactElement {
  return (
    <div role="status" className="flex flex-col gap-1 text-xs">
      {links === 0 ? (
        <p>There are no verdicts yet.</p>
      ) : broken === undefined ? (
        <p>
          <Badge tone="ok">whole</Badge> {plural(links, 'verdict')} checked in {toDuration(tookMs)}:
          each fits the one before.
        </p>
      ) : (
        <p className="text-bad">
          <Badge tone="bad">broken</Badge> At verdict {broken.seq}: {broken.why}. Somebody has
          changed the records, or the disk has lost something.
        </p>
      )}
      <p className="flex min-w-0 items-center gap-1 text-muted">
        <span className="shrink-0">Head</span>
        <code className="min-w-0 truncate font-mono" title={head}>
          {head}
        </code>
        <CopyButton text={head} label="Copy the head" isSmall />
      </p>
      <p className="text-faint">
        Kept elsewhere, the head shows later that nothing was cut off at the end.
      </p>
    </div>
  )
}
