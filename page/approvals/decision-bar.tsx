/** What a person can say to a call that waits: pass, edit, deny, and for how long that holds. Neighbours: `decide.ts`. */
import { useState, type ReactElement } from 'react'
import type { Remember, Ticket } from '../../src/approvals/ticket.ts'
import { Button } from '../kit/button.tsx'
import { classes } from '../kit/classes.ts'
import { DenyForm } from './deny-form.tsx'
import type { Deciding } from './decide.ts'
import { Person } from './person.tsx'
import { Terms } from './terms.tsx'

interface DecisionBarProps {
  readonly ticket: Ticket
  readonly deciding: Deciding
  readonly remember: Remember
  onRemember(remember: Remember): void
  readonly isDenying: boolean
  setDenying(isDenying: boolean): void
  onEdit(): void
}

export function DecisionBar(props: DecisionBarProps): ReactElement {
  const { ticket, deciding, remember, isDenying, setDenying } = props
  const { decide, isSending } = deciding
  const [reason, setReason] = useState('')
  return (
    <footer
      aria-label="Decision"
      className="flex shrink-0 flex-col gap-2 border-t border-line bg-surface px-4 py-2.5"
    >
      {isDenying ? (
        <DenyForm
          reason={reason}
          onReason={setReason}
          isSending={isSending}
          onDeny={() => decide({ decision: 'deny', reason: reason.trim(), remember })}
          onClose={() => setDenying(false)}
        />
      ) : (
        <Choices {...props} />
      )}
      <Terms remember={remember} onRemember={props.onRemember} />
      {ticket.isWaitedFor ? null : (
        <p className="text-xs text-warn">
          Nobody waits for it now: a decision is used if the client makes the same call again within
          ten minutes.
        </p>
      )}
    </footer>
  )
}

function Choices({
  ticket,
  deciding: { decide, isSending },
  remember,
  setDenying,
  onEdit,
}: DecisionBarProps): ReactElement {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        look="primary"
        icon="check"
        disabled={isSending}
        onClick={() => decide({ decision: 'pass', remember })}
        className="h-8 px-3"
      >
        Pass <kbd className={classes(KEY, 'border-current opacity-80')}>a</kbd>
      </Button>
      {ticket.call.type === 'tool-call' ? (
        <Button icon="edit" disabled={isSending} onClick={onEdit} className="h-8 px-3">
          Edit <kbd className={classes(KEY, PLAIN)}>e</kbd>
        </Button>
      ) : null}
      <Button
        icon="close"
        disabled={isSending}
        onClick={() => setDenying(true)}
        className="h-8 px-3 text-bad!"
      >
        Deny <kbd className={classes(KEY, PLAIN)}>d</kbd>
      </Button>
      <span className="ml-auto flex min-w-0 items-center">
        <Person />
      </span>
    </div>
  )
}

/** Keys on buttons; a telephone has none. */
const KEY =
  'inline-flex h-[18px] min-w-[18px] items-center justify-center rounded border px-1 font-mono text-2xs max-sm:hidden'
const PLAIN = 'border-line-strong bg-raised text-muted'
