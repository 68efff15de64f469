/**
 * One answer through the real way of the gateway, without sockets: the upstream's bytes in pieces, the policies, and what
 * the client has been sent after each step. Whoever drives it decides when a verdict is there, so that every order of things
 * can be tried. Neighbours: `marked-answers.ts` makes answers whose every letter can be traced.
 */
import type { ServerResponse } from 'node:http'
import type { JsonObject } from '../../src/base/json.ts'
import type { WireName } from '../../src/event/event.ts'
import { createDeparture } from '../../src/exchange/departure.ts'
import type { LiveSink } from '../../src/exchange/attempted.ts'
import { serveLive, type LiveOptions } from '../../src/exchange/live.ts'
import { collectMade, writeMade } from '../../src/exchange/made.ts'
import type { Way } from '../../src/exchange/way.ts'
import { readWhole, throughStages } from '../../src/exchange/whole-events.ts'
import type { Ticker } from '../../src/exchange/ticker.ts'
import { createWholeFrames } from '../../src/exchange/whole-frames.ts'
import { Contexts, createEngine, type EngineOut } from '../../src/policy/engine.ts'
import type { PolicyHost } from '../../src/policy/host.ts'
import type { Decision, Installed, VerdictRecord } from '../../src/policy/policy.ts'
import { createStartEstimate } from '../../src/translate/estimate-start.ts'
import { WIRES } from '../../src/wire/wires.ts'
import { assemble, cut } from './pipeline.ts'
import { policyRequest } from './questions.ts'

export type How = 'live' | 'made' | 'json' | 'whole-json'

export interface GatedOptions {
  readonly upstream: WireName
  readonly client: WireName
  /** A stream as it comes, one that came whole, one that leaves as JSON, or JSON from end to end. */
  readonly how: How
  readonly bytes: Uint8Array
  readonly cuts: readonly number[]
  readonly installed: readonly Installed[]
  readonly ask?: () => Promise<Decision>
  /** After each step, with all that has left so far. `false`: nobody is left who takes time. */
  step(sent: string): boolean | Promise<boolean>
}

export interface Gated {
  readonly bytes: Buffer
  readonly text: string
  readonly records: readonly VerdictRecord[]
  /** The JSON body, of that way. */
  readonly body: JsonObject | undefined
  readonly isUntouched: boolean
}

export async function runGated(options: GatedOptions): Promise<Gated> {
  const { client, upstream } = options
  const wire = WIRES[client]
  const written: Buffer[] = []
  const records: VerdictRecord[] = []
  const host = createHost(records, options.ask)
  const contexts = new Contexts(host)
  const { installed } = options
  const leavesTogether = client === 'anthropic-messages'
  const engine = (out: EngineOut): ReturnType<typeof createEngine> =>
    createEngine({ installed, host, contexts, leavesTogether }, out)
  const way = createWay(upstream, client)
  const response = createResponse(written)
  const departure = createDeparture()
  const shared = { wire, response, client: departure, isChecked: true, createEngine: engine }
  const sent = (): string => Buffer.concat(written).toString()
  const give = (body?: JsonObject, isUntouched = false): Gated => {
    const bytes = body === undefined ? Buffer.concat(written) : Buffer.from(JSON.stringify(body))
    return { bytes, text: bytes.toString(), records, body, isUntouched }
  }
  const events = (): ReturnType<typeof throughStages> => {
    const streamed = readWhole(way.wire, Buffer.from(options.bytes))
    const read =
      options.how === 'whole-json'
        ? way.wire.readAnswer(way.wire.writeAnswer(assemble(streamed)).body)
        : streamed
    return throughStages(read, way.createStages())
  }

  if (options.how === 'json' || options.how === 'whole-json') {
    const made = collectMade([...events()], { ...shared, encoder: way.encoder })
    await drive(made, options, () => '')
    const { body, fault, isUntouched } = await made
    return give(body ?? { error: fault }, isUntouched)
  }
  if (options.how === 'made') {
    const createBeat = (): ReturnType<Parameters<typeof writeMade>[1]['createBeat']> => BEAT
    const made = writeMade(events(), { ...shared, encoder: way.encoder, createBeat })
    await drive(made, options, sent)
    await made
    return give()
  }
  let sink: LiveSink | undefined
  let isAborted = false
  const call = { pause() {}, resume() {}, abort: () => void (isAborted = true) }
  const live = { call, take: (to: LiveSink) => void (sink = to) }
  const done = serveLive({
    ...shared,
    live,
    way,
    countsEvents: false,
    onHalt: undefined,
    beat: { ticker: TICKER, startedAt: 0, limits: LIMITS, keepaliveMs: Infinity, name: 'up' },
  } as unknown as LiveOptions)
  const frames = createWholeFrames()
  for (const piece of cut(options.bytes, options.cuts)) {
    if (isAborted) break
    const whole = frames.push(Buffer.from(piece))
    if (whole !== undefined) sink?.onFrames(whole, false)
    await settle()
    await options.step(sent())
  }
  if (!isAborted) sink?.onEnd(frames.rest(), true)
  await drive(done, options, sent)
  const { isVerbatim } = await done
  return give(undefined, isVerbatim)
}

