/** The parts of one ticket from top to bottom, and its keys. Neighbours: `ticket-panel.tsx` has found it. */
import { useEffect, useRef, useState, type ReactElement, type ReactNode } from 'react'
import type { Remember, Ticket, TicketSummary } from '../../src/approvals/ticket.ts'
import { showHidden } from '../blocks/plain.ts'
import { ToolArguments } from '../blocks/tool-arguments.tsx'
import { haltState } from '../core/feed.ts'
import { useShortcuts } from '../core/shortcuts.ts'
import { useStore } from '../core/store.ts'
import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/icons.tsx'
import { Kbd } from '../kit/toolbar.tsx'
import { toPretty } from './arguments.ts'
import { useAround } from './around.ts'
import { AroundCall } from './around.tsx'
import { useDecide } from './decide.ts'
import { DecisionBar } from './decision-bar.tsx'
import { EditForm } from './edit-form.tsx'
import { Facts } from './facts.tsx'
import { NameDialog } from './name-dialog.tsx'
import { Outcome } from './outcome.tsx'
import { Terms } from './terms.tsx'
import { findSchema } from './tool-schema.ts'
import { TicketHead } from './ticket-head.tsx'
import { nameOf } from './words.ts'

interface TicketBodyProps {
  readonly ticket: Ticket
  readonly note: string | undefined
  readonly next: TicketSummary | undefined
  onNext(): void
  onClose(): void
}

/** `g a` leads here: a second `a`, or one that is held, must not decide on what nobody has read. */
const READING_MS = 500
const HALTED = 'All tool calls are stopped: also one that you pass does not run now.'

export function TicketBody({ ticket, note, next, onNext, onClose }: TicketBodyProps): ReactElement {
  const { call } = ticket
  const isPending = ticket.status === 'pending'
  const isHalted = useStore(haltState).halted
  const deciding = useDecide(ticket)
  const around = useAround(ticket.exchangeId)
  const [form, setForm] = useState<'deny' | 'edit'>()
  const [draft, setDraft] = useState(call.isFreeText ? call.content : toPretty(call.content))
  const [remember, setRemember] = useState<Remember>('once')
  // Behind the deadline a decision is kept for a while, for a client that asks again.
  const [isLate, setLate] = useState(false)
  const canDecide = isPending || (isLate && ticket.status === 'expired')
  const isEditing = canDecide && form === 'edit'
  const press = useDecisionKeys(canDecide && form === undefined)
  useShortcuts([
    {
      keys: 'a',
      says: 'Pass the call',
      run: press(() => deciding.decide({ decision: 'pass', remember })),
    },
    { keys: 'e', says: 'Edit its arguments', run: press(() => setForm('edit')) },
    { keys: 'd', says: 'Deny the call', run: press(() => setForm('deny')) },
    {
      keys: 'Escape',
      says: 'Back',
      run: () => (form === undefined ? onClose() : setForm(undefined)),
    },
  ])
  return (
    <>
      <TicketHead ticket={ticket} onClose={onClose} />
      <div className="@container flex min-h-0 flex-1 flex-col gap-5 overflow-auto p-4">
        <p className="verbatim text-base font-medium">{showHidden(ticket.question)}</p>
        <Notices
          deciding={deciding}
          notes={[isHalted && canDecide ? HALTED : undefined, ticket.note, note]}
        />
        <Part title={isEditing ? 'Edit' : 'Call'}>
          {isEditing ? (
            <EditForm
              ticket={ticket}
              draft={draft}
              onDraft={(text) => {
                deciding.clearFault()
                setDraft(text)
              }}
              schema={findSchema(around.request?.tools, call)}
              terms={<Terms remember={remember} onRemember={setRemember} />}
              isSending={deciding.isSending}
              refused={deciding.fault?.at === 'field' ? deciding.fault.says : undefined}
              onEdit={(args) => deciding.decide({ decision: 'edit', args, remember })}
              onClose={() => setForm(undefined)}
            />
          ) : (
            <div className="rounded-md border border-line bg-surface px-3 py-2.5">
              {call.type === 'tool-call' ? (
                <ToolArguments name={call.name ?? ''} content={call.content} />
              ) : (
                <p className="verbatim">{showHidden(call.content)}</p>
              )}
            </div>
          )}
        </Part>
        <Part title="Where it comes from">
          <Facts ticket={ticket} />
        </Part>
        <Part title="The conversation around it">
          <AroundCall around={around} callId={call.id} />
        </Part>
      </div>
      {!canDecide ? (
        <>
          <Outcome ticket={ticket} onLate={() => setLate(true)} />
          <Next next={next} onNext={onNext} />
        </>
      ) : isEditing ? null : (
        <DecisionBar
          ticket={ticket}
          deciding={deciding}
          remember={remember}
          onRemember={setRemember}
          isDenying={form === 'deny'}
          setDenying={(isDenying) => setForm(isDenying ? 'deny' : undefined)}
          onEdit={() => setForm('edit')}
        />
      )}
      {deciding.unnamed === undefined ? null : (
        <NameDialog
          does="Decide"
          onName={deciding.giveName}
          onClose={() => deciding.giveName(undefined)}
        />
      )}
    </>
  )
}

/** A key counts when it is pressed anew, on a ticket that was there for a moment, with nothing open above it. */
function useDecisionKeys(isOn: boolean): (run: () => void) => (event: KeyboardEvent) => void {
  const shownAt = useRef(0)
  useEffect(() => {
    shownAt.current = performance.now()
  }, [])
  return (run) => (event) => {
    if (!isOn || event.repeat || document.querySelector('dialog[open]') !== null) return
    if (performance.now() - shownAt.current >= READING_MS) run()
  }
}

function Notices({
  deciding: { fault },
  notes,
}: {
  readonly deciding: ReturnType<typeof useDecide>
  readonly notes: readonly (string | undefined)[]
}): ReactElement | null {
  const said = fault === undefined || fault.at === 'field' ? notes : [fault.says, ...notes]
  const shown = said.filter((text) => text !== undefined && text !== '')
  if (shown.length === 0) return null
  return (
    <div role="alert" className="flex flex-col gap-1 rounded-md bg-warn-soft px-3 py-2 text-warn">
      {shown.map((text) => (
        <p key={text} className="verbatim flex items-start gap-2">
          <span className="mt-0.5">
            <Icon name="warn" size={14} />
          </span>
          <span className="min-w-0">{text}</span>
        </p>
      ))}
    </div>
  )
}

const Part = ({
  title,
  children,
}: {
  readonly title: string
  readonly children: ReactNode
}): ReactElement => (
  <section aria-label={title} className="flex min-w-0 flex-col gap-2">
    <h3 className="text-xs font-semibold text-muted">{title}</h3>
    {children}
  </section>
)

/** Nobody is led on by themselves: a second key press would decide on what they have not read. */
const Next = ({
  next,
  onNext,
}: {
  readonly next: TicketSummary | undefined
  onNext(): void
}): ReactElement | null =>
  next === undefined ? null : (
    <div className="flex shrink-0 items-center border-t border-line bg-surface px-4 py-2">
      <Button onClick={onNext} className="min-w-0">
        <span className="truncate">Next: {nameOf(next)}</span> <Kbd>j</Kbd>
      </Button>
    </div>
  )
