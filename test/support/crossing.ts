/**
 * A client of one wire, a gateway, and a provider of another: all on real sockets, with the judges beside them.
 * Every request that the provider gets is held to its API's rules, every stream that the client gets to its
 * wire's grammar. Neighbours: `spoken.ts` is what the provider says, `api-rules-*.ts` the rules.
 */
import { expect } from 'vitest'
import type { Settings } from '../../src/config/settings.ts'
import type { StreamState } from '../../src/block/state.ts'
import type { WireName } from '../../src/event/event.ts'
import type { Vendor } from '../../src/request/profile.ts'
import type { HttpUpstreamSettings } from '../../src/upstream/settings.ts'
import { validateAnthropic } from './api-rules-anthropic.ts'
import { validateChat } from './api-rules-chat.ts'
import { validateResponses } from './api-rules-responses.ts'
import type { Finding, Json } from './api-rules.ts'
import { errorsIn } from './connections.ts'
import { ask, httpUpstream, PATHS, startTestGateway, type TestGateway } from './gateway.ts'
import { fetchRaw, type RawAnswer, type RawRequest } from './raw-client.ts'
import { stateOf } from './streams.ts'
import { startUpstream, type TestUpstream } from './upstream.ts'

export interface CrossingOptions {
  /** What the provider speaks. */
  readonly wire: WireName
  readonly vendor?: Vendor
  /** What the client's model is called there; default one of the wire's vendor. */
  readonly model?: string
  readonly up?: Partial<HttpUpstreamSettings>
  readonly settings?: Partial<Settings>
}

export interface Crossing {
  readonly gateway: TestGateway
  readonly upstream: TestUpstream
  /** A client of that wire asks for a stream; `more` is the rest of its body. */
  stream(wire: WireName, more?: object, request?: RawRequest): Promise<Streamed>
  /** The same for a JSON answer; whatever the status. */
  json(wire: WireName, more?: object, request?: RawRequest): Promise<RawAnswer & { json: Json }>
  /** The body that the provider got, in its order, checked by the rules of its API. */
  sent(index: number): Json
  close(): Promise<void>
}

type Streamed = RawAnswer & {
  readonly text: string
  /** What the client ended up with. */
  readonly state: StreamState
}

const MODELS: Readonly<Record<WireName, string>> = {
  'anthropic-messages': 'claude-sonnet-4-5',
  'openai-chat': 'gpt-4.1',
  'openai-responses': 'gpt-5.2',
}

export async function startCrossing(options: CrossingOptions): Promise<Crossing> {
  const { wire, model = MODELS[wire], up = {}, settings = {} } = options
  const vendor = options.vendor ?? (wire === 'openai-chat' ? 'openai' : undefined)
  const upstream = await startUpstream()
  const own = httpUpstream(upstream.url, {
    wires: [wire],
    ...(vendor === undefined ? {} : { vendor }),
    ...up,
  })
  const routes = [{ model: '*', wire: undefined, to: ['up'], as: { up: model } }]
  const gateway = await startTestGateway({ upstreams: [own], routes, ...settings })
  const post = (client: WireName, more: object, request: RawRequest = {}): Promise<RawAnswer> =>
    fetchRaw(gateway.url + PATHS[client], { body: ask(client, more), ...request })
  return {
    gateway,
    upstream,
    async stream(client, more = {}, request = {}) {
      const answer = await post(client, { stream: true, ...more }, request)
      const text = answer.body.toString()
      expect([answer.status, answer.status === 200 || text]).toEqual([200, true])
      expect(errorsIn(client, answer.body)).toEqual([])
      return { ...answer, text, state: stateOf(client, answer.body) }
    },
    async json(client, more = {}, request = {}) {
      const answer = await post(client, more, request)
      return { ...answer, json: JSON.parse(answer.body.toString()) as Json }
    },
    sent(index) {
      const request = upstream.requests[index]
      if (request === undefined) throw new Error(`The provider got no request number ${index}`)
      const body = JSON.parse(request.body.toString()) as Json
      const headers = request.headers as Record<string, string>
      expect(breaks(wire, body, { headers, vendor })).toEqual([])
      return body
    },
    async close() {
      await gateway.close(0)
      await upstream.close()
    },
  }
}

/** Runs that with a provider and a gateway of its own. */
export async function withCrossing(
  options: CrossingOptions,
  run: (crossing: Crossing) => Promise<void>,
): Promise<void> {
  const crossing = await startCrossing(options)
  try {
    await run(crossing)
  } finally {
    await crossing.close()
  }
}

export interface RulesOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly vendor?: string | undefined
  readonly isOwnSeal?: (seal: string) => boolean
}

/** What the API of that wire would refuse. */
export function breaks(wire: WireName, body: Json, options: RulesOptions = {}): Finding[] {
  const { headers = {}, vendor = 'openai', isOwnSeal } = options
  const seals = isOwnSeal === undefined ? {} : { isOwnSeal }
  if (wire === 'anthropic-messages') return validateAnthropic(body, { headers, ...seals })
  if (wire === 'openai-chat') return validateChat(body, { vendor })
  return validateResponses(body, seals)
}
