/**
 * Batches between the queue and the commit. Neighbours: `queue.ts` adds and sends them. Those that a thread had when it
 * died are sent again; a batch that kills thread after thread is taken apart, until the one item is found that does it,
 * and that goes without its bodies, and then not at all.
 */
import type { Lost } from './message.ts'
import type { RecordedItem } from './process-item.ts'
import { weightOf } from './slab.ts'

interface Shipment {
  readonly batch: number
  readonly items: readonly RecordedItem[]
  readonly bytes: number
  readonly rows: number
  /** Threads that died with it. */
  deaths: number
  isSent: boolean
}

export interface Shipments {
  add(items: readonly RecordedItem[], bytes: number): void
  /** The number of the newest, and whether nothing up to a number is left. */
  newest(): number
  isOverUpTo(batch: number): boolean
  /** Those that are to be sent now. */
  next(): readonly Shipment[]
  done(batches: readonly number[]): Freed
  /** The thread is gone: all are to be sent again. `isTheirs`: one of them may have been the cause. */
  lostThread(
    isTheirs: boolean,
  ): Freed & { readonly droppedBodies: number; readonly lost: readonly Lost[] }
  isEmpty(): boolean
}

interface Freed {
  readonly bytes: number
  readonly rows: number
}

/** One is written while the other is on its way. */
const MAX_SENT = 2
/** A thread may die of something else. */
const APART_AFTER = 2
const BARE_AFTER = 3
const LOST_AFTER = 4

export function createShipments(): Shipments {
  let waiting: Shipment[] = []
  let count = 0

  const toShipment = (items: readonly RecordedItem[], bytes: number, deaths: number): Shipment => ({
    batch: ++count,
    items,
    bytes,
    rows: items.reduce((sum, { type }) => sum + (type === 'exchange' ? 1 : 0), 0),
    deaths,
    isSent: false,
  })

  const apart = ({ items, deaths }: Shipment): Shipment[] =>
    items.map((item) => toShipment([item], weightOf(item), deaths))

  return {
    add: (items, bytes) => void waiting.push(toShipment(items, bytes, 0)),
    newest: () => count,
    isOverUpTo: (batch) => waiting.every((shipment) => shipment.batch > batch),
    next() {
      const found: Shipment[] = []
      // One that is suspected travels alone, so that it is known who did it.
      const max = (waiting[0]?.deaths ?? 0) >= APART_AFTER ? 1 : MAX_SENT
      for (const shipment of waiting.slice(0, max)) {
        if (shipment.isSent) continue
        shipment.isSent = true
        found.push(shipment)
      }
      return found
    },
    done(batches) {
      const numbers = new Set(batches)
      let bytes = 0
      let rows = 0
      waiting = waiting.filter((shipment) => {
        if (!numbers.has(shipment.batch)) return true
        bytes += shipment.bytes
        rows += shipment.rows
        return false
      })
      return { bytes, rows }
    },
    lostThread(isTheirs) {
      const before = total(waiting)
      const lost: Lost[] = []
      let droppedBodies = 0
      waiting = waiting.flatMap((shipment) => {
        if (!shipment.isSent) return [shipment]
        shipment.isSent = false
        if (!isTheirs) return [shipment]
        shipment.deaths++
        const [item] = shipment.items
        if (shipment.deaths < APART_AFTER || item === undefined) return [shipment]
        if (shipment.items.length > 1) return apart(shipment)
        if (shipment.deaths < BARE_AFTER) return [shipment]
        if (shipment.deaths >= LOST_AFTER || item.type === 'piece') {
          lost.push(...toLost(item))
          return []
        }
        const bare = withoutBytes(item)
        droppedBodies += bare.dropped
        return [toShipment([bare.item], weightOf(bare.item), shipment.deaths)]
      })
      const after = total(waiting)
      return {
        bytes: before.bytes - after.bytes,
        rows: before.rows - after.rows,
        droppedBodies,
        lost,
      }
    },
    isEmpty: () => waiting.length === 0,
  }
}

function total(shipments: readonly Shipment[]): Freed {
  let bytes = 0
  let rows = 0
  for (const shipment of shipments) {
    bytes += shipment.bytes
    rows += shipment.rows
  }
  return { bytes, rows }
}

function withoutBytes(item: RecordedItem): {
  readonly item: RecordedItem
  readonly dropped: number
} {
  if (item.type !== 'exchange') return { item, dropped: 0 }
  const { row, pieces, without } = item.exchange
  const kinds = new Set(pieces.map(({ kind }) => kind))
  const exchange = {
    ...item.exchange,
    row: { ...row, dropped: [...new Set([...row.dropped, ...kinds])] },
    pieces: [],
    // Nobody reads its answer: that may be what it died of.
    tools: item.exchange.tools ?? [],
    without: [...new Set([...without, ...kinds])],
  }
  return { item: { type: 'exchange', exchange }, dropped: kinds.size }
}

function toLost(item: RecordedItem): readonly Lost[] {
  const why = 'thread after thread ended over it'
  if (item.type === 'piece') return []
  return item.type === 'exchange'
    ? [{ exchangeId: item.exchange.row.id, what: 'exchange', why }]
    : [{ exchangeId: item.exchangeId, what: 'verdicts', why }]
}
