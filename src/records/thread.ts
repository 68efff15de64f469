/**
 * A thread of the records, from the gateway's side: it is started, and started again when it dies. Neighbours:
 * `worker.ts` is what runs in it, `queue.ts` and `client.ts` talk to it through this.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Transferable, Worker } from 'node:worker_threads'
import { SluiceError, type SluiceErrorCode } from '../base/sluice-error.ts'
import { mayEnd } from '../base/unbroken.ts'
import { startWorker } from './entry.ts'
import type { FromThread, SentError, ThreadData, ThreadStart, ToThread } from './message.ts'

export interface ThreadOptions {
  readonly data: ThreadData
  onMessage(message: FromThread): void
  /** The store is open: now, and again after each death. What was sent before is not there any more. */
  onUp(): void
  /** It died, or was replaced; another one is on its way. */
  onDown(why: string, isReplaced: boolean): void
}

export interface Thread {
  /** Rejects where the store cannot be opened at all. */
  readonly opened: Promise<void>
  /** `false` while none is up: then nothing was sent. */
  post(message: ToThread, transfer?: readonly Transferable[]): boolean
  /** Whether the process waits for it. */
  hold(isHeld: boolean): void
  /** Ends it at once, so that a new one is started: it hangs. */
  replace(): void
  /** Lets it end by itself; after this time it is ended. */
  close(graceMs: number): Promise<void>
}

const MAX_PAUSE_MS = 5000
/** How long a thread may take to end that was told to. */
const TERMINATE_MS = 2000
/** A thread that lived so long was well: the next one is started at once. */
const GOOD_LIFE_MS = 10_000
/** A body that takes more is the end of the thread, and not of the gateway. */
const MAX_HEAP_MB = 1024
/** What it makes does not live long: more room than this is memory that nobody uses. */
const YOUNG_MB = 12

export function createThread({ data, onMessage, onUp, onDown }: ThreadOptions): Thread {
  let worker: Worker | undefined
  let end = (): void => {}
  let isUp = false
  let isClosed = false
  let isReplaced = false
  let deaths = 0
  let startedAt = 0
  let timer: NodeJS.Timeout | undefined
  let settle: { resolve(): void; reject(error: Error): void } | undefined
  let onExit: (() => void) | undefined
  const opened = new Promise<void>((resolve, reject) => (settle = { resolve, reject }))
  opened.catch(() => {})

  function start(): void {
    startedAt = performance.now()
    const ends = new SharedArrayBuffer(4)
    const one = spawn({ ...data, ends })
    live.add(ends)
    let why = 'it ended'
    let cause: unknown
    worker = one
    // In the middle of a call of the store it leaves by itself after that call.
    end = () => {
      if (mayEnd(ends)) void one.terminate()
    }
    one.on('message', (message: FromThread) => hear(message))
    one.on('error', (error) => {
      why = toReason(error)
      cause = error
    })
    one.on('exit', () => {
      live.delete(ends)
      if (worker === one) ended(why, cause)
    })
    // Once it is open, a program that is done must not wait for it; `close` writes what waits.
    if (settle === undefined) one.unref()
  }

  function hear(message: FromThread): void {
    if (message.type === 'refused') return refused(message.error)
    if (message.type !== 'ready') return onMessage(message)
    isUp = true
    settle?.resolve()
    settle = undefined
    worker?.unref()
    onUp()
  }

  /** At the first start that is a mistake to be told; later it was open before, and may be again. */
  function refused(error: SentError): void {
    if (settle === undefined) return onMessage({ type: 'failing', why: error.message })
    isClosed = true
    settle.reject(toError(error))
    settle = undefined
  }

  function ended(why: string, cause: unknown): void {
    worker = undefined
    isUp = false
    onExit?.()
    if (isClosed) {
      settle?.reject(new SluiceError('wrong-use', 'Cannot use the records: they are closed'))
      return
    }
    if (settle !== undefined) {
      isClosed = true
      return settle.reject(
        new SluiceError('wrong-use', `Cannot start the thread of the records: ${why}`, { cause }),
      )
    }
    deaths = performance.now() - startedAt > GOOD_LIFE_MS ? 0 : deaths + 1
    onDown(isReplaced ? 'it said nothing for a minute' : why, isReplaced)
    isReplaced = false
    timer = setTimeout(start, deaths === 0 ? 0 : Math.min(MAX_PAUSE_MS, 50 * 2 ** deaths))
    timer.unref()
  }

  start()
  return {
    opened,
    post(message, transfer = []) {
      if (!isUp || worker === undefined) return false
      worker.postMessage(message, transfer)
      return true
    },
    hold(isHeld) {
      if (isHeld) worker?.ref()
      else if (settle === undefined) worker?.unref()
    },
    replace() {
      isReplaced = true
      end()
    },
    async close(graceMs) {
      isClosed = true
      clearTimeout(timer)
      const one = worker
      if (one === undefined) return
      // Whoever closes waits: then it may hold the process.
      one.ref()
      const gone = new Promise<void>((resolve) => (onExit = resolve))
      if (isUp) one.postMessage({ type: 'close' } satisfies ToThread)
      const limit = setTimeout(end, isUp ? graceMs : 0)
      // V8 ends no thread in the middle of a long parse: nobody waits for that.
      const patience = sleep(graceMs + TERMINATE_MS, undefined, { ref: false })
      await Promise.race([gone, patience])
      clearTimeout(limit)
    },
  }
}

/** Those that run: Node ends them with the process, which must not meet one in the middle of a call either. */
const live = new Set<SharedArrayBuffer>()
process.on('exit', () => {
  for (const ends of live) mayEnd(ends, TERMINATE_MS)
})

const spawn = (workerData: ThreadStart): Worker =>
  startWorker({
    workerData,
    name: `sluice-records-${workerData.role}`,
    // Flags of the process are not for it: a loader, a debugger that waits.
    execArgv: [],
    argv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
  })

function toReason(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed'
  const code: unknown = Reflect.get(error, 'code')
  // The words of an error may quote content.
  return typeof code === 'string' ? `${error.name} ${code}` : error.name
}

/** An error as it was on the other side. */
export function toError({ message, code, isOurs }: SentError): Error {
  if (isOurs) return new SluiceError(code as SluiceErrorCode, message)
  const error = new Error(message)
  return Object.assign(error, code === undefined ? {} : { code })
}
