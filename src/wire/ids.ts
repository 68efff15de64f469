/**
 * Ids that the target wire accepts, made from those of the source, so that the same answer always
 * gets the same ids. Imports nothing.
 */

/** The id with the prefix of the target, in characters that every wire accepts. */
export function toId(prefix: string, source: string, createId: () => string): string {
  const bare = source.replace(
    /^(?:msg|resp|chatcmpl|gen|chatcmpl-tool|rs|fc|ctc|call|toolu)[_-]/,
    '',
  )
  const clean = bare.replace(/[^a-zA-Z0-9_-]/g, '_')
  return prefix + (clean === '' ? createId() : clean)
}

/**
 * Tool-call ids of one message: passed on where the wire allows them, else made short and legal by a
 * hash that is the same on every turn, since the call and its result both carry the id. Unique.
 */
export function createToolIds(legalId: RegExp, maxLength: number): { take(id: string): string } {
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  return {
    take(id) {
      const legal = id.length <= maxLength && legalId.test(id)
      const base = legal ? id : `call_${hash(id)}`
      let unique = base
      if (taken.has(base)) {
        // Counted per id: a server that repeats one must not make us look through all of them.
        const stem = base.slice(0, maxLength - 8)
        do {
          const count = (counts.get(stem) ?? 0) + 1
          counts.set(stem, count)
          unique = `${stem}_${count}`
        } while (taken.has(unique))
      }
      taken.add(unique)
      return unique
    },
  }
}

/** Anthropic checks the characters of an id; the OpenAI wires only its length. */
export const PLAIN_ID = /^[a-zA-Z0-9_-]+$/
export const ANY_ID = /^\P{Cc}+$/u

/** 64 bits of FNV-1a, in two halves: stable, short, no secret. */
function hash(text: string): string {
  let low = 0x811c9dc5
  let high = 0x9747b28c
  for (let i = 0; i < text.length; i++) {
    low = Math.imul(low ^ text.charCodeAt(i), 0x01000193)
    high = Math.imul(high ^ text.charCodeAt(i), 0x85ebca6b)
  }
  return (high >>> 0).toString(16).padStart(8, '0') + (low >>> 0).toString(16).padStart(8, '0')
}

/** An id that nobody else has. Not a secret. */
export const randomId = (): string =>
  Array.from({ length: 24 }, () => Math.floor(Math.random() * 36).toString(36)).join('')
