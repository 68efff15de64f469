/**
 * What a translation could not carry. Hints and no-ops may go without a word; everything that could
 * matter to the reader of the answer is listed. Knows no wire.
 */
import type { BlockInfo } from './block.ts'

export interface Loss {
  /** `dropped`: it is gone. `approximated`: it is there in another form. */
  readonly kind: 'dropped' | 'approximated'
  /** What it was, in words of ours: `citation`, `server-tool web_search`, `stop-sequence`, … */
  readonly what: string
  /** How many times. */
  readonly count: number
}

export interface LossList {
  add(kind: Loss['kind'], what: string): void
  list(): readonly Loss[]
}

/** A list that counts the same loss once. Bounded: an answer cannot make it grow without end. */
export function createLossList(): LossList {
  /** Most answers lose nothing. */
  let counts: Map<string, Loss> | undefined
  return {
    add(kind, what) {
      counts ??= new Map()
      const key = `${kind} ${what}`
      const before = counts.get(key)
      if (before === undefined && counts.size >= 100) return
      counts.set(key, { kind, what, count: (before?.count ?? 0) + 1 })
    },
    list: () => (counts === undefined ? [] : [...counts.values()]),
  }
}

/** Blocks that only their own wire can say. */
export function noteBlockLoss(losses: LossList, info: BlockInfo): void {
  if (info.type === 'server-tool' || info.type === 'tool-result')
    losses.add('dropped', `${info.type} ${info.name}`)
  else if (info.type === 'opaque') losses.add('dropped', `block ${info.vendorType}`)
}
