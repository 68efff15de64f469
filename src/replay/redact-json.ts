/**
 * A JSON value with everything secret in it masked, wherever it stands: what is kept is looked at more closely than what
 * passes. Neighbours: `redact-record.ts` and `redact-answer.ts`; the patterns are those of the stock policy `redact`.
 * What is unchanged stays the same object.
 */
import { isObject, type JsonObject } from '../base/json.ts'
import { MAX_NESTING } from '../base/nesting.ts'
import { DEFAULT_GROUPS, specsOf } from '../stock/redact/kinds.ts'
import { PLAIN_MARK } from '../stock/redact/marks.ts'
import { hideIn, prepareSearch, type Search, type StartSearch } from '../stock/redact/search.ts'

let prepared: StartSearch | undefined

/** Made once in a thread: what it learns of the patterns serves all exchanges. */
export function startMasking(): Search {
  prepared ??= prepareSearch({
    specs: specsOf(DEFAULT_GROUPS),
    template: PLAIN_MARK,
    isNumbered: false,
    restores: false,
  })
  return prepared(undefined)
}

/** A text, also one that is JSON itself: a name may be written with escapes there. */
export function maskText(text: string, search: Search): string {
  const plain = hideIn(text, search.inText())
  const first = plain.trimStart()[0]
  return first === '{' || first === '[' ? hideIn(plain, search.inCall(true, false)) : plain
}

export interface Masking {
  readonly search: Search
  /** Texts that somebody else has looked after, by the object that they stand in and their key. */
  isDone?(parent: JsonObject, key: string): boolean
}

/** What nobody can read without its vendor's key. */
const SEALED = new Set(['signature', 'encrypted_content', 'encrypted_index', 'thoughtSignature'])
/** Shorter ones are names. */
const MIN_KEY = 6

export function maskJson<Value>(value: Value, masking: Masking): Value {
  return mask(value, masking, 0) as Value
}

function mask(value: unknown, masking: Masking, depth: number): unknown {
  if (typeof value === 'string') return isBytes(value) ? value : maskText(value, masking.search)
  if (typeof value === 'number') return maskNumber(value, masking.search)
  if (typeof value !== 'object' || value === null) return value
  // Nobody has looked at what lies deeper.
  if (depth > MAX_NESTING) return null
  if (Array.isArray(value)) {
    const made = value.map((one: unknown) => mask(one, masking, depth + 1))
    return made.every((one, i) => one === value[i]) ? value : made
  }
  return isObject(value) ? maskObject(value, masking, depth) : value
}

function maskObject(value: JsonObject, masking: Masking, depth: number): JsonObject {
  let isChanged = false
  const entries = Object.entries(value).map(([key, one]): [string, unknown] => {
    const isLeft = isSealed(value, key) || masking.isDone?.(value, key) === true
    const said = key === 'logprobs' ? without(one) : one
    const made = isLeft ? one : mask(said, masking, depth + 1)
    const name = key.length < MIN_KEY ? key : hideIn(key, masking.search.inText())
    isChanged ||= made !== one || name !== key
    return [name, made]
  })
  return isChanged ? Object.fromEntries(entries) : value
}

/** The tokens of a text say it a second time, piece by piece. */
function without(tokens: unknown): unknown {
  if (Array.isArray(tokens)) return tokens.length === 0 ? tokens : []
  return isObject(tokens) ? null : tokens
}

/** Bytes of pictures and files have no words in them; other things that are called the same may. */
const isSealed = (parent: JsonObject, key: string): boolean =>
  (SEALED.has(key) ||
    (key === 'data' &&
      (parent['type'] === 'base64' ||
        parent['type'] === 'redacted_thinking' ||
        SOUNDS.has(parent['format'])))) &&
  typeof parent[key] === 'string' &&
  BASE64.test(parent[key])

const SOUNDS: ReadonlySet<unknown> = new Set(['wav', 'mp3', 'flac', 'opus', 'aac', 'pcm16'])
const BASE64 = /^[\w+/=-]*$/

const isBytes = (text: string): boolean => /^data:[\w.+/-]{1,100};base64,[\w+/=-]*$/.test(text)

/** A card number may stand there without quotes. */
function maskNumber(value: number, search: Search): unknown {
  if (!Number.isSafeInteger(value) || value < 1e12) return value
  const text = String(value)
  const masked = hideIn(text, search.inText())
  return masked === text ? value : masked
}
