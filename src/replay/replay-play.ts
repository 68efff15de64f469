/**
 * A recorded answer → calls on a sink: the same bytes in the same pieces, when they came, faster, or at once.
 * Neighbours: `replay-upstream.ts` has one per request. Times are counted from the request, so that waiting does not add
 * up. After the end or an abort nothing is called and no timer is left.
 */
import type { UpstreamCall, UpstreamSink } from '../upstream/upstream.ts'
import type { RecordedAnswer } from './replay-recording.ts'

export interface PlayOptions {
  /** How many times faster than it was; 0: at once. */
  readonly speed: number
  /** When it was asked for, on the clock of `now`. */
  readonly askedAt: number
  /** Milliseconds, of any beginning. */
  readonly now: () => number
  /** Called once, when nothing more will happen. */
  readonly onOver: (isWhole: boolean) => void
}

/** So much is told in one turn of the event loop at most: others want their turn too. */
const MAX_BYTES_AT_ONCE = 256 * 1024

/** No timer is longer than this. */
const MAX_WAIT_MS = 2 ** 30

export function playRecorded(
  answer: RecordedAnswer,
  sink: UpstreamSink,
  { speed, askedAt, now, onOver }: PlayOptions,
): UpstreamCall {
  const { bytes, times } = answer
  let piece = 0
  let at = 0
  let hasHead = false
  let isPaused = false
  /** Its time came while the reader was paused. */
  let isDue = false
  let isOver = false
  let cancel = (): void => {}
  waitFor(piece)

  /** Milliseconds until a piece is due; the end follows the last at once. */
  function dueIn(index: number): number {
    const micros = times[index * 2 + 1]
    if (speed === 0 || micros === undefined) return 0
    return micros / 1000 / speed - (now() - askedAt)
  }

  function waitFor(index: number): void {
    const ms = dueIn(index)
    // A timer fires at whole milliseconds, and late.
    if (ms >= 1) {
      const timer = setTimeout(turn, Math.min(ms, MAX_WAIT_MS))
      cancel = () => clearTimeout(timer)
    } else {
      const immediate = setImmediate(turn)
      cancel = () => clearImmediate(immediate)
    }
  }

  function turn(): void {
    if (dueIn(piece) >= 1) return waitFor(piece)
    if (!hasHead) {
      hasHead = true
      sink.onHead(answer.status, answer.headers)
    }
    let told = 0
    while (!isOver && at < bytes.length) {
      if (isPaused) {
        isDue = true
        return
      }
      if (told > MAX_BYTES_AT_ONCE || dueIn(piece) >= 1) return waitFor(piece)
      told += tell()
    }
    if (isOver) return
    if (isPaused) isDue = true
    else end()
  }

  /** The next piece; what no time is known of is one piece. */
  function tell(): number {
    const length = times[piece * 2] ?? bytes.length - at
    piece += 1
    const chunk = bytes.subarray(at, at + Math.max(length, 0))
    at += chunk.length
    // It is the sink's to keep, and others play the same recording.
    if (chunk.length > 0) sink.onData(Buffer.from(chunk))
    return chunk.length
  }

  function end(): void {
    isOver = true
    if (answer.ending === 'end') sink.onEnd()
    else
      sink.onError({
        kind: 'cut',
        message: 'The recorded answer breaks off here',
        isBeforeRequest: false,
      })
    onOver(true)
  }

  return {
    pause() {
      isPaused = true
    },
    resume() {
      isPaused = false
      if (!isDue || isOver) return
      isDue = false
      waitFor(piece)
    },
    abort() {
      if (isOver) return
      isOver = true
      cancel()
      onOver(false)
    },
  }
}
