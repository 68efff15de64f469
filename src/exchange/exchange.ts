/**
 * One request and its answer, first byte to last: the only room that knows both ends. Reads what was
 * asked, finds who serves it, asks in turn, and hands the answer on by the shortest way. Neighbours:
 * `server/` has let the client in; `attempts.ts` asks; `relay.ts` and `acted.ts` deliver; what is left
 * is a report.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { StreamFault } from '../event/fault.ts'
import type { UpstreamRequest } from '../upstream/upstream.ts'
import { WIRES } from '../wire/wires.ts'
import type { Wire } from '../wire/wire.ts'
import type { Actor } from './acted.ts'
import type { Failed } from './attempted.ts'
import { askInTurn } from './attempts.ts'
import { readBody, type Body } from './body.ts'
import { deliver } from './deliver.ts'
import { createDeparture } from './departure.ts'
import { createDraft, type Draft } from './draft.ts'
import { dropUnread } from './drop-unread.ts'
import type { Endpoint } from './endpoint.ts'
import { toStatus } from './fault-status.ts'
import { toClient, toUpstream } from './headers.ts'
import type { Origins } from './origins.ts'
import { refuse } from './refuse.ts'
import type { ExchangeReport, Trace } from './report.ts'
import { changeRequest, readRequest, type RequestFacts } from './request.ts'
import { findRoute, matches, type Route } from './route.ts'
import type { Target } from './target.ts'
import type { Ticker } from './ticker.ts'
import { createSpanId, writeTraceparent, type Random } from './trace-context.ts'

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
  readonly commitMs: number
  readonly ticker: Ticker
  readonly origins: Origins
  /** Whoever acts on this answer; nobody, where it gives back none. */
  readonly actorFor?: ((endpoint: Endpoint, facts: RequestFacts) => Actor | undefined) | undefined
  readonly random: Random
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

/** What is sent, and to whom it may go. */
interface Plan {
  readonly targets: readonly Target[]
  readonly route: Route | undefined
  /** Both are dropped once an upstream has them: a conversation is large, and its answer takes minutes. */
  facts: RequestFacts | undefined
  body: Body | undefined
  readonly wantsStream: boolean
}

export async function runExchange(input: ExchangeInput): Promise<ExchangeReport> {
  const { room, endpoint, request, response } = input
  const wire = WIRES[endpoint.wire]
  const draft = createDraft(input)
  const left = createDeparture()
  const onClose = (): void => {
    if (!response.writableFinished) left.leave()
  }
  response.on('close', onClose)
  // An answer that waits in a pipeline has no connection yet, and does not hear when that ends.
  const waitsAt = response.socket === null ? request.socket : undefined
  waitsAt?.on('close', onClose)
  let patienceMs = PATIENCE_MS
  try {
    const plan = await makePlan(input, draft)
    if (plan === 'left') return draft.leave()
    if ('fault' in plan) {
      refuse(input, wire, plan)
      return draft.finish({ outcome: 'refused', status: plan.status, fault: plan.fault })
    }
    // Before anything is asked: if whoever acts cannot be had, there is no answer to leave lying about.
    const actor = plan.facts === undefined ? undefined : room.actorFor?.(endpoint, plan.facts)
    const { result, target } = await askInTurn({
      wire,
      targets: plan.targets,
      wantsStream: plan.wantsStream,
      client: left,
      ticker: room.ticker,
      startedAt: draft.startedTick,
      commitMs: room.commitMs,
      maxAnswerBytes: room.limits.answer,
      createSpanId: () => createSpanId(room.random),
      toRequest: (to, spanId) => toRequest(input, plan, to, spanId),
      onAttempt: (attempt) => draft.attempts.push(attempt),
    })
    plan.facts = undefined
    plan.body = undefined
    if (result.type === 'left') return draft.leave({ usage: result.usage })
    if (target !== undefined) {
      draft.servedBy(target, plan.route)
      patienceMs = target.settings.limits.idle
    }
    if (result.type === 'failed') return passOnError(input, wire, result, draft)
    return await deliver({
      input,
      wire,
      draft,
      actor,
      result,
      target,
      wantsStream: plan.wantsStream,
      client: left,
    })
  } finally {
    response.off('close', onClose)
    waitsAt?.off('close', onClose)
    request.resume()
    dropUnread(response, patienceMs)
  }
}

/** For an answer that no upstream had a part in. */
const PATIENCE_MS = 60_000

/** An upstream's error, in its own words where they are of this wire. */
function passOnError(
  { id, response }: ExchangeInput,
  wire: Wire,
  failed: Failed,
  draft: Draft,
): ExchangeReport {
  const { headers, body, fault, usage } = failed
  // Codex acts on what the event says and not on a status: told as it came, it waits, compacts or stops.
  const frames = wire.name === 'openai-responses' ? failed.frames : undefined
  const status = frames === undefined ? failed.status : 200
  const bytes = frames ?? body ?? Buffer.from(JSON.stringify(wire.writeError(fault)))
  const own = toClient(headers)
  if (frames === undefined && body === undefined) own['content-type'] = 'application/json'
  draft.firstByte()
  response.writeHead(status, { ...own, 'content-length': bytes.length, 'x-request-id': id })
  response.end(bytes)
  draft.bytesOut += bytes.length
  return draft.finish({ outcome: 'upstream-error', status, fault, usage })
}

interface Refusal {
  readonly fault: StreamFault
  readonly status: number
}

