/**
 * Work of a thread that must not be cut off in its middle, and the other side that wants to end the thread. Neighbours:
 * `store/sqlite-file.ts` does such work, `records/thread.ts` ends threads. A thread that is ended while it is in a call of
 * SQLite's addon takes the whole process with it: the addon throws where nobody can catch (abort, code 134). Knows no
 * thread and no file: both sides share four bytes.
 */
export interface Unbroken {
  /** Runs it as a whole. Does not come back where the thread is to end: nothing is begun then. */
  run<T>(work: () => T): T
  /** The same for work that waits, such as loading the addon. */
  wait<T>(work: () => Promise<T>): Promise<T>
}

/** Where nobody ends the thread. */
export const NEVER_ENDED: Unbroken = { run: (work) => work(), wait: (work) => work() }

const FREE = 0
const BUSY = 1
/** Busy, and to end after that. */
const WANTED = 2
const ENDED = 3

/** The thread's side; `leave` ends the thread from within. */
export function createUnbroken(shared: SharedArrayBuffer, leave: () => void): Unbroken {
  const state = new Int32Array(shared)
  let depth = 0

  function enter(): void {
    if (depth++ === 0 && Atomics.compareExchange(state, 0, FREE, BUSY) !== FREE) end()
  }
  function exit(): void {
    if (--depth === 0 && Atomics.compareExchange(state, 0, BUSY, FREE) !== BUSY) end()
  }
  function end(): void {
    Atomics.store(state, 0, ENDED)
    Atomics.notify(state, 0)
    leave()
    // Until it is over: nothing may be begun any more.
    Atomics.wait(state, 0, ENDED)
  }

  return {
    run(work) {
      enter()
      try {
        return work()
      } finally {
        exit()
      }
    },
    async wait(work) {
      enter()
      try {
        return await work()
      } finally {
        exit()
      }
    },
  }
}

/**
 * The other side: whether the thread may be ended now. Where it may not, it is busy and leaves by itself as soon as it is
 * done; `waitMs` blocks for that.
 */
export function mayEnd(shared: SharedArrayBuffer, waitMs = 0): boolean {
  const state = new Int32Array(shared)
  for (;;) {
    const was = Atomics.compareExchange(state, 0, FREE, ENDED)
    if (was === FREE || was === ENDED) return true
    if (was === BUSY && Atomics.compareExchange(state, 0, BUSY, WANTED) !== BUSY) continue
    if (waitMs > 0) Atomics.wait(state, 0, WANTED, waitMs)
    return Atomics.load(state, 0) === ENDED
  }
}
