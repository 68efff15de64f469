/**
 * One request and its answer, first byte to last: the only room that knows both ends. Reads what was
 * asked, finds who serves it, asks in turn, and hands the answer on by the shortest way. Neighbours:
 * `server/` has let the client in; `plan.ts` finds who serves it; `attempts.ts` asks; `deliver.ts` hands it
 * on; what is left is a report.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { StreamFault } from '../event/fault.ts'
import type { Sessions } from '../session/sessions.ts'
import type { Recorder } from '../store/tape.ts'
import { toBytes } from '../sse/encode.ts'
import type { Counter } from '../tokens/counter.ts'
import { WIRES } from '../wire/wires.ts'
import type { Wire } from '../wire/wire.ts'
import type { Commit } from './attempt.ts'
import type { Failed } from './attempted.ts'
import { askInTurn } from './attempts.ts'
import { count, type Counts } from './count.ts'
import { deliver } from './deliver.ts'
import { createDeparture } from './departure.ts'
import { Draft } from './draft.ts'
import { dropUnread } from './drop-unread.ts'
import { isCount, type Endpoint } from './endpoint.ts'
import { toStatus } from './fault-status.ts'
import { countsEvents, toClient } from './headers.ts'
import { toLossHeader } from './losses.ts'
import { createMemory } from './memory.ts'
import type { Origins } from './origins.ts'
import { makePlan, type Plan, type Refusal } from './plan.ts'
import { beginTape, endTape, hasActed, isRecorded, noRoom, settleTape } from './recording.ts'
import { refuse } from './refuse.ts'
import type { ExchangeReport, Trace } from './report.ts'
import type { Route } from './route.ts'
import { answerStored } from './stored.ts'
import type { Target } from './target.ts'
import type { Ticker } from './ticker.ts'
import { findPolicies, type ExchangePolicies, type PolicyRoom } from './policies.ts'
import { toRequest } from './to-request.ts'
import { createSpanId, type RandomHex } from './trace-context.ts'
import { findWay, wireAt, type Way } from './way.ts'

/** Who asks, as far as the server has found out. */
export interface Client {
  /** The name of its gateway key. */
  readonly key: string | undefined
  /** Patterns of models that it may ask for. */
  readonly models: readonly string[] | undefined
  /** Whether the credential it carries is its own, and not a gateway key. */
  readonly hasOwnCredential: boolean
}

/** What all exchanges of one configuration share. */
export interface ExchangeRoom {
  readonly routes: readonly Route[]
  readonly targets: ReadonlyMap<string, Target>
  readonly limits: {
    readonly body: number
    readonly answer: number
    readonly requestTime: number
  }
  readonly keepaliveMs: number
  readonly commit: Commit
  readonly ticker: Ticker
  readonly origins: Origins
  readonly policies: PolicyRoom
  readonly random: RandomHex
  /** What was said before, for clients that name it instead of saying it. */
  readonly sessions: Sessions
  /** Hears what other gateways have told up to now; `undefined` where there are none. */
  readonly catchUp: (() => Promise<void>) | undefined
  readonly counter: Counter
  readonly counts: Counts
  /** Whether the next answer that we write is held to its grammar. */
  isChecked(): boolean
  /** Keeps what passes; `undefined`: nothing is recorded. */
  readonly recorder?: Recorder | undefined
  /** Told when an exchange is refused because it cannot be recorded. */
  onNotRecorded?(): void
  /** Whether a request that another wire cannot carry whole is refused; a route may say otherwise. */
  readonly isStrict: boolean
}

export interface ExchangeInput {
  readonly room: ExchangeRoom
  readonly endpoint: Endpoint
  /** The id in the path, of an endpoint about a stored answer. */
  readonly answerId: string | undefined
  /** With its question mark, or nothing. */
  readonly query: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly client: Client
  readonly id: string
  readonly trace: Trace
}

