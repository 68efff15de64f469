/**
 * Ids that the target wire accepts: of answers and of their calls. Neighbours: encoders and `answer.ts` of each wire.
 */
import { FewSet } from '../base/few.ts'
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
export class ToolIds {
  private readonly legalId: RegExp
  private readonly maxLength: number
  private readonly used: ReadonlySet<string> | undefined
  private readonly taken = new FewSet<string>()
  private counts: Map<string, number> | undefined

  constructor(legalId: RegExp, maxLength: number, used?: ReadonlySet<string>) {
    this.legalId = legalId
    this.maxLength = maxLength
    this.used = used
  }

  take(id: string): string {
    const legal = id.length <= this.maxLength && this.legalId.test(id)
    const base = legal ? id : `call_${hashHex(id)}`
    const unique = this.isTaken(base) ? this.next(base) : base
    this.taken.add(unique)
    return unique
  }

  /** Counted per id: a server that repeats one must not make us look through all of them. */
  private next(base: string): string {
    const stem = base.slice(0, this.maxLength - 8)
    const counts = (this.counts ??= new Map<string, number>())
    let unique: string
    do {
      const count = (counts.get(stem) ?? 0) + 1
      counts.set(stem, count)
      unique = `${stem}_${count}`
    } while (this.isTaken(unique))
    return unique
  }

  private isTaken(id: string): boolean {
    return this.taken.has(id) || this.used?.has(id) === true
  }
}

/** Anthropic checks the characters of an id; the OpenAI wires only its length. */
export const PLAIN_ID = /^[a-zA-Z0-9_-]+$/
export const ANY_ID = /^\P{Cc}+$/u

/** An id that nobody else has. Not a secret. */
export function randomId(): string {
  for (let at = 0; at < ID.length; at++)
    ID[at] = LETTERS.charCodeAt(Math.floor(Math.random() * LETTERS.length))
  // In one go: put together letter by letter, it would be held as a dozen pieces for as long as its answer takes.
  return String.fromCharCode(...ID)
}

const LETTERS = '0123456789abcdefghijklmnopqrstuvwxyz'
const ID = Array.from({ length: 24 }, () => 0)
