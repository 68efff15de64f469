/**
 * Asks upstreams in turn until one answers: the same one again after a pause where that may help, then
 * the next of the route. All of it before anything has left for the client. Neighbours: `attempt.ts` is
 * one request, `exchange.ts` knows what to send.
 */
import type { StreamFault } from '../event/fault.ts'
import type { Tape } from '../store/tape.ts'
import { pauseBefore } from '../upstream/retry.ts'
import type { UpstreamRequest } from '../upstream/upstream.ts'
import type { Wire } from '../wire/wire.ts'
import { attempt, type AttemptOptions } from './attempt.ts'
import type { Attempted, Failed } from './attempted.ts'
import type { Departure } from './departure.ts'
import { toStatus } from './fault-status.ts'
import type { Attempt } from './report.ts'
import type { Target } from './target.ts'
import type { NoWay, Way } from './way.ts'

export interface AttemptsOptions extends Omit<
  AttemptOptions,
  'target' | 'request' | 'onHead' | 'isScanned' | 'hasNext'
> {
  /** The client's. */
  readonly wire: Wire
  readonly targets: readonly Target[]
  /** How that upstream is asked, or why it cannot be; `isUnsealed`: without sealed thinking. */
  findWay(target: Target, isUnsealed: boolean): Way | NoWay
  toRequest(target: Target, way: Way, spanId: string): UpstreamRequest
  createSpanId(): string
  /** Whether whoever takes a stream over reads all of it, so that it need not be looked over here. */
  readonly isRead?: boolean
  /** Something beside answers is asked: how that goes says nothing of the upstream's health. */
  readonly isAside?: boolean
  /** Told of each attempt when it is over; of one that answers with a stream, when it has begun. */
  onAttempt(attempt: Attempt): void
}

export interface Answered {
  readonly result: Attempted
  readonly target: Target | undefined
  readonly way: Way | undefined
}

interface Asked {
  readonly result: Attempted
  readonly way: Way | undefined
}

export async function askInTurn(options: AttemptsOptions): Promise<Answered> {
  let first: Failed | undefined
  let asked: Target | undefined
  let by: Way | undefined
  let heard: Attempted | undefined
  for (const [place, target] of options.targets.entries()) {
    if (first !== undefined && isLate(options, target)) break
    const isLast = place === options.targets.length - 1
    const answered = await askOne(options, target, isLast)
    if (answered === undefined) continue
    const { result, way } = answered
    if (way !== undefined) heard = result
    asked ??= target
    if (result.type !== 'failed') return { result, target, way }
    // What a fallback says of its own key, models or limits would hide why it was asked at all.
    if (first === undefined || isTold(result, way) || (by === undefined && way !== undefined)) {
      first = result
      by = way
    }
    // Nobody was asked: the next may be able to say what this one cannot.
    if (way === undefined) continue
    // A request that is wrong is wrong everywhere; what a fallback lacks, the next may have.
    if (!result.isRetryable && (place === 0 || !isAboutFallback(result.status))) break
  }
  if (options.tape !== undefined && first !== heard) retell(options.tape, first)
  return { result: first ?? allOpen(options), target: asked, way: by }
}

/** What the client is told is not what came last. */
function retell(tape: Tape, first: Failed | undefined): void {
  tape.again()
  if (first === undefined || Object.keys(first.headers).length === 0) return
  tape.head(first.status, first.headers)
  const bytes = first.body ?? first.frames
  if (bytes !== undefined) tape.came(bytes)
}

/** That a request is wrong is believed of a fallback which got it as the client sent it. */
const isTold = ({ isRetryable, status }: Failed, way: Way | undefined): boolean =>
  !isAboutFallback(status) && (isRetryable || way?.isTranslated === false)

const isAboutFallback = (status: number): boolean =>
  status === 401 || status === 403 || status === 404

