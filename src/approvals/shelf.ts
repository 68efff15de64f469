/**
 * Tickets by name and by what they are about: those that wait, and for a while those that are over. Neighbours:
 * `desk.ts`. Bounded in number and in characters: the oldest that are over go first, those that wait stay.
 */
import { sizeOf, type Entry } from './entry.ts'

export interface Shelf {
  add(entry: Entry): void
  /** It does not wait any more, and is kept for a while. */
  close(entry: Entry): void
  /** Nothing is known of it any more. */
  remove(entry: Entry): void
  has(ticket: string): boolean
  find(ticket: string, now: number): Entry | undefined
  /** All about the same call, the oldest first. */
  like(key: string, now: number): readonly Entry[]
  /** Those that wait, the oldest first, then those that are over, the newest first. */
  all(now: number): readonly Entry[]
  pending(): number
  /** Whether so many characters more can be kept. */
  hasRoom(size: number): boolean
  clear(): void
}

/** How long a ticket is remembered that is over. */
const KEPT_MS = 600_000
const MAX_CLOSED = 1000
const MAX_CHARS = 32 * 1024 * 1024

export function createShelf({ maxChars = MAX_CHARS, maxClosed = MAX_CLOSED } = {}): Shelf {
  const byTicket = new Map<string, Entry>()
  const byKey = new Map<string, Set<Entry>>()
  const waiting = new Set<Entry>()
  /** In the order in which they ended. */
  const closed = new Set<Entry>()
  let chars = 0

  function forget(entry: Entry): void {
    closed.delete(entry)
    waiting.delete(entry)
    byTicket.delete(entry.ticket)
    chars -= sizeOf(entry.asked)
    const alike = byKey.get(entry.asked.key)
    alike?.delete(entry)
    if (alike?.size === 0) byKey.delete(entry.asked.key)
  }

  function tidy(now: number): void {
    for (const oldest of closed) {
      if (closed.size <= maxClosed && now - oldest.closedAt < KEPT_MS) return
      forget(oldest)
    }
  }

  return {
    add(entry) {
      byTicket.set(entry.ticket, entry)
      waiting.add(entry)
      chars += sizeOf(entry.asked)
      const alike = byKey.get(entry.asked.key) ?? new Set()
      byKey.set(entry.asked.key, alike.add(entry))
    },
    close(entry) {
      waiting.delete(entry)
      // One that expired and is decided late ends a second time.
      closed.delete(entry)
      closed.add(entry)
      tidy(entry.closedAt)
    },
    remove: forget,
    has: (ticket) => byTicket.has(ticket),
    find(ticket, now) {
      tidy(now)
      return byTicket.get(ticket)
    },
    like(key, now) {
      tidy(now)
      return [...(byKey.get(key) ?? [])]
    },
    all(now) {
      tidy(now)
      return [...waiting, ...[...closed].toReversed()]
    },
    pending: () => waiting.size,
    hasRoom(size) {
      for (const oldest of closed) {
        if (chars + size <= maxChars) return true
        forget(oldest)
      }
      return chars + size <= maxChars
    },
    clear() {
      for (const { timer } of waiting) clearTimeout(timer)
      for (const map of [byTicket, byKey, waiting, closed]) map.clear()
      chars = 0
    },
  }
}
