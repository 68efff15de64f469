/**
 * The thread that writes: batches become items, items are committed, and the ids go back. Neighbours: `worker.ts` runs
 * it, `process-item.ts` and `writer.ts` do the work, `housekeeping.ts` uses the time between.
 */
import type { MessagePort } from 'node:worker_threads'
import type { BodyKind, WriteItem } from '../store/record.ts'
import { createHeadroom } from './headroom.ts'
import { createHousekeeping } from './housekeeping.ts'
import type { Batch, ToThread } from './message.ts'
import {
  answerCall,
  leave,
  openFor,
  openNow,
  pause,
  within,
  type OwnData,
  type Send,
} from './port.ts'
import { createProcessor } from './process-item.ts'
import { unpackBatch } from './slab.ts'
import { toTrouble } from './trouble.ts'
import { createWriter } from './writer.ts'

/** Between two tries once the gateway is about to end. */
const CLOSING_PAUSE_MS = 100
/** Between two tries to read what came before. */
const EARLIER_PAUSE_MS = 500
/** A server that says nothing for so long is gone. What was sent may still be written then, which does no harm. */
const WRITE_MS = 10_000

export async function runWriter(port: MessagePort, data: OwnData): Promise<void> {
  const send: Send = (message) => port.postMessage(message)
  const opened = await openFor(data, send)
  if (opened === undefined) return port.close()
  let store = opened
  let waiting: Batch[] = []
  /** What is being written: the batches, and what they have become. */
  let batches: number[] = []
  let round: WriteItem[] = []
  let isWriting = false
  let isClosing = false
  let wake = (): void => {}

  // All formats: not needed before the first exchange is over.
  const content = import('./content.ts').then(({ createContentReader }) => createContentReader())
  const processor = createProcessor({ settings: data.settings, content, earlier })
  const housekeeping = createHousekeeping({ ...data, store: () => store, content })
  const writer = createWriter({
    store: () => ({ write: (items) => within(WRITE_MS, store.write(items)) }),
    reopen,
    isShort: createHeadroom(data.settings.location),
    onFailing: (why) => send({ type: 'failing', why }),
    pause: (ms) =>
      isClosing
        ? pause(CLOSING_PAUSE_MS)
        : Promise.race([pause(ms), new Promise<void>((resolve) => (wake = resolve))]),
    more: take,
  })

  async function reopen(): Promise<void> {
    const old = store
    try {
      store = await within(WRITE_MS, openNow(data))
      // One that hangs may take its time to let go.
      void old.close().catch(() => {})
    } catch {
      // The old one is tried again, and then this.
    }
  }

  async function take(): Promise<readonly WriteItem[]> {
    const begin = round.length
    const taken = waiting
    waiting = []
    for (const batch of taken) {
      batches.push(batch.batch)
      await processor.process(unpackBatch(batch), round)
    }
    return round.slice(begin)
  }

  /**
   * What came of a body before: it is in the store already, or about to be. A store that is gone is waited for: without it
   * nothing can be written either, and a row that names no tools would be believed.
   */
  async function earlier(id: string, kind: BodyKind): Promise<readonly Uint8Array[]> {
    for (;;) {
      try {
        return await readEarlier(id, kind)
      } catch (error) {
        const trouble = toTrouble(error)
        if (isClosing || (trouble?.type !== 'gone' && trouble?.type !== 'locked')) throw error
        send({ type: 'failing', why: trouble.why })
        await pause(EARLIER_PAUSE_MS)
      }
    }
  }

  async function readEarlier(id: string, kind: BodyKind): Promise<readonly Uint8Array[]> {
    const [kept] = await within(WRITE_MS, store.bodies([id], [kind]))
    const body = kept?.bodies[kind]
    const coming = round.flatMap((item) =>
      item.type === 'piece' && item.exchangeId === id && item.piece.kind === kind
        ? [item.piece.bytes]
        : [],
    )
    return body === undefined ? coming : [body.bytes, ...coming]
  }

  async function pump(): Promise<void> {
    if (isWriting) return
    isWriting = true
    while (waiting.length > 0) {
      batches = []
      round = []
      const result = await writer.write(await take())
      round = []
      send({ type: 'written', batches, result })
      housekeeping.noteWritten(result.ids.length)
    }
    isWriting = false
    if (isClosing) await end()
  }

  async function end(): Promise<void> {
    await housekeeping.close()
    await leave(port, store)
  }

  port.on('message', (message: ToThread) => {
    switch (message.type) {
      case 'call':
        void answerCall(store, message, send)
        break
      case 'batch':
        waiting.push(message)
        void pump()
        break
      case 'close':
        isClosing = true
        wake()
        if (!isWriting) void end()
    }
  })
  send({ type: 'ready' })
  housekeeping.start()
}
