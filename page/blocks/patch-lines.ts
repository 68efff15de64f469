/** A patch, of Codex's form or a unified diff → its lines with what they do. Neighbours: `patch.tsx` draws it. */
export interface PatchLine {
  readonly type: 'file' | 'place' | 'added' | 'removed' | 'same' | 'mark'
  /** Without its sign. */
  readonly text: string
}

export function readPatchLines(text: string): readonly PatchLine[] {
  return text.replace(/\n$/, '').split('\n').map(toLine)
}

function toLine(line: string): PatchLine {
  if (
    /^\*\*\* (?:Add|Update|Delete) File: |^\*\*\* Move to: |^diff --git |^(?:---|\+\+\+) /.test(
      line,
    )
  )
    return { type: 'file', text: line }
  if (/^\*\*\* (?:Begin|End)/.test(line)) return { type: 'mark', text: line }
  if (line.startsWith('@@')) return { type: 'place', text: line }
  if (line.startsWith('+')) return { type: 'added', text: line.slice(1) }
  if (line.startsWith('-')) return { type: 'removed', text: line.slice(1) }
  return { type: 'same', text: line.startsWith(' ') ? line.slice(1) : line }
}
