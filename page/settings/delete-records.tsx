/** Deletes exchanges of one key, or before a day: counts them, asks, and says how many are gone. */
import { useState, type ReactElement } from 'react'
import { api, leaveIfRefused, queries } from '../core/api.ts'
import { plural } from '../core/format.ts'
import { Button } from '../kit/button.tsx'
import { Choice } from '../kit/choice.tsx'
import { TextField } from '../kit/field.tsx'
import { Failed } from '../kit/states.tsx'
import { AskDialog } from './ask-dialog.tsx'
import { Part } from './parts.tsx'

type Which = { readonly key: string } | { readonly before: number }

interface Asked {
  readonly which: Which
  readonly says: string
  readonly count: number
}

/** The longest step that the API takes. */
const ALL = 366 * 86_400_000

export function DeleteRecords({
  oldestAt = 0,
}: {
  readonly oldestAt?: number | undefined
}): ReactElement {
  const [by, setBy] = useState<'key' | 'day'>('day')
  const [key, setKey] = useState('')
  const [day, setDay] = useState('')
  const [asked, setAsked] = useState<Asked>()
  const [said, setSaid] = useState<string>()
  const [error, setError] = useState<unknown>()
  const before = new Date(`${day}T00:00`).getTime()
  const isReady = by === 'key' ? key.trim() !== '' : Number.isFinite(before)

  async function count(): Promise<void> {
    setError(undefined)
    setSaid(undefined)
    const which: Which = by === 'key' ? { key: key.trim() } : { before }
    const narrow = 'key' in which ? { key: which.key, until: Date.now() } : { until: before }
    const says = 'key' in which ? `of key ${which.key}` : `before ${day}`
    try {
      const isNone = 'before' in which && before <= oldestAt
      const { buckets } = isNone
        ? { buckets: [] }
        : await api.stats({ ...narrow, since: oldestAt, step: ALL })
      setAsked({ which, says, count: buckets.reduce((sum, { exchanges }) => sum + exchanges, 0) })
    } catch (thrown) {
      leaveIfRefused(thrown)
      setError(thrown)
    }
  }

  async function remove({ which }: Asked): Promise<void> {
    const { removed } = await api.removeExchanges(which)
    setSaid(`${plural(removed, 'exchange')} deleted`)
    await queries.invalidateQueries()
  }

  return (
    <Part
      title="Delete"
      says="For good, with all content. Verdicts keep their place in the chain and lose their content."
    >
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady) void count()
        }}
      >
        <Choice
          label="Delete by"
          options={[
            { id: 'day', label: 'Before a day' },
            { id: 'key', label: 'Of a key' },
          ]}
          selected={by}
          onSelect={setBy}
        />
        <div className="w-48">
          {by === 'key' ? (
            <TextField
              label="Name of the key"
              isBare
              placeholder="Name of the key"
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
            />
          ) : (
            <TextField
              label="Before the day"
              isBare
              type="date"
              value={day}
              onChange={(event) => setDay(event.currentTarget.value)}
            />
          )}
        </div>
        <Button type="submit" disabled={!isReady}>
          Delete …
        </Button>
      </form>
      {said === undefined ? null : (
        <p role="status" className="mt-2 text-xs">
          {said}
        </p>
      )}
      {error === undefined ? null : <Failed error={error} />}
      {asked === undefined ? null : (
        <AskDialog
          title={`Delete exchanges ${asked.says}?`}
          does={`Delete ${plural(asked.count, 'exchange')}`}
          run={() => remove(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p>
            {plural(asked.count, 'exchange')} {asked.says} will be deleted for good.
          </p>
        </AskDialog>
      )}
    </Part>
  )
}
