/**
 * A map, a set and lists that mostly hold nothing or one thing. V8 makes a table of some two hundred bytes for each `Map` and `Set`,
 * empty or not, and every open stream has a dozen of them: for the block that is open, for what came too early, for what was
 * left out. Here the first thing stands in a field, and a table is made for the second. In the order of a `Map`.
 * Imports nothing.
 */
export class FewMap<Key, Value> {
  private isOne = false
  private key: Key | undefined
  private value: Value | undefined
  private many: Map<Key, Value> | undefined

  get size(): number {
    return this.many?.size ?? (this.isOne ? 1 : 0)
  }

  has(key: Key): boolean {
    return this.many === undefined ? this.isOne && this.key === key : this.many.has(key)
  }

  get(key: Key): Value | undefined {
    if (this.many !== undefined) return this.many.get(key)
    return this.isOne && this.key === key ? this.value : undefined
  }

  set(key: Key, value: Value): void {
    if (this.many !== undefined) this.many.set(key, value)
    else if (this.isOne && this.key !== key)
      this.many = new Map([
        [this.key as Key, this.value as Value],
        [key, value],
      ])
    else {
      this.isOne = true
      this.key = key
      this.value = value
    }
  }

  delete(key: Key): boolean {
    if (this.many !== undefined) return this.many.delete(key)
    const isHere = this.isOne && this.key === key
    if (isHere) this.clear()
    return isHere
  }

  clear(): void {
    this.many?.clear()
    this.isOne = false
    this.key = this.value = undefined
  }

  /** As they are now: what is set or deleted meanwhile changes nothing. */
  entries(): readonly (readonly [Key, Value])[] {
    if (this.many !== undefined) return [...this.many]
    return this.isOne ? [[this.key as Key, this.value as Value]] : []
  }

  keys(): readonly Key[] {
    return this.entries().map(([key]) => key)
  }

  values(): readonly Value[] {
    return this.entries().map(([, value]) => value)
  }
}

export class FewSet<Item> extends FewMap<Item, true> {
  add(item: Item): void {
    this.set(item, true)
  }
}

/** A list that has nothing yet. All share it, and some of it is shown to policies: frozen, so that nobody can put anything in. */
export const NOTHING: never[] = []
Object.freeze(NOTHING)

/**
 * That list with one thing more, in place; of its own where it had none. V8 gives an empty list room for seventeen when something
 * is pushed to it, and most lists of a stream have one thing or none.
 */
export function append<Item>(list: Item[], item: Item): Item[] {
  if (list.length === 0) return [item]
  list.push(item)
  return list
}

/** A list that is filled and taken again and again, and mostly has one thing when it is taken, or nothing. */
export class FewList<Item> {
  private items: Item[] = NOTHING

  get length(): number {
    return this.items.length
  }

  push(item: Item): void {
    this.items = append(this.items, item)
  }

  /** What it has, for whoever calls; it has nothing from then on. */
  take(): readonly Item[] {
    const taken = this.items
    this.items = NOTHING
    return taken
  }
}
