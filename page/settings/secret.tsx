/** A key, this once. Who closes without having copied it is asked. */
import { useState, type ReactElement } from 'react'
import type { KeyCreated } from '../../src/api/types.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Copyable } from './parts.tsx'

export function Secret({
  made: { key, secret, note },
  onClose,
}: {
  readonly made: KeyCreated
  onClose(): void
}): ReactElement {
  const [isCopied, setCopied] = useState(false)
  const [isAsking, setAsking] = useState(false)
  if (isAsking)
    return (
      <Dialog key="sure" title="Close without copying it?" onClose={() => setAsking(false)}>
        <p className="text-sm">
          The key of {key.name} was not copied, and cannot be seen again. Without it, it has to be
          revoked and made anew.
        </p>
        <div className="mt-4 flex justify-end gap-2">
          <Button onClick={onClose}>Close it</Button>
          <Button look="primary" onClick={() => setAsking(false)}>
            Back to the key
          </Button>
        </div>
      </Dialog>
    )
  const leave = (): void => (isCopied ? onClose() : setAsking(true))
  const onCopied = (): void => setCopied(true)
  return (
    <Dialog key="secret" title={`Key of ${key.name}`} onClose={leave}>
      <div className="flex flex-col gap-4">
        <p className="text-sm">
          <strong className="font-semibold">Copy it now: it is shown this once.</strong> The gateway
          keeps only its hash, so that nobody can see it again.
        </p>
        <Copyable title="The key" text={secret} onCopied={onCopied} />
        <Copyable
          title="Claude Code with it"
          text={`ANTHROPIC_BASE_URL=${location.origin} ANTHROPIC_AUTH_TOKEN=${secret} claude`}
          onCopied={onCopied}
        />
        {note === undefined ? null : <p className="text-xs text-muted">{note}</p>}
        <div className="flex justify-end">
          <Button look="primary" onClick={leave}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
