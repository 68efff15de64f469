/** Asks once before something changes for everybody: says what will happen, and takes the person's name. */
import { useState, type ReactElement, type ReactNode, type SubmitEvent } from 'react'
import { leaveIfRefused } from '../core/api.ts'
import { personName } from '../core/preferences.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { TextField } from '../kit/field.tsx'
import { Failed } from '../kit/states.tsx'
import { refresh } from './data.ts'

interface SureDialogProps {
  readonly title: string
  /** What the button says. */
  readonly does: string
  readonly children: ReactNode
  readonly hasNote?: boolean
  run(said: { readonly by: string; readonly note?: string }): Promise<unknown>
  onClose(): void
  onDone?(): void
}

const MAX_NAME = 200
const MAX_NOTE = 2000

export function SureDialog({
  title,
  does,
  children,
  hasNote = false,
  run,
  onClose,
  onDone,
}: SureDialogProps): ReactElement {
  const [name, setName] = useState(personName.get)
  const [note, setNote] = useState('')
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<unknown>()

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    if (isSending || name.trim() === '') return
    setSending(true)
    setError(undefined)
    personName.set(name.trim())
    try {
      await run({ by: name.trim(), ...(note.trim() === '' ? {} : { note: note.trim() }) })
      await refresh()
      onClose()
      onDone?.()
    } catch (thrown) {
      leaveIfRefused(thrown)
      setError(thrown)
      setSending(false)
    }
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <div className="flex flex-col gap-2 text-sm">{children}</div>
        {hasNote ? (
          <TextField
            label="Note"
            value={note}
            maxLength={MAX_NOTE}
            placeholder="Why, for whoever looks at the versions"
            onChange={(event) => setNote(event.target.value)}
          />
        ) : null}
        <TextField
          label="Your name"
          value={name}
          maxLength={MAX_NAME}
          autoComplete="name"
          autoFocus={name === ''}
          onChange={(event) => setName(event.target.value)}
          hint="It is recorded with the change, and others see it."
        />
        {error === undefined ? null : <Failed error={error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" disabled={isSending || name.trim() === ''}>
            {does}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
