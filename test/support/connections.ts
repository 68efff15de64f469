/**
 * A provider, a gateway before it and clients, for the tests of what happens between their sockets.
 * Neighbours: `test/support/` has the three; the `connections-*.test.ts` of test/gateway/ use them together.
 */
import { expect } from 'vitest'
import type { Settings } from '../../src/config/settings.ts'
import type { WireName } from '../../src/event/event.ts'
import type { GatewayOptions } from '../../src/server/gateway.ts'
import type { HttpUpstreamSettings } from '../../src/upstream/settings.ts'
import { WIRES } from '../../src/wire/wires.ts'
import { allTo, ask, httpUpstream, PATHS, startTestGateway, type TestGateway } from './gateway.ts'
import { lint } from './pipeline.ts'
import { sendRequest, type RawAnswer, type RawCall, type RawRequest } from './raw-client.ts'
import { SMALL } from './small-streams.ts'
import { stateOf } from './streams.ts'
import { startUpstream, type TestUpstream } from './upstream.ts'

export interface Pair {
  readonly upstream: TestUpstream
  readonly gateway: TestGateway
  /** A client of that wire asks for a stream, or for what `more` says. */
  post(wire: WireName, more?: object, request?: RawRequest): RawCall
  /** All of it, gateway first. Resolves to the time that the gateway took, in milliseconds. */
  close(): Promise<number>
}

export interface PairOptions {
  readonly up?: Partial<HttpUpstreamSettings>
  readonly settings?: Partial<Settings>
  readonly options?: Omit<GatewayOptions, 'onReport'>
}

export async function startPair({ up, settings, options }: PairOptions = {}): Promise<Pair> {
  const upstream = await startUpstream()
  const gateway = await startTestGateway(
    { ...allTo(httpUpstream(upstream.url, up)), ...settings },
    options,
  )
  return {
    upstream,
    gateway,
    post: (wire, more, request) => post(gateway, wire, more, request),
    async close() {
      const startedAt = performance.now()
      await gateway.close(0)
      const took = performance.now() - startedAt
      await upstream.close()
      return took
    },
  }
}

export const post = (
  gateway: { readonly url: string },
  wire: WireName,
  more: object = { stream: true },
  request: RawRequest = {},
): RawCall => sendRequest(gateway.url + PATHS[wire], { body: ask(wire, more), ...request })

/** Runs that with a provider and a gateway of its own. */
export async function withPair(
  options: PairOptions,
  run: (pair: Pair) => Promise<void>,
): Promise<void> {
  const pair = await startPair(options)
  try {
    await run(pair)
  } finally {
    await pair.close()
  }
}

export const LIMITS = { connect: 2000, firstByte: 10_000, idle: 10_000, total: 60_000 }

/** The small answer of a wire, frame by frame. */
export const framesOf = (wire: WireName): readonly string[] =>
  SMALL[wire].split(/(?<=\n\n)/).filter((frame) => frame !== '')

/** So many frames that there is content among them, and no finish. */
const BEGUN = { 'anthropic-messages': 5, 'openai-chat': 3, 'openai-responses': 5 } as const
export const begunOf = (wire: WireName): string => framesOf(wire).slice(0, BEGUN[wire]).join('')

/** The same, and a piece of the next frame. */
export const tornOf = (wire: WireName): string =>
  begunOf(wire) + (framesOf(wire)[BEGUN[wire]] ?? '').slice(0, 45)

/** What breaks the grammar of the wire in those bytes, by rule. */
export const errorsIn = (wire: WireName, body: Uint8Array): readonly string[] =>
  lint(wire, body)
    .filter(({ severity }) => severity === 'error')
    .map(({ rule, message }) => `${rule} ${message}`)

/** Sees that a client was told by status, in the words of its wire, and read all of it. */
export function expectStatus(wire: WireName, answer: RawAnswer, status: number): string {
  expect([answer.status, answer.end]).toEqual([status, 'whole'])
  expect(answer.headers['content-type']).toMatch(/^application\/json/)
  const body = JSON.parse(answer.body.toString()) as Record<string, unknown>
  expect(WIRES[wire].recognise(body)).toBe('error')
  return WIRES[wire].readError(body).message
}

/** Sees that an answer broke off as its wire does: an error event, legal frames, a proper end. */
export function expectBroken(wire: WireName, answer: RawAnswer): string {
  expect([answer.status, answer.end]).toEqual([200, 'whole'])
  expect(errorsIn(wire, answer.body)).toEqual([])
  const state = stateOf(wire, answer.body)
  expect(state.error).toBeDefined()
  return state.error?.message ?? ''
}
