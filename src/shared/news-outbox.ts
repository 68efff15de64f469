/**
 * Letters that wait to be written down for the others → batches. Neighbours: `postgres-line.ts` puts them in and writes
 * the batches. What was spent is added up and never dropped, nor is the last turn of the kill switch; of the rest the
 * oldest goes when there is no room.
 */
import { gatewayOf, type Letter, type News } from './circle.ts'
import type { Spent } from './ledger.ts'

export type Topic = News['type']

/** One row of the log: letters of one topic, for all or for one gateway. */
interface Parcel {
  readonly topic: Topic
  readonly recipient: string | undefined
  /** A JSON list of letters. */
  readonly body: string
}

export interface Batch {
  /** Each has its own, and none is written twice. */
  readonly number: number
  readonly parcels: readonly Parcel[]
  /** Added up by key and period. */
  readonly spent: readonly Spent[]
}

export interface NewsOutbox {
  add(letter: Letter): void
  /** The next batch, if anything waits. It counts as on its way until `done`. */
  take(): Batch | undefined
  done(): void
  /** What is not in the table yet: on its way, or waiting. */
  unwritten(): readonly Spent[]
  /** What only makes sense at once is dropped. */
  dropMoments(): void
  /** How many letters had no room since the last time. */
  takeDropped(): number
}

/** What is of no use to anybody a minute later. */
const MOMENTS: ReadonlySet<Topic> = new Set([
  'events',
  'listening',
  'watching',
  'pieces',
  'under-way',
])

const isMoment = (topic: Topic): boolean => MOMENTS.has(topic)

const MAX_CHARS = 16 * 1024 * 1024
/** One batch; a letter that is larger goes alone. */
const BATCH_CHARS = 1024 * 1024

interface Waiting {
  readonly topic: Topic
  readonly recipient: string | undefined
  readonly text: string
}

export function createNewsOutbox({ maxChars = MAX_CHARS } = {}): NewsOutbox {
  const waiting = new Set<Waiting>()
  const spent = new Map<string, Spent>()
  /** It holds until the next, however long ago it was. */
  let lastHalt: Waiting | undefined
  let chars = 0
  let dropped = 0
  let batches = 0
  let onItsWay: Batch | undefined

  function remove(one: Waiting): void {
    waiting.delete(one)
    chars -= one.text.length
  }

  function add(letter: Letter): void {
    const { to, news } = letter
    if (news.type === 'spent') {
      for (const one of news.spent) addSpent(spent, one)
      return
    }
    const recipient = to === undefined ? undefined : gatewayOf(to)
    const one = { topic: news.type, recipient, text: JSON.stringify(letter) }
    waiting.add(one)
    chars += one.text.length
    if (news.type === 'halt') lastHalt = one
    for (const oldest of waiting) {
      if (chars <= maxChars) return
      if (oldest === lastHalt) continue
      remove(oldest)
      dropped += 1
    }
  }

  function take(): Batch | undefined {
    if (onItsWay !== undefined) return onItsWay
    const groups = new Map<string, Waiting[]>()
    let size = 0
    for (const one of waiting) {
      if (size > 0 && size + one.text.length > BATCH_CHARS) break
      const name = `${one.topic} ${one.recipient ?? ''}`
      const group = groups.get(name)
      if (group === undefined) groups.set(name, [one])
      else group.push(one)
      size += one.text.length
      remove(one)
    }
    const all = [...spent.values()]
    spent.clear()
    if (groups.size === 0 && all.length === 0) return undefined
    onItsWay = { number: ++batches, parcels: [...groups.values()].map(toParcel), spent: all }
    return onItsWay
  }

  return {
    add,
    take,
    done: () => void (onItsWay = undefined),
    unwritten() {
      const all = new Map<string, Spent>()
      for (const one of [...(onItsWay?.spent ?? []), ...spent.values()]) addSpent(all, one)
      return [...all.values()]
    },
    dropMoments() {
      for (const one of waiting) if (isMoment(one.topic)) remove(one)
    },
    takeDropped() {
      const count = dropped
      dropped = 0
      return count
    },
  }
}

function addSpent(to: Map<string, Spent>, one: Spent): void {
  const name = JSON.stringify([one.key, one.period])
  const before = to.get(name)
  to.set(name, {
    ...one,
    requests: one.requests + (before?.requests ?? 0),
    tokens: one.tokens + (before?.tokens ?? 0),
  })
}

const toParcel = (group: readonly Waiting[]): Parcel => ({
  topic: group[0]?.topic ?? 'events',
  recipient: group[0]?.recipient,
  body: `[${group.map(({ text }) => text).join(',')}]`,
})
