/**
 * What is kept of an exchange, as plain JSON, so that several workers can tell each other by message.
 * Neighbours: `responses.ts`, `threads.ts` and `sessions.ts` make entries, `sessions.ts` keeps them.
 */
import type { JsonObject } from '../base/json.ts'
import type { WireName } from '../event/event.ts'
import type { ThinkingPart } from '../request/part.ts'

/** An answer that later requests may go on from. */
export interface AnswerEntry {
  readonly type: 'answer'
  readonly owner: string
  readonly id: string
  readonly wire: WireName
  /** The answer that the request went on from: what stood before `input` is there. */
  readonly previous?: string
  /** What holds for the whole conversation and is said only once. */
  readonly head?: JsonObject
  /** What the request added, in its client's words. */
  readonly input: readonly unknown[]
  /** What the client was given. */
  readonly output: readonly unknown[]
  /** The answer's own fields, without its output: for clients that ask for it again. */
  readonly body?: JsonObject
}

/** The thinking that stood before a group of tool calls. */
export interface ThinkingEntry {
  readonly type: 'thinking'
  readonly owner: string
  readonly callIds: readonly string[]
  readonly parts: readonly ThinkingPart[]
}

/** What an upstream had on a tool call beside its own fields. */
export interface ExtraEntry {
  readonly type: 'extra'
  readonly owner: string
  readonly callId: string
  readonly issuer?: string
  readonly extra: JsonObject
}

/** A client took an answer back. */
interface DeletionEntry {
  readonly type: 'deletion'
  readonly owner: string
  readonly id: string
  readonly wire: WireName
}

export type SessionEntry = AnswerEntry | ThinkingEntry | ExtraEntry | DeletionEntry
