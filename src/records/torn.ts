/**
 * Bodies of which a piece could not be written. Neighbours: `writer.ts` notes them; when the row of the exchange comes,
 * what is there of such a body is taken away, and the row says that it is missing. Bounded.
 */
import type { BodyKind, WriteItem } from '../store/record.ts'
import { withoutBodies } from './dropped.ts'

export interface Torn {
  note(exchangeId: string, kind: BodyKind): void
  /** The items as they can be written: rows name the bodies that are missing. */
  mend(items: readonly WriteItem[]): readonly WriteItem[]
  /** These are written: gives back how many bodies they lack. */
  settle(items: readonly WriteItem[]): number
  /** The item without its bytes: nothing of a piece. */
  strip(item: WriteItem): readonly WriteItem[]
  /** What `strip` has noted since something was written is not so. */
  undo(): void
}

/** Exchanges that go on; one whose end never comes is forgotten when others need its place. */
const MAX_NOTED = 20_000

export function createTorn(): Torn {
  const torn = new Map<string, Set<BodyKind>>()
  let stripped: [id: string, kind: BodyKind][] = []

  function note(exchangeId: string, kind: BodyKind): boolean {
    const kinds = torn.get(exchangeId)
    if (kinds?.has(kind) === true) return false
    if (kinds === undefined) torn.set(exchangeId, new Set([kind]))
    else kinds.add(kind)
    const [oldest] = torn.size > MAX_NOTED ? torn.keys() : []
    if (oldest !== undefined) torn.delete(oldest)
    return true
  }

  function mendOne(item: WriteItem): readonly WriteItem[] {
    if (item.type === 'verdicts') return [item]
    const kinds = torn.get(item.type === 'piece' ? item.exchangeId : item.row.id)
    if (kinds === undefined) return [item]
    if (item.type === 'piece') return kinds.has(item.piece.kind) ? [] : [item]
    return [withoutBodies(item, kinds)]
  }

  return {
    note,
    mend: (items) => (torn.size === 0 ? items : items.flatMap(mendOne)),
    settle(items) {
      stripped = []
      let missing = 0
      for (const item of items) {
        if (item.type !== 'exchange') continue
        missing += torn.get(item.row.id)?.size ?? 0
        torn.delete(item.row.id)
      }
      return missing
    },
    strip(item) {
      if (item.type === 'verdicts') return [item]
      const id = item.type === 'piece' ? item.exchangeId : item.row.id
      const pieces = item.type === 'piece' ? [item.piece] : item.pieces
      for (const { kind } of pieces) if (note(id, kind)) stripped.push([id, kind])
      return item.type === 'piece' ? [] : [item]
    },
    undo() {
      for (const [id, kind] of stripped) {
        torn.get(id)?.delete(kind)
        if (torn.get(id)?.size === 0) torn.delete(id)
      }
      stripped = []
    },
  }
}
