import { expect, test } from 'vitest'
import { aFinished, aPiece, aVerdict } from '../../test/support/finished.ts'
import type { RecordedItem } from './process-item.ts'
import { createShipments, type Shipments } from './shipments.ts'
import { sizeOf } from './slab.ts'

const exchange = (id: string): RecordedItem => ({ type: 'exchange', exchange: aFinished(id) })

function add(shipments: Shipments, items: readonly RecordedItem[]): void {
  shipments.add(
    items,
    items.reduce((sum, item) => sum + sizeOf(item), 0),
  )
}

const idsOf = (items: readonly RecordedItem[]): readonly string[] =>
  items.map((item) => (item.type === 'exchange' ? item.exchange.row.id : item.exchangeId))

test('sends two at a time, and the next when one is done', () => {
  const shipments = createShipments()
  for (const id of ['a', 'b', 'c']) add(shipments, [exchange(id)])
  expect(shipments.next().map(({ batch }) => batch)).toEqual([1, 2])
  expect(shipments.next()).toEqual([])
  expect(shipments.done([1])).toMatchObject({ rows: 1 })
  expect(shipments.next().map(({ batch }) => batch)).toEqual([3])
  shipments.done([2, 3])
  expect(shipments.isEmpty()).toBe(true)
})

test('sends again in the same order what a dead thread had', () => {
  const shipments = createShipments()
  for (const id of ['a', 'b', 'c']) add(shipments, [exchange(id)])
  shipments.next()
  expect(shipments.lostThread(true)).toMatchObject({ bytes: 0, rows: 0, lost: [] })
  expect(shipments.next().flatMap(({ items }) => idsOf(items))).toEqual(['a', 'b'])
})

test('finds the item that kills thread after thread, and loses that one alone', () => {
  const shipments = createShipments()
  const ids = ['a', 'b', 'bad', 'c', 'd']
  add(shipments, ids.slice(0, 3).map(exchange))
  add(shipments, ids.slice(3).map(exchange))
  const written: string[] = []
  const lost: string[] = []
  let rows = 5
  let bytes = 0
  for (const id of ids) bytes += sizeOf(exchange(id))
  for (let rounds = 0; !shipments.isEmpty() && rounds < 100; rounds++) {
    // In order; what stands before the bad one in its batch is not acknowledged when the thread dies.
    const sent = shipments.next()
    for (const { batch, items } of sent) {
      if (idsOf(items).includes('bad')) {
        const gone = shipments.lostThread(true)
        rows -= gone.rows
        bytes -= gone.bytes
        lost.push(...gone.lost.map(({ exchangeId }) => exchangeId))
        break
      }
      const done = shipments.done([batch])
      rows -= done.rows
      bytes -= done.bytes
      written.push(...idsOf(items))
    }
  }
  expect(written.toSorted()).toEqual(['a', 'b', 'c', 'd'])
  expect(lost).toEqual(['bad'])
  expect([rows, bytes]).toEqual([0, 0])
})

test('sends one that is suspected without its bodies before it is given up', () => {
  const shipments = createShipments()
  add(shipments, [exchange('bad')])
  for (let deaths = 0; deaths < 3; deaths++) {
    shipments.next()
    const { droppedBodies } = shipments.lostThread(true)
    expect(droppedBodies).toBe(deaths === 2 ? 2 : 0)
  }
  const [bare] = shipments.next()[0]?.items ?? []
  expect(bare).toMatchObject({
    exchange: { pieces: [], row: { dropped: ['request', 'upstream'] }, tools: [] },
  })
})

test('takes no item for the cause when the thread was replaced', () => {
  const shipments = createShipments()
  add(shipments, [exchange('a')])
  for (let times = 0; times < 10; times++) {
    shipments.next()
    expect(shipments.lostThread(false).lost).toEqual([])
  }
  expect(shipments.next()).toHaveLength(1)
})

test('forgets a piece that kills threads, and tells of verdicts that do', () => {
  const shipments = createShipments()
  add(shipments, [{ type: 'piece', exchangeId: 'a', piece: aPiece('upstream', 'x') }])
  add(shipments, [{ type: 'verdicts', exchangeId: 'b', at: 0, verdicts: [aVerdict()] }])
  const lost: unknown[] = []
  for (let deaths = 0; deaths < 12; deaths++) {
    shipments.next()
    lost.push(...shipments.lostThread(true).lost)
  }
  expect(lost).toMatchObject([{ exchangeId: 'b', what: 'verdicts' }])
  expect(shipments.isEmpty()).toBe(true)
})