/** `onLater`: told of what policies do behind the answer. Nobody waits for it here; verdicts of the report grow with it. */
export async function runExchange(
  input: ExchangeInput,
  onLater?: (work: Promise<void>) => void,
): Promise<ExchangeReport> {
  const { room, endpoint, request, response } = input
  const wire = WIRES[endpoint.wire]
  const draft = new Draft(input)
  const left = createDeparture()
  const onClose = (): void => {
    if (!response.writableFinished) left.leave()
  }
  response.on('close', onClose)
  // An answer that waits in a pipeline has no connection yet, and does not hear when that ends.
  const waitsAt = response.socket === null ? request.socket : undefined
  waitsAt?.on('close', onClose)
  let patienceMs = PATIENCE_MS
  let policies: ExchangePolicies | undefined
  try {
    const made = await makePlan(input, draft)
    if (made === 'left') return draft.leave()
    if ('stored' in made) return answerStored(input, draft, made)
    const begun = !isRecorded(input, made) || beginTape(input, draft, made)
    const hasRoom = typeof begun === 'boolean' ? begun : await begun
    if (left.hasLeft) return draft.leave()
    if ('fault' in made) return refuseAs(input, wire, made, draft)
    if (!hasRoom) return refuseAs(input, wire, noRoom(input), draft)
    const found = tryPolicies(input, made, left, draft.tape)
    if (found === 'failed') return refuseAs(input, wire, NO_POLICY, draft)
    policies = found
    if (policies !== undefined) draft.judgedBy(policies.verdicts)
    let asked = draft.tape === undefined ? undefined : made.body
    const plan = (await policies?.onRequest(made)) ?? made
    const isJudged = policies !== undefined && hasActed(policies.verdicts)
    if (isJudged && !(await beginTape(input, draft, made)))
      return refuseAs(input, wire, noRoom(input), draft)
    if (left.hasLeft) return draft.leave()
    if ('fault' in plan) return refuseAs(input, wire, plan, draft)
    if (plan !== made) drop(made)
    if (isCount(endpoint)) return await count(input, { wire, plan, draft, client: left })
    const { result, target, way } = await askInTurn({
      wire,
      tape: draft.tape,
      targets: plan.targets,
      wantsStream: plan.wantsStream,
      client: left,
      ticker: room.ticker,
      startedAt: draft.startedTick,
      isRead: policies !== undefined,
      commit: room.commit,
      maxAnswerBytes: room.limits.answer,
      createSpanId: () => createSpanId(room.random),
      findWay: (to, isUnsealed) => findWay(input, plan, to, isUnsealed),
      toRequest: (to, by, spanId) => toRequest(input, plan, { target: to, way: by }, spanId),
      onAttempt: (attempt) => draft.attempted(attempt),
    })
    const memory =
      way === undefined
        ? undefined
        : createMemory(input, plan, { target, way, isActedOn: policies?.canChange === true })
    drop(plan)
    if (draft.tape !== undefined) settleTape(draft.tape, asked, way)
    asked = undefined
    if (way !== undefined) way.body = undefined
    if (result.type === 'left') return draft.leave({ usage: result.usage })
    if (target !== undefined) {
      policies?.servedBy(target.settings.name, plan.route?.as[target.settings.name])
      draft.servedBy(target, plan.route, way?.wire.name ?? wireAt(target, endpoint.wire))
      patienceMs = target.settings.limits.idle
    }
    if (result.type === 'failed')
      return passOnError(input, wire, { failed: result, way, wantsStream: plan.wantsStream }, draft)
    if (way === undefined) throw new Error('An answer came by no way')
    return await deliver({
      way,
      memory,
      input,
      wire,
      draft,
      policies,
      result,
      target,
      wantsStream: plan.wantsStream,
      client: left,
    })
  } finally {
    response.off('close', onClose)
    waitsAt?.off('close', onClose)
    policies?.close()
    const later = policies?.settled()
    const { tape } = draft
    if (later !== undefined) onLater?.(later)
    if (tape !== undefined) {
      const told = endTape(input, draft)
      void later?.then(() => tape.later(policies?.verdicts.slice(told) ?? []))
    }
    request.resume()
    dropUnread(response, patienceMs)
  }
}

