/**
 * Two texts → rows that show how one became the other: lines first, then words within lines that were changed in place.
 * Neighbours: `text-diff.tsx` draws them. Bounded: what is too long or takes too long is shown whole, before and after.
 */
import { diffLines, diffWordsWithSpace } from 'diff'

export interface DiffRow {
  readonly type: 'same' | 'removed' | 'added'
  /** Line numbers, from 1. */
  readonly left?: number
  readonly right?: number
  readonly text: string
  /** Where a line was changed in place: what of it is new or gone. */
  readonly words?: readonly Word[]
}

interface Word {
  readonly text: string
  readonly isChanged: boolean
}

export interface Diff {
  readonly rows: readonly DiffRow[]
  /** Too much to compare: all of the one stands before all of the other. */
  readonly isPlain: boolean
}

export interface DiffLimits {
  readonly lines?: number
  readonly ms?: number
}

const MAX_LINES = 20_000
/** Long texts may make one frame late; short ones take no time, and a pause of the machine must not count against them. */
const MAX_MS = 30
const MAX_SHORT_MS = 500
const SHORT_CHARS = 20_000
/** Longer lines are not compared word by word. */
const MAX_WORD_CHARS = 1000

export function diffTexts(
  before: string,
  after: string,
  { lines = MAX_LINES, ms = toLimit(before, after) }: DiffLimits = {},
): Diff {
  const until = performance.now() + ms
  const isLong = countLines(before, lines) + countLines(after, lines) > lines
  const parts = isLong ? undefined : diffLines(before, after, { timeout: ms })
  const rows: DiffRow[] = []
  const at = { left: 1, right: 1 }
  const add = (type: DiffRow['type'], texts: readonly string[]): void => {
    for (const text of texts) rows.push(toRow(type, text, at))
  }
  if (parts === undefined) {
    add('removed', toLines(before))
    add('added', toLines(after))
    return { rows, isPlain: true }
  }
  for (const [index, part] of parts.entries()) {
    const type = part.removed ? 'removed' : part.added ? 'added' : 'same'
    const from = rows.length
    add(type, toLines(part.value))
    const previous = parts[index - 1]
    if (type === 'added' && previous?.removed === true && performance.now() < until)
      markWords(rows, { from: from - previous.count, middle: from, until })
  }
  return { rows, isPlain: false }
}

const toLimit = (before: string, after: string): number =>
  before.length + after.length < SHORT_CHARS ? MAX_SHORT_MS : MAX_MS

function toRow(type: DiffRow['type'], text: string, at: { left: number; right: number }): DiffRow {
  switch (type) {
    case 'same':
      return { type, text, left: at.left++, right: at.right++ }
    case 'removed':
      return { type, text, left: at.left++ }
    case 'added':
      return { type, text, right: at.right++ }
  }
}

/** Lines that were taken away and put there again otherwise, pair by pair. */
function markWords(
  rows: DiffRow[],
  {
    from,
    middle,
    until,
  }: { readonly from: number; readonly middle: number; readonly until: number },
): void {
  const pairs = Math.min(middle - from, rows.length - middle)
  for (let at = 0; at < pairs && performance.now() < until; at++) {
    const old = rows[from + at]
    const next = rows[middle + at]
    if (old === undefined || next === undefined) return
    if (old.text.length + next.text.length > MAX_WORD_CHARS) continue
    const words = diffWordsWithSpace(old.text, next.text, { timeout: 5 })
    // Lines that have little in common are read more easily whole.
    const kept = words?.reduce(
      (sum, one) => sum + (one.added || one.removed ? 0 : one.value.length),
      0,
    )
    if (words === undefined || (kept ?? 0) * 3 < Math.max(old.text.length, next.text.length))
      continue
    rows[from + at] = { ...old, words: toWords(words, 'removed') }
    rows[middle + at] = { ...next, words: toWords(words, 'added') }
  }
}

function toWords(
  parts: readonly { readonly value: string; readonly added: boolean; readonly removed: boolean }[],
  side: 'removed' | 'added',
): readonly Word[] {
  return parts
    .filter((part) => part[side] || (!part.added && !part.removed))
    .map((part) => ({ text: part.value, isChanged: part[side] }))
}

const toLines = (text: string): readonly string[] =>
  text === '' ? [] : text.replace(/\n$/, '').split('\n')

function countLines(text: string, max: number): number {
  let count = 1
  for (let at = text.indexOf('\n'); at !== -1 && count <= max; at = text.indexOf('\n', at + 1))
    count++
  return count
}

/** A run of lines that nothing happened to, away from what did. */
export interface Gap {
  readonly type: 'gap'
  readonly from: number
  readonly rows: readonly DiffRow[]
}

/** Long runs without a change as one row each. */
export function foldSame(rows: readonly DiffRow[], around = 3): readonly (DiffRow | Gap)[] {
  const near = new Uint8Array(rows.length)
  for (const [at, row] of rows.entries())
    if (row.type !== 'same')
      near.fill(1, Math.max(0, at - around), Math.min(rows.length, at + around + 1))
  const folded: (DiffRow | Gap)[] = []
  for (let at = 0; at < rows.length;) {
    let end = at
    while (end < rows.length && near[end] === 0) end++
    // A fold of a line or two would take as much room as the lines.
    if (end - at > 2) folded.push({ type: 'gap', from: at, rows: rows.slice(at, end) })
    else folded.push(...rows.slice(at, Math.max(end, at + 1)))
    at = Math.max(end, at + 1)
  }
  return folded
}

export interface Pair {
  readonly type: 'pair'
  readonly left: DiffRow | undefined
  readonly right: DiffRow | undefined
}

/** Side by side: what was taken away beside what came instead. */
export function toPairs(rows: readonly (DiffRow | Gap)[]): readonly (Gap | Pair)[] {
  const pairs: (Gap | Pair)[] = []
  let gone: DiffRow[] = []
  let come: DiffRow[] = []
  function settle(): void {
    for (let at = 0; at < Math.max(gone.length, come.length); at++)
      pairs.push({ type: 'pair', left: gone[at], right: come[at] })
    gone = []
    come = []
  }
  for (const row of rows) {
    if (row.type === 'added') come.push(row)
    else {
      if (row.type !== 'removed' || come.length > 0) settle()
      if (row.type === 'removed') gone.push(row)
      else pairs.push(row.type === 'gap' ? row : { type: 'pair', left: row, right: row })
    }
  }
  settle()
  return pairs
}
