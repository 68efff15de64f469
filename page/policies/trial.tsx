/**
 * "Try on the last 1,000 exchanges": starts a trial, shows how far it is, stops it, and shows what came of it. Neighbours:
 * `trials.ts`, `trial-result.tsx`.
 */
import { useState, type ReactElement } from 'react'
import type { BacktestJob } from '../../src/replay/backtest-jobs.ts'
import { api, leaveIfRefused, queries } from '../core/api.ts'
import { toCount, toDuration } from '../core/format.ts'
import { useStore } from '../core/store.ts'
import { Button } from '../kit/button.tsx'
import { Select } from '../kit/field.tsx'
import { Failed } from '../kit/states.tsx'
import { SPANS } from './spans.ts'
import { TrialResult } from './trial-result.tsx'
import { startTrial, trials, useTrial } from './trials.ts'

const LIMITS = ['100', '1000', '10000', '100000'].map((value) => ({
  value,
  label: `the last ${Number(value).toLocaleString('en')} exchanges`,
}))
const TIMES = [
  { value: '', label: 'of any time' },
  ...SPANS.map(({ id, says }) => ({ value: id, label: `of the ${says}` })),
]

interface TrialProps {
  /** Of the draft. */
  readonly at: string
  readonly name: string | undefined
  /** Without one the installed policy is tried as it is, as if it acted. */
  readonly yaml: string | undefined
  /** The text is not right yet. */
  readonly isDisabled: boolean
}

export function TrialPanel({ at, name, yaml, isDisabled }: TrialProps): ReactElement {
  const [limit, setLimit] = useState('1000')
  const [span, setSpan] = useState('')
  const [isStarting, setStarting] = useState(false)
  const [error, setError] = useState<unknown>()
  const trial = useStore(trials)[at]

  async function start(): Promise<void> {
    setStarting(true)
    setError(undefined)
    const ms = SPANS.find(({ id }) => id === span)?.ms
    try {
      await startTrial(at, { name, yaml, limit: Number(limit), since: ms && Date.now() - ms })
    } catch (thrown) {
      leaveIfRefused(thrown)
      setError(thrown)
    }
    setStarting(false)
  }

  return (
    <section aria-label="Trial on recorded exchanges">
      <div className="flex flex-wrap items-center gap-1.5 px-3 py-2">
        <Button icon="play" disabled={isDisabled || isStarting} onClick={() => void start()}>
          Try on
        </Button>
        <Select
          label="How many"
          isBare
          className="w-auto! text-xs!"
          options={LIMITS}
          value={limit}
          onChange={(event) => setLimit(event.target.value)}
        />
        <Select
          label="Of which time"
          isBare
          className="w-auto! text-xs!"
          options={TIMES}
          value={span}
          onChange={(event) => setSpan(event.target.value)}
        />
        <span className="text-xs text-faint">
          {yaml === undefined
            ? 'Tried as if it acted, beside what was decided then.'
            : 'As if it acted, against the policies as they are installed now. Nobody is asked, nothing changes.'}
        </span>
      </div>
      {error === undefined ? null : <Failed error={error} />}
      {trial === undefined ? null : (
        <Running
          key={trial.id}
          id={trial.id}
          isOld={trial.yaml !== yaml}
          hasText={yaml !== undefined}
        />
      )}
    </section>
  )
}

function Running({
  id,
  isOld,
  hasText,
}: {
  readonly id: string
  readonly isOld: boolean
  readonly hasText: boolean
}): ReactElement | null {
  const { data, error } = useTrial(id)
  if (error !== null) return <Failed error={error} />
  if (data === undefined) return null
  const { backtest } = data
  return (
    <>
      {isOld ? (
        <p className="px-3 pb-2 text-xs text-warn">
          The text has changed since: this is about the one before.
        </p>
      ) : null}
      {backtest.state === 'running' ? <Progress job={backtest} /> : null}
      {backtest.error === undefined ? null : <Failed error={new Error(backtest.error)} />}
      {backtest.result === undefined ? null : (
        <TrialResult result={backtest.result} isEdit={hasText} />
      )}
    </>
  )
}

function Progress({ job: { id, progress } }: { readonly job: BacktestJob }): ReactElement {
  const [isStopping, setStopping] = useState(false)
  const { done, total, changed, remainingMs } = progress
  async function stop(): Promise<void> {
    setStopping(true)
    try {
      queries.setQueryData(['backtest', id], await api.cancelBacktest(id))
    } catch (error) {
      leaveIfRefused(error)
      setStopping(false)
    }
  }
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 pb-2 text-xs">
      <progress
        aria-label="Exchanges looked at"
        max={Math.max(total, 1)}
        value={done}
        className="h-1.5 w-48 accent-(--accent)"
      />
      <span className="tabular">
        {toCount(done)} of {toCount(total)}, {toCount(changed)} would be different
      </span>
      <span className="tabular text-faint">
        {remainingMs === undefined ? 'Counting …' : `about ${toDuration(remainingMs)} left`}
      </span>
      <Button icon="stop" disabled={isStopping} onClick={() => void stop()}>
        Stop
      </Button>
    </div>
  )
}
