/**
 * What routing must know of a request, and what it must change in one: the body stays as it came but
 * for those places. Neighbours: `plan.ts`. Reads no message and no tool by itself.
 */
import { isUtf8 } from 'node:buffer'
import { isObject, toList, type JsonObject } from '../base/json.ts'
import {
  elementsOf,
  replaceMembers,
  readValue,
  scanObject,
  type JsonMember,
  type ScannedObject,
} from '../base/json-members.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { WireName } from '../event/event.ts'
import type { Body } from './request-bytes.ts'

/**
 * What is known of a request. Its JSON is read as far as somebody asks: routing wants two of its members, and a
 * conversation of 100 KB takes a third of a millisecond to read. A class with fields: one is made for each exchange.
 */
export class RequestFacts {
  readonly model: string
  readonly isStream: boolean
  private readonly body: Body
  private readonly scanned: ScannedObject
  private whole: JsonObject | undefined

  constructor(body: Body, scanned: ScannedObject, asked: Pick<RequestFacts, 'model' | 'isStream'>) {
    this.body = body
    this.scanned = scanned
    this.model = asked.model
    this.isStream = asked.isStream
  }

  /** Reads all of it; says why where that cannot be. */
  check(): string | undefined {
    if (this.whole !== undefined) return undefined
    const read = parseBody(this.body.look())
    if (!read.ok) return read.message
    this.whole = read.json
    return undefined
  }

  /** Whoever asks again has it read again: what was said may be large, and its answer take minutes. */
  forget(): void {
    this.whole = undefined
  }

  /** All of it. Whoever asks has had it checked; nothing stands in one that cannot be read. */
  json(): JsonObject {
    return this.check() === undefined ? (this.whole ?? {}) : {}
  }

  /** One member of it; `undefined` also where that cannot be read. */
  member(name: string): unknown {
    if (this.whole !== undefined)
      return Object.hasOwn(this.whole, name) ? this.whole[name] : undefined
    const found = this.find(name)
    return found === undefined ? undefined : readValue(this.body.look(), found.from, found.to)
  }

  /** The elements of a member that is a list, each read when it is its turn. */
  elements(name: string): Iterable<unknown> {
    if (this.whole !== undefined) return toList(this.whole[name])
    const found = this.find(name)
    return found === undefined ? [] : readElements(this.body.plain, found.from)
  }

  /** The body with other values for some members. */
  replace(values: Readonly<Record<string, string>>): readonly Uint8Array[] {
    return replaceMembers(this.body, this.scanned, values)
  }

  private find(name: string): JsonMember | undefined {
    return this.scanned.members.find((one) => one.name === name)
  }
}

export type ReadRequest =
  | { readonly ok: true; readonly facts: RequestFacts }
  /** `param`: the field that is wrong. */
  | { readonly ok: false; readonly message: string; readonly param?: string }

const MAX_MODEL_CHARS = 256

/**
 * Reads what routing must know of a body, or says what to put right in it. Only the outermost level is looked at: who
 * wants more calls `check` first.
 */
export function readRequest(wire: WireName, asked: Body): ReadRequest {
  const body = asked.look()
  if (!isUtf8(body)) return { ok: false, message: 'The request body is not valid UTF-8' }
  let scanned: ScannedObject
  try {
    scanned = scanObject(body)
  } catch (error) {
    if (error instanceof SluiceError) return { ok: false, message: error.message }
    throw error
  }
  const { members } = scanned
  if (!scanned.isWhole) {
    const read = parseBody(body)
    if (!read.ok) return read
  }
  const twice = findTwice(members)
  // Two readers may each believe another of the two: the gateway and the upstream, for instance.
  if (twice !== undefined)
    return {
      ok: false,
      param: twice,
      message: `The request body has "${twice}" twice: send it once`,
    }
  const named = readMember(body, members, 'model')
  const stream = readMember(body, members, 'stream') ?? false
  const model = named === undefined && wire === 'openai-responses' ? '' : named
  if (model === UNREADABLE || stream === UNREADABLE) {
    const read = parseBody(body)
    return read.ok ? { ok: false, message: 'The request body is not valid JSON' } : read
  }
  if (typeof model !== 'string')
    return { ok: false, param: 'model', message: 'model: a string is required' }
  if (model.length > MAX_MODEL_CHARS)
    return { ok: false, param: 'model', message: `model: at most ${MAX_MODEL_CHARS} characters` }
  if (stream !== null && typeof stream !== 'boolean')
    return { ok: false, param: 'stream', message: 'stream: true or false is required' }
  return { ok: true, facts: new RequestFacts(asked, scanned, { model, isStream: stream === true }) }
}

type ParsedBody =
  | { readonly ok: true; readonly json: JsonObject }
  | { readonly ok: false; readonly message: string }

function parseBody(body: Buffer): ParsedBody {
  const text = body.toString('utf8')
  try {
    const json: unknown = JSON.parse(text)
    if (isObject(json)) return { ok: true, json }
    return { ok: false, message: 'The request body must be a JSON object, as in {"model": …}' }
  } catch (error) {
    const reason = toReason(error, text.length)
    return { ok: false, message: `The request body is not valid JSON: ${reason}` }
  }
}

const UNREADABLE = Symbol('unreadable')

function readMember(body: Buffer, members: readonly JsonMember[], name: string): unknown {
  const found = members.find((one) => one.name === name)
  if (found === undefined) return undefined
  const value = readValue(body, found.from, found.to)
  return value === undefined ? UNREADABLE : value
}

function* readElements(bytes: Buffer, from: number): Generator<unknown> {
  for (const { start, end } of elementsOf(bytes, from)) yield readValue(bytes, start, end)
}

/** V8 quotes a piece of the text it could not read; a client's content is none of the log's business. */
function toReason(error: unknown, length: number): string {
  const message = error instanceof Error ? error.message : ''
  const place = /at position (\d+)/.exec(message)?.[1]
  if (/end of JSON input|Unterminated/.test(message) || Number(place) >= length)
    return 'it ends too early'
  return place === undefined ? 'a character is out of place' : `unexpected character at ${place}`
}

function findTwice(members: readonly JsonMember[]): string | undefined {
  const names = new Set<string>()
  for (const { name } of members) {
    if (names.has(name)) return name.slice(0, 64)
    names.add(name)
  }
  return undefined
}

export interface RequestChanges {
  readonly model: string | undefined
  readonly isStream: boolean | undefined
}

/** The body with what routing changes; `undefined` where it changes nothing. */
export function changeRequest(
  wire: WireName,
  facts: RequestFacts,
  { model, isStream }: RequestChanges,
): readonly Uint8Array[] | undefined {
  const isOther = model !== undefined && model !== facts.model
  if (!isOther && (isStream === undefined || isStream === facts.isStream)) return undefined
  const values: Record<string, string> = {}
  if (isOther) values['model'] = JSON.stringify(model)
  if (isStream !== undefined && isStream !== facts.isStream) {
    values['stream'] = String(isStream)
    // The one chunk that says what an answer cost, which a JSON answer always says.
    const options = facts.member('stream_options')
    const asked = isObject(options) ? options : {}
    if (wire === 'openai-chat' && isStream)
      values['stream_options'] = JSON.stringify({ ...asked, include_usage: true })
    // Refused by OpenAI beside `stream: false`.
    if (wire === 'openai-chat' && !isStream && options !== undefined)
      values['stream_options'] = 'null'
  }
  return facts.replace(values)
}
