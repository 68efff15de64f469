/**
 * JSON that is still coming → what is there of it. Reads as far as it can and closes what is open. Neighbours:
 * `call-shape.ts`. What does not begin as JSON gives `undefined`; what is whole is read by `JSON.parse` elsewhere.
 */
const MAX_DEPTH = 60

export function readPartialJson(text: string): unknown {
  let at = 0

  function skipSpace(): void {
    while (at < text.length && ' \n\r\t'.includes(text.charAt(at))) at++
  }

  function readValue(depth: number): unknown {
    skipSpace()
    const first = text[at]
    if (first === '{' && depth < MAX_DEPTH) return readObject(depth)
    if (first === '[' && depth < MAX_DEPTH) return readList(depth)
    if (first === '"') return readText()
    return readWord()
  }

  function readObject(depth: number): Record<string, unknown> {
    const fields = new Map<string, unknown>()
    at++
    while (at < text.length) {
      skipSpace()
      if (text[at] === '}') return (at++, Object.fromEntries(fields))
      if (text[at] === ',') {
        at++
        continue
      }
      if (text[at] !== '"') break
      const key = readText()
      skipSpace()
      if (text[at] !== ':') break
      at++
      const value = readValue(depth + 1)
      if (value !== undefined) fields.set(key, value)
      if (isStuck()) break
    }
    return Object.fromEntries(fields)
  }

  function readList(depth: number): readonly unknown[] {
    const items: unknown[] = []
    at++
    while (at < text.length) {
      skipSpace()
      if (text[at] === ']') return (at++, items)
      if (text[at] === ',') {
        at++
        continue
      }
      const before = at
      const value = readValue(depth + 1)
      if (value !== undefined) items.push(value)
      if (isStuck() || at === before) break
    }
    return items
  }

  /** Neither over nor before something that may follow a value. */
  function isStuck(): boolean {
    skipSpace()
    return at < text.length && !',]}'.includes(text.charAt(at))
  }

  /** From its quote to the other one, or to where it stops. */
  function readText(): string {
    const start = ++at
    while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
    const isWhole = at < text.length
    const inner = text.slice(start, Math.min(at, text.length))
    at = Math.min(at + 1, text.length)
    // Half an escape at the end says nothing yet.
    return unescape(isWhole ? inner : inner.replace(/\\(?:u[\da-f]{0,3})?$/i, ''))
  }

  function readWord(): unknown {
    const [word = ''] = /^[^\s,\]}{["]*/.exec(text.slice(at, at + 400)) ?? []
    at += word.length
    if (word === 'true' || word === 'false') return word === 'true'
    if (word === 'null') return null
    return word !== '' && Number.isFinite(Number(word)) ? Number(word) : undefined
  }

  return readValue(0)
}

function unescape(inner: string): string {
  try {
    const value: unknown = JSON.parse(`"${inner.replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`)
    return String(value)
  } catch {
    return inner
  }
}
