/**
 * The user's own words out of what an agent sends in their name: `<system-reminder>…`,
 * `<environment_context>…` and the like stand before or after them. Neighbours: `asked.ts`. One pass from
 * each side, so that a hostile text costs nothing. Imports nothing.
 */

const OPENING = /^<([a-z][a-z0-9]*(?:[-_][a-z0-9]+)+)[^<>]{0,200}>/i
const CLOSING = /<\/([a-z][a-z0-9]{0,40}(?:[-_][a-z0-9]{1,40}){1,5})>$/i
/** The longest closing tag that is looked for. */
const TAIL = 300

export function toBareText(text: string): string {
  let rest = text.trim()
  for (;;) {
    const shorter = (withoutHead(rest) ?? withoutTail(rest))?.trim()
    if (shorter === undefined) return rest
    rest = shorter
  }
}

function withoutHead(text: string): string | undefined {
  const tag = OPENING.exec(text)?.[1]
  if (tag === undefined) return undefined
  const end = text.indexOf(`</${tag}>`)
  return end === -1 ? undefined : text.slice(end + tag.length + 3)
}

function withoutTail(text: string): string | undefined {
  const tag = CLOSING.exec(text.slice(-TAIL))?.[1]
  if (tag === undefined) return undefined
  const start = text.lastIndexOf(`<${tag}`)
  return start === -1 ? undefined : text.slice(0, start)
}
