/** Takes a key back. Of the last one it asks whether everybody may come in again. */
import { useState, type ReactElement } from 'react'
import { api } from '../core/api.ts'
import { personName } from '../core/preferences.ts'
import { Check } from '../kit/field.tsx'
import { AskDialog } from './ask-dialog.tsx'
import { refreshSettings } from './data.ts'

export function RevokeKey({
  name,
  isLast,
  onClose,
}: {
  readonly name: string
  readonly isLast: boolean
  onClose(): void
}): ReactElement {
  const [isOpening, setOpening] = useState(false)
  const by = personName.get()
  async function revoke(): Promise<void> {
    await api.revokeKey(name, {
      ...(by === '' ? {} : { by }),
      ...(isOpening ? { opens: true } : {}),
    })
    await refreshSettings()
  }
  return (
    <AskDialog title={`Revoke ${name}?`} does={`Revoke ${name}`} run={revoke} onClose={onClose}>
      <p>Clients with this key are refused from now on. This cannot be taken back.</p>
      {isLast ? (
        <>
          <p>It is the last key: nobody comes in until another is made.</p>
          <Check
            label="Let everybody in again without a key"
            checked={isOpening}
            onChange={(event) => setOpening(event.currentTarget.checked)}
          />
        </>
      ) : null}
    </AskDialog>
  )
}
