/**
 * `GET /v1/models`: what the upstreams offer, in the words of the client's wire, and only what its key and
 * the routes let through. Asked at most once in a while; an upstream that does not answer is left out.
 * Neighbours: `gateway.ts`.
 */
import { isObject, toText, type JsonObject } from '../base/json.ts'
import type { WireName } from '../event/event.ts'
import { attempt } from '../exchange/attempt.ts'
import { toDeparture } from '../exchange/departure.ts'
import type { Client } from '../exchange/exchange.ts'
import { toUpstream } from '../exchange/headers.ts'
import { matches } from '../base/star-pattern.ts'
import { findRoute, type Route } from '../exchange/route.ts'
import type { Target } from '../exchange/target.ts'
import type { Ticker } from '../exchange/ticker.ts'
import { takesClientCredential } from '../upstream/credential.ts'
import type { UpstreamRequest } from '../upstream/upstream.ts'
import { WIRES } from '../wire/wires.ts'
import type { IncomingHttpHeaders } from 'node:http'

interface Model {
  readonly id: string
  readonly name: string
  /** Seconds since 1970. */
  readonly created: number
  readonly owner: string
}

const FRESH_MS = 5 * 60_000
const MAX_WAIT_MS = 5000
const MAX_BYTES = 4 * 1024 * 1024

export interface ModelList {
  /** The body for that client. */
  list(ask: ModelsAsked): Promise<JsonObject>
  /** One model, or `undefined` when there is none of that name. */
  find(id: string, ask: ModelsAsked): Promise<JsonObject | undefined>
}

interface ModelsAsked {
  readonly wire: WireName
  readonly client: Client
  readonly headers: IncomingHttpHeaders
  readonly signal: AbortSignal
}

export function createModelList(
  targets: ReadonlyMap<string, Target>,
  routes: readonly Route[],
  ticker: Ticker,
): ModelList {
  const cached = new Map<Target, { at: number; models: readonly Model[] }>()

  async function modelsOf(
    target: Target,
    ask: ModelsAsked,
    origin: string | undefined,
  ): Promise<readonly Model[]> {
    const { settings } = target
    const isShared = !takesClientCredential(settings)
    const known = isShared ? cached.get(target) : undefined
    if (known !== undefined && ticker.now() - known.at < FRESH_MS) return known.models
    const wire = target.upstream.wires.find((one) => wiresOf(ask.wire).includes(one)) ?? ask.wire
    const request: UpstreamRequest = {
      method: 'GET',
      wire,
      path: wire === 'anthropic-messages' ? '/v1/models' : '/models',
      query: wire === 'anthropic-messages' ? '?limit=1000' : '',
      headers: toUpstream(ask.headers, {
        withCredential:
          ask.client.hasOwnCredential && origin !== undefined && originOf(target) === origin,
        own: {},
      }),
      body: undefined,
    }
    const result = await attempt(request, {
      target,
      wire: WIRES[wire],
      wantsStream: false,
      client: toDeparture(AbortSignal.any([ask.signal, AbortSignal.timeout(MAX_WAIT_MS)])),
      ticker,
      startedAt: ticker.now(),
      commit: 0,
      hasNext: false,
      maxAnswerBytes: MAX_BYTES,
      isScanned: false,
      onHead() {},
    })
    const models = result.type === 'json' ? readModels(result.json, settings.name) : []
    // What one client may see with its own credential is not for another.
    if (isShared && models.length > 0) cached.set(target, { at: ticker.now(), models })
    return models
  }

  async function all(ask: ModelsAsked): Promise<readonly Model[]> {
    const serving = [...targets.values()].filter(({ upstream }) =>
      upstream.wires.some((wire) => wiresOf(ask.wire).includes(wire)),
    )
    // A client has one credential, and it is of one vendor: none is shown that of another.
    const origin = serving.map(originOf).find((one) => one !== undefined)
    const lists = await Promise.all(serving.map((target) => modelsOf(target, ask, origin)))
    const models = new Map<string, Model>()
    for (const model of [...named(routes, ask.wire), ...lists.flat()])
      if (!models.has(model.id) && isOpen(model.id, ask)) models.set(model.id, model)
    return [...models.values()]
  }

  const isOpen = (id: string, { wire, client }: ModelsAsked): boolean =>
    wiresOf(wire).some((one) => findRoute(routes, one, id) !== undefined) &&
    (client.models === undefined || client.models.some((pattern) => matches(pattern, id)))

  return {
    list: async (ask) => writeList(await all(ask), ask.wire),
    async find(id, ask) {
      const model = (await all(ask)).find((one) => one.id === id)
      return model === undefined ? undefined : writeModel(model, ask.wire)
    },
  }
}

/** Where a client's own credential would go; nowhere, where the config has one or wants none. */
const originOf = ({ settings }: Target): string | undefined =>
  settings.kind === 'http' && takesClientCredential(settings)
    ? new URL(settings.baseUrl).origin
    : undefined

/** Routes for one model by its name offer that model, whatever the upstream calls it. */
const named = (routes: readonly Route[], wire: WireName): readonly Model[] =>
  routes
    .filter((route) => !route.model.includes('*') && wiresOf(wire).includes(route.wire ?? wire))
    .map(({ model }) => ({ id: model, name: model, created: 0, owner: 'sluice' }))

function readModels(body: JsonObject, owner: string): readonly Model[] {
  const { data } = body
  if (!Array.isArray(data)) return []
  return data.filter(isObject).flatMap((one) => {
    const id = toText(one['id'])
    if (id === undefined || id.length > 256) return []
    const { created } = one
    const date = Date.parse(toText(one['created_at']) ?? '') / 1000
    const seconds = typeof created === 'number' ? created : Number.isNaN(date) ? 0 : date
    return [
      {
        id,
        name: toText(one['display_name']) ?? id,
        created: seconds,
        owner: toText(one['owned_by']) ?? owner,
      },
    ]
  })
}

function writeModel({ id, name, created, owner }: Model, wire: WireName): JsonObject {
  if (wire !== 'anthropic-messages') return { id, object: 'model', created, owned_by: owner }
  return { type: 'model', id, display_name: name, created_at: toDate(created).toISOString() }
}

/** An upstream may say anything; beyond this no date can be written. */
function toDate(seconds: number): Date {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? new Date(0) : date
}

/** A client of OpenAI asks for models without saying on which of its two wires. */
const wiresOf = (wire: WireName): readonly WireName[] =>
  wire === 'anthropic-messages' ? [wire] : ['openai-chat', 'openai-responses']

function writeList(models: readonly Model[], wire: WireName): JsonObject {
  const data = models.map((model) => writeModel(model, wire))
  if (wire !== 'anthropic-messages') return { object: 'list', data }
  const [first_id = null] = models.map(({ id }) => id)
  return { data, has_more: false, first_id, last_id: models.at(-1)?.id ?? null }
}
