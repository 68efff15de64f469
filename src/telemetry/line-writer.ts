/**
 * Lines → a file descriptor, without waiting for whoever reads it. Neighbours: `log.ts`. Knows no format.
 *
 * Writing to `process.stderr` blocks the process while a pipe is full, and throws when its reader has
 * left. Here one write at a time is under way in a thread. Waking that costs as much as all else of a line, so that
 * lines which come behind a write gather for a moment and leave together; too many are dropped and counted.
 */
import { write as writeTo, writeSync } from 'node:fs'

export interface LineWriter {
  write(line: string): void
  /** Resolves once everything is written, or cannot be. */
  flush(): Promise<void>
  /** Writes what is left; nothing is taken any more. */
  close(): Promise<void>
}

export interface LineWriterOptions {
  /** So many characters may wait. */
  readonly limit?: number
  /** There is room again after so many lines were dropped. */
  readonly onDropped?: (count: number) => void
  /** How long `flush` waits for a reader that does not read. */
  readonly patienceMs?: number
}

/** So long lines gather behind a write, unless somebody waits for them or they are many. */
const GATHER_MS = 25
const MANY_CHARACTERS = 64 * 1024

/** A pipe that does not block says that it is full, and not when there is room again. */
const FULL_PAUSE_MS = 20

export function createLineWriter(fd: number, options: LineWriterOptions = {}): LineWriter {
  const { limit = 4_000_000, onDropped, patienceMs = 2000 } = options
  let lines: string[] = []
  let size = 0
  let dropped = 0
  let isBusy = false
  let isGone = false
  let waiting: (() => void)[] = []
  let gathering: NodeJS.Timeout | undefined

  const rest = (): void => {
    isBusy = false
    for (const resolve of waiting) resolve()
    waiting = []
  }

  /** Behind a write. */
  const gather = (): void => {
    if (waiting.length > 0 || size > MANY_CHARACTERS) next()
    else gathering = setTimeout(next, GATHER_MS).unref()
  }

  const hurry = (): void => {
    if (gathering === undefined) return
    clearTimeout(gathering)
    next()
  }

  const next = (): void => {
    gathering = undefined
    if (lines.length === 0 || isGone) return rest()
    const chunk = Buffer.from(lines.join(''))
    lines = []
    size = 0
    put(chunk)
    if (dropped === 0) return
    const count = dropped
    dropped = 0
    onDropped?.(count)
  }

  const put = (chunk: Buffer): void => {
    writeTo(fd, chunk, (error, written) => {
      if (error !== null && error.code === 'EAGAIN') {
        setTimeout(put, FULL_PAUSE_MS, chunk).unref()
        return
      }
      // The reader has left, or the disk is full. A gateway goes on without its log.
      if (error !== null) isGone = error.code === 'EPIPE' || error.code === 'EBADF'
      if (error === null && written < chunk.length) put(chunk.subarray(written))
      else gather()
    })
  }

  // The last words of a process that ends in the middle; what is under way in the thread is not repeated.
  const onExit = (): void => {
    try {
      if (lines.length > 0 && !isGone) writeSync(fd, lines.join(''))
    } catch {
      // There is nobody left to tell.
    }
    lines = []
  }
  process.once('exit', onExit)

  const flush = async (): Promise<void> => {
    if (!isBusy) return
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs)
    })
    const done = new Promise<void>((resolve) => waiting.push(resolve))
    hurry()
    await Promise.race([late, done])
    clearTimeout(timer)
  }

  return {
    write(line) {
      if (isGone) return
      if (size + line.length > limit) {
        dropped++
        return
      }
      size += line.length
      lines.push(line)
      if (size > MANY_CHARACTERS) hurry()
      if (isBusy) return
      isBusy = true
      // The lines of one turn of the event loop leave together.
      setImmediate(next)
    },
    flush,
    async close() {
      await flush()
      process.removeListener('exit', onExit)
      isGone = true
    },
  }
}
