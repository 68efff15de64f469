/**
 * Server-sent events of the API as an async iterator that comes back when the gateway does. Neighbours: `client.ts`
 * names the events, `sse/` reads the frames. Flow is pulled: who is slow is dropped by the gateway and begins anew.
 */
import { parseObject, type JsonObject } from '../base/json.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import type { Frame } from '../sse/frame.ts'
import { ApiError, call, type ApiPlace, type Call } from './call.ts'

export interface ListenOptions {
  readonly signal?: AbortSignal | undefined
  /** How long to wait before the next try. */
  readonly againMs?: number
  /** Called when the connection is lost, before it is tried again. */
  readonly onGone?: ((error: Error | undefined) => void) | undefined
}

export interface Heard {
  readonly event: string
  readonly data: JsonObject
}

const AGAIN_MS = 2000

/** Until it is aborted, or left. What is wrong from the start is thrown; what breaks later is waited for. */
export async function* listen(
  place: () => ApiPlace,
  one: Call,
  { signal, againMs = AGAIN_MS, onGone }: ListenOptions,
): AsyncGenerator<Heard> {
  const isOver = (): boolean => signal?.aborted === true
  let isFirst = true
  for (;;) {
    let trouble: Error | undefined
    try {
      for await (const heard of listenOnce(place, one, signal)) {
        isFirst = false
        yield heard
      }
    } catch (error) {
      if (isOver()) return
      trouble = error instanceof Error ? error : new Error(String(error))
      if (isFirst) throw trouble
    }
    if (isOver()) return
    onGone?.(trouble)
    await pause(againMs, signal)
    if (isOver()) return
  }
}

/** Until the gateway ends it. */
export async function* listenOnce(
  place: () => ApiPlace,
  one: Call,
  signal: AbortSignal | undefined,
): AsyncGenerator<Heard> {
  const left = new AbortController()
  const leave = (): void => left.abort()
  signal?.addEventListener('abort', leave)
  if (signal?.aborted === true) leave()
  try {
    const response = await call(place(), { ...one, signal: left.signal })
    if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true)
      throw new ApiError(0, 'What answers there is no gateway: it says no events')
    const decoder = createFrameDecoder()
    for await (const piece of readBody(response, left.signal))
      yield* decoder.push(piece).flatMap(toHeard)
  } finally {
    signal?.removeEventListener('abort', leave)
    // Who leaves the loop leaves the gateway, too.
    leave()
  }
}

function toHeard({ event, data }: Frame): readonly Heard[] {
  const read = data === undefined ? undefined : parseObject(data)
  return event === undefined || read === undefined ? [] : [{ event, data: read }]
}

/**
 * Not every browser has a body that is iterable. It is cancelled by hand: Node forgets which request a signal is for when
 * it collects while the answer goes on, and then the connection would stay, and a command with it.
 */
async function* readBody(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  const cancel = (): void => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', cancel)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', cancel)
    cancel()
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })
}
