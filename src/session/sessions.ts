/**
 * What a gateway remembers between requests, so that state features work where the upstream is of another
 * wire than the client. Kept per owner, who is whoever the caller says: no owner ever sees what is another's.
 * Bounded, in memory, without a clock of its own. Neighbours: `exchange/` asks and tells; `collect.ts` reads
 * from an answer what is to be kept; `answers.ts`, `by-call.ts` and `shelf.ts` are the inside.
 */
import { toObject, toText, type JsonObject } from '../base/json.ts'
import type { WireName } from '../event/event.ts'
import type { ThinkingPart } from '../request/part.ts'
import { createAnswers } from './answers.ts'
import { createByCall } from './by-call.ts'
import type { AnswerEntry, SessionEntry } from './entry.ts'
import type { Kept } from './kept.ts'
import { createLater, type LaterAnswer } from './later.ts'
import {
  deleteResponse,
  expandResponses,
  findResponse,
  hasReference,
  listInput,
  RESPONSES,
  toResponsesEntry,
  type ExpandedResponses,
  type ItemsQuery,
} from './responses.ts'
import { createShelf } from './shelf.ts'
import { expandThread, MESSAGES, toThreadEntry, type ExpandedThread } from './threads.ts'

export interface SessionsOptions {
  /** Milliseconds, from any fixed point. */
  now(): number
  /** Default 64 MB. */
  readonly maxBytes?: number | undefined
  /** Default 10,000. */
  readonly maxEntries?: number | undefined
  /** Milliseconds since the last use. Default one hour. */
  readonly maxAge?: number | undefined
  /** The part of it that one owner keeps when room gets short. Default a quarter. */
  readonly ownerShare?: number | undefined
  /** Told of everything that was kept here, for other workers to `add`. */
  onKeep?(entry: SessionEntry): void
}

export interface FinishedAnswer {
  /** As the client knows it. */
  readonly id: string
  /** The client's wire. */
  readonly wire: WireName
  /** As the client sent it, before anything was put into it. */
  readonly requestBody: JsonObject
  /** What the client was given: output items, or the assistant's message. */
  readonly outputItems: readonly unknown[]
  /** Responses: the whole body, for clients that ask for it again. */
  readonly answerBody?: JsonObject | undefined
}

interface UnwrittenAnswer extends LaterAnswer<FinishedAnswer> {
  /** Whether its request names anything that was said before: see `refersBack`. */
  readonly refersBack: boolean
}

export interface Sessions {
  /** Keeps an answer if its client may come back to it: stored on Responses, part of a thread on Messages. */
  keepAnswer(owner: string, answer: FinishedAnswer): void
  /** The same for an answer that is only written down once somebody comes back to it, where that is possible. */
  keepWhenAsked(owner: string, answer: UnwrittenAnswer): void
  /** An answer that its upstream keeps as it is: kept here too as soon as one that is not goes on from it. */
  keepLater(owner: string, answer: LaterAnswer<FinishedAnswer>): void
  /** `previous_response_id` and `item_reference` → the items. Without either the body is the same object. */
  expandResponses(owner: string, body: JsonObject): ExpandedResponses
  /** `thread` → the whole conversation. Without one the body is the same object. */
  expandThread(owner: string, body: JsonObject): ExpandedThread
  /** Whether an answer is kept here, or would be if it were needed. */
  has(owner: string, id: string): boolean
  /** The body of `GET /v1/responses/{id}`. */
  findAnswer(owner: string, id: string): JsonObject | undefined
  /** The body of `DELETE /v1/responses/{id}`. */
  deleteAnswer(owner: string, id: string): JsonObject | undefined
  /** The body of `GET /v1/responses/{id}/input_items`. */
  inputItems(owner: string, id: string, query?: ItemsQuery): JsonObject | undefined
  /** The thinking that stood before these calls, which stand together. */
  keepThinking(owner: string, callIds: readonly string[], parts: readonly ThinkingPart[]): void
  recallThinking(owner: string, callId: string): readonly ThinkingPart[] | undefined
  /** Fields of the upstream's on a call, as they are to be put on it again. */
  keepExtra(owner: string, callId: string, extra: JsonObject, issuer?: string): void
  /** With an issuer, only what came from it. */
  recallExtra(owner: string, callId: string, issuer?: string): JsonObject | undefined
  /** What another worker kept. */
  add(entry: SessionEntry): void
  size(): { readonly entries: number; readonly bytes: number; readonly owners: number }
}

const MAX_BYTES = 64 * 1024 * 1024
const MAX_ENTRIES = 10_000
const MAX_AGE = 60 * 60 * 1000
const OWNER_SHARE = 1 / 4

