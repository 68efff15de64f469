/**
 * A block that waits for its verdict, as it grows. Neighbours: `gate.ts` holds and releases them. Knows no policy.
 */
import { createJsonScanner, type JsonScanner } from '../base/json-scanner.ts'
import { createGrowingBlock, type GrowingBlock } from '../block/growing-block.ts'
import type { BlockInfo, BlockOf } from '../event/block.ts'
import type { EventOf, StreamEvent } from '../event/event.ts'
import type { Judged } from './judging.ts'
import type { HeldType } from './policy.ts'

export interface Held {
  readonly info: BlockInfo
  readonly growing: GrowingBlock
  /** As they came; none once it is known what leaves. */
  events: StreamEvent[]
  /** What they weigh. */
  bytes: number
  /** What leaves; `undefined` while that is not known. */
  out: readonly StreamEvent[] | undefined
  isDropped: boolean
  cancel: (() => void) | undefined
  early: Early | undefined
}

/** A judgment that began as soon as the arguments were whole. */
export interface Early {
  readonly scanner: JsonScanner
  text: string | undefined
  judged: Judged | undefined
  onJudged: ((judged: Judged) => void) | undefined
}

export const createHeld = (event: EventOf<'block-start'>, isEager: boolean): Held => ({
  info: event.block,
  growing: createGrowingBlock(event.block),
  events: [],
  bytes: 0,
  out: undefined,
  isDropped: false,
  cancel: undefined,
  early:
    isEager && hasJson(event.block)
      ? { scanner: createJsonScanner(), text: undefined, judged: undefined, onJudged: undefined }
      : undefined,
})

/** Of a free text nobody sees where it ends. */
const hasJson = (info: BlockInfo): boolean => info.type === 'tool-call' && info.dialect !== 'custom'

export const blockOf = ({ growing }: Held): BlockOf<HeldType> => growing.block as BlockOf<HeldType>

/** The same block with the arguments that it has now, as if they were all. */
export function wholeCopy(one: Held, text: string): BlockOf<HeldType> {
  const copy = createGrowingBlock(one.info)
  copy.grow({ type: 'arguments', text })
  copy.complete(undefined)
  return copy.block as BlockOf<HeldType>
}

export const argumentsOf = ({ growing: { block } }: Held): string =>
  block.type === 'tool-call' ? block.arguments : ''

/** Whether that comes in the middle of it and is none of it. */
export const isInside = (event: StreamEvent, { growing: { block } }: Held): boolean =>
  !block.isComplete && (event.type === 'ping' || event.type === 'other' || event.type === 'usage')

/** What came in the middle of it and leaves without it. */
export const othersIn = ({ events, info }: Held): readonly StreamEvent[] =>
  events.filter((event) => !('block' in event) || event.block !== info)
