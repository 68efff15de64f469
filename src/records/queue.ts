/**
 * The outbox → batches → the thread that writes. Neighbours: `tape.ts` puts things in, `thread.ts` has the thread,
 * `slab.ts` makes a batch of items, `shipments.ts` knows what is on its way. Runs on the gateway's own thread: per exchange it adds
 * to a list, and per batch it copies bytes once.
 */
import type { RecordSettings } from '../store/settings.ts'
import type { FromThread, ThreadData, Written } from './message.ts'
import type { Outbox } from './outbox.ts'
import type { RecordedItem } from './process-item.ts'
import type { RecordsHealth } from './records.ts'
import { createShipments } from './shipments.ts'
import { packBatch, weightOf } from './slab.ts'
import type { StateChange } from './state-change.ts'
import { createThread, type Thread } from './thread.ts'
import { createWaiters } from './waiters.ts'

export interface QueueOptions {
  readonly settings: RecordSettings
  readonly gateway: string
  /** What may be on its way: bytes of bodies, and exchanges. */
  readonly maxBytes?: number
  readonly maxRows?: number
  /** Told once when nothing can be written any more, and once when it is over; and what was lost. */
  onState?(change: StateChange): void
  /** So many bodies could not be kept. */
  onDropped?(bodies: number): void
  /** What the thread says that is not about batches. */
  onAnswer(message: FromThread): void
  /** It died: what it was asked is not answered. */
  onDown(): void
}

export interface Queue extends Outbox {
  readonly thread: Thread
  health(): RecordsHealth
  /**
   * Writes what has come so far without waiting for more, for somebody who is about to read: resolves when it is there,
   * or after a moment. `undefined`: it is there.
   */
  hurry(): Promise<void> | undefined
  /** Resolves when nothing waits any more, or when the time is up: then with what is left. */
  drain(graceMs: number): Promise<number>
}

/** So long the first exchange after a pause waits for others. */
const BATCH_MS = 20
/**
 * Where one batch follows another, at least so much time is between them: a batch of one takes four times the CPU for
 * each exchange of one of 25, because every table and every index of the store has a page of its own to write.
 */
const BUSY_BATCH_MS = 500
const BATCH_BYTES = 1024 * 1024
const BATCH_ITEMS = 500
const MAX_BYTES = 64 * 1024 * 1024
const MAX_ROWS = 10_000
/** A thread that says nothing for so long hangs. It tells of each failure, so that a store in trouble is no silence. */
const SILENCE_MS = 60_000
const CAUGHT_UP_MS = 5000
/** Whoever reads waits no longer for what is on its way: the store is slow, or in trouble. */
const HURRY_MS = 1000