export function createSessions(options: SessionsOptions): Sessions {
  const shelf = createShelf<Kept>({
    now: options.now,
    maxBytes: options.maxBytes ?? MAX_BYTES,
    maxEntries: options.maxEntries ?? MAX_ENTRIES,
    maxAge: options.maxAge ?? MAX_AGE,
    ownerShare: options.ownerShare ?? OWNER_SHARE,
  })
  const answers = createAnswers(shelf)
  const byCall = createByCall(shelf)
  const later = createLater<FinishedAnswer>()

  function store(entry: SessionEntry): boolean {
    switch (entry.type) {
      case 'answer':
        return answers.keep(entry)
      case 'thinking':
        return byCall.keepThinking(entry)
      case 'extra':
        return byCall.keepExtra(entry)
      case 'deletion':
        return answers.remove(entry.owner, entry.wire, entry.id)
    }
  }

  /** Whether it is here now. */
  function tryToStore(entry: SessionEntry): boolean {
    try {
      return store(entry)
    } catch (error) {
      // JSON that is nested deeper than the stack can be read and not written. It is not kept.
      if (error instanceof RangeError) return false
      throw error
    }
  }

  function keep(entry: SessionEntry | undefined): void {
    if (entry !== undefined && tryToStore(entry)) options.onKeep?.(entry)
  }

  function toEntry(owner: string, answer: FinishedAnswer): AnswerEntry | undefined {
    if (answer.wire === RESPONSES) return toResponsesEntry(answers, owner, answer)
    return answer.wire === MESSAGES ? toThreadEntry(owner, answer) : undefined
  }

  /** Puts what stands before it into the books, the oldest first. */
  function keepBefore(owner: string, wire: WireName, requestBody: JsonObject): void {
    const waiting: FinishedAnswer[] = []
    let id = previousOf(wire, requestBody)
    while (id !== undefined && answers.find(owner, wire, id) === undefined) {
      const answer = later.take(owner, wire, id)
      if (answer === undefined) break
      waiting.push(answer)
      id = previousOf(wire, answer.requestBody)
    }
    for (const answer of waiting.toReversed()) keep(toEntry(owner, answer))
  }

  function keepAnswer(owner: string, answer: FinishedAnswer): void {
    keepBefore(owner, answer.wire, answer.requestBody)
    keep(toEntry(owner, answer))
  }

  return {
    keepAnswer,
    keepWhenAsked(owner, { id, wire, bytes, refersBack: isReferring, make }) {
      // Others must have it at once; and what it refers to could be gone later.
      if (options.onKeep !== undefined || isReferring) {
        const answer = make()
        if (answer !== undefined) keepAnswer(owner, answer)
        return
      }
      answers.wait({
        owner,
        wire,
        id,
        bytes,
        make() {
          const answer = make()
          return answer === undefined ? undefined : toEntry(owner, answer)
        },
      })
    },
    keepLater: later.note,
    expandResponses: (owner, body) => expandResponses(answers, owner, body),
    expandThread(owner, body) {
      keepBefore(owner, MESSAGES, body)
      return expandThread(answers, owner, body)
    },
    has: (owner, id) =>
      ([RESPONSES, MESSAGES] as const).some(
        (wire) => answers.find(owner, wire, id) !== undefined || later.has(owner, wire, id),
      ),
    findAnswer: (owner, id) => findResponse(answers, owner, id),
    deleteAnswer(owner, id) {
      later.take(owner, RESPONSES, id)
      const body = deleteResponse(answers, owner, id)
      if (body !== undefined) options.onKeep?.({ type: 'deletion', owner, id, wire: RESPONSES })
      return body
    },
    inputItems: (owner, id, query) => listInput(answers, owner, id, query),
    keepThinking: (owner, callIds, parts) => keep({ type: 'thinking', owner, callIds, parts }),
    recallThinking: byCall.recallThinking,
    keepExtra: (owner, callId, extra, issuer) =>
      keep({ type: 'extra', owner, callId, extra, ...(issuer === undefined ? {} : { issuer }) }),
    recallExtra: (owner, callId, issuer) => byCall.recallExtra(owner, callId, issuer),
    add(entry) {
      tryToStore(entry)
    },
    size: shelf.size,
  }
}

/** Whether a request names anything that was said before. */
export const refersBack = (wire: WireName, body: JsonObject): boolean =>
  previousOf(wire, body) !== undefined || (wire === RESPONSES && hasReference(body['input']))

/** The answer that a request goes on from, as its wire says that. */
const previousOf = (wire: WireName, body: JsonObject): string | undefined =>
  toText(
    wire === RESPONSES
      ? body['previous_response_id']
      : toObject(body['thread'])?.['previous_message_id'],
  )
