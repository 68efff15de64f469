/**
 * What was scanned before, by digest: a client sends its whole history with each request, and only the end of it is
 * new. Neighbours: `scan-results.ts`. Keeps findings and never text. The digest is one that nobody can meet by intent:
 * a text that came out as a harmless one would not be looked at.
 */
import { createHash } from 'node:crypto'
import type { Finding } from './finding.ts'

export interface Seen {
  /** The findings of that text, from before or found now. */
  of(text: string, scan: (text: string) => readonly Finding[]): readonly Finding[]
}

/** To scan less takes no longer than a digest. */
const MIN_LENGTH = 128
/** A text with more was made to be scanned. */
const MAX_KEPT = 200

export function createSeen(max: number): Seen {
  const known = new Map<string, readonly Finding[]>()
  return {
    of(text, scan) {
      if (text.length < MIN_LENGTH) return scan(text)
      const key = createHash('sha256').update(text, 'utf16le').digest('base64')
      const before = known.get(key)
      const findings = before ?? scan(text)
      if (findings.length > MAX_KEPT) return findings
      // Put back at the end: the least used go first.
      known.delete(key)
      known.set(key, findings)
      const [oldest] = known.size > max ? known.keys() : []
      if (oldest !== undefined) known.delete(oldest)
      return findings
    },
  }
}
