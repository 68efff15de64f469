/** Asks who decides, once: it stands in the record of every decision. Neighbours: `core/preferences.ts` keeps it. */
import { useState, type SubmitEvent, type ReactElement } from 'react'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { TextField } from '../kit/field.tsx'

const MAX_NAME = 200

interface NameDialogProps {
  readonly name?: string
  /** What happens with it next. */
  readonly does?: string
  onName(name: string): void
  onClose(): void
}

export function NameDialog({
  name: first = '',
  does = 'Save',
  onName,
  onClose,
}: NameDialogProps): ReactElement {
  const [name, setName] = useState(first)
  function submit(event: SubmitEvent): void {
    event.preventDefault()
    if (name.trim() !== '') onName(name.trim())
  }
  return (
    <Dialog title="Who decides?" onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Your name"
          value={name}
          maxLength={MAX_NAME}
          autoFocus
          autoComplete="name"
          onChange={(event) => setName(event.target.value)}
          hint="It stands in the record of each decision, and others see it. Kept in this browser."
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" disabled={name.trim() === ''}>
            {does}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
