/**
 * One gateway before a validating provider of each wire: any client on any of them. Neighbours:
 * `validating-upstream.ts`, `talk*.ts`; the `nine-*.test.ts` of test/gateway/ use it.
 */
import { expect } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { allTo, httpUpstream, route, startTestGateway, type TestGateway } from './gateway.ts'
import type { Place } from './sdk-flow.ts'
import type { Scripted } from './scripted.ts'
import { talkByChat } from './talk-chat.ts'
import { talkByMessages } from './talk-messages.ts'
import { talkByResponses } from './talk-responses.ts'
import type { OpenTalk } from './talk.ts'
import { startValidatingUpstream, type ValidatingUpstream } from './validating-upstream.ts'

/** The upstreams, by the model that leads to them; each has rules of its own beside those of its wire. */
export const MODELS = {
  anthropic: 'claude-opus-4-5',
  openai: 'gpt-4.1',
  deepseek: 'deepseek-reasoner',
  responses: 'gpt-5.5',
} as const
export type UpstreamName = keyof typeof MODELS

export const UPSTREAM_WIRES: Readonly<Record<UpstreamName, WireName>> = {
  anthropic: 'anthropic-messages',
  openai: 'openai-chat',
  deepseek: 'openai-chat',
  responses: 'openai-responses',
}

export const TALKS: Readonly<Record<WireName, OpenTalk>> = {
  'anthropic-messages': talkByMessages,
  'openai-chat': talkByChat,
  'openai-responses': talkByResponses,
}

export interface Nine {
  readonly gateway: TestGateway
  readonly upstreams: Readonly<Record<UpstreamName, ValidatingUpstream>>
  /** Where clients of that wire ask. */
  place(wire: WireName): Place
  /** Begins anew: that upstream will say these turns. */
  script(name: UpstreamName, ...turns: readonly Scripted[]): ValidatingUpstream
  close(): Promise<void>
}

export async function startNine(): Promise<Nine> {
  const names = Object.keys(MODELS) as UpstreamName[]
  const calls = new Set<string>()
  const started = await Promise.all(
    names.map((name) =>
      startValidatingUpstream({
        wire: UPSTREAM_WIRES[name],
        calls,
        ...(name === 'deepseek' ? { vendor: name } : {}),
      }),
    ),
  )
  const upstreams = Object.fromEntries(
    names.map((name, i) => [name, started[i]]),
  ) as unknown as Nine['upstreams']
  const gateway = await startTestGateway({
    ...allTo(
      ...names.map((name) =>
        httpUpstream(upstreams[name].url, {
          name,
          wires: [UPSTREAM_WIRES[name]],
          apiKey: 'sk-upstream',
          vendor: name === 'responses' ? 'openai' : name,
        }),
      ),
    ),
    routes: [...names.map((name) => route(MODELS[name], name)), route('claude-*', 'anthropic')],
  })
  return {
    gateway,
    upstreams,
    place: (wire) => ({
      baseUrl: wire === 'anthropic-messages' ? gateway.url : `${gateway.url}/v1`,
      apiKey: 'sk-client',
    }),
    script(name, ...turns) {
      const upstream = upstreams[name]
      upstream.reset()
      upstream.script(...turns)
      return upstream
    },
    async close() {
      await gateway.close(0)
      await Promise.all(started.map((upstream) => upstream.close()))
    },
  }
}

/** Nothing was refused, and so many requests came. */
export function expectClean(upstream: ValidatingUpstream, requests: number): void {
  expect(upstream.findings).toEqual([])
  expect(upstream.bodies.length).toBe(requests)
}

/** Everything that a test is run with: each client on each upstream, by stream and as JSON. */
export interface Pair {
  readonly client: WireName
  readonly name: UpstreamName
  readonly stream: boolean
}

export function pairs(...names: readonly UpstreamName[]): [string, Pair][] {
  return (Object.keys(TALKS) as WireName[]).flatMap((client) =>
    names.flatMap((name) =>
      [true, false].map((stream): [string, Pair] => [
        `${client} on ${name} ${stream ? 'by stream' : 'as JSON'}`,
        { client, name, stream },
      ]),
    ),
  )
}

/** One pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
