/**
 * Headers and queries as they came → what is kept of them: nothing that lets anybody in. Neighbours: `tape.ts`. By name,
 * because a credential looks like any other word.
 */

/** Kept of one header, and of all. */
const MAX_CHARS = 1024
const MAX_HEADERS = 64

const SECRET = /auth|cookie|token|secret|key|passw|credential|signature|jwt|session-?data/
/** Limits of an account are counted in tokens. */
const HARMLESS = /ratelimit|^x-request-id$/

/** What looks like one all the same, whatever it is called. */
const LOOKS_SECRET = /^(?:bearer|basic)\s|^sk-|^eyJ/i

/** Names come from outside: so many are remembered. */
const MAX_KNOWN = 1000
const known = new Map<string, boolean>()

/** Whether the value of that name is kept. */
function isKept(name: string): boolean {
  const found = known.get(name)
  if (found !== undefined) return found
  const lower = name.toLowerCase()
  const answer = HARMLESS.test(lower) || !SECRET.test(lower)
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(name, answer)
  return answer
}

export function cleanHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {}
  let left = MAX_HEADERS
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || !isKept(name)) continue
    const text = typeof value === 'string' ? value : value.join(', ')
    if (LOOKS_SECRET.test(text)) continue
    if (left-- === 0) break
    kept[name] = text.length > MAX_CHARS ? text.slice(0, MAX_CHARS) : text
  }
  return kept
}

/** Some vendors take a key there. */
export function cleanQuery(query: string): string {
  if (query.length < 2) return query
  const parts = query.slice(1, MAX_QUERY_CHARS).split('&')
  return `?${parts.map((part) => (isSafePart(part) ? part : `${shownName(part)}=`)).join('&')}`
}

const MAX_QUERY_CHARS = 4096

/** A part without a value is a name. */
const nameOf = (part: string): string => part.split('=', 1)[0] ?? ''

const shownName = (part: string): string => {
  const name = nameOf(part)
  return LOOKS_SECRET.test(name) ? '' : name
}

/** `api%4Bey` is a name too: what is escaped in a name has no business there. */
function isSafePart(part: string): boolean {
  const name = nameOf(part)
  if (name.includes('%') || !isKept(name)) return false
  return !LOOKS_SECRET.test(name) && !LOOKS_SECRET.test(part.slice(name.length + 1))
}
