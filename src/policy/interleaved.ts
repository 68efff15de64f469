/**
 * Several answers in one (Chat's `n`) come frame by frame in turn. Blocks of them that wait leave in the order in which their
 * frames came, if all pass: so what nobody changed stays what it was, byte for byte. Neighbours: `gate.ts` has the queue.
 * Blocks of one answer never overlap: decoders give them one after the other.
 */
import type { StreamEvent } from '../event/event.ts'
import type { Held } from './held.ts'

/** What waits: a block, or an event that stands behind one. `owner`: the block that it speaks of. */
export type Entry = Held | { readonly event: StreamEvent; readonly owner: Held | undefined }

/** How many entries from there on overlap, the first one included. */
export function interleavedFrom(queue: readonly Entry[], from: number): number {
  const first = queue[from]
  if (first === undefined || 'event' in first) return 1
  let last = lastStep(first)
  let end = from + 1
  let isAlone = true
  for (let at = end; last !== undefined && at < queue.length; at++) {
    const entry = queue[at]
    if (entry === undefined) break
    const begins = 'event' in entry ? entry.event.step?.number : firstStep(entry)
    if (begins === undefined || begins > last) break
    if (!('event' in entry)) {
      if (entry.info.choice === first.info.choice && isAlone) break
      isAlone = false
      last = Math.max(last, lastStep(entry) ?? last)
    }
    end = at + 1
  }
  return isAlone ? 1 : end - from
}

export const isDecided = (entry: Entry): boolean => 'event' in entry || entry.out !== undefined

/** As they came, if all of them pass; else one block after the other. */
export function mergeEntries(entries: readonly Entry[]): readonly StreamEvent[] {
  const events = entries.flatMap((entry) =>
    'event' in entry ? (entry.owner?.isDropped === true ? [] : [entry.event]) : (entry.out ?? []),
  )
  const isChanged = entries.some((entry) => !('event' in entry) && entry.isDropped)
  if (isChanged) return events
  return events.toSorted((one, other) => stepOf(one) - stepOf(other))
}

const stepOf = ({ step }: StreamEvent): number => step?.number ?? Infinity

const firstStep = (one: Held): number | undefined => eventsOf(one)[0]?.step?.number
const lastStep = (one: Held): number | undefined => eventsOf(one).at(-1)?.step?.number

const eventsOf = ({ events, out }: Held): readonly StreamEvent[] =>
  events.length === 0 ? (out ?? []) : events
