/**
 * Which recording answers a request: one that was given to the same request, else to one that is alike, else the next in
 * order, as the settings say. Neighbours: `match-keys.ts` says what is alike, `replay-upstream.ts` asks. Remembers for
 * each live conversation what it got, so that two of them do not disturb each other.
 */
import { createLru } from './match-lru.ts'
import { LIKENESS, type Likeness, type MatchKeys } from './match-keys.ts'
import type { Recording } from './replay-recording.ts'

export type MatchMode = 'auto' | 'request' | 'order'

interface Asking {
  /** As in `Recording`. */
  readonly wire: string
  readonly path: string
  /** Of the live conversation. */
  readonly conversation: string
  readonly keys: MatchKeys
}

export type Match =
  | {
      readonly type: 'match'
      readonly recording: Recording
      readonly how: Likeness | 'the next in order'
    }
  /** `nearest`: what has most in common, and how much. */
  | { readonly type: 'none'; readonly why: string; readonly nearest: string | undefined }

export interface Matcher {
  /** `keys`: of its request, where that is known. */
  add(recording: Recording, keys: MatchKeys | undefined): void
  match(asking: Asking): Match
}

export interface MatcherOptions {
  readonly mode: MatchMode
  /** Each recording is given once in a conversation: what is asked beyond has no answer. */
  readonly isOnce?: boolean
}

/** Recordings of one session, in order. */
interface Group {
  readonly conversation: string | undefined
  readonly isBehind: boolean
  readonly entries: Entry[]
}

interface Entry {
  readonly recording: Recording
  readonly keys: MatchKeys | undefined
  readonly group: Group
}

/** Everything that answers on one wire and path. */
interface Shelf {
  readonly groups: Group[]
  readonly byName: Map<string, Group>
  readonly byKey: Map<string, Entry[]>
  /** The group that the next new conversation gets. */
  next: number
  readonly nameless: Live
}

/** What a live conversation got. */
interface Live {
  group: Group | undefined
  readonly given: Set<Entry>
  /** Where in its group the next in order is looked for. */
  at: number
  /** How often each key was asked for. */
  readonly asked: Map<string, number>
}

const MAX_LIVE = 1000
const MAX_ASKED = 10_000
/** Of more that are alike, which one it is makes no difference. */
const MAX_COMPARED = 500

export function createMatcher({ mode, isOnce = false }: MatcherOptions): Matcher {
  const shelves = new Map<string, Shelf>()
  const lives = createLru<Live>(MAX_LIVE, createLive)

  function byRequest(shelf: Shelf, live: Live, keys: MatchKeys): Match | undefined {
    for (const [at, key] of keys.keys.entries()) {
      const how = LIKENESS[at]
      const alike = shelf.byKey.get(key)
      if (alike === undefined || how === undefined) continue
      const entry = inTurn(narrow(alike, live, keys), live, key)
      if (entry !== undefined) return give(shelf, entry, live, how)
    }
    return undefined
  }

  /** Asked again, as after an error, it gets what came then; and from the start when all was given. */
  function inTurn(entries: readonly Entry[], live: Live, key: string): Entry | undefined {
    if (isOnce) return entries.find((entry) => !live.given.has(entry))
    const turn = live.asked.get(key) ?? 0
    if (live.asked.size >= MAX_ASKED) live.asked.clear()
    live.asked.set(key, turn + 1)
    return entries[turn % entries.length]
  }

  function inOrder(shelf: Shelf, live: Live): Match | undefined {
    const group = (live.group ??= nextGroup(shelf))
    if (group === undefined) return undefined
    const own = ownerOf(shelf, group, live)
    const { entries } = group
    const next = (): Entry | undefined => {
      for (; own.at < entries.length; own.at += 1) {
        const entry = entries[own.at]
        if (entry !== undefined && !own.given.has(entry)) return entry
      }
      return undefined
    }
    let entry = next()
    if (entry === undefined && canRepeat(entries)) {
      own.at = 0
      own.given.clear()
      entry = next()
    }
    return entry === undefined ? undefined : give(shelf, entry, live, 'the next in order')
  }

  /** From the start again, where that cannot lead an agent in circles. */
  const canRepeat = (entries: readonly Entry[]): boolean =>
    !isOnce && (mode === 'order' || entries[0]?.keys === undefined)

  return {
    add(recording, keys) {
      const shelf = shelfOf(shelves, recording)
      const group = groupOf(shelf, recording)
      const entry: Entry = { recording, keys, group }
      group.entries.push(entry)
      for (const key of keys?.keys ?? []) {
        const alike = shelf.byKey.get(key)
        if (alike === undefined) shelf.byKey.set(key, [entry])
        else alike.push(entry)
      }
    },
    match(asking) {
      const shelf = shelves.get(`${asking.wire} ${asking.path}`)
      if (shelf === undefined)
        return { type: 'none', why: `there is none for ${asking.path}`, nearest: undefined }
      const live = lives.get(`${asking.wire} ${asking.path} ${asking.conversation}`)
      const found =
        (mode === 'order' ? undefined : byRequest(shelf, live, asking.keys)) ??
        (mode === 'request' ? undefined : inOrder(shelf, live))
      if (found !== undefined) return found
      const why = mode === 'order' ? 'all were given' : 'none was the answer to such a request'
      return { type: 'none', why, nearest: toNearest(shelf, asking.keys) }
    },
  }
}

