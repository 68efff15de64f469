/** Asks before something is taken away for good: says what, and shows what went wrong. */
import { useState, type ReactElement, type ReactNode } from 'react'
import { leaveIfRefused } from '../core/api.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Failed } from '../kit/states.tsx'

export function AskDialog({
  title,
  does,
  children,
  run,
  onClose,
}: {
  readonly title: string
  /** What the button says. */
  readonly does: string
  readonly children: ReactNode
  run(): Promise<unknown>
  onClose(): void
}): ReactElement {
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<unknown>()
  async function send(): Promise<void> {
    setSending(true)
    setError(undefined)
    try {
      await run()
      onClose()
    } catch (thrown) {
      leaveIfRefused(thrown)
      setError(thrown)
      setSending(false)
    }
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button autoFocus onClick={onClose}>
            Cancel
          </Button>
          <Button look="danger" disabled={isSending} onClick={() => void send()}>
            {does}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-sm">{children}</div>
      {error === undefined ? null : <Failed error={error} />}
    </Dialog>
  )
}
