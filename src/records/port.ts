/**
 * One end of a thread, from inside: what both threads of the records do alike. Neighbours: `run-writer.ts` and
 * `run-reader.ts`. Opens the store, answers calls by name, and ends the thread.
 */
import type { MessagePort } from 'node:worker_threads'
import { SluiceError } from '../base/sluice-error.ts'
import type { Unbroken } from '../base/unbroken.ts'
import { openStore } from '../store/open-store.ts'
import type { RecordStore } from '../store/store.ts'
import { createCodec } from './codec.ts'
import type { FromThread, SentError, ThreadData, ToThread } from './message.ts'
import { toTrouble } from './trouble.ts'

/** What a thread was started with, and how it works where it may be ended. */
export interface OwnData extends ThreadData {
  readonly unbroken: Unbroken
}

export type Send = (message: FromThread) => void

/** Waits this long for a store that is not there yet: a server that starts, a file that another one migrates. */
const OPEN_TRIES = 5
const OPEN_PAUSE_MS = 1000

/** The store of the settings; `undefined` where it cannot be opened, which is told. */
export async function openFor(data: OwnData, send: Send): Promise<RecordStore | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      return await openNow(data)
    } catch (error) {
      if (toTrouble(error) !== undefined && tries < OPEN_TRIES) {
        await pause(OPEN_PAUSE_MS)
        continue
      }
      send({ type: 'refused', error: toSent(withPlace(error)) })
      return undefined
    }
  }
}

export const openNow = ({ role, settings, unbroken }: OwnData): Promise<RecordStore> =>
  openStore(settings.location, {
    codec: createCodec(settings.secret),
    isSynced: settings.isSynced,
    hasSearch: settings.hasSearch,
    isReadOnly: role === 'reader',
    unbroken,
  })

function withPlace(error: unknown): unknown {
  if (error instanceof SluiceError) return error
  const trouble = toTrouble(error)
  if (trouble === undefined) return error
  return new SluiceError('bad-config', `Cannot open the records: ${trouble.why}`, { cause: error })
}

type Call = Extract<ToThread, { type: 'call' }>

/** Calls the store by name. What it throws is the caller's to know. */
export async function answerCall(store: RecordStore, call: Call, send: Send): Promise<void> {
  try {
    const method = store[call.name as keyof RecordStore] as (
      ...values: unknown[]
    ) => Promise<unknown>
    send({ type: 'answer', call: call.call, value: await method(...call.values) })
  } catch (error) {
    send({ type: 'error', call: call.call, error: toSent(error) })
  }
}

function toSent(error: unknown): SentError {
  if (!(error instanceof Error))
    return { message: 'The store failed', code: undefined, isOurs: false }
  const isOurs = error instanceof SluiceError
  const trouble = isOurs ? undefined : toTrouble(error)
  const code: unknown = Reflect.get(error, 'code')
  return {
    isOurs,
    message: trouble === undefined ? error.message : `Cannot use the records: ${trouble.why}`,
    code: typeof code === 'string' ? code : undefined,
  }
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

/** Fails as a connection does that says nothing any more. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = Object.assign(new Error('The store does not answer'), { code: 'ETIMEDOUT' })
    timer = setTimeout(() => reject(error), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Nothing holds the thread any more once its port is closed and the store with it. */
export async function leave(port: MessagePort, store: RecordStore): Promise<void> {
  try {
    await store.close()
  } catch {
    // What is committed is committed.
  }
  port.close()
}
