/**
 * The contract of a wire: one of the three formats. Each has a folder with the same files, and who
 * knows one knows all three. Neighbours: `sse/` gives frames, `block/` and policies take events.
 */
import type { JsonObject } from '../base/json.ts'
import type { Stage } from '../base/stage.ts'
import type { Answer } from '../event/answer.ts'
import type { StreamEvent, WireName } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import type { FinishReason } from '../event/finish.ts'
import type { Loss } from '../event/loss.ts'
import type { Usage } from '../event/usage.ts'
import type { Frame } from '../sse/frame.ts'
import type { FormKeys } from '../sse/run-form.ts'
import type { Written } from '../sse/encode.ts'
import type { RequestForm } from '../request/write.ts'
import type { Grammar } from './grammar.ts'

export interface DecoderOptions {
  /**
   * Random characters, for calls that their upstream gave no id. Without it they are made of the answer's id, so that
   * the same stream gives the same ones; yet there are servers whose answers all have the same.
   */
  readonly createId?: () => string
  /** Only what an answer says of itself is wanted: a wire that says that apart from its blocks does not read those. */
  readonly isBrief?: boolean
}

/** Frames to events. Its `end` says an `error` event when the stream stopped before its finish. */
export interface Decoder extends Stage<Frame, StreamEvent> {
  /**
   * More of what the last frame said, which was a piece of one block and nothing else: that text. Its frame has no data, and
   * stands for those that said it. Without: it has to be read.
   */
  again?(text: string, frame: Frame): readonly StreamEvent[]
}

/** The whole of an answer as it was written. Text, and not objects: it is kept for as long as its client may name it. */
export interface Terminal {
  readonly id: string
  readonly json: string
}

/** Events to frames. Verbatim while nobody has changed anything, then rewritten for good. */
export interface Encoder extends Stage<StreamEvent, Written> {
  /** Writes what waits for the rest of its frame. Costs the verbatim mode; for when a hold begins. */
  flush(): readonly Written[]
  /**
   * A sign of life between two frames, in the wire's own form. `asEvent`: one that counts for clients
   * that wait for events and do not see comments, where the wire has such a one.
   */
  keepalive(asEvent?: boolean): readonly Written[]
  /** So many more frames have left than were said here, and they were like the last one. */
  skip(frames: number): void
  /** Whether everything so far left as it came. */
  readonly isVerbatim: boolean
  /** The whole answer, as the event that ended it told it, where a wire does so and we wrote it. */
  terminal(): Terminal | undefined
  /** What this wire could not express. */
  losses(): readonly Loss[]
  /** The error that the answer ended with here: its own, or one that only this wire has with it. */
  readonly fault: StreamFault | undefined
}

export interface EncoderOptions {
  /** Seconds since 1970, for wires that say when an answer was made. */
  readonly now?: () => number
  /** A fresh id without prefix, for answers of another wire and those whose upstream gave none. */
  readonly createId?: () => string
  /** Chat only: whether the client asked for the usage chunk. Default true. */
  readonly includeUsage?: boolean
  /** Responses only: the last sequence number that left in frames which this encoder did not see. */
  readonly lastSequence?: () => number | undefined
  /** Chat only: whether the client knows tools of type `custom`. Default false: they become functions. */
  readonly customTools?: boolean
  /** Responses only: what an answer repeats of its request, for answers of another wire. */
  readonly echo?: JsonObject
  /**
   * Responses only: whether the client wants to read what a model of another wire thought. Default true; else
   * it gets that sealed and in no words, as the vendor does it.
   */
  readonly showsThinking?: boolean
  /** The name of the upstream that answers, for thinking that is sealed: only it can use that again. */
  readonly issuer?: string | undefined
  /** Ids of calls that the conversation has already, for answers of another wire: none is given twice. */
  readonly usedIds?: ReadonlySet<string> | undefined
}

/** What a piece of JSON is on this wire. */
export type Recognised = 'chunk' | 'answer' | 'error'

/** What an answer says of itself: whose it is, how it ended, what it cost. */
export interface AnswerFacts {
  readonly id: string | undefined
  readonly model: string | undefined
  readonly usage: Usage | undefined
  readonly finishReason: FinishReason | undefined
}

export interface Wire extends RequestForm {
  readonly name: WireName
  /** What differs in frames that say the pieces of one block. */
  readonly runKeys: FormKeys
  /**
   * The text of a frame that says one piece of one block and nothing else, so that frames which differ from it in that text
   * alone say more of the same.
   */
  readPiece(json: JsonObject): string | undefined
  /** What a request says of how its answer is to be written, for answers of another wire. */
  toEncoderOptions(body: JsonObject): EncoderOptions
  createDecoder(options?: DecoderOptions): Decoder
  createEncoder(options?: EncoderOptions): Encoder
  /** A JSON answer as events: the same pipeline serves both. */
  readAnswer(body: JsonObject, options?: DecoderOptions): readonly StreamEvent[]
  /** What `readAnswer` would come to, from a few fields; `undefined`: it has to be read. */
  readFacts?(body: JsonObject): AnswerFacts | undefined
  /** An answer as one JSON body, and what it could not carry. Fields of the same wire are kept. */
  writeAnswer(
    answer: Answer,
    options?: EncoderOptions,
  ): { body: JsonObject; losses: readonly Loss[] }
  /** The body of an HTTP error. */
  readError(body: JsonObject): StreamFault
  writeError(fault: StreamFault): JsonObject
  createGrammar(): Grammar
  /** Whether that JSON is of this wire, and what it is. */
  recognise(json: JsonObject): Recognised | undefined
}