/** Asks one upstream as often as its settings allow; `undefined` when its circuit is open. */
async function askOne(
  options: AttemptsOptions,
  target: Target,
  isLast: boolean,
): Promise<Asked | undefined> {
  const isAside = options.isAside === true
  const { breaker } = target
  if (isAside ? breaker.state !== 'closed' : !breaker.tryPass()) return undefined
  let result: Attempted = { type: 'left' }
  try {
    const way = options.findWay(target, false)
    if ('problem' in way) return { result: toFailed(options.wire, way), way: undefined }
    result = await askRepeatedly(options, target, { way, isLast })
    if (!isAboutSeal(result)) return { result, way }
    // Another upstream of the same wire sealed it, or this one was changed behind its name.
    const unsealed = options.findWay(target, true)
    if ('problem' in unsealed) return { result, way }
    result = await askRepeatedly(options, target, { way: unsealed, isLast })
    return { result, way: unsealed }
  } finally {
    // Once for an exchange, however often it asked: one client's bad luck is not everybody's.
    if (!isAside) {
      tellBreaker(target, result)
      tellHealth(target, result)
    }
  }
}

async function askRepeatedly(
  options: AttemptsOptions,
  target: Target,
  { way, isLast }: { readonly way: Way; readonly isLast: boolean },
): Promise<Attempted> {
  const { retry } = target.settings
  for (let count = 1; ; count++) {
    const result = await askOnce(options, target, { way, isLast })
    if (result.type !== 'failed' || !result.isRetryable) return result
    // Others are there to be asked, and this one says that it has enough.
    if (!isLast && result.status === 429) return result
    // Vendors close connections that were idle; who meets that needs a new one, and no patience.
    const isFree = count === 1 && result.isStale === true
    const pause = isFree ? 0 : pauseBefore(count, retry, result.retryAfter)
    if (pause === undefined || count >= retry.attempts || isLate(options, target, pause))
      return result
    if (!(await sleep(pause, options.client))) return { type: 'left' }
  }
}

/** What vendors say of thinking that they did not seal, or do not know any more. */
const isAboutSeal = (result: Attempted): boolean =>
  result.type === 'failed' &&
  result.status === 400 &&
  /thinking.{0,80}(?:signature|block)|signature.{0,80}thinking|encrypted[_ ]content|reasoning item|reasoning_details/i.test(
    result.fault.message,
  )

function toFailed({ name }: Wire, { problem }: NoWay): Failed {
  const { path, message } = problem
  const fault: StreamFault = {
    kind: 'invalid-request',
    message: path === '' ? message : `${path}: ${message}`,
    ...(path === '' ? {} : { param: path }),
    code: problem.code === 'unsupported' ? 'unsupported_parameter' : 'invalid_value',
  }
  return {
    type: 'failed',
    fault,
    status: toStatus(fault.kind, name),
    headers: {},
    body: undefined,
    isRetryable: false,
    retryAfter: undefined,
  }
}

/** Whether the exchange's time will be over by then. */
const isLate = ({ ticker, startedAt }: AttemptsOptions, { settings }: Target, inMs = 0): boolean =>
  ticker.now() + inMs - startedAt > settings.limits.total

async function askOnce(
  options: AttemptsOptions,
  target: Target,
  { way, isLast }: { readonly way: Way; readonly isLast: boolean },
): Promise<Attempted> {
  const { ticker } = options
  const spanId = options.createSpanId()
  const startedAt = Date.now()
  const begunAt = ticker.now()
  let firstByteMs: number | undefined
  let status: number | undefined
  options.tape?.again()
  // Said one by one: V8 makes slow objects of spreads this large, and this is made for every request.
  const result = await attempt(options.toRequest(target, way, spanId), {
    wantsStream: options.wantsStream,
    client: options.client,
    ticker,
    startedAt: options.startedAt,
    commit: options.commit,
    hasNext: !isLast,
    maxAnswerBytes: options.maxAnswerBytes,
    target,
    wire: way.wire,
    tape: options.tape,
    isScanned: !way.isTranslated && options.isRead !== true,
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

/** A request that was wrong is no failure of the upstream. */
function tellHealth({ health }: Target, result: Attempted): void {
  if (result.type === 'left') return
  if (result.type !== 'failed') health.succeeded()
  else if (result.status >= 500 || !WRONG_REQUEST.has(result.fault.kind)) health.failed(result)
}

const WRONG_REQUEST: ReadonlySet<StreamFault['kind']> = new Set([
  'invalid-request',
  'context-too-long',
  'too-large',
  'content-policy',
  'conflict',
  'not-found',
])

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
