/**
 * Names by a pattern in which `*` stands for any characters: models, routes, keys. Imports nothing.
 */

/** Whether a pattern with stars takes that name. Linear: no pattern of a person's becomes a regex. */
export function matches(pattern: string, name: string): boolean {
  if (pattern === '*') return true
  if (!pattern.includes('*')) return pattern === name
  const [first = '', ...rest] = pattern.split('*')
  if (!name.startsWith(first)) return false
  const last = rest.pop() ?? ''
  let at = first.length
  for (const piece of rest) {
    const found = name.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}
