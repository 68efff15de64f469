/** Makes a key. Its secret is held here alone, and only until the dialog is closed. Neighbours: `secret.tsx` shows it. */
import { useState, type ReactElement, type SubmitEvent } from 'react'
import type { KeyCreated } from '../../src/api/types.ts'
import { api, leaveIfRefused } from '../core/api.ts'
import { personName } from '../core/preferences.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Check, Select, TextField } from '../kit/field.tsx'
import { Failed } from '../kit/states.tsx'
import { refreshSettings } from './data.ts'
import { EMPTY_DRAFT, toOrder, type KeyDraft } from './key-words.ts'
import { Secret } from './secret.tsx'

interface NewKeyProps {
  /** So far everybody comes in. */
  readonly closes: boolean
  onClose(): void
}

export function NewKey({ closes, onClose }: NewKeyProps): ReactElement {
  const [made, setMade] = useState<KeyCreated>()
  // What holds after the key is made must not change what was asked before.
  const [isFirst] = useState(closes)
  return made === undefined ? (
    <KeyForm closes={isFirst} onMade={setMade} onClose={onClose} />
  ) : (
    <Secret made={made} onClose={onClose} />
  )
}

function KeyForm({
  closes,
  onMade,
  onClose,
}: NewKeyProps & { onMade(made: KeyCreated): void }): ReactElement {
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  const [isMeant, setMeant] = useState(false)
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<unknown>()
  const by = personName.get()

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    if (isSending) return
    setSending(true)
    setError(undefined)
    try {
      const order = { ...toOrder(draft), ...(by === '' ? {} : { by }) }
      onMade(await api.createKey(closes ? { ...order, closes: true } : order))
      await refreshSettings()
    } catch (thrown) {
      leaveIfRefused(thrown)
      setError(thrown)
      setSending(false)
    }
  }

  return (
    <Dialog title="New key" onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <Fields draft={draft} onDraft={setDraft} />
        {closes ? (
          <div className="flex flex-col gap-2 rounded-md bg-warn-soft px-3 py-2 text-xs">
            <p>
              So far everybody who can reach this gateway comes in without a key. This first key
              closes it: clients without one are refused from then on, those that run now too.
            </p>
            <Check
              label="Close the gateway for clients without a key"
              checked={isMeant}
              onChange={(event) => setMeant(event.currentTarget.checked)}
            />
          </div>
        ) : null}
        {error === undefined ? null : <Failed error={error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            type="submit"
            disabled={isSending || draft.name.trim() === '' || (closes && !isMeant)}
          >
            Make the key
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const RATES = ['second', 'minute', 'hour'].map((value) => ({ value, label: `per ${value}` }))
const PERIODS = [
  { value: 'day', label: 'per day' },
  { value: 'month', label: 'per month' },
  { value: 'ever', label: 'in all' },
]

function Fields({
  draft,
  onDraft,
}: {
  readonly draft: KeyDraft
  onDraft(draft: KeyDraft): void
}): ReactElement {
  const bind = (
    name: keyof KeyDraft,
  ): {
    value: string
    onChange(event: { currentTarget: { value: string } }): void
  } => ({
    value: draft[name],
    onChange: (event) => onDraft({ ...draft, [name]: event.currentTarget.value }),
  })
  const number = { type: 'number', min: 1, step: 1, placeholder: 'no limit' } as const
  return (
    <>
      <TextField
        label="Name"
        autoFocus
        required
        maxLength={64}
        placeholder="team-blue"
        hint="Stands in logs and records. Letters, digits, dots, dashes and underscores."
        {...bind('name')}
      />
      <TextField
        label="Models"
        placeholder="all"
        hint="Several with commas; * stands for any characters: claude-*"
        {...bind('models')}
      />
      <div className="grid grid-cols-2 items-end gap-x-3 gap-y-4">
        <TextField label="Requests" {...number} {...bind('requests')} />
        <Select label="Requests per" isBare options={RATES} {...bind('per')} />
        <TextField label="Tokens" {...number} {...bind('tokens')} />
        <Select label="Tokens per" isBare options={PERIODS} {...bind('period')} />
        <TextField label="At once" {...number} {...bind('concurrent')} />
      </div>
    </>
  )
}
