/**
 * A line of a policy's YAML → what is to be coloured in it, with the CEL behind `when` and below `set`. Neighbours:
 * `code-lines.tsx` draws it. It is for the eye alone: whether the text is right, the gateway says.
 */
export type TokenKind = 'plain' | 'key' | 'text' | 'value' | 'note' | 'call'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
}

/** What a line begins in: the text of a block (`|`), whose lines stand deeper than `deeper`. */
interface LineState {
  readonly deeper: number
  readonly isCel: boolean
}

export interface ReadLine extends LineState {
  readonly text: string
}

/** Nobody reads the colours of a longer one, and drawing them would take a while. */
const MAX_LINE = 2000

const OUTSIDE: LineState = { deeper: -1, isCel: false }

/** Each line with what it begins in. */
export function toLines(text: string): readonly ReadLine[] {
  let state = OUTSIDE
  return text.split('\n').map((line) => {
    if (state.deeper >= 0 && line.trim() !== '' && indentOf(line) <= state.deeper) state = OUTSIDE
    const read = { text: line, ...state }
    const opens = state.deeper >= 0 ? null : BLOCK.exec(line)
    if (opens !== null) state = { deeper: opens[1]?.length ?? 0, isCel: isCelKey(opens[2]) }
    return read
  })
}

/** `  - when: >-`: what stands before the key, and the key. */
const BLOCK = /^(\s*(?:- +)*)([\w$.-]+)\s*:\s*[|>][+\d-]{0,2}\s*(?:#.*)?$/

const indentOf = (line: string): number => line.length - line.trimStart().length

const isCelKey = (key: string | undefined): boolean => key === 'when'

const YAML =
  /(#.*)|("(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?)|([\w$.*/-]+)(?=\s*:(?:\s|$))|([[\]{},:]|^\s*-(?=\s)|[|>][+\d-]{0,2}\s*$)|([^\s#[\]{},:'"][^#[\]{},:]*)|(.)/gy
const CEL =
  /("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|(\b(?:true|false|null|in)\b|\b\d[\w.]*)|([A-Za-z_]\w*)(?=\s*\()|([A-Za-z_]\w*|[^\w"']+|.)/gy
const VALUE = /^(?:true|false|null|~|-?\d[\d.]*(?:[a-z]{1,2})?)\s*$/

export function toTokens({ text, deeper, isCel }: ReadLine): readonly Token[] {
  if (text.length > MAX_LINE) return [{ kind: 'plain', text }]
  if (deeper >= 0) return isCel ? celTokens(text) : [{ kind: 'text', text }]
  const tokens: Token[] = []
  let key = ''
  for (const [whole, note, quoted, name, , bare] of text.matchAll(YAML)) {
    if (note !== undefined && isNote(tokens)) tokens.push({ kind: 'note', text: whole })
    else if (name !== undefined) {
      key = name
      tokens.push({ kind: 'key', text: whole })
    } else if (quoted !== undefined)
      tokens.push(...(isCelKey(key) ? inQuotes(quoted) : [{ kind: 'text', text: whole } as const]))
    else if (bare !== undefined && isCelKey(key)) {
      // All of the rest: brackets and colons are its own.
      const from = tokens.reduce((sum, token) => sum + token.text.length, 0)
      return [...tokens, ...celTokens(text.slice(from))]
    } else
      tokens.push({ kind: bare !== undefined && VALUE.test(bare) ? 'value' : 'plain', text: whole })
  }
  return tokens
}

/** A `#` begins a note at the start or behind a space only. */
function isNote(before: readonly Token[]): boolean {
  const last = before.at(-1)
  return last === undefined || /\s$/.test(last.text)
}

function inQuotes(quoted: string): readonly Token[] {
  const quote = quoted.slice(0, 1)
  const isClosed = quoted.length > 1 && quoted.endsWith(quote)
  return [
    { kind: 'plain', text: quote },
    ...celTokens(quoted.slice(1, isClosed ? -1 : undefined)),
    ...(isClosed ? [{ kind: 'plain', text: quote } as const] : []),
  ]
}

const celTokens = (text: string): readonly Token[] =>
  [...text.matchAll(CEL)].map(([whole, quoted, value, call]) => ({
    kind:
      quoted !== undefined
        ? 'text'
        : value !== undefined
          ? 'value'
          : call !== undefined
            ? 'call'
            : 'plain',
    text: whole,
  }))

export interface Mark {
  /** Places in the line, from 0. */
  readonly from: number
  readonly to: number
}

export interface Piece extends Token {
  readonly isMarked: boolean
}

/** Tokens cut where a mark begins or ends. */
export function toPieces(tokens: readonly Token[], marks: readonly Mark[]): readonly Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const { kind, text } of tokens) {
    const end = at + text.length
    const inside = marks
      .flatMap(({ from, to }) => [from, to])
      .filter((cut) => cut > at && cut < end)
    const cuts = [at, ...new Set(inside.toSorted((a, b) => a - b)), end]
    for (const [index, from] of cuts.slice(0, -1).entries()) {
      const isMarked = marks.some((mark) => mark.from <= from && from < mark.to)
      pieces.push({ kind, isMarked, text: text.slice(from - at, (cuts[index + 1] ?? end) - at) })
    }
    at = end
  }
  return pieces
}
