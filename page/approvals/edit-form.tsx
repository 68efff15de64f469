/**
 * Other arguments for a call: JSON that is checked as it is written, a shell's command as a field of its own, and what
 * changes before it is sent. Neighbours: `arguments.ts` reads what is written.
 */
import {
  useState,
  type SubmitEvent,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from 'react'
import type { Ticket } from '../../src/approvals/ticket.ts'
import { TextDiff } from '../blocks/text-diff.tsx'
import { Button } from '../kit/button.tsx'
import { TextArea } from '../kit/field.tsx'
import { findCommand, readEdited, toPretty, withCommand, writeArguments } from './arguments.ts'
import type { Order } from './decide.ts'

interface EditFormProps {
  readonly ticket: Ticket
  readonly draft: string
  onDraft(draft: string): void
  /** The tool's, where the client declared one. */
  readonly schema: unknown
  readonly isSending: boolean
  /** What the gateway says of it. */
  readonly refused: string | undefined
  /** For how long it holds. */
  readonly terms: ReactNode
  onEdit(args: NonNullable<Order['args']>): void
  onClose(): void
}

const MAX_ROWS = 18
const rowsOf = (text: string): number =>
  Math.min(MAX_ROWS, Math.max(3, text.split('\n').length + 1))

export function EditForm(props: EditFormProps): ReactElement {
  const { ticket, draft, schema, isSending, refused, onDraft, onEdit, onClose } = props
  const { isFreeText, content } = ticket.call
  const read = readEdited(draft, { isFreeText, schema })
  const before = isFreeText ? content : toPretty(content)
  const after = read.type === 'right' ? writeArguments(read.args) : undefined
  const isSame = after === before
  const faults = read.type === 'wrong' ? read.faults : refused === undefined ? [] : [refused]

  function send(): void {
    if (read.type === 'right' && !isSame && !isSending) onEdit(read.args)
  }
  function submit(event: SubmitEvent): void {
    event.preventDefault()
    send()
  }
  function press(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return
    event.preventDefault()
    send()
  }
  return (
    <form
      aria-label="Edit arguments"
      onSubmit={submit}
      onKeyDown={press}
      className="appear flex min-w-0 flex-col gap-3"
    >
      <Fields draft={draft} onDraft={onDraft} isFreeText={isFreeText} faults={faults} />
      {schema === undefined && !isFreeText ? (
        <p className="text-xs text-faint">The client declared no schema for this tool.</p>
      ) : null}
      {after === undefined || isSame ? null : (
        <section aria-label="What changes" className="flex min-w-0 flex-col gap-1">
          <h4 className="text-xs font-medium text-muted">What changes</h4>
          <TextDiff before={before} after={after} />
        </section>
      )}
      {props.terms}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          look="primary"
          type="submit"
          disabled={isSending || isSame || read.type === 'wrong'}
          className="h-8 px-3"
        >
          Pass with these arguments
        </Button>
        <Button onClick={onClose} className="h-8">
          Cancel
        </Button>
        <span className="text-xs text-faint max-sm:hidden">
          {isSame ? 'Nothing is changed yet' : 'Ctrl+Enter sends'}
        </span>
      </div>
    </form>
  )
}

function Fields({
  draft,
  onDraft,
  isFreeText,
  faults,
}: Pick<EditFormProps, 'draft' | 'onDraft'> & {
  readonly isFreeText: boolean
  readonly faults: readonly string[]
}): ReactElement {
  const command = isFreeText ? undefined : findCommand(draft)
  // The field stays while the JSON beside it is on its way to be right again.
  const [hadCommand] = useState(command !== undefined)
  return (
    <>
      {hadCommand ? (
        <TextArea
          label="Command"
          autoFocus
          rows={Math.min(8, rowsOf(command?.text ?? '') - 1)}
          className="min-h-0! font-mono text-xs!"
          value={command?.text ?? ''}
          disabled={command === undefined}
          onChange={(event) =>
            command === undefined
              ? undefined
              : onDraft(withCommand(draft, command, event.target.value))
          }
        />
      ) : null}
      <TextArea
        label={isFreeText ? 'Text' : hadCommand ? 'All arguments' : 'Arguments'}
        autoFocus={!hadCommand}
        rows={rowsOf(draft)}
        className="min-h-0! font-mono text-xs!"
        value={draft}
        fault={faults.length === 0 ? undefined : faults.join('\n')}
        onChange={(event) => onDraft(event.target.value)}
      />
    </>
  )
}
