/**
 * Sends a recorded request to this gateway once more. Neighbours: `actions-send.tsx` asks whether to; `core/feed.ts` tells
 * when the new exchange begins. The key is held in memory as long as the tab lives, and nowhere else.
 */
import type { ExchangeAnswer } from '../../src/api/types.ts'
import { onFeed } from '../core/feed.ts'
import { toSentHeaders } from './actions-headers.ts'
import { loadBody } from './raw-body.ts'

let heldKey = ''

export const readHeldKey = (): string => heldKey

/** The feed tells of a new exchange within that time, or not at all. */
const BEGUN_MS = 500

/** Gives back the id of the new exchange as soon as it is known: of the record, or its request id. */
export async function sendAgain({ exchange }: ExchangeAnswer, key: string): Promise<string> {
  heldKey = key
  const requestId = createRequestId()
  const body = await loadBody(exchange, 'request')
  const begun = waitUntilBegun(requestId)
  try {
    // Begins with our own origin: a path such as `//host/` leads nowhere else.
    const response = await fetch(`${location.origin}${exchange.endpoint}${exchange.query}`, {
      method: exchange.method,
      headers: toHeaders(exchange, key, requestId),
      body: new Uint8Array(body),
    })
    const pause = new Promise<undefined>((resolve) => setTimeout(resolve, BEGUN_MS))
    const id = await Promise.race([begun.id, pause])
    if (id === undefined && response.status === 401) throw new Error(await toReason(response))
    // Read to its end, or the gateway would wait for us.
    void response.body?.pipeTo(new WritableStream()).catch(() => {})
    return id ?? requestId
  } finally {
    begun.leave()
  }
}

/** `crypto.randomUUID` is there only where the page came by HTTPS or from this machine. */
const createRequestId = (): string =>
  `again-${[...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`

const toHeaders = (
  { requestHeaders, wire }: ExchangeAnswer['exchange'],
  key: string,
  requestId: string,
): [string, string][] => [
  ...toSentHeaders(requestHeaders).map(([name, value]): [string, string] => [name, value]),
  ...(key === '' ? [] : [keyHeader(wire, key)]),
  ['x-request-id', requestId],
]

const keyHeader = (wire: string, key: string): [string, string] =>
  wire === 'anthropic-messages' ? ['x-api-key', key] : ['authorization', `Bearer ${key}`]

function waitUntilBegun(requestId: string): { readonly id: Promise<string>; leave(): void } {
  let leave = (): void => {}
  const id = new Promise<string>((resolve) => {
    leave = onFeed((event) => {
      if (event.type === 'begun' && event.exchange.requestId === requestId)
        resolve(event.exchange.id)
    })
  })
  return { id, leave: () => leave() }
}

async function toReason(response: Response): Promise<string> {
  const { error } = (await response.json().catch(() => ({}))) as {
    readonly error?: { readonly message?: unknown }
  }
  const says = error?.message
  return typeof says === 'string' ? says : 'The gateway does not take this key'
}
