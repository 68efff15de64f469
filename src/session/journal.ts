/**
 * What was kept lately, in its order, for whoever starts later and must know it: a new worker. Written down
 * instead of read back from a `Sessions`, which keeps its conversations in shared pieces and does not know any
 * more by which answers they came about. Neighbours: `server/head-office.ts` keeps one in the first process. Bounded:
 * the oldest goes.
 */
import type { SessionEntry } from './entry.ts'

export interface Journal {
  add(entry: SessionEntry): void
  /** The oldest first. */
  all(): readonly SessionEntry[]
}

/** A part of what sessions hold: it is sent whole to each worker that starts. */
const MAX_CHARS = 16 * 1024 * 1024

export function createJournal({ maxChars = MAX_CHARS } = {}): Journal {
  const texts = new Set<{ readonly text: string }>()
  let total = 0
  return {
    add(entry) {
      const text = JSON.stringify(entry)
      if (text.length > maxChars) return
      texts.add({ text })
      total += text.length
      for (const oldest of texts) {
        if (total <= maxChars) return
        texts.delete(oldest)
        total -= oldest.text.length
      }
    },
    all: () => [...texts].map(({ text }) => JSON.parse(text) as SessionEntry),
  }
}
