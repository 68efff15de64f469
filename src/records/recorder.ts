/**
 * Exchanges → tapes that know where to put what they have. Neighbours: `exchange/` begins one for each exchange, `open.ts`
 * has the outbox that the thread empties; `tape.ts` does the work.
 */
import type { RecordMode } from '../store/record.ts'
import type { Recorder } from '../store/tape.ts'
import type { FeedDesk } from './feed.ts'
import type { CreateId } from './ids.ts'
import type { Outbox } from './outbox.ts'
import type { CostOf } from './prices.ts'
import { ExchangeTape } from './tape.ts'

export interface RecorderParts {
  readonly outbox: Outbox
  readonly feed: FeedDesk
  readonly mode: RecordMode
  /** Which gateway this is. */
  readonly gateway: string
  readonly createId: CreateId
  readonly costOf: CostOf
  /** Milliseconds; the clock of `TapeStart.startedTick`. */
  readonly now?: () => number
}

/** What all tapes of a gateway share. */
export interface TapeRoom extends Required<RecorderParts> {
  /** About how long answers are: so much is taken at once for the next. A field: it is asked for each chunk. */
  readonly typicalBytes: number
  sawAnswer(bytes: number): void
}

const MIN_TYPICAL = 2048
const MAX_TYPICAL = 32 * 1024

export function createRecorder(parts: RecorderParts): Recorder {
  const { outbox, feed } = parts
  const room = {
    now: () => performance.now(),
    ...parts,
    typicalBytes: 4096,
    sawAnswer(bytes: number): void {
      const seen = Math.min(MAX_TYPICAL, Math.max(MIN_TYPICAL, bytes))
      room.typicalBytes += (seen - room.typicalBytes) / 16
    },
  }
  outbox.onCommitted((ids) => {
    if (feed.isHeard) for (const id of ids) feed.tell({ type: 'recorded', id })
  })
  return {
    admit: () => outbox.admit(),
    begin: (start) => new ExchangeTape(room, start),
  }
}
