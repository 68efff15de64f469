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
export const createLossList = (): LossList => new Losses()

/** A class, and not functions around what they share: every answer that is read has one, for as long as it takes. */
class Losses implements LossList {
  /** Most answers lose nothing. */
  private counts: Map<string, Loss> | undefined

  add(kind: Loss['kind'], what: string): void {
    this.counts ??= new Map()
    const key = `${kind} ${what}`
    const before = this.counts.get(key)
    if (before === undefined && this.counts.size >= 100) return
    this.counts.set(key, { kind, what, count: (before?.count ?? 0) + 1 })
  }

  list(): readonly Loss[] {
    return this.counts === undefined ? [] : [...this.counts.values()]
  }
}

/** Blocks that only their own wire can say. */
export function noteBlockLoss(losses: LossList, info: BlockInfo): void {
  if (info.type === 'server-tool' || info.type === 'tool-result')
    losses.add('dropped', `${info.type} ${info.name}`)
  else if (info.type === 'opaque') losses.add('dropped', `block ${info.vendorType}`)
}
