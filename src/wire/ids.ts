/**
 * Ids that the target wire accepts: of answers and of their calls. Neighbours: encoders and `answer.ts` of each wire.
 */
import { hashHex } from '../base/hash.ts'
import type { WireName } from '../event/event.ts'

export interface AnswerIdOptions {
  /** Of the target. */
  readonly prefix: string
  readonly wire: WireName
  readonly createId: () => string
}

/**
 * The id of an answer. On its own wire it stays. What another wire answered gets a new one: some servers count to a
 * thousand and begin again, and clients name a conversation by the id of its last answer.
 */
export function toAnswerId(
  answer: { readonly id?: string | undefined; readonly wire?: WireName | undefined } | undefined,
  { prefix, wire, createId }: AnswerIdOptions,
): string {
  const isOther = answer?.wire !== undefined && answer.wire !== wire
  const bare = isOther ? '' : toBareId(answer?.id ?? '')
  return prefix + (bare === '' ? createId() : bare)
}

/** The id without what its vendor puts before it, in characters that every wire accepts. */
export const toBareId = (id: string): string =>
  id
    .replace(/^(?:msg|resp|chatcmpl|gen|chatcmpl-tool|rs|fc|ctc|call|toolu)[_-]/, '')
    .replace(/[^a-zA-Z0-9_-]/g, '_')

/**
 * Tool-call ids of one message: passed on where the wire allows them, else made short and legal by a
 * hash that is the same on every turn, since the call and its result both carry the id. Unique, also
 * among those that the conversation has `used` already: some servers count anew with every turn.
 */
export function createToolIds(
  legalId: RegExp,
  maxLength: number,
  used?: ReadonlySet<string>,
): { take(id: string): string } {
  const taken = new Set<string>()
  const isTaken = (id: string): boolean => taken.has(id) || used?.has(id) === true
  let counts: Map<string, number> | undefined
  return {
    take(id) {
      const legal = id.length <= maxLength && legalId.test(id)
      const base = legal ? id : `call_${hashHex(id)}`
      let unique = base
      if (isTaken(base)) {
        // Counted per id: a server that repeats one must not make us look through all of them.
        const stem = base.slice(0, maxLength - 8)
        counts ??= new Map()
        do {
          const count = (counts.get(stem) ?? 0) + 1
          counts.set(stem, count)
          unique = `${stem}_${count}`
        } while (isTaken(unique))
      }
      taken.add(unique)
      return unique
    },
  }
}

/** Anthropic checks the characters of an id; the OpenAI wires only its length. */
export const PLAIN_ID = /^[a-zA-Z0-9_-]+$/
export const ANY_ID = /^\P{Cc}+$/u

/** An id that nobody else has. Not a secret. */
export function randomId(): string {
  let id = ''
  for (let at = 0; at < 24; at++) id += LETTERS.charAt(Math.floor(Math.random() * LETTERS.length))
  return id
}

const LETTERS = '0123456789abcdefghijklmnopqrstuvwxyz'
