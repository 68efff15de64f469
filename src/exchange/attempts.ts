/**
 * Asks upstreams in turn until one answers: the same one again after a pause where that may help, then
 * the next of the route. All of it before anything has left for the client. Neighbours: `attempt.ts` is
 * one request, `exchange.ts` knows what to send.
 */
import type { StreamFault } from '../event/fault.ts'
import { pauseBefore } from '../upstream/retry.ts'
import type { UpstreamRequest } from '../upstream/upstream.ts'
import type { Wire } from '../wire/wire.ts'
import { attempt, type AttemptOptions } from './attempt.ts'
import type { Attempted, Failed } from './attempted.ts'
import type { Departure } from './departure.ts'
import { toStatus } from './fault-status.ts'
import type { Attempt } from './report.ts'
import type { Target } from './target.ts'

export interface AttemptsOptions extends Omit<AttemptOptions, 'target' | 'request' | 'onHead'> {
  readonly wire: Wire
  readonly targets: readonly Target[]
  toRequest(target: Target, spanId: string): UpstreamRequest
  createSpanId(): string
  /** Told of each attempt when it is over; of one that answers with a stream, when it has begun. */
  onAttempt(attempt: Attempt): void
}

export interface Answered {
  readonly result: Attempted
  readonly target: Target | undefined
}

export async function askInTurn(options: AttemptsOptions): Promise<Answered> {
  let first: Failed | undefined
  let asked: Target | undefined
  for (const [place, target] of options.targets.entries()) {
    if (first !== undefined && isLate(options, target)) break
    const isLast = place === options.targets.length - 1
    const result = await askOne(options, target, isLast)
    if (result === undefined) continue
    asked ??= target
    if (result.type !== 'failed') return { result, target }
    // What a fallback says of its own key or models would hide why it was asked at all.
    if (first === undefined || !isAboutFallback(result.status)) first = result
    // A request that is wrong is wrong everywhere; what a fallback lacks, the next may have.
    if (!result.isRetryable && (place === 0 || !isAboutFallback(result.status))) break
  }
  return { result: first ?? allOpen(options), target: asked }
}

const isAboutFallback = (status: number): boolean =>
  status === 401 || status === 403 || status === 404

/** Asks one upstream as often as its settings allow; `undefined` when its circuit is open. */
async function askOne(
  options: AttemptsOptions,
  target: Target,
  isLast: boolean,
): Promise<Attempted | undefined> {
  if (!target.breaker.tryPass()) return undefined
  let result: Attempted = { type: 'left' }
  try {
    result = await askRepeatedly(options, target, isLast)
    return result
  } finally {
    // Once for an exchange, however often it asked: one client's bad luck is not everybody's.
    tellBreaker(target, result)
  }
}

async function askRepeatedly(
  options: AttemptsOptions,
  target: Target,
  isLast: boolean,
): Promise<Attempted> {
  const { retry } = target.settings
  for (let count = 1; ; count++) {
    const result = await askOnce(options, target)
    if (result.type !== 'failed' || !result.isRetryable) return result
    // Others are there to be asked, and this one says that it has enough.
    if (!isLast && result.status === 429) return result
    const pause = pauseBefore(count, retry, result.retryAfter)
    if (pause === undefined || count >= retry.attempts || isLate(options, target, pause))
      return result
    if (!(await sleep(pause, options.client))) return { type: 'left' }
  }
}

/** Whether the exchange's time will be over by then. */
const isLate = ({ ticker, startedAt }: AttemptsOptions, { settings }: Target, inMs = 0): boolean =>
  ticker.now() + inMs - startedAt > settings.limits.total

async function askOnce(options: AttemptsOptions, target: Target): Promise<Attempted> {
  const { ticker } = options
  const spanId = options.createSpanId()
  const startedAt = Date.now()
  const begunAt = ticker.now()
  let firstByteMs: number | undefined
  let status: number | undefined
  const result = await attempt({
    ...options,
    target,
    request: options.toRequest(target, spanId),
    onHead(given) {
      status = given
      firstByteMs = ticker.now() - begunAt
    },
  })
  options.onAttempt({
    upstream: target.settings.name,
    spanId,
    startedAt,
    durationMs: ticker.now() - begunAt,
    firstByteMs,
    status,
    fault: result.type === 'failed' ? result.fault : undefined,
  })
  return result
}

/**
 * A request that was wrong says nothing of the upstream's health, and neither does a full quota. Nor does a
 * 500 in the upstream's own words: some answer that to requests which they do not understand.
 */
function tellBreaker({ breaker }: Target, result: Attempted): void {
  if (result.type !== 'failed') {
    if (result.type === 'left') breaker.released()
    else breaker.succeeded()
    return
  }
  const { status, body } = result
  if (status > 500 || (status === 500 && body === undefined)) breaker.failed()
  else if (status === 429 || status === 500) breaker.released()
  else breaker.succeeded()
}

function allOpen({ targets, wire }: AttemptsOptions): Failed {
  const waitMs = Math.min(...targets.map(({ breaker }) => breaker.waitMs))
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  const names = targets.map(({ settings }) => `"${settings.name}"`).join(', ')
  const fault: StreamFault = {
    kind: 'overloaded',
    message: `Upstream ${names} failed several times in a row and is left alone for ${seconds} s`,
  }
  return {
    type: 'failed',
    fault,
    status: toStatus(fault.kind, wire.name),
    headers: { 'retry-after': String(seconds) },
    body: undefined,
    isRetryable: true,
    retryAfter: undefined,
  }
}

/** False when the client left first. */
function sleep(ms: number, client: Departure): Promise<boolean> {
  if (client.hasLeft) return Promise.resolve(false)
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      offLeave()
      resolve(!client.hasLeft)
    }
    const timer = setTimeout(done, ms)
    const offLeave = client.onLeave(done)
  })
}