/** Until it is over, or nobody is left who could end it. */
async function drive(
  work: Promise<unknown>,
  { step }: GatedOptions,
  sent: () => string,
): Promise<void> {
  let isOver = false
  void work.finally(() => (isOver = true))
  for (let idle = 0; idle < 200;) {
    await settle()
    const isGoing = await step(sent())
    if (isOver) return
    idle = isGoing ? 0 : idle + 1
    if (idle > 5) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  throw new Error('The answer never ended')
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const LIMITS = { connect: 1e9, firstByte: 1e9, idle: 1e9, total: 1e9 }
const TICKER: Ticker = { watch: (item) => ({ item, at: 0 }), unwatch() {}, now: () => 0 }
const BEAT = {
  came() {},
  said() {},
  passed() {},
  paused() {},
  resumed() {},
  over() {},
  stop() {},
}

const createResponse = (written: Buffer[]): ServerResponse =>
  ({
    socket: null,
    write(bytes: Uint8Array) {
      written.push(Buffer.from(bytes))
      return true
    },
    end(bytes?: Uint8Array) {
      if (bytes !== undefined) written.push(Buffer.from(bytes))
    },
    on() {},
    off() {},
    flushHeaders() {},
    destroy() {},
  }) as unknown as ServerResponse

function createWay(upstream: WireName, client: WireName): Way {
  const isEstimated = client === 'anthropic-messages' && upstream !== client
  let ids = 0
  return {
    wire: WIRES[upstream],
    isTranslated: upstream !== client,
    body: undefined,
    encoding: undefined,
    headers: {},
    losses: [],
    encoder: upstream === client ? {} : { issuer: 'up', createId: () => `id${++ids}` },
    createStages: () => (isEstimated ? [createStartEstimate(() => 9)] : []),
    count: undefined,
  }
}

export function createHost(
  records: VerdictRecord[],
  ask: () => Promise<Decision> = () => Promise.reject(new Error('Nobody')),
): PolicyHost {
  const memory = new Map<unknown, unknown>()
  return {
    exchangeId: 'exchange-1',
    client: { key: undefined, agent: undefined },
    request: policyRequest(),
    now: () => 0,
    tick: () => 0,
    onLeave: () => () => {},
    log: () => ({ info() {}, warn() {} }),
    memoryOf(policy) {
      if (!memory.has(policy)) memory.set(policy, policy.memory?.())
      return memory.get(policy)
    },
    callModel: () => Promise.reject(new Error('No model')),
    ask,
    checkArguments: () => undefined,
    haltedBy: () => undefined,
    onVerdict: (record) => void records.push(record),
  }
}
