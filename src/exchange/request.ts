/**
 * What routing must know of a request, and what it must change in one: the body stays as it came but
 * for those places. Neighbours: `exchange.ts`. Reads no message and no tool.
 */
import { isUtf8 } from 'node:buffer'
import { isObject, type JsonObject } from '../base/json.ts'
import { findMembers, replaceMembers, type JsonMember } from '../base/json-members.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { WireName } from '../event/event.ts'

export interface RequestFacts {
  readonly model: string
  readonly isStream: boolean
  readonly json: JsonObject
  /** One field of it. */
  member(name: string): unknown
  readonly members: readonly JsonMember[]
}

export type ReadRequest =
  | { readonly ok: true; readonly facts: RequestFacts }
  /** `param`: the field that is wrong. */
  | { readonly ok: false; readonly message: string; readonly param?: string }

const MAX_MODEL_CHARS = 256

/** Reads a body, or says what to put right in it. */
export function readRequest(wire: WireName, body: Buffer): ReadRequest {
  if (!isUtf8(body)) return { ok: false, message: 'The request body is not valid UTF-8' }
  const text = body.toString('utf8')
  let json: unknown
  let members: readonly JsonMember[]
  try {
    members = findMembers(body)
    json = JSON.parse(text)
  } catch (error) {
    if (error instanceof SluiceError) return { ok: false, message: error.message }
    const reason = toReason(error, text.length)
    return { ok: false, message: `The request body is not valid JSON: ${reason}` }
  }
  if (!isObject(json))
    return { ok: false, message: 'The request body must be a JSON object, as in {"model": …}' }
  const twice = findTwice(members)
  // Two readers may each believe another of the two: the gateway and the upstream, for instance.
  if (twice !== undefined)
    return {
      ok: false,
      param: twice,
      message: `The request body has "${twice}" twice: send it once`,
    }
  const { model = wire === 'openai-responses' ? '' : undefined, stream = false } = json
  if (typeof model !== 'string')
    return { ok: false, param: 'model', message: 'model: a string is required' }
  if (model.length > MAX_MODEL_CHARS)
    return { ok: false, param: 'model', message: `model: at most ${MAX_MODEL_CHARS} characters` }
  if (stream !== null && typeof stream !== 'boolean')
    return { ok: false, param: 'stream', message: 'stream: true or false is required' }
  return {
    ok: true,
    facts: {
      model,
      isStream: stream === true,
      json,
      members,
      member: (name) => (Object.hasOwn(json, name) ? json[name] : undefined),
    },
  }
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

/** The body with what routing changes; the same bytes where it changes nothing. */
export function changeRequest(
  wire: WireName,
  body: Uint8Array,
  facts: RequestFacts,
  changes: RequestChanges,
): Uint8Array {
  const values: Record<string, string> = {}
  const { model, isStream } = changes
  if (model !== undefined && model !== facts.model) values['model'] = JSON.stringify(model)
  if (isStream !== undefined && isStream !== facts.isStream) {
    values['stream'] = String(isStream)
    // The one chunk that says what an answer cost, which a JSON answer always says.
    const options = facts.json['stream_options']
    const asked = isObject(options) ? options : {}
    if (wire === 'openai-chat' && isStream)
      values['stream_options'] = JSON.stringify({ ...asked, include_usage: true })
    // Refused by OpenAI beside `stream: false`.
    if (wire === 'openai-chat' && !isStream && options !== undefined)
      values['stream_options'] = 'null'
  }
  return Object.keys(values).length === 0 ? body : replaceMembers(body, facts.members, values)
}
