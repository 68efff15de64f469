/**
 * Thinking that crosses wires. A vendor checks its own sealed thinking on the next turn, and a client
 * of another wire only hands back what its own wire has room for. So the sealed original travels in
 * the one opaque field that every client returns, and is opened again towards its own vendor.
 * Neighbours: each wire's `encode.ts` and `answer.ts`. Knows no vendor.
 */
import { isObject, toText, type JsonObject } from '../base/json.ts'
import { isNestedDeeper, MAX_NESTING } from '../base/nesting.ts'
import type { WireName } from '../event/event.ts'

/** The thinking as its own wire had it. */
export interface Sealed {
  readonly wire: WireName
  /** The name of the upstream that sealed it: two of one wire do not open each other's. */
  readonly issuer?: string | undefined
  readonly text: string
  readonly signature?: string
  readonly redacted?: boolean
  /** The vendor's whole object, where the wire has one. */
  readonly item?: JsonObject
}

/** Names the form, so that a later one can be told apart. */
const PREFIX = 'sluice1.'

/** Whoever sends an envelope may have made it up: none is opened that a model could not have filled. */
const MAX_ENVELOPE_CHARS = 4 * 1024 * 1024

/** What stands in the opaque field of another wire. What is sealed already stays as it is. */
export function seal(thinking: Sealed): string {
  if (thinking.signature?.startsWith(PREFIX) === true) return thinking.signature
  return PREFIX + toBase64Url(JSON.stringify(thinking))
}

/** Opens what `seal` made; `undefined` for anything else, a vendor's own signature included. Never throws. */
export function unseal(signature: string | undefined): Sealed | undefined {
  if (signature === undefined || !signature.startsWith(PREFIX)) return undefined
  if (signature.length > MAX_ENVELOPE_CHARS) return undefined
  try {
    const json: unknown = JSON.parse(fromBase64Url(signature.slice(PREFIX.length)))
    // What could not be written again is no thinking of a model's.
    if (!isObject(json) || isNestedDeeper(json, MAX_NESTING)) return undefined
    const wire = toWireName(json['wire'])
    const own = toText(json['signature'])
    const issuer = toText(json['issuer'])
    if (wire === undefined) return undefined
    return {
      wire,
      ...(issuer === undefined ? {} : { issuer }),
      text: toText(json['text']) ?? '',
      ...(own === undefined ? {} : { signature: own }),
      ...(json['redacted'] === true ? { redacted: true } : {}),
      ...(isObject(json['item']) ? { item: json['item'] } : {}),
    }
  } catch {
    return undefined
  }
}

function toWireName(value: unknown): WireName | undefined {
  return value === 'anthropic-messages' || value === 'openai-chat' || value === 'openai-responses'
    ? value
    : undefined
}

/** As many bytes at once as a call takes arguments in every engine. */
const BYTES_AT_ONCE = 8192

function toBase64Url(text: string): string {
  const bytes = new TextEncoder().encode(text)
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE)
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + BYTES_AT_ONCE)))
  return btoa(pieces.join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function fromBase64Url(text: string): string {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at)
  return new TextDecoder().decode(bytes)
}
