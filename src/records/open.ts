/**
 * Settings → the records of a running gateway: what records, what writes, what reads, and what is told of it. Neighbours:
 * `recorder.ts` makes the tapes, `queue.ts` has the thread that writes, `client.ts` asks.
 */
import { randomFillSync } from 'node:crypto'
import type { Price, RecordSettings } from '../store/settings.ts'
import { createCalls } from './calls.ts'
import { createClient } from './client.ts'
import { createFeed } from './feed.ts'
import { createIds, type RandomBytes } from './ids.ts'
import { createCosts } from './prices.ts'
import { createQueue } from './queue.ts'
import { createRecorder } from './recorder.ts'
import type { Records } from './records.ts'
import type { StateChange } from './state-change.ts'

export interface OpenRecordsOptions {
  readonly settings: RecordSettings
  /** Which gateway this is: stands in every row. */
  readonly gateway: string
  readonly prices?: readonly Price[]
  /** For ids. */
  readonly random?: RandomBytes
  /** Called once for each thing that a person should know. */
  onState?(change: StateChange): void
  /** So many bodies could not be kept. */
  onDropped?(bodies: number): void
}

/** Resolves when the store is open and of this version; rejects with what is wrong with it. */
export async function openRecords(options: OpenRecordsOptions): Promise<Records> {
  const { settings, gateway, onState, onDropped } = options
  const writes = createCalls(
    (message) => queue.thread.post(message),
    (isHeld) => queue.thread.hold(isHeld),
  )
  const queue = createQueue({
    settings,
    gateway,
    ...(onState === undefined ? {} : { onState }),
    ...(onDropped === undefined ? {} : { onDropped }),
    onAnswer: writes.hear,
    onDown: () => writes.fail('their thread was started anew: ask again'),
  })
  await queue.thread.opened
  const store = createClient({ settings, gateway, writes, hurry: queue.hurry })
  const feed = createFeed()
  const recorder = createRecorder({
    outbox: queue,
    feed,
    mode: settings.mode,
    gateway,
    createId: createIds(options.random ?? freshBytes),
    costOf: createCosts(options.prices ?? []),
  })
  return {
    recorder,
    store,
    feed,
    health: queue.health,
    async close(graceMs) {
      const until = performance.now() + graceMs
      await queue.drain(graceMs)
      await store.close()
      await queue.thread.close(Math.max(MIN_CLOSING_MS, until - performance.now()))
    },
  }
}

/** To close a file takes a moment, also where nothing can be written to it. */
const MIN_CLOSING_MS = 500

const freshBytes: RandomBytes = (size) => randomFillSync(new Uint8Array(size))
