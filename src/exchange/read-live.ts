/**
 * The events of a stream under way, pulled: whoever reads slowly slows the upstream. Neighbours:
 * `attempt.ts` gives the stream in calls, `acted.ts` wants it as a loop.
 */
import { chain, type Stage } from '../base/stage.ts'
import type { StreamEvent } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import { randomId } from '../wire/ids.ts'
import { readEvents } from '../wire/read-events.ts'
import type { Wire } from '../wire/wire.ts'
import type { Live } from './attempted.ts'

/** Above so many bytes that wait to be read, the upstream waits too. */
const HIGH_WATER = 256 * 1024

export interface LiveReader {
  readonly events: AsyncIterable<StreamEvent>
  /** Ends it with an error: its time is up. */
  fail(fault: StreamFault): void
}

export interface LiveReaderOptions {
  /** The upstream's. */
  readonly wire: Wire
  /** What has to be undone on the way. */
  readonly stages?: readonly Stage<StreamEvent, StreamEvent>[]
  readonly live: Live
  /** The client has left: an upstream that is silent then hears of it too. */
  readonly signal: AbortSignal
  /** Something came from the upstream. */
  onCame(): void
}

export function createLiveReader(options: LiveReaderOptions): LiveReader {
  const { wire, live, signal, onCame, stages = [] } = options
  const waiting: Buffer[] = []
  let bytes = 0
  let isPaused = false
  let fault: StreamFault | undefined
  let isOver = false
  let wake = (): void => {}

  function end(given?: StreamFault): void {
    if (isOver) return
    isOver = true
    fault = given
    wake()
  }

  async function* pieces(): AsyncGenerator<Buffer> {
    for (;;) {
      const piece = waiting.shift()
      if (piece !== undefined) {
        bytes -= piece.length
        if (isPaused && bytes <= HIGH_WATER / 2) {
          isPaused = false
          onCame()
          live.call.resume()
        }
        yield piece
      } else if (isOver) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  }

  // Whoever waits for the next piece cannot be told to stop, so the wait is ended.
  function leave(): void {
    live.call.abort()
    end()
  }

  async function* events(): AsyncGenerator<StreamEvent> {
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    live.take({
      onFrames(piece) {
        onCame()
        waiting.push(piece)
        bytes += piece.length
        if (bytes > HIGH_WATER && !isPaused) {
          isPaused = true
          live.call.pause()
        }
        wake()
      },
      onEnd(rest) {
        if (rest !== undefined) waiting.push(rest)
        end()
      },
      onError: end,
    })
    try {
      for await (const event of throughAll(
        readEvents(wire, pieces(), { createId: randomId }),
        stages,
      )) {
        // The true reason is known: the decoder can only say that it was cut.
        if (event.type === 'error' && event.error.kind === 'cut' && fault !== undefined)
          yield { ...event, error: fault }
        else yield event
      }
    } finally {
      signal.removeEventListener('abort', leave)
      live.call.abort()
    }
  }

  return { events: events(), fail: end }
}

/** Events of a stream under way, each through all stages. */
async function* throughAll(
  events: AsyncIterable<StreamEvent>,
  stages: readonly Stage<StreamEvent, StreamEvent>[],
): AsyncGenerator<StreamEvent> {
  if (stages.length === 0) {
    yield* events
    return
  }
  const all = stages.reduce((first, second) => chain(first, second))
  for await (const event of events) {
    yield* all.push(event)
    if (stages.some((stage) => 'hasStopped' in stage && stage.hasStopped === true)) break
  }
  yield* all.end()
}
