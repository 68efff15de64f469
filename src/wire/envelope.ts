/**
 * Thinking that crosses wires. A vendor checks its own sealed thinking on the next turn, and a client
 * of another wire only hands back what its own wire has room for. So the sealed original travels in
 * the one opaque field that every client returns, and is opened again towards its own vendor.
 * Neighbours: each wire's `encode.ts` and `answer.ts`. Knows no vendor.
 */
import { isObject, toText, type JsonObject } from '../base/json.ts'
import type { WireName } from '../event/event.ts'

/** The thinking as its own wire had it. */
export interface Sealed {
  readonly wire: WireName
  readonly text: string
  readonly signature?: string
  readonly redacted?: boolean
  /** The vendor's whole object, where the wire has one. */
  readonly item?: JsonObject
}

/** Names the form, so that a later one can be told apart. */
const PREFIX = 'sluice1.'

/** What stands in the opaque field of another wire. What is sealed already stays as it is. */
export function seal(thinking: Sealed): string {
  if (thinking.signature?.startsWith(PREFIX) === true) return thinking.signature
  return PREFIX + toBase64Url(JSON.stringify(thinking))
}

/** Opens what `seal` made; `undefined` for anything else, a vendor's own signature included. */
export function unseal(signature: string | undefined): Sealed | undefined {
  if (signature === undefined || !signature.startsWith(PREFIX)) return undefined
  try {
    const json: unknown = JSON.parse(fromBase64Url(signature.slice(PREFIX.length)))
    if (!isObject(json)) return undefined
    const wire = toWireName(json['wire'])
    const own = toText(json['signature'])
    if (wire === undefined) return undefined
    return {
      wire,
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

function toBase64Url(text: string): string {
  let binary = ''
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function fromBase64Url(text: string): string {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)))
}
