/**
 * Waits for others who write to the same file. Neighbours: `sqlite.ts` and `sqlite-dialect.ts` begin their transactions by
 * it. SQLite would wait by itself, and block the thread with it: where the other is of the same thread, both would wait
 * forever.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { SqliteFile } from './sqlite-file.ts'

/** How long a batch waits for others: the queue before it tells what is wrong, and tries again. */
export const BATCH_MS = 2_000
/** How long all else waits. */
const PATIENCE_MS = 10_000
const BUSY = 5

/** Begins a transaction that writes. */
export const beginToWrite = (connection: SqliteFile, ms = PATIENCE_MS): Promise<void> =>
  patiently(connection, () => connection.exec('begin immediate'), ms)

/** Tries it again as long as another has the lock. */
export async function patiently(
  connection: SqliteFile,
  work: () => void,
  ms = PATIENCE_MS,
): Promise<void> {
  for (const end = performance.now() + ms; ;) {
    if (tryNow(connection, work)) return
    if (performance.now() > end) {
      work()
      return
    }
    await pause(2 + Math.random() * 18)
  }
}

/** Whether it went; the lock is waited for only as long as a small transaction takes. */
function tryNow(connection: SqliteFile, work: () => void): boolean {
  connection.exec('pragma busy_timeout = 20')
  try {
    work()
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  } finally {
    connection.exec(`pragma busy_timeout = ${BUSY_MS}`)
  }
}

/** For all that is no transaction of ours: reading waits only while a file is repaired after a crash. */
export const BUSY_MS = 2_000

function isBusy(error: unknown): boolean {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'errcode') : undefined
  return typeof code === 'number' && (code & 0xff) === BUSY
}