async function makePlan(input: ExchangeInput, draft: Draft): Promise<Plan | Refusal | 'left'> {
  const { room, endpoint, request } = input
  const read = await readBody(request, {
    maxBytes: room.limits.body,
    maxMs: room.limits.requestTime,
    ticker: room.ticker,
  })
  if (read.type === 'left') return 'left'
  if (read.type === 'refused') return read
  const { body } = read
  draft.bytesIn = body.raw.length
  if (endpoint.kind === 'stored') return planStored(input, body)

  const asked = readRequest(endpoint.wire, body.plain)
  if (!asked.ok) return toRefusal(endpoint, { kind: 'invalid-request', message: asked.message })
  const { facts } = asked
  const isStream =
    endpoint.kind === 'answer' && (facts.isStream || endpoint.isAlwaysStream === true)
  draft.asked(facts.model, isStream)
  return planModel(input, { facts, body, wantsStream: isStream })
}

function planModel(
  { room, endpoint, client }: ExchangeInput,
  asked: { facts: RequestFacts; body: Body; wantsStream: boolean },
): Plan | Refusal {
  const { model } = asked.facts
  const shown = JSON.stringify(model.slice(0, 100))
  if (client.models !== undefined && !client.models.some((pattern) => matches(pattern, model)))
    return toRefusal(endpoint, {
      kind: 'permission',
      message: `Key "${client.key}" may not use model ${shown}`,
    })
  const route = findRoute(room.routes, endpoint.wire, model)
  if (route === undefined)
    return toRefusal(endpoint, {
      kind: 'not-found',
      message: `No route leads to model ${shown}: add one for it, or for "*", under "routes"`,
    })
  const targets = route.to
    .map((name) => room.targets.get(name))
    .filter((target) => target?.upstream.wires.includes(endpoint.wire) === true)
    .filter((target) => target !== undefined)
  if (targets.length === 0)
    return toRefusal(endpoint, {
      kind: 'not-found',
      message: `Model ${shown} is served by ${route.to.join(', ')}, which does not speak ${endpoint.wire}`,
    })
  return { ...asked, targets, route }
}

/** Where a stored answer comes back. */
const TELLS_ANSWER: readonly string[] = ['/v1/responses/{id}', '/v1/responses/{id}/cancel']

/** A stored answer is asked of the upstream that made it, and of none that others share. */
function planStored(
  { room, endpoint, client, answerId = '', query }: ExchangeInput,
  body: Body,
): Plan | Refusal {
  const origin = room.origins.find(client.key, answerId)
  const speaking = [...room.targets.values()].filter(({ upstream }) =>
    upstream.wires.includes(endpoint.wire),
  )
  // Without keys there is one person; an upstream that is asked with the client's own key checks that.
  const others = client.key === undefined && speaking.length === 1 ? speaking : []
  const targets =
    origin === undefined ? others : speaking.filter(({ settings }) => settings.name === origin)
  // The upstream keeps its answer as it was before anybody acted on it.
  const isOriginal = room.actorFor !== undefined && TELLS_ANSWER.includes(endpoint.pattern)
  if (targets.length === 0 || (isOriginal && endpoint.method !== 'DELETE'))
    return toRefusal(endpoint, {
      kind: 'not-found',
      message: `Response "${answerId}" is not known here: send the conversation again`,
    })
  const wantsStream = new URLSearchParams(query).get('stream') === 'true'
  return { targets, route: undefined, facts: undefined, body, wantsStream }
}

const toRefusal = ({ wire }: Endpoint, fault: StreamFault): Refusal => ({
  fault,
  status: toStatus(fault.kind, wire),
})

function toRequest(
  { endpoint, answerId, query, request, client, id, trace }: ExchangeInput,
  plan: Plan,
  target: Target,
  spanId: string,
): UpstreamRequest {
  const { facts, body, route } = plan
  const { settings } = target
  const isStream = settings.stream === 'client' ? plan.wantsStream : settings.stream === 'always'
  const model = route?.as[settings.name]
  const changed =
    body === undefined || facts === undefined
      ? undefined
      : changeRequest(endpoint.wire, body.plain, facts, {
          model,
          isStream: endpoint.kind === 'answer' ? isStream : undefined,
        })
  const isSame = changed === undefined || changed === body?.plain
  const bytes = isSame ? body?.raw : changed
  const hasBody = bytes !== undefined && bytes.length > 0
  return {
    method: endpoint.method,
    wire: endpoint.wire,
    path: answerId === undefined ? endpoint.path : endpoint.path.replace('{id}', answerId),
    query,
    headers: toUpstream(request.headers, {
      withCredential: client.hasOwnCredential && isOwnVendor(plan.targets, target),
      own: {
        'x-request-id': id,
        traceparent: writeTraceparent(trace, spanId),
        ...(trace.state === undefined ? {} : { tracestate: trace.state }),
        ...(isSame && body?.encoding !== undefined ? { 'content-encoding': body.encoding } : {}),
      },
    }),
    body: hasBody ? bytes : undefined,
  }
}

/** A client's own credential goes to the first upstream of its route, and never to another vendor. */
function isOwnVendor([first]: readonly Target[], target: Target): boolean {
  if (target === first) return true
  return (
    first?.settings.kind === 'http' &&
    target.settings.kind === 'http' &&
    new URL(first.settings.baseUrl).origin === new URL(target.settings.baseUrl).origin
  )
}
