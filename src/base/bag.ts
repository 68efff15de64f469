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
  /** Gives back its place, by which it is taken out again. */
  add(item: Item): Place<Item>
  /** A second call does nothing. */
  remove(place: Place<Item>): void
  /** Calls back for each; what is added meanwhile is not among them, and each may be taken out meanwhile. */
  forEach(callback: (item: Item) => void): void
  size(): number
}

/** An object, and not a function that takes it out: every stream has some, and that would be three things for one. */
export interface Place<Item> {
  readonly item: Item
  /** Belongs to the bag; -1: it was taken out. */
  at: number
}

export function createBag<Item>(): Bag<Item> {
  const places: Place<Item>[] = []
  return {
    add(item) {
      const place: Place<Item> = { item, at: places.length }
      places.push(place)
      return place
    },
    remove(place) {
      if (place.at === -1) return
      const last = places.pop()
      if (last !== undefined && last !== place) {
        places[place.at] = last
        last.at = place.at
      }
      place.at = -1
    },
    forEach(callback) {
      // A copy: whoever is called may take out itself or others, and what is added waits for the next time.
      for (const place of places.slice()) if (place.at !== -1) callback(place.item)
    },
    size: () => places.length,
  }
}
