/**
 * Items ↔ a batch that can be sent to a thread. Neighbours: `queue.ts` packs, `run-writer.ts` unpacks.
 *
 * All bytes of a batch are copied once, into one block that changes hands without another copy. Sent as they are,
 * each piece would take along all of the buffer that it is a part of; and the queue keeps its own bytes, to send them
 * again should the thread die. Times go the same way: as lists, those of an answer of 100 chunks took 5 µs to clone,
 * and so 1.7.
 */
import type { Piece } from '../store/record.ts'
import type { Batch, SentItem, SentPiece } from './message.ts'
import type { RecordedItem } from './process-item.ts'

export function packBatch(batch: number, items: readonly RecordedItem[]): Batch {
  let size = 0
  let count = 0
  for (const item of items)
    for (const piece of piecesOf(item)) {
      size += piece.bytes.length
      count += piece.times.length
    }
  // All of it is written over: no need to have it cleared.
  const slab = Buffer.allocUnsafeSlow(size)
  const times = new Float64Array(count)
  const put = createPut(slab, times)
  const sent = items.map((item): SentItem => {
    if (item.type === 'verdicts') return item
    if (item.type === 'piece') return { ...item, piece: put(item.piece) }
    const { row, pieces, verdicts, tools, without, passed = 0, ahead = NONE_AHEAD } = item.exchange
    const exchange = { row, verdicts, tools, without, passed, ahead }
    return { type: 'exchange', exchange, pieces: pieces.map(put) }
  })
  return { type: 'batch', batch, items: sent, slab: slab.buffer, times: times.buffer }
}

function createPut(slab: Uint8Array, allTimes: Float64Array): (piece: Piece) => SentPiece {
  let start = 0
  let from = 0
  return ({ kind, seq, bytes, times }) => {
    slab.set(bytes, start)
    // A loop: `set` with a list takes four times as long.
    for (let at = 0; at < times.length; at++) allTimes[from + at] = times[at] ?? 0
    const sent = { kind, seq, start, size: bytes.length, from, count: times.length }
    start += sent.size
    from += sent.count
    return sent
  }
}

export function unpackBatch({ items, slab, times }: Batch): readonly RecordedItem[] {
  const allTimes = new Float64Array(times)
  const cut = ({ kind, seq, start, size, from, count }: SentPiece): Piece => ({
    kind,
    seq,
    bytes: new Uint8Array(slab, start, size),
    times: allTimes.subarray(from, from + count),
  })
  return items.map((item): RecordedItem => {
    if (item.type === 'verdicts') return item
    if (item.type === 'piece') return { ...item, piece: cut(item.piece) }
    return { type: 'exchange', exchange: { ...item.exchange, pieces: item.pieces.map(cut) } }
  })
}

const NONE: readonly Piece[] = []
const NONE_AHEAD = {}

function piecesOf(item: RecordedItem): readonly Piece[] {
  if (item.type === 'verdicts') return NONE
  return item.type === 'piece' ? [item.piece] : item.exchange.pieces
}

/** The bytes of its bodies. */
export function sizeOf(item: RecordedItem): number {
  let size = 0
  for (const { bytes } of piecesOf(item)) size += bytes.length
  return size
}

/** What it takes of the memory while it waits: also what its verdicts quote, which may be as long as the answer. */
export function weightOf(item: RecordedItem): number {
  let weight = sizeOf(item)
  if (item.type === 'piece') return weight
  const { verdicts } = item.type === 'exchange' ? item.exchange : item
  for (const { original, delivered } of verdicts)
    weight += (original?.length ?? 0) + (delivered?.length ?? 0)
  return weight
}