const createLive = (): Live => ({
  group: undefined,
  given: new Set(),
  at: 0,
  asked: new Map(),
})

/** Answers of no session are one row for all conversations. */
const ownerOf = (shelf: Shelf, group: Group, live: Live): Live =>
  group.conversation === undefined ? shelf.nameless : live

function give(shelf: Shelf, entry: Entry, live: Live, how: Likeness | 'the next in order'): Match {
  if (live.group !== entry.group) live.at = 0
  live.group = entry.group
  live.given.add(entry)
  ownerOf(shelf, entry.group, live).given.add(entry)
  return { type: 'match', recording: entry.recording, how }
}

function shelfOf(shelves: Map<string, Shelf>, { wire, path }: Recording): Shelf {
  const key = `${wire} ${path}`
  let shelf = shelves.get(key)
  if (shelf === undefined) {
    shelf = {
      groups: [],
      byName: new Map(),
      byKey: new Map(),
      next: 0,
      nameless: createLive(),
    }
    shelves.set(key, shelf)
  }
  return shelf
}

function groupOf(shelf: Shelf, { conversation, isBehind = false }: Recording): Group {
  const name = JSON.stringify([isBehind, conversation])
  let group = shelf.byName.get(name)
  if (group === undefined) {
    group = { conversation, isBehind, entries: [] }
    shelf.byName.set(name, group)
    shelf.groups.push(group)
  }
  return group
}

/** A new conversation gets the next that was recorded, and from the start when all are taken. */
function nextGroup(shelf: Shelf): Group | undefined {
  const seen = shelf.groups.filter((group) => !group.isBehind)
  const groups = seen.length > 0 ? seen : shelf.groups
  const group = groups[shelf.next % Math.max(1, groups.length)]
  shelf.next += 1
  return group
}

/** Of several that are alike: what a client saw on this wire, those that go on from the same answer, then those of the session it had so far. */
function narrow(alike: readonly Entry[], live: Live, { previous }: MatchKeys): readonly Entry[] {
  if (alike.length > MAX_COMPARED) return alike
  const seen = whereAny(alike, ({ group }) => !group.isBehind)
  const going =
    previous === undefined ? seen : whereAny(seen, (entry) => entry.keys?.previous === previous)
  return whereAny(going, ({ group }) => group === live.group)
}

/** Those of which it holds, or all where it holds of none. */
function whereAny(entries: readonly Entry[], holds: (entry: Entry) => boolean): readonly Entry[] {
  const some = entries.filter(holds)
  return some.length > 0 ? some : entries
}

/** Digests only: what was said is not told. */
function toNearest(shelf: Shelf, { turns }: MatchKeys): string | undefined {
  let best: { readonly entry: Entry; readonly common: number } | undefined
  for (const group of shelf.groups)
    for (const entry of group.entries) {
      const own = entry.keys?.turns ?? []
      const differs = own.findIndex((turn, at) => turn !== turns[at])
      const common = differs === -1 ? own.length : differs
      if (common > (best?.common ?? 0)) best = { entry, common }
    }
  if (best === undefined) return undefined
  const { entry, common } = best
  return `the nearest is ${entry.recording.name}, with the same first ${common} of ${entry.keys?.turns.length ?? 0} turns; here are ${turns.length}`
}
