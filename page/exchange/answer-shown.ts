/**
 * An exchange, live or recorded → one shape that the panel and its tabs draw, so that the one turns into the other without
 * a jump. Neighbours: `answer-source.ts` brings it, `answer-model.ts` makes rows of it. Knows no component.
 */
import type { BlocksAnswer, ExchangeAnswer } from '../../src/api/types.ts'
import type { FinishReason } from '../../src/event/finish.ts'
import type { LiveAnswer } from './answer-live.ts'
import { toRows, toSides, type AnswerRow, type AnyVerdict } from './answer-model.ts'
import type { AnswerEnding } from './answer-reader.ts'

export interface AnswerShown {
  readonly id: string
  readonly rows: readonly AnswerRow[]
  readonly verdicts: readonly AnyVerdict[]
  readonly ending: Pick<AnswerEnding, 'finishReason' | 'usage'>
  /** What the client was told of the end, where that is something else. */
  readonly toldReason: FinishReason | undefined
  readonly fault: AnswerEnding['fault']
  /** Sentences on what is not here. */
  readonly notes: readonly string[]
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** Microseconds; of one that goes on as far as it has come. */
  readonly total: number
  readonly firstByte: number | undefined
  readonly cost: number | undefined
  readonly isEstimated: boolean
  readonly live: LiveAnswer | undefined
}

export function fromLive(live: LiveAnswer): AnswerShown {
  const { upstream, delivered, verdicts, ending, summary, exchange } = live
  const rows = toRows({ upstream, delivered, changes: undefined }, verdicts)
  const lastAt = Math.max(0, ...rows.map(({ block }) => block?.endedAt ?? 0))
  return {
    id: exchange.id,
    rows,
    verdicts,
    ending,
    toldReason: undefined,
    fault: summary?.fault ?? ending.fault,
    notes: live.isPartial
      ? ['Its beginning had passed before this was opened: all of it is here when it is over']
      : [],
    startedAt: exchange.startedAt,
    total: Math.max(lastAt, (summary?.durationMs ?? 0) * 1000),
    firstByte: rows[0]?.block?.startedAt,
    cost: summary?.cost,
    isEstimated: summary?.isUsageEstimated ?? false,
    live: live.state === 'over' ? undefined : live,
  }
}

export function fromRecord(
  { exchange, verdicts }: ExchangeAnswer,
  blocks: BlocksAnswer | undefined,
): AnswerShown {
  const rows = blocks === undefined ? [] : toRows(toSides(blocks), verdicts)
  const lastAt = Math.max(0, ...rows.map(({ block }) => block?.endedAt ?? 0))
  return {
    id: exchange.id,
    rows,
    verdicts,
    ending: {
      finishReason: blocks?.upstream?.finishReason ?? exchange.finishReason,
      usage: exchange.usage ?? blocks?.upstream?.usage,
    },
    toldReason: blocks?.delivered?.finishReason,
    fault: exchange.fault ?? blocks?.upstream?.fault,
    notes: blocks?.notes ?? [],
    startedAt: exchange.startedAt,
    total: Math.max(lastAt, exchange.durationMs * 1000),
    firstByte: exchange.firstByteMs === undefined ? undefined : exchange.firstByteMs * 1000,
    cost: exchange.cost,
    isEstimated: exchange.isUsageEstimated,
    live: undefined,
  }
}
