/**
 * What is kept, within limits of bytes, entries and age, the longest unused first out. Every owner has an
 * account, and nobody finds anything through another's. Where room must be made, it is made by owners who
 * have more than their share: one busy client does not push out everybody else's. Neighbours: `answers.ts`
 * and `by-call.ts` put things here. Knows not what they are.
 */
import { createChain, type Chain } from './chain.ts'
import { createPieces, type Pieces } from './pieces.ts'

export interface ShelfOptions {
  /** Milliseconds, from any fixed point. */
  now(): number
  readonly maxBytes: number
  readonly maxEntries: number
  /** Milliseconds since the last use. */
  readonly maxAge: number
  /** The part of it that an owner may fill while there is no room for others. */
  readonly ownerShare: number
}

/** What an owner has here. */
interface Account<Thing> {
  readonly owner: string
  readonly pieces: Pieces
  readonly chain: Chain
  /** The longest unused first. */
  readonly entries: Map<string, Entry<Thing>>
  bytes: number
}

interface Entry<Thing> {
  readonly key: string
  readonly thing: Thing
  readonly account: Account<Thing>
  /** What it holds beside its pieces. */
  readonly bytes: number
  usedAt: number
}

interface Kept {
  /** Gives back what it holds of the account. */
  release(): void
}

export interface Shelf<Thing extends Kept> {
  /** Where the pieces of an owner's things are. It is on the list while there are any. */
  account(owner: string): Account<Thing>
  /** Whether something of that size would have a place at all. */
  hasRoom(bytes: number): boolean
  /** Takes it over, instead of what was there under that key. `bytes`: what it holds beside its pieces. */
  put(account: Account<Thing>, key: string, thing: Thing, bytes?: number): void
  /** Finding it counts as a use. */
  find(owner: string, key: string): Thing | undefined
  remove(owner: string, key: string): boolean
  size(): { readonly entries: number; readonly bytes: number; readonly owners: number }
}

/** What an entry costs beside its pieces, roughly. */
const ENTRY_BYTES = 256

const costOf = ({ key, bytes }: Entry<unknown>): number => ENTRY_BYTES + 2 * key.length + bytes

export function createShelf<Thing extends Kept>(options: ShelfOptions): Shelf<Thing> {
  const { now, maxBytes, maxEntries, maxAge } = options
  const shareBytes = maxBytes * options.ownerShare
  const shareEntries = maxEntries * options.ownerShare
  const accounts = new Map<string, Account<Thing>>()
  /** Owners with more than their share: few, since the shares are parts of one whole. */
  const over = new Set<Account<Thing>>()
  /** The longest unused first. */
  const order = new Set<Entry<Thing>>()
  let total = 0

  function open(owner: string): Account<Thing> {
    dropOld()
    const known = accounts.get(owner)
    if (known !== undefined) return known
    const charge = (bytes: number): void => chargeTo(account, bytes)
    const pieces = createPieces(charge)
    const chain = createChain(pieces, charge)
    const account: Account<Thing> = { owner, pieces, chain, bytes: 0, entries: new Map() }
    return account
  }

  function chargeTo(account: Account<Thing>, bytes: number): void {
    total += bytes
    account.bytes += bytes
    if (account.bytes > shareBytes || account.entries.size > shareEntries) over.add(account)
    else over.delete(account)
  }

  function touch(entry: Entry<Thing>): void {
    const { account, key } = entry
    entry.usedAt = now()
    order.delete(entry)
    order.add(entry)
    account.entries.delete(key)
    account.entries.set(key, entry)
  }

  function drop(entry: Entry<Thing>): void {
    const { account, key, thing } = entry
    order.delete(entry)
    account.entries.delete(key)
    thing.release()
    chargeTo(account, -costOf(entry))
    if (account.entries.size === 0) accounts.delete(account.owner)
  }

  function dropOld(): void {
    const oldest = now() - maxAge
    for (const entry of order) {
      if (entry.usedAt > oldest) return
      drop(entry)
    }
  }

  function makeRoom(): void {
    while (total > maxBytes || order.size > maxEntries) {
      const victim = longestUnused()
      if (victim === undefined) return
      drop(victim)
    }
  }

  function longestUnused(): Entry<Thing> | undefined {
    let victim: Entry<Thing> | undefined
    for (const { entries } of over) {
      const [entry] = entries.values()
      if (entry !== undefined && (victim === undefined || entry.usedAt < victim.usedAt))
        victim = entry
    }
    const [oldest] = order
    return victim ?? oldest
  }

  return {
    account: open,
    hasRoom: (bytes) => bytes <= shareBytes,
    put(account, key, thing, bytes = 0) {
      dropOld()
      const before = account.entries.get(key)
      if (before !== undefined) drop(before)
      const entry: Entry<Thing> = { key, thing, account, bytes, usedAt: 0 }
      accounts.set(account.owner, account)
      touch(entry)
      chargeTo(account, costOf(entry))
      makeRoom()
    },
    find(owner, key) {
      dropOld()
      const entry = accounts.get(owner)?.entries.get(key)
      if (entry === undefined) return undefined
      touch(entry)
      return entry.thing
    },
    remove(owner, key) {
      dropOld()
      const entry = accounts.get(owner)?.entries.get(key)
      if (entry !== undefined) drop(entry)
      return entry !== undefined
    },
    size: () => ({ entries: order.size, bytes: total, owners: accounts.size }),
  }
}
