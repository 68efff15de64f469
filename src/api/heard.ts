/**
 * Server-sent events of the API in the client's tongue. Neighbours: `listen.ts` hears them, `client.ts` hands them on.
 * An event that we do not know is of a newer gateway, and is passed over.
 */
import { toText, type JsonObject } from '../base/json.ts'
import type { BodyKind } from '../store/record.ts'
import type { Heard } from './listen.ts'
import type { ApiEvent, LiveBytes, LiveEvent } from './types.ts'

export function toApiEvent({ event, data }: Heard): ApiEvent | undefined {
  switch (event) {
    case 'asked':
    case 'waiting':
    case 'decided':
    case 'expired':
      return { type: event, ticket: data } as unknown as ApiEvent
    case 'halt':
      return { type: event, halt: data } as unknown as ApiEvent
    case 'state':
    case 'begun':
    case 'verdict':
    case 'finished':
    case 'recorded':
    case 'gone':
      return { type: event, ...data } as unknown as ApiEvent
    case 'piece':
      return { type: event, ...toBytes(data) }
    default:
      return undefined
  }
}

export function toLiveEvent({ event, data }: Heard): LiveEvent | undefined {
  switch (event) {
    case 'exchange':
      return { type: event, exchange: data } as unknown as LiveEvent
    case 'verdict':
    case 'finished':
      return { type: event, ...data } as unknown as LiveEvent
    case 'piece':
      return { type: event, ...toBytes(data) }
    case 'end':
      return { type: event }
    default:
      return undefined
  }
}

const toBytes = ({ id, kind, at, bytes }: JsonObject): LiveBytes => ({
  id: toText(id) ?? '',
  kind: kind as BodyKind,
  at: typeof at === 'number' ? at : 0,
  bytes: fromBase64(toText(bytes) ?? ''),
})

/** In a loop: `Uint8Array.from` with a function takes ten times as long, and all bytes of a gateway pass here. */
function fromBase64(text: string): Uint8Array {
  const letters = atob(text)
  const bytes = new Uint8Array(letters.length)
  for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at)
  return bytes
}
