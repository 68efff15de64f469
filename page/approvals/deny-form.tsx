/** Why a call is denied: the model reads it, and does something else. */
import type { SubmitEvent, KeyboardEvent, ReactElement } from 'react'
import { Button } from '../kit/button.tsx'
import { TextArea } from '../kit/field.tsx'
import { QUICK_REASONS } from './words.ts'

const MAX_REASON = 4000

interface DenyFormProps {
  readonly reason: string
  onReason(reason: string): void
  readonly isSending: boolean
  onDeny(): void
  onClose(): void
}

export function DenyForm(props: DenyFormProps): ReactElement {
  const { reason, onReason, isSending, onDeny, onClose } = props
  function press(event: KeyboardEvent): void {
    // A key that is held from before must not decide.
    if (event.key !== 'Enter' || event.shiftKey || event.repeat || event.nativeEvent.isComposing)
      return
    event.preventDefault()
    onDeny()
  }
  function submit(event: SubmitEvent): void {
    event.preventDefault()
    onDeny()
  }
  return (
    <form aria-label="Deny" onSubmit={submit} className="appear flex flex-col gap-2">
      <TextArea
        label="Reason"
        value={reason}
        maxLength={MAX_REASON}
        rows={2}
        autoFocus
        className="min-h-14!"
        placeholder="The model reads this: say why, and what to do instead"
        onChange={(event) => onReason(event.target.value)}
        onKeyDown={press}
      />
      <div role="group" aria-label="Quick reasons" className="flex flex-wrap gap-1.5">
        {QUICK_REASONS.map((one) => (
          <Button
            key={one}
            onClick={(event) => {
              onReason(one)
              event.currentTarget.form?.querySelector('textarea')?.focus()
            }}
            className="h-6! font-normal!"
          >
            {one}
          </Button>
        ))}
      </div>
      <div className="flex items-center gap-2">
        <Button look="danger" type="submit" disabled={isSending} className="h-8 px-3">
          Deny the call
        </Button>
        <Button onClick={onClose} className="h-8">
          Cancel
        </Button>
        <span className="text-xs text-faint max-sm:hidden">
          Enter denies, Shift+Enter breaks the line
        </span>
      </div>
    </form>
  )
}
