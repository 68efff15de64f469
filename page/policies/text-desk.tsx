/**
 * The editor of a text with what belongs to it: checks while somebody types, what it comes to, a copy for the config, and
 * trials. Neighbours: `editor-tab.tsx` for installed policies, `new-policy.tsx` for new ones, which say how it is saved.
 */
import { useEffect, useId, useRef, useState, type ReactElement, type ReactNode } from 'react'
import type { CheckedPolicy, PolicyMistake } from '../../src/api/types-policies.ts'
import { showHidden, showName } from '../blocks/plain.ts'
import { CopyButton } from '../kit/copy.tsx'
import { plural } from '../core/format.ts'
import { Failed } from '../kit/states.tsx'
import { CodeEditor } from './code-editor.tsx'
import { applyEdit, toOffset } from './code-keys.ts'
import { toHolds } from './policy-words.ts'
import { toConfigText } from './templates.ts'
import { TrialPanel } from './trial.tsx'
import { useCheck, type Checked } from './use-check.ts'

interface TextDeskProps {
  /** Of the draft. */
  readonly at: string
  /** The installed policy that it is of. */
  readonly name?: string
  readonly value: string
  readonly isReadOnly?: boolean
  onChange?(value: string): void
  /** What the text comes to; `undefined` while it is not right or not looked at. */
  onChecked?(policy: CheckedPolicy | undefined): void
  /** Where it is not saved. */
  readonly onDiscard?: (() => void) | undefined
  readonly children?: ReactNode
}

const NO_MISTAKES: readonly PolicyMistake[] = []

export function TextDesk({
  at,
  name,
  value: given,
  isReadOnly = false,
  onChange,
  onChecked,
  onDiscard,
  children,
}: TextDeskProps): ReactElement {
  const field = useRef<HTMLTextAreaElement>(null)
  // Drafts are told once per frame, and a field must have its text at once: else its caret would be lost.
  const [value, setValue] = useState(given)
  const [last, setLast] = useState(given)
  if (given !== last) {
    setLast(given)
    setValue(given)
  }
  const id = useId()
  const checked = useCheck(isReadOnly ? undefined : value, name)
  const mistakes = checked.answer?.mistakes ?? NO_MISTAKES
  const becomes = checked.isOld ? undefined : checked.answer?.policies[0]
  const told = useRef(onChecked)
  told.current = onChecked
  useEffect(() => told.current?.(becomes), [becomes])

  function select({ line, column, endColumn = column }: PolicyMistake): readonly [number, number] {
    return [toOffset(value, line, column), toOffset(value, line, endColumn)]
  }
  function jump(mistake: PolicyMistake): void {
    field.current?.focus()
    field.current?.setSelectionRange(...select(mistake))
  }
  function put(mistake: PolicyMistake): void {
    if (field.current === null || mistake.hint === undefined) return
    const [from, to] = select(mistake)
    field.current.focus()
    applyEdit(field.current, { from, to, text: mistake.hint })
  }

  return (
    <>
      <CodeEditor
        label={isReadOnly ? 'YAML, to read only' : 'YAML of the policy'}
        value={value}
        mistakes={mistakes}
        field={field}
        isReadOnly={isReadOnly}
        describedBy={id}
        onChange={(next) => {
          setValue(next)
          onChange?.(next)
        }}
      />
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 border-y border-line bg-surface px-3 py-1.5">
        <div id={id} role="status" className="min-w-0 flex-1 basis-52 text-xs">
          {isReadOnly ? null : <Verdict checked={checked} mistakes={mistakes} />}
          {onDiscard === undefined ? null : (
            <p className="text-warn">
              Not saved; kept in this browser.{' '}
              <button type="button" onClick={onDiscard} className="font-medium underline">
                Discard
              </button>
            </p>
          )}
        </div>
        <CopyButton text={() => toConfigText(value)} label="Copy as lines of sluice.yaml" isSmall />
        {children}
      </div>
      {checked.error === undefined ? null : <Failed error={checked.error} />}
      <Mistakes mistakes={mistakes} onJump={jump} onHint={put} />
      <Hidden text={value} />
      <TrialPanel
        at={at}
        name={name}
        yaml={isReadOnly ? undefined : value}
        isDisabled={!isReadOnly && becomes === undefined}
      />
    </>
  )
}

function Verdict({
  checked: { answer, isOld },
  mistakes,
}: {
  readonly checked: Checked
  readonly mistakes: readonly PolicyMistake[]
}): ReactElement {
  if (answer === undefined || isOld) return <span className="text-faint">Checking …</span>
  if (mistakes.length > 0)
    return <span className="font-medium text-bad">{plural(mistakes.length, 'mistake')}</span>
  const [first] = answer.policies
  return (
    <span className="text-muted">
      <span className="font-medium text-ok">No mistakes.</span>{' '}
      {first === undefined
        ? null
        : `Waits for it: ${first.holds.length === 0 ? 'nothing' : toHolds(first.holds)}${first.appliesTo === undefined ? '' : `, only for ${showName(first.appliesTo)}`}.`}
    </span>
  )
}

function Mistakes({
  mistakes,
  onJump,
  onHint,
}: {
  readonly mistakes: readonly PolicyMistake[]
  onJump(mistake: PolicyMistake): void
  onHint(mistake: PolicyMistake): void
}): ReactElement | null {
  if (mistakes.length === 0) return null
  return (
    <ul aria-label="Mistakes" className="max-h-44 overflow-y-auto">
      {mistakes.map((one, at) => (
        <li
          key={at}
          className="flex items-baseline gap-2 border-b border-line px-3 text-xs hover:bg-hover"
        >
          <button
            type="button"
            onClick={() => onJump(one)}
            className="flex min-w-0 flex-1 gap-3 py-1.5 text-left"
          >
            <span className="tabular w-14 shrink-0 text-faint">
              {one.line}:{one.column}
            </span>
            <span className="verbatim min-w-0">{showHidden(one.message)}</span>
          </button>
          {one.hint === undefined ? null : (
            <button
              type="button"
              onClick={() => onHint(one)}
              className="shrink-0 font-medium text-accent hover:underline"
            >
              Did you mean {showName(one.hint)}?
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}

/** What an editor cannot show, and what turns others around. */
function Hidden({ text }: { readonly text: string }): ReactElement | null {
  const lines = text.split('\n').flatMap((line, at) => (showHidden(line) === line ? [] : [at + 1]))
  return lines.length === 0 ? null : (
    <p role="alert" className="border-b border-line bg-warn-soft px-3 py-1.5 text-xs text-warn">
      Characters that cannot be seen, or that turn others around, stand in line{' '}
      {lines.slice(0, 10).join(', ')}.
    </p>
  )
}
