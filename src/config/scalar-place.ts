/**
 * A sign of a scalar's value → where it stands in the text: behind quotes, escapes, folded lines and indentation.
 * Neighbours: `parse.ts` asks for nodes, for those who underline part of a value. Follows text and value side by side,
 * so that a form which it does not foresee ends a little beside the place and nowhere else.
 */
export interface WrittenScalar {
  /** The text that it stands in. */
  readonly whole: string
  readonly range: readonly [start: number, end: number, ...rest: number[]]
  /** As the YAML package calls it: `PLAIN`, `QUOTE_DOUBLE`, `QUOTE_SINGLE`, `BLOCK_LITERAL`, `BLOCK_FOLDED`. */
  readonly style: string | null | undefined
  readonly value: string
}

/** The offset in the whole text. */
export function offsetAt({ whole, range, style, value }: WrittenScalar, index: number): number {
  const [start, end] = range
  const isBlock = style === 'BLOCK_LITERAL' || style === 'BLOCK_FOLDED'
  const first = isBlock ? whole.indexOf('\n', start) + 1 : start + (isQuoted(style) ? 1 : 0)
  const indent = isBlock ? indentOf(whole.slice(first, end)) : Number.POSITIVE_INFINITY
  let at = isBlock ? skipSpaces(whole, first, indent) : first
  let seen = 0
  while (seen < index && at < end) {
    const sign = whole[at]
    if (sign === '\\' && style === 'QUOTE_DOUBLE') {
      const [length, gives] = escapeAt(whole, at)
      at += length
      seen += gives
    } else if (sign === '\n') {
      // A fold is one sign of the value, whatever it is made of; of several in a row the first counts.
      if (isSpace(value[seen])) seen += 1
      at = skipSpaces(whole, at + 1, indent)
    } else {
      at += sign === "'" && style === 'QUOTE_SINGLE' ? 2 : 1
      seen += 1
    }
  }
  return Math.min(at, end)
}

const isQuoted = (style: WrittenScalar['style']): boolean =>
  style === 'QUOTE_DOUBLE' || style === 'QUOTE_SINGLE'

const isSpace = (sign: string | undefined): boolean => sign === ' ' || sign === '\n'

/** Of the first line that is not empty. */
const indentOf = (text: string): number => /^(?:[ ]*\n)*([ ]*)/.exec(text)?.[1]?.length ?? 0

function skipSpaces(text: string, from: number, max: number): number {
  let at = from
  while (at - from < max && (text[at] === ' ' || text[at] === '\t')) at += 1
  return at
}

/** How long it is, and how many signs it stands for. */
function escapeAt(text: string, at: number): readonly [length: number, gives: number] {
  switch (text.charAt(at + 1)) {
    case 'x':
      return [4, 1]
    case 'u':
      return [6, 1]
    case 'U':
      return [10, Number.parseInt(text.slice(at + 2, at + 10), 16) > 0xffff ? 2 : 1]
    case '\n':
      return [skipSpaces(text, at + 2, Number.POSITIVE_INFINITY) - at, 0]
    default:
      return [2, 1]
  }
}
