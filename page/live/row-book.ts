/**
 * Events and pages of the past → one list of lines, the newest first, each there once. Neighbours: `live-model.ts` feeds it
 * and asks for the list once per frame; `filter-fits.ts` says what belongs in. Knows no React and no clock. A line sits in a
 * slot that keeps its place, so that a change costs nothing until the list is asked for.
 */
import type { OpenExchange } from '../../src/store/feed.ts'
import type { ExchangeSummary } from '../../src/store/query.ts'
import type { Fit } from './filter-fits.ts'
import { compareRows, toDoneRow, toOpenRow, withVerdict } from './row.ts'
import type { LiveRow, LiveVerdict } from './row.ts'

export interface RowBook {
  begun(open: OpenExchange): void
  verdict(id: string, verdict: LiveVerdict): void
  /** Whether it belongs in; `undefined` where the API must be asked. */
  finished(done: ExchangeSummary): Fit
  gone(id: string): void
  /** All that go on; gives back those that did so before and do not any more. */
  begin(open: readonly OpenExchange[]): readonly LiveRow[]
  /** What the API says fits. `isPast`: a page further down, which moves nothing that is in sight. */
  merge(found: readonly ExchangeSummary[], isPast?: boolean): void
  /** What is new waits outside until it is let in. */
  hold(isHolding: boolean): void
  /** Leaves out everything before that time: there may be holes in it. */
  forgetBefore(startedAt: number): void
  has(id: string): boolean
  /** The same list until something has changed. */
  rows(): readonly LiveRow[]
  heldCount(): number
  isFull(): boolean
}

interface Slot {
  row: LiveRow
  isOut: boolean
}

export function createRowBook(fit: (row: LiveRow) => Fit, max: number): RowBook {
  /** In the list. */
  const slots = new Map<string, Slot>()
  /** Go on, and are not in the list or not yet. */
  const aside = new Map<string, LiveRow>()
  const held = new Map<string, LiveRow>()
  let order: Slot[] = []
  let fresh: Slot[] = []
  let list: readonly LiveRow[] = []
  let isDirty = false
  let isHolding = false

  function put(row: LiveRow, isPast = false): void {
    aside.delete(row.id)
    const slot = slots.get(row.id)
    if (slot !== undefined) slot.row = row
    else if (held.has(row.id) || (isHolding && !isPast)) {
      held.set(row.id, row)
      // Who pauses for a day wants to see the end of it.
      if (held.size > max) held.delete(held.keys().next().value ?? '')
    } else add(row)
    isDirty = true
  }

  function add(row: LiveRow): void {
    const slot = { row, isOut: false }
    slots.set(row.id, slot)
    fresh.push(slot)
  }

  function takeOut(id: string): void {
    held.delete(id)
    const slot = slots.get(id)
    if (slot === undefined) return
    slot.isOut = true
    slots.delete(id)
    isDirty = true
  }

  const find = (id: string): LiveRow | undefined =>
    slots.get(id)?.row ?? held.get(id) ?? aside.get(id)

  /** In, out, or aside until more is known of it. */
  function place(row: LiveRow): Fit {
    const isIn = fit(row)
    if (isIn === true) put(row)
    else {
      takeOut(row.id)
      if (row.state === 'open') aside.set(row.id, row)
      else aside.delete(row.id)
    }
    return isIn
  }

  function arrange(): void {
    fresh.sort((one, other) => compareRows(one.row, other.row))
    order = mergeSlots(order, fresh)
    fresh = []
    for (const slot of order.splice(max)) slots.delete(slot.row.id)
    list = order.map(({ row }) => row)
    isDirty = false
  }

  return {
    begun(open) {
      if (find(open.id) === undefined) place(toOpenRow(open))
    },
    verdict(id, verdict) {
      const row = find(id)
      if (row !== undefined) place(withVerdict(row, verdict))
    },
    finished: (done) => place(toDoneRow(done, { before: find(done.id), isRecorded: false })),
    gone(id) {
      const row = find(id)
      if (row?.state === 'open') place({ ...row, state: 'gone' })
    },
    begin(open) {
      const now = new Set(open.map(({ id }) => id))
      const over = [...[...slots.values()].map(({ row }) => row), ...held.values()].filter(
        (row) => row.state === 'open' && !now.has(row.id),
      )
      for (const id of aside.keys()) if (!now.has(id)) aside.delete(id)
      for (const one of open) this.begun(one)
      return over
    },
    merge(found, isPast = false) {
      for (const one of found)
        put(toDoneRow(one, { before: find(one.id), isRecorded: true }), isPast)
    },
    hold(next) {
      isHolding = next
      if (next || held.size === 0) return
      for (const row of held.values()) add(row)
      held.clear()
      isDirty = true
    },
    forgetBefore(startedAt) {
      for (const { row } of slots.values())
        if (row.startedAt < startedAt && row.state !== 'open') takeOut(row.id)
    },
    has: (id) => find(id) !== undefined,
    rows() {
      if (isDirty) arrange()
      return list
    },
    heldCount: () => held.size,
    isFull: () => slots.size >= max,
  }
}

/** Two lists in order → one. New lines mostly belong on top, where this is a copy of the rest. */
function mergeSlots(old: readonly Slot[], fresh: readonly Slot[]): Slot[] {
  const merged: Slot[] = []
  let at = 0
  for (const slot of old) {
    if (slot.isOut) continue
    for (; at < fresh.length; at++) {
      const next = fresh[at]
      if (next === undefined || compareRows(next.row, slot.row) > 0) break
      if (!next.isOut) merged.push(next)
    }
    merged.push(slot)
  }
  for (; at < fresh.length; at++) {
    const next = fresh[at]
    if (next !== undefined && !next.isOut) merged.push(next)
  }
  return merged
}
