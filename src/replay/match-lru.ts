/**
 * Things by name, made when they are first asked for; of too many, the one that was asked for longest ago is dropped.
 * Neighbours: `match-recordings.ts`. Imports nothing.
 */
export interface Lru<T> {
  get(name: string): T
}

export function createLru<T>(max: number, create: () => T): Lru<T> {
  const kept = new Map<string, T>()
  return {
    get(name) {
      const known = kept.get(name)
      const value = known ?? create()
      // A map is walked in the order in which it was filled.
      kept.delete(name)
      kept.set(name, value)
      const [oldest] = kept.keys()
      if (kept.size > max && oldest !== undefined) kept.delete(oldest)
      return value
    },
  }
}
