/**
 * A field for code: numbers, colours and underlines are drawn over a plain text field, which stays what it is to a screen
 * reader, to undo and to the keyboard. Neighbours: `yaml-tokens.ts` says what has which colour, `code-keys.ts` what keys do.
 */
import {
  memo,
  useDeferredValue,
  useMemo,
  useRef,
  type KeyboardEvent,
  type ReactElement,
  type RefObject,
} from 'react'
import type { PolicyMistake } from '../../src/api/types-policies.ts'
import { classes } from '../kit/classes.ts'
import { applyEdit, toEdit } from './code-keys.ts'
import {
  toLines,
  toPieces,
  toTokens,
  type Mark,
  type ReadLine,
  type TokenKind,
} from './yaml-tokens.ts'

interface CodeEditorProps {
  readonly label: string
  readonly value: string
  readonly mistakes: readonly PolicyMistake[]
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly isReadOnly?: boolean
  /** The id of what tells of the mistakes. */
  readonly describedBy?: string
  onChange(value: string): void
}

/** Numbers and code, in the same measure as the field above them. */
const TYPE = 'font-mono text-xs leading-[18px] whitespace-pre [tab-size:4]'

export function CodeEditor({
  label,
  value,
  mistakes,
  field,
  isReadOnly = false,
  describedBy,
  onChange,
}: CodeEditorProps): ReactElement {
  const mayLeave = useRef(false)

  function press(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key === 'Escape') {
      mayLeave.current = true
      return event.preventDefault()
    }
    const isLeaving = mayLeave.current && event.key === 'Tab'
    // Shift is held before it is known what for.
    if (event.key !== 'Shift') mayLeave.current = false
    if (isLeaving || isReadOnly || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.nativeEvent.isComposing) return
    const { selectionStart: start, selectionEnd: end } = event.currentTarget
    const edit = toEdit(event.key, event.shiftKey, { value: event.currentTarget.value, start, end })
    if (edit === undefined) return
    event.preventDefault()
    applyEdit(event.currentTarget, edit)
  }

  return (
    <div className="max-h-[55vh] min-h-40 overflow-auto border-2 border-transparent bg-surface has-focus-visible:border-accent">
      <div className="relative min-h-40 w-max min-w-full py-2">
        <textarea
          ref={field}
          aria-label={label}
          aria-invalid={mistakes.length > 0}
          aria-describedby={describedBy}
          value={value}
          readOnly={isReadOnly}
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={press}
          wrap="off"
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          className={classes(
            TYPE,
            'absolute inset-0 size-full resize-none overflow-hidden bg-transparent py-2 pr-4 pl-13 text-transparent caret-(--ink) outline-none',
          )}
        />
        <Lines value={value} mistakes={mistakes} />
      </div>
    </div>
  )
}

const NONE: readonly Mark[] = []

const Lines = memo(function Lines({
  value,
  mistakes,
}: Pick<CodeEditorProps, 'value' | 'mistakes'>): ReactElement {
  const late = useDeferredValue(mistakes)
  const lines = useMemo(() => toLines(value), [value])
  const marks = useMemo(() => toMarks(late), [late])
  return (
    <div aria-hidden="true" className={classes(TYPE, 'pointer-events-none relative')}>
      {lines.map(({ text, deeper, isCel }, at) => (
        <Line
          key={at}
          number={at + 1}
          text={text}
          deeper={deeper}
          isCel={isCel}
          marks={marks.get(at + 1) ?? NONE}
        />
      ))}
    </div>
  )
})

function toMarks(mistakes: readonly PolicyMistake[]): ReadonlyMap<number, readonly Mark[]> {
  const marks = new Map<number, readonly Mark[]>()
  for (const { line, column, endColumn = column + 1 } of mistakes)
    marks.set(line, [...(marks.get(line) ?? []), { from: column - 1, to: endColumn - 1 }])
  return marks
}

const INKS: Readonly<Record<TokenKind, string>> = {
  plain: '',
  key: 'text-accent',
  text: 'text-ok',
  value: 'text-thinking',
  note: 'text-faint italic',
  call: 'text-hold',
}

const Line = memo(function Line({
  number,
  marks,
  text,
  deeper,
  isCel,
}: ReadLine & { readonly number: number; readonly marks: readonly Mark[] }): ReactElement {
  const pieces = toPieces(toTokens({ text, deeper, isCel }), marks)
  const isWrong = marks.length > 0
  return (
    <div className="flex h-[18px]">
      <span
        className={classes(
          'sticky left-0 mr-2 w-11 shrink-0 border-r border-line bg-surface pr-2 text-right select-none',
          isWrong ? 'font-semibold text-bad' : 'text-faint',
        )}
      >
        {number}
      </span>
      <span className="pr-4">
        {pieces.map(({ kind, text: words, isMarked }, at) => (
          <span
            key={at}
            data-mistake={isMarked ? '' : undefined}
            className={classes(
              INKS[kind],
              isMarked && 'bg-bad-soft underline decoration-bad decoration-wavy underline-offset-2',
            )}
          >
            {words}
          </span>
        ))}
        {isWrong && !pieces.some(({ isMarked }) => isMarked) ? (
          <span data-mistake="" className="bg-bad-soft underline decoration-bad decoration-wavy">
            {' '}
          </span>
        ) : null}
      </span>
    </div>
  )
})