/** What an upstream has got is not held while it answers. */
function drop(plan: Plan): void {
  plan.facts?.forget()
  plan.facts = undefined
  plan.body = undefined
  plan.expanded = undefined
  plan.asked = undefined
}

function refuseAs(
  input: ExchangeInput,
  wire: Wire,
  refusal: Refusal,
  draft: Draft,
): ExchangeReport {
  const { error, status, fault } = refusal
  draft.refused(
    refuse(input, error === undefined ? wire : { ...wire, writeError: () => error }, refusal),
  )
  return draft.finish({ outcome: 'refused', status, fault })
}

const NO_POLICY: Refusal = {
  status: 500,
  fault: { kind: 'internal', message: 'A policy of this gateway could not be made' },
}

/** If one cannot be had, nothing is asked: there is to be no answer that it did not see. */
function tryPolicies(
  ...of: Parameters<typeof findPolicies>
): ReturnType<typeof findPolicies> | 'failed' {
  try {
    return findPolicies(...of)
  } catch {
    return 'failed'
  }
}

/** For an answer that no upstream had a part in. */
const PATIENCE_MS = 60_000

/** An upstream's error, in its own words where they are of this wire. */
function passOnError(
  { id, response, request }: ExchangeInput,
  wire: Wire,
  { failed, way, wantsStream }: { failed: Failed; way: Way | undefined; wantsStream: boolean },
  draft: Draft,
): ExchangeReport {
  const { headers, usage, retryAfter } = failed
  // Codex and opencode read from the words how long to wait.
  const fault: StreamFault =
    retryAfter === undefined ? failed.fault : { retryAfterMs: retryAfter, ...failed.fault }
  const isForeign = way === undefined || way.wire.name !== wire.name
  const body = isForeign ? undefined : failed.body
  const frames = isForeign
    ? wantsStream && isTold(fault, request.headers)
      ? writeFailed(wire, fault)
      : undefined
    : // Codex acts on what this event says and not on a status: told as it came, it waits, compacts or stops.
      failed.frames?.includes('"response.failed"') === true
      ? failed.frames
      : undefined
  const told = isForeign ? toStatus(fault.kind, wire.name) : failed.status
  const status = frames === undefined ? told : 200
  const bytes = frames ?? body ?? Buffer.from(JSON.stringify(wire.writeError(fault)))
  const own = toClient(headers, isForeign)
  if (frames === undefined && body === undefined) own['content-type'] = 'application/json'
  if (frames !== undefined && isForeign) own['content-type'] = 'text/event-stream; charset=utf-8'
  if (way !== undefined) Object.assign(own, toLossHeader(way.losses))
  // Tried again it would be refused again.
  if (isForeign && fault.kind === 'billing') own['x-should-retry'] = 'false'
  draft.firstByte()
  response.writeHead(status, { ...own, 'content-length': bytes.length, 'x-request-id': id })
  response.end(bytes)
  draft.tape?.left(bytes)
  draft.bytesOut += bytes.length
  return draft.finish({
    outcome: way === undefined ? 'refused' : 'upstream-error',
    status,
    fault,
    usage,
    losses: way?.losses ?? [],
  })
}

/** Codex compacts its history when an event says that it is too long; a status only ends its turn. */
const isTold = (fault: StreamFault, headers: IncomingHttpHeaders): boolean =>
  fault.kind === 'context-too-long' && countsEvents(headers)

const writeFailed = (wire: Wire, error: StreamFault): Buffer => {
  const encoder = wire.createEncoder()
  const written = [...encoder.push({ type: 'error', error }), ...encoder.end()]
  return Buffer.concat(written.map(toBytes))
}
