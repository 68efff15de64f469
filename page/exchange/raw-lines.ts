/**
 * A long text → pieces that a browser can lay out one by one: lines, and long lines in parts, which end behind a space or a
 * comma so that they look as if the window had wrapped them. Neighbours: `raw-text.tsx` shows them.
 */
const MAX_PIECE = 2000
/** How far back a good place to cut is looked for. */
const NEAR = 200

export function toLines(text: string, max = MAX_PIECE): readonly string[] {
  const lines: string[] = []
  let from = 0
  for (;;) {
    const end = text.indexOf('\n', from)
    const to = end === -1 ? text.length : end
    while (to - from > max) {
      const cut = findCut(text, from, from + max)
      lines.push(text.slice(from, cut))
      from = cut
    }
    lines.push(text.slice(from, to))
    if (end === -1) return lines
    from = end + 1
  }
}

function findCut(text: string, from: number, to: number): number {
  const start = Math.max(from, to - NEAR)
  const near = text.slice(start, to)
  const place = Math.max(near.lastIndexOf(' '), near.lastIndexOf(','))
  if (place >= 0) return start + place + 1
  // Two halves of one character are none.
  return isHighHalf(text.charCodeAt(to - 1)) && to - 1 > from ? to - 1 : to
}

const isHighHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
