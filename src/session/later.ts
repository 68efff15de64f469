/**
 * Answers that their upstream keeps as they were delivered, and that we need only if a later one of the same conversation
 * is not: then what stood before it must be known here too. Held as they are, and not written, because mostly nobody
 * asks. Bounded: the longest unused is forgotten, and its client is asked to send everything again. Neighbours:
 * `sessions.ts` takes from here into its books.
 */
import type { WireName } from '../event/event.ts'

interface Later<Answer> {
  note(owner: string, later: LaterAnswer<Answer>): void
  /** Takes it out. */
  take(owner: string, wire: WireName, id: string): Answer | undefined
  has(owner: string, wire: WireName, id: string): boolean
}

export interface LaterAnswer<Answer> {
  readonly id: string
  readonly wire: WireName
  /** What it holds, roughly. */
  readonly bytes: number
  make(): Answer | undefined
}

const MAX_BYTES = 16 * 1024 * 1024
const MAX_ANSWERS = 2000

export function createLater<Answer>(maxBytes = MAX_BYTES, max = MAX_ANSWERS): Later<Answer> {
  const kept = new Map<string, LaterAnswer<Answer>>()
  let bytes = 0

  function remove(key: string): LaterAnswer<Answer> | undefined {
    const found = kept.get(key)
    kept.delete(key)
    bytes -= found?.bytes ?? 0
    return found
  }

  const keyOf = (owner: string, wire: WireName, id: string): string =>
    JSON.stringify([owner, wire, id])

  return {
    note(owner, later) {
      if (later.bytes > maxBytes / 4 || later.id === '' || later.id.length > 256) return
      const key = keyOf(owner, later.wire, later.id)
      remove(key)
      kept.set(key, later)
      bytes += later.bytes
      for (const oldest of kept.keys()) {
        if (bytes <= maxBytes && kept.size <= max) return
        remove(oldest)
      }
    },
    has: (owner, wire, id) => kept.has(keyOf(owner, wire, id)),
    take: (owner, wire, id) => remove(keyOf(owner, wire, id))?.make(),
  }
}
