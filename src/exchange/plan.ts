/**
 * What a client asked, to what is sent and to whom: or to a refusal in words that say what to do.
 * Neighbours: `exchange.ts` carries it out; `request.ts` reads the body, `route.ts` has the routes, `stored.ts`
 * the answers that nobody needs to be asked for.
 */
import type { JsonObject } from '../base/json.ts'
import type { Installed } from '../policy/policy.ts'
import type { StreamFault } from '../event/fault.ts'
import { readBody } from './body.ts'
import type { Draft } from './draft.ts'
import { isCount, tellsAnswer, type Endpoint } from './endpoint.ts'
import type { ExchangeInput } from './exchange.ts'
import { toStatus } from './fault-status.ts'
import { hearOthers, namedAnswer } from './hear-others.ts'
import { withHistory, type Expanded } from './history.ts'
import { readRequest, type RequestFacts } from './request.ts'
import type { Body } from './request-bytes.ts'
import type { Origin } from './origins.ts'
import { matches } from '../base/star-pattern.ts'
import { findRoute, type Route } from './route.ts'
import { findStored, type Stored } from './stored.ts'
import type { Target } from './target.ts'

/** What is sent, and to whom it may go. */
export interface Plan {
  readonly targets: readonly Target[]
  /** Whose vendor a client's own credential is for. */
  readonly first: Target | undefined
  readonly route: Route | undefined
  /** All are dropped once an upstream has them: a conversation is large, and its answer takes minutes. */
  facts: RequestFacts | undefined
  body: Body | undefined
  expanded: Expanded | undefined
  /** As the client said it, where a policy changed it. */
  asked?: JsonObject | undefined
  /** Whose state this is; found out when it is needed. */
  owner: string | undefined
  /** The same for all exchanges of one agent session; found out when it is needed. */
  conversation?: string | undefined
  readonly wantsStream: boolean
  /** The policies that apply. */
  readonly installed: readonly Installed[]
}

export interface Refusal {
  readonly fault: StreamFault
  readonly status: number
  /** The body, where the wire has other words for this than for its kind. */
  readonly error?: JsonObject
  readonly headers?: Readonly<Record<string, string>>
}

export async function makePlan(
  input: ExchangeInput,
  draft: Draft,
): Promise<Plan | Refusal | Stored | 'left'> {
  const { room, endpoint, request } = input
  const read = await readBody(request, {
    maxBytes: room.limits.body,
    maxMs: room.limits.requestTime,
    ticker: room.ticker,
  })
  if (read.type === 'left') return 'left'
  if (read.type === 'refused') return read
  const { body } = read
  draft.bytesIn = body.rawLength
  if (room.recorder !== undefined) draft.body = body.plain
  if (endpoint.kind === 'stored') {
    if (room.catchUp !== undefined) await hearOthers(input, input.answerId ?? '')
    return findStored(input) ?? planStored(input, body)
  }

  const asked = readRequest(endpoint.wire, body)
  if (!asked.ok) return toRefusal(endpoint, { kind: 'invalid-request', message: asked.message })
  const { facts } = asked
  const isStream =
    endpoint.kind === 'answer' && (facts.isStream || endpoint.isAlwaysStream === true)
  draft.asked(facts.model, isStream)
  const previous = room.catchUp === undefined ? undefined : namedAnswer(facts)
  if (previous !== undefined) await hearOthers(input, previous)
  return planModel(input, { facts, body, wantsStream: isStream })
}

function planModel(
  input: ExchangeInput,
  asked: { facts: RequestFacts; body: Body; wantsStream: boolean },
): Plan | Refusal {
  const { room, endpoint, client } = input
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
  const all = route.to
    .map((name) => room.targets.get(name))
    .filter((target) => target !== undefined)
  // What is asked beside an answer is not translated, but for token counts, which `count.ts` serves.
  const targets =
    endpoint.kind === 'answer' || isCount(endpoint)
      ? all
      : all.filter(({ upstream }) => upstream.wires.includes(endpoint.wire))
  if (targets.length === 0)
    return toRefusal(endpoint, {
      kind: 'not-found',
      message: `Model ${shown} is served by ${route.to.join(', ')}, which does not speak ${endpoint.wire}`,
    })
  const plan = {
    facts: asked.facts,
    body: asked.body,
    wantsStream: asked.wantsStream,
    targets,
    first: targets[0],
    route,
    expanded: undefined,
    owner: undefined,
    installed: room.policies.select({ route, key: client.key, model }),
  }
  const problem = isRead(input, plan) ? asked.facts.check() : undefined
  if (problem !== undefined)
    return toRefusal(endpoint, { kind: 'invalid-request', message: problem })
  return withHistory(input, plan)
}

/**
 * Whether anybody looks into the request. Where nobody does, it goes to an upstream of its own wire as it came, and
 * what is wrong deep inside it is told by the one who reads it.
 */
function isRead({ room, endpoint, client }: ExchangeInput, plan: Plan): boolean {
  return (
    endpoint.kind !== 'answer' ||
    // Its history may be in our books.
    endpoint.wire === 'openai-responses' ||
    plan.facts?.member('thread') !== undefined ||
    // Somebody else may read another model in what is no JSON.
    client.models !== undefined ||
    plan.installed.length > 0 ||
    room.policies.haltedBy() !== undefined ||
    plan.targets.some(({ upstream }) => !upstream.wires.includes(endpoint.wire))
  )
}

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
    origin === undefined
      ? others
      : speaking.filter(({ settings }) => settings.name === origin.upstream)
  if (targets.length === 0 || (endpoint.method !== 'DELETE' && isHidden(room, endpoint, origin)))
    return toRefusal(endpoint, {
      kind: 'not-found',
      message: `Response "${answerId}" is not known here: send the conversation again`,
    })
  const wantsStream = new URLSearchParams(query).get('stream') === 'true'
  return {
    targets,
    first: targets[0],
    route: undefined,
    facts: undefined,
    body,
    expanded: undefined,
    owner: undefined,
    wantsStream,
    installed: [],
  }
}

/** What an upstream keeps is told only if it is known to be what was delivered, and nobody has stopped all calls. */
function isHidden(
  { policies }: ExchangeInput['room'],
  endpoint: Endpoint,
  origin: Origin | undefined,
): boolean {
  if (!tellsAnswer(endpoint)) return origin?.isChanged === true
  const isKnown = origin !== undefined && origin.isChanged !== true
  return policies.haltedBy() !== undefined || (policies.hasAny && !isKnown)
}

const toRefusal = ({ wire }: Endpoint, fault: StreamFault): Refusal => ({
  fault,
  status: toStatus(fault.kind, wire),
})
