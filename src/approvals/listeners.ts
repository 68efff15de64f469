/**
 * Whoever wants to hear of something. Neighbours: approvals and the kill switch, which every exchange listens to; so it
 * is a bag and no `Set` (`base/bag.ts` says why).
 */
import { createBag } from '../base/bag.ts'

export interface Listeners<Item> {
  /** Gives back how to stop listening. */
  add(listener: (item: Item) => void): () => void
  tell(item: Item): void
}

export function createListeners<Item>(): Listeners<Item> {
  const listeners = createBag<(item: Item) => void>()
  return {
    add(listener) {
      const place = listeners.add(listener)
      return () => listeners.remove(place)
    },
    tell: (item) => listeners.forEach((listener) => listener(item)),
  }
}
