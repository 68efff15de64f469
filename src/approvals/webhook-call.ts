/**
 * One message to one webhook: sent, waited for, sent again. Neighbours: `webhooks.ts` says what and to whom. Gives
 * back what the receiver answered, or why there is no answer; never throws.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { signedHeaders } from './sign.ts'

export interface WebhookCall {
  readonly url: string
  readonly secret: string | undefined
  readonly body: string
  /** The same for every try, so that the receiver can tell a repetition. */
  readonly delivery: string
  /** Ends it: the gateway stops. */
  readonly signal: AbortSignal
  readonly limits?: CallLimits
  now(): number
}

export interface CallLimits {
  /** Of one try. */
  readonly timeoutMs: number
  /** Before each further try. */
  readonly pausesMs: readonly number[]
}

export type CallResult =
  | { readonly type: 'answered'; readonly text: string }
  | { readonly type: 'failed'; readonly why: string }
  | { readonly type: 'ended' }

const LIMITS: CallLimits = { timeoutMs: 10_000, pausesMs: [1000, 5000, 20_000] }
/** An answer is a decision at most. */
const MAX_ANSWER = 1024 * 1024

export async function callWebhook(call: WebhookCall): Promise<CallResult> {
  const { timeoutMs, pausesMs } = call.limits ?? LIMITS
  let result = await tryOnce(call, timeoutMs)
  for (const ms of pausesMs) {
    if (result.type !== 'retry') break
    await pause(ms, undefined, { signal: call.signal, ref: false }).catch(() => {})
    if (call.signal.aborted) return { type: 'ended' }
    result = await tryOnce(call, timeoutMs)
  }
  return result.type === 'retry' ? { type: 'failed', why: result.why } : result
}

type Tried = CallResult | { readonly type: 'retry'; readonly why: string }

async function tryOnce(call: WebhookCall, timeoutMs: number): Promise<Tried> {
  const { url, secret, body, delivery, signal } = call
  const seconds = Math.floor(call.now() / 1000)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'sluice',
        'x-sluice-delivery': delivery,
        ...signedHeaders(secret, seconds, body),
      },
      body,
      // What is in there is for the configured place only.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const text = await readText(response)
    if (response.ok) return { type: 'answered', text }
    const why = `it answered with status ${response.status}`
    return isWorthRetrying(response.status) ? { type: 'retry', why } : { type: 'failed', why }
  } catch (error) {
    if (signal.aborted) return { type: 'ended' }
    return { type: 'retry', why: describe(error, timeoutMs) }
  }
}

const isWorthRetrying = (status: number): boolean =>
  status >= 500 || status === 408 || status === 425 || status === 429

async function readText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.byteLength
    if (bytes > MAX_ANSWER) throw new Error('its answer is too long')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** The kind of trouble and never the URL: people put secrets there. */
function describe(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'it could not be reached'
  if (error.name === 'TimeoutError') return `it did not answer within ${timeoutMs / 1000} s`
  const cause: unknown = error.cause
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
  return code === undefined ? 'it could not be reached' : `it could not be reached (${code})`
}
