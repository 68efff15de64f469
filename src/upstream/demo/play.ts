/**
 * A reply to calls on a sink, one chunk per turn of the event loop or at a pace. Neighbours: `demo.ts` has
 * one per request, `reply.ts` makes what is played. A chunk is made when it is its turn, so a paused reader
 * costs nothing. After the end or an abort nothing is called and no timer is left.
 */
import { toBytes, type Written } from '../../sse/encode.ts'
import type { Headers, UpstreamCall, UpstreamSink } from '../upstream.ts'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly chunks: Iterable<Written>
  /** Before the headers, in milliseconds. */
  readonly first: number
  /** Between two chunks. */
  readonly pace: number
  /** `cut`: the connection breaks after the last chunk. */
  readonly ending: 'end' | 'cut'
}

/** Runs something later and gives back what calls it off. */
export type Schedule = (ms: number, run: () => void) => () => void

export const scheduleOnTimers: Schedule = (ms, run) => {
  if (ms > 0) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  }
  const immediate = setImmediate(run)
  return () => clearImmediate(immediate)
}

export interface PlayOptions {
  readonly schedule: Schedule
  /** Called once, when nothing more will happen. */
  readonly onOver: () => void
}

export function play(reply: Reply, sink: UpstreamSink, options: PlayOptions): UpstreamCall {
  const chunks = reply.chunks[Symbol.iterator]()
  let next: IteratorResult<Written> | undefined
  let hasHead = false
  let isPaused = false
  /** Its time came while the reader was paused. */
  let isDue = false
  let isOver = false
  let cancel = options.schedule(reply.first, turn)

  function wait(ms: number): void {
    if (!isOver) cancel = options.schedule(ms, turn)
  }

  function turn(): void {
    if (!hasHead) {
      hasHead = true
      sink.onHead(reply.status, reply.headers)
      return wait(0)
    }
    if (isPaused) {
      isDue = true
      return
    }
    next ??= chunks.next()
    if (next.done === true) return end()
    const chunk = Buffer.from(toBytes(next.value))
    next = chunks.next()
    sink.onData(chunk)
    // The end follows the last chunk at once.
    wait(next.done === true ? 0 : reply.pace)
  }

  function end(): void {
    isOver = true
    if (reply.ending === 'end') sink.onEnd()
    else
      sink.onError({
        kind: 'cut',
        message: 'The demo upstream closed the connection in the middle of its answer',
        isBeforeRequest: false,
      })
    options.onOver()
  }

  return {
    pause() {
      isPaused = true
    },
    resume() {
      isPaused = false
      if (!isDue) return
      isDue = false
      wait(0)
    },
    abort() {
      if (isOver) return
      isOver = true
      cancel()
      options.onOver()
    },
  }
}
