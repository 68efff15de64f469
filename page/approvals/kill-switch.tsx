/**
 * The kill switch: what it is now, and the dialog that turns it. It is turned in the dialog only, never by a key. Neighbours:
 * `core/feed.ts` hears how it stands; `banners.tsx` says so in every view.
 */
import { useState, type SubmitEvent, type ReactElement } from 'react'
import type { HaltState } from '../../src/approvals/halt.ts'
import { showName } from '../blocks/plain.ts'
import { api, leaveIfRefused } from '../core/api.ts'
import { haltState } from '../core/feed.ts'
import { toAgo, toWholeTime } from '../core/format.ts'
import { useNow } from '../core/now.ts'
import { personName } from '../core/preferences.ts'
import { useStore } from '../core/store.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { TextField } from '../kit/field.tsx'
import { Failed } from '../kit/states.tsx'

const MAX_REASON = 2000
const MAX_NAME = 200

/** The way to the dialog. */
export function KillSwitch(): ReactElement {
  const { halted } = useStore(haltState)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        icon={halted ? 'play' : 'halt'}
        onClick={() => setOpen(true)}
        className={halted ? '' : 'border-bad! text-bad!'}
      >
        {halted ? 'Let tool calls run again' : 'Stop all tool calls'}
      </Button>
      {isOpen ? <KillSwitchDialog onClose={() => setOpen(false)} /> : null}
    </>
  )
}

export function KillSwitchDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  // As it stood when the dialog was opened: a button must not turn into its opposite under a finger.
  const [before] = useState(haltState.get)
  const now = useStore(haltState)
  const [name, setName] = useState(personName.get)
  const [reason, setReason] = useState('')
  const [isUnnamed, setUnnamed] = useState(false)
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<unknown>()
  const isOvertaken = now.halted !== before.halted && !isSending

  async function turn(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    setUnnamed(true)
    if (isSending || name.trim() === '') return
    setSending(true)
    setError(undefined)
    personName.set(name.trim())
    try {
      await api.setHalt({ halted: !before.halted, by: name.trim(), reason: reason.trim() })
      onClose()
    } catch (thrown) {
      leaveIfRefused(thrown)
      setError(thrown)
      setSending(false)
    }
  }

  return (
    <Dialog
      title={before.halted ? 'Let tool calls run again' : 'Stop all tool calls'}
      onClose={onClose}
    >
      <form onSubmit={(event) => void turn(event)} className="flex flex-col gap-4">
        {before.halted ? <Stopped halt={before} /> : <WhatItDoes />}
        <TextField
          label="Reason"
          value={reason}
          maxLength={MAX_REASON}
          autoFocus
          placeholder={before.halted ? 'What has changed' : 'What is going on'}
          onChange={(event) => setReason(event.target.value)}
          hint="Everybody at this page sees it."
        />
        <TextField
          label="Your name"
          value={name}
          maxLength={MAX_NAME}
          autoComplete="name"
          onChange={(event) => setName(event.target.value)}
          fault={isUnnamed && name.trim() === '' ? 'Say who you are' : undefined}
        />
        {error === undefined ? null : <Failed error={error} />}
        {isOvertaken ? (
          <p role="alert" className="text-xs text-warn">
            {now.by === undefined ? 'Somebody' : showName(now.by)} was faster: tool calls{' '}
            {now.halted ? 'are stopped' : 'run again'} already.
          </p>
        ) : null}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look={before.halted ? 'primary' : 'danger'}
            type="submit"
            disabled={isSending || isOvertaken}
          >
            {before.halted ? 'Let them run' : 'Stop them all'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const WhatItDoes = (): ReactElement => (
  <div className="flex flex-col gap-2 text-sm">
    <p>
      From then on no tool call leaves this gateway: each one is denied, and its model reads that
      calls are stopped. Text still passes. It holds until somebody lets them run again.
    </p>
    <p className="text-muted">
      Calls that an agent has already received are out of reach: it may still be running them.
    </p>
  </div>
)

function Stopped({ halt }: { readonly halt: HaltState }): ReactElement {
  const now = useNow()
  return (
    <div className="flex flex-col gap-2 text-sm">
      <p>
        Stopped by <b className="font-semibold">{showName(halt.by ?? 'somebody')}</b>
        {halt.at === undefined ? null : (
          <time title={toWholeTime(halt.at)}>, {toAgo(halt.at, now)}</time>
        )}
        {halt.reason === undefined || halt.reason === '' ? '.' : `: ${showName(halt.reason)}`}
      </p>
      <p className="text-muted">
        Calls made from now on pass again, as policies say. Those that were denied meanwhile stay
        denied.
      </p>
    </div>
  )
}
