/**
 * Keys in the editor: Tab and Shift+Tab indent, Enter keeps the indentation, Escape lets the next Tab leave. Neighbours:
 * `code-editor.tsx`. Knows the field and no React.
 */
const STEP = '  '

export interface Edit {
  /** What is replaced, and by what; then what is selected, from the start of the text. */
  readonly from: number
  readonly to: number
  readonly text: string
  readonly select?: readonly [start: number, end: number]
}

/** `undefined`: the key is left to the browser. */
export function toEdit(
  key: string,
  isBack: boolean,
  { value, start, end }: { readonly value: string; readonly start: number; readonly end: number },
): Edit | undefined {
  const lineStart = value.lastIndexOf('\n', start - 1) + 1
  if (key === 'Enter') {
    const before = value.slice(lineStart, start)
    const [indent = '', dash = ''] = /^(\s*)(- )?/.exec(before)?.slice(1) ?? []
    const deeper = /:\s*(?:[|>][+-]?)?$/.test(before) ? STEP : ''
    return { from: start, to: end, text: `\n${indent}${dash === '' ? '' : STEP}${deeper}` }
  }
  if (key !== 'Tab') return undefined
  if (!isBack && start === end) return { from: start, to: end, text: STEP }
  const lines = value.slice(lineStart, end)
  const text = isBack ? lines.replaceAll(/^ {1,2}/gm, '') : lines.replaceAll(/^(?=.)/gm, STEP)
  const first = (isBack ? -1 : 1) * Math.abs(firstLength(text) - firstLength(lines))
  return {
    from: lineStart,
    to: end,
    text,
    select: [Math.max(lineStart, start + first), end + text.length - lines.length],
  }
}

const firstLength = (text: string): number => text.split('\n', 1)[0]?.length ?? 0

/** As if it was typed, so that it can be undone. */
export function applyEdit(field: HTMLTextAreaElement, { from, to, text, select }: Edit): void {
  field.setSelectionRange(from, to)
  // eslint-disable-next-line typescript/no-deprecated -- nothing else leaves a step that can be undone
  document.execCommand(text === '' ? 'delete' : 'insertText', false, text)
  if (select !== undefined) field.setSelectionRange(...select)
}

/** Where a place of the text is, from its line and column. */
export function toOffset(value: string, line: number, column: number): number {
  let at = 0
  for (let count = 1; count < line; count++) {
    const next = value.indexOf('\n', at)
    if (next === -1) return value.length
    at = next + 1
  }
  const end = value.indexOf('\n', at)
  return Math.min(at + column - 1, end === -1 ? value.length : end)
}
