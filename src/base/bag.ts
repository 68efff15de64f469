/**
 * Things that come and go by the thousand, in no order. A `Set` would do, but for what it leaves behind: each
 * time it tidies up, V8 links the old table to the new one, and all tables of a long life hang together. One
 * that has grown old then keeps everything alive that came after it, until the next full collection.
 *
 * A getter in an object literal does the same: V8 puts what it makes for one among the old objects, and so
 * all that the getter can see outlives every small collection. Together they kept each exchange with all it
 * had, and cost a third of it (`docs/performance.md`). What is made per exchange or per stream has fields
 * that are set, or a class, and no getters. Imports nothing.
 */
export interface Bag<Item> {
  /** Gives back how to take it out again; a second call does nothing. */
  add(item: Item): () => void
  /** Calls back for each; what is added meanwhile is not among them, and each may be taken out meanwhile. */
  forEach(callback: (item: Item) => void): void
  size(): number
}

interface Slot<Item> {
  readonly item: Item
  at: number
}

export function createBag<Item>(): Bag<Item> {
  const slots: Slot<Item>[] = []
  return {
    add(item) {
      const slot: Slot<Item> = { item, at: slots.length }
      slots.push(slot)
      return () => {
        if (slot.at === -1) return
        const last = slots.pop()
        if (last !== undefined && last !== slot) {
          slots[slot.at] = last
          last.at = slot.at
        }
        slot.at = -1
      }
    },
    forEach(callback) {
      // A copy: whoever is called may take out itself or others, and what is added waits for the next time.
      for (const slot of slots.slice()) if (slot.at !== -1) callback(slot.item)
    },
    size: () => slots.length,
  }
}
