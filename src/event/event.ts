/**
 * One step of an answer, in our own tongue: the whole grammar on one screen. Every wire decodes into
 * these and encodes from them, and policies see nothing else. Neighbours: `block.ts` says what a
 * block is, `usage.ts` and `finish.ts` what an end is. Knows no wire.
 */
import type { JsonObject } from '../base/json.ts'
import type { Frame } from '../sse/frame.ts'
import type { BlockInfo } from './block.ts'
import type { StreamFault } from './fault.ts'
import type { FinishReason } from './finish.ts'
import type { Usage } from './usage.ts'

/** The three formats, as they are called in config, commands, folders and records. */
export type WireName = 'anthropic-messages' | 'openai-chat' | 'openai-responses'

/** One piece of a growing block. */
export type Delta = Readonly<
  /** Of a text, refusal or tool-result block. */
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  /** The seal of a thinking block. Not a piece: each one replaces the one before. */
  | { type: 'signature'; signature: string }
  /** Raw JSON text, or free text for a tool call whose dialect is `custom`. */
  | { type: 'arguments'; text: string }
  /** A source of the text, in its vendor's shape. */
  | { type: 'citation'; citation: JsonObject }
  /** Something of the vendor's that has no place in our tongue. */
  | { type: 'other'; raw: JsonObject }
>

type Body =
  /** `wire`: the one it was read from, and so whose `vendor` objects follow. */
  | {
      type: 'message-start'
      id: string
      model: string
      /** When it was made, in seconds since 1970. */
      created?: number
      wire?: WireName
      usage?: Usage
    }
  | { type: 'block-start'; block: BlockInfo }
  | { type: 'block-delta'; block: BlockInfo; delta: Delta }
  /** `isCut`: it ends in the middle, where its own text does not show that: a free text. */
  | { type: 'block-stop'; block: BlockInfo; isCut?: boolean }
  /** `explanation`: what the provider says of a refusal, where it says so beside the text. */
  | {
      type: 'finish'
      reason: FinishReason
      vendorReason?: string
      stopSequence?: string
      explanation?: string
    }
  /** Replaces what was said of usage before, field by field. May come after `finish`. */
  | { type: 'usage'; usage: Usage }
  | { type: 'message-stop' }
  | { type: 'ping' }
  | { type: 'error'; error: StreamFault }
  /** A frame that says nothing in our tongue. With `block`, it belongs to that block. */
  | { type: 'other'; block?: BlockInfo }

/**
 * One step of an answer. What stands on every event:
 * - `choice`: which of several answers, where a format has several; 0 when absent.
 * - `step`: where it was read. An event without one was made by somebody on the way.
 * - `vendor`: the vendor's own object, so that nothing is lost on the same wire.
 */
export type StreamEvent = Readonly<Body & { choice?: number; step?: Step; vendor?: JsonObject }>

/** A piece that is a text. */
export type TextDelta = Extract<Delta, { text: string }>

/** The events of one kind. */
export type EventOf<Type extends StreamEvent['type']> = Extract<StreamEvent, { type: Type }>

/**
 * One frame and the events that were read from it, at least one. The frames of all steps put together
 * are the input. A decoder gives out events in the order of blocks, so the events of a frame that
 * opened a second block too early come later than those of the next frames.
 */
export interface Step {
  readonly wire: WireName
  /** 0, 1, 2, … in the order of the frames: a gap shows that a frame was left out. */
  readonly number: number
  readonly frame: Frame
  readonly events: readonly StreamEvent[]
  /** The numbers of steps whose events come later than those of steps behind them. Grows with the stream. */
  readonly late: ReadonlySet<number>
}

const TAKES: Readonly<Record<BlockInfo['type'], readonly Delta['type'][]>> = {
  text: ['text', 'citation', 'other'],
  refusal: ['text', 'other'],
  thinking: ['thinking', 'signature', 'other'],
  'tool-call': ['arguments', 'other'],
  'server-tool': ['arguments', 'other'],
  'tool-result': ['text', 'other'],
  opaque: ['other'],
}

/** Whether a piece of that kind can be part of a block of that type. Clients drop one that cannot. */
export const takesDelta = (block: BlockInfo, delta: Delta): boolean =>
  TAKES[block.type].includes(delta.type)