export function createQueue(options: QueueOptions): Queue {
  const { settings, gateway, onState = () => {}, onDropped = () => {} } = options
  const { maxBytes = MAX_BYTES, maxRows = MAX_ROWS } = options
  const waiters = createWaiters(settings.maxWait)
  const listeners = new Set<(ids: readonly string[]) => void>()
  const shipments = createShipments()
  let items: RecordedItem[] = []
  let itemBytes = 0
  /** All that is not committed, sent or not. */
  let bytes = 0
  let rows = 0
  let committed = 0
  let droppedBodies = 0
  let failing: { readonly why: string; readonly since: number; committed: number } | undefined
  let behind: { readonly why: string; dropped: number; lastAt: number } | undefined
  let timer: NodeJS.Timeout | undefined
  /** When the last batch went. */
  let sentAt = -Infinity
  let watch: NodeJS.Timeout | undefined
  let drained: (() => void) | undefined
  let hurried: { readonly upTo: number; readonly resolve: () => void }[] = []
  let lastSign = performance.now()
  let isUp = false
  /** Threads that died since something was written. */
  let downs = 0

  const data: ThreadData = { role: 'writer', settings, gateway }
  const thread = createThread({ data, onMessage: hear, onUp: up, onDown: down })

  function put(item: RecordedItem): void {
    const size = weightOf(item)
    items.push(item)
    itemBytes += size
    bytes += size
    if (item.type === 'exchange') rows++
    // Whoever is about to wait for room waits for this batch.
    if (itemBytes >= BATCH_BYTES || items.length >= BATCH_ITEMS || !mayBegin()) send()
    else if (timer === undefined) {
      // While nothing can be written, all that comes belongs to what is told of as one when it is over.
      const between = failing === undefined ? BUSY_BATCH_MS - (performance.now() - sentAt) : 0
      timer = setTimeout(send, Math.max(BATCH_MS, between))
      timer.unref()
    }
  }

  function send(): void {
    clearTimeout(timer)
    timer = undefined
    if (items.length > 0) {
      sentAt = performance.now()
      shipments.add(items, itemBytes)
      items = []
      itemBytes = 0
    }
    ship()
  }

  /** A thread that is busy gets the next one when it is done: the memory on its side is bounded, too. */
  function ship(): void {
    if (!isUp) return
    for (const shipment of shipments.next()) {
      const batch = packBatch(shipment.batch, shipment.items)
      thread.post(batch, [batch.slab, batch.times])
    }
    if (watch !== undefined || shipments.isEmpty()) return
    lastSign = performance.now()
    watch = setInterval(look, SILENCE_MS / 4)
    watch.unref()
  }

  function look(): void {
    if (performance.now() - lastSign > SILENCE_MS) thread.replace()
  }

  function hear(message: FromThread): void {
    lastSign = performance.now()
    if (message.type === 'written') written(message.batches, message.result)
    else if (message.type === 'failing') fail(message.why)
    else options.onAnswer(message)
  }

  function written(batches: readonly number[], result: Written): void {
    const done = shipments.done(batches)
    bytes -= done.bytes
    rows -= done.rows
    committed += result.ids.length
    if (failing !== undefined) failing.committed += result.ids.length
    if (result.droppedBodies > 0) drop(result.droppedBodies, result.droppedWhy)
    else catchUp()
    if (result.lost.length > 0) onState({ type: 'lost', lost: result.lost })
    recover()
    for (const listener of listeners) listener(result.ids)
    if (mayBegin()) waiters.admit(maxRows - rows)
    downs = 0
    ship()
    rest()
    tellHurried()
  }

  function tellHurried(): void {
    if (hurried.length === 0) return
    const over = hurried.filter(({ upTo }) => shipments.isOverUpTo(upTo))
    hurried = hurried.filter((one) => !over.includes(one))
    for (const { resolve } of over) resolve()
  }

  function rest(): void {
    if (!shipments.isEmpty() || items.length > 0) return
    clearInterval(watch)
    watch = undefined
    drained?.()
  }

  function drop(count: number, why = TOO_SLOW): void {
    droppedBodies += count
    onDropped(count)
    if (behind === undefined) onState({ type: 'behind', why })
    behind ??= { why, dropped: 0, lastAt: 0 }
    behind.dropped += count
    behind.lastAt = performance.now()
  }

  /** Not at the first that fits: the next may not, and it is told each time. */
  function catchUp(): void {
    if (behind === undefined || performance.now() - behind.lastAt < CAUGHT_UP_MS) return
    onState({ type: 'caught-up', droppedBodies: behind.dropped })
    behind = undefined
  }

  function fail(why: string): void {
    if (failing !== undefined) return
    failing = { why, since: performance.now(), committed: 0 }
    onState({ type: 'failing', why })
  }

  /** What waited while it failed is told as one. */
  function recover(): void {
    if (failing === undefined || !shipments.isEmpty()) return
    const { since, committed: exchanges } = failing
    failing = undefined
    onState({ type: 'recovered', exchanges, afterMs: Math.round(performance.now() - since) })
  }

  function up(): void {
    isUp = true
    lastSign = performance.now()
    ship()
  }

  function down(why: string, isReplaced: boolean): void {
    isUp = false
    const lost = shipments.lostThread(!isReplaced)
    bytes -= lost.bytes
    rows -= lost.rows
    if (lost.droppedBodies > 0) drop(lost.droppedBodies)
    if (lost.lost.length > 0) onState({ type: 'lost', lost: lost.lost })
    onState({ type: 'restarted', why })
    // Once is an accident that costs nothing.
    if (++downs > 1)
      fail(`their thread ends again and again (${why}): look at the log, and restart`)
    options.onDown()
    rest()
  }

  return {
    thread,
    hasRoom: (more) => bytes + more <= maxBytes,
    piece: (exchangeId, piece) => put({ type: 'piece', exchangeId, piece }),
    finish(exchange) {
      if (exchange.row.dropped.length > 0) drop(exchange.row.dropped.length)
      put({ type: 'exchange', exchange })
    },
    later: (exchangeId, at, verdicts) => put({ type: 'verdicts', exchangeId, at, verdicts }),
    admit() {
      if (mayBegin()) return true
      return settings.onFull === 'refuse' ? false : waiters.wait()
    },
    onCommitted(callback) {
      listeners.add(callback)
      return () => listeners.delete(callback)
    },
    health() {
      catchUp()
      return {
        state: failing !== undefined ? 'failing' : isBehind() ? 'behind' : 'ok',
        why: failing?.why ?? behind?.why ?? (isBehind() ? TOO_SLOW : undefined),
        waitingExchanges: rows,
        waitingBytes: bytes,
        committed,
        droppedBodies,
      }
    },
    hurry() {
      if (failing !== undefined || (items.length === 0 && shipments.isEmpty())) return undefined
      send()
      return new Promise((resolve) => {
        const one = { upTo: shipments.newest(), resolve }
        hurried.push(one)
        setTimeout(() => {
          hurried = hurried.filter((other) => other !== one)
          resolve()
        }, HURRY_MS).unref()
      })
    },
    async drain(graceMs) {
      waiters.end(false)
      send()
      if (shipments.isEmpty()) return 0
      await new Promise<void>((resolve) => {
        const limit = setTimeout(resolve, graceMs)
        drained = () => {
          clearTimeout(limit)
          resolve()
        }
      })
      return rows
    },
  }

  /** Bodies are not taken beyond the limit: what is over it are quotes of verdicts, which always are. */
  function mayBegin(): boolean {
    return rows < maxRows && bytes < maxBytes * 2
  }

  function isBehind(): boolean {
    return behind !== undefined || bytes > maxBytes * 0.9
  }
}

const TOO_SLOW = 'more comes than can be written: look at the disk, or at Postgres'
