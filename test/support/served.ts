/**
 * A stream through `serveLive` without a socket: bytes of an upstream in, as the network cut them, bytes for the client
 * out, and what is known afterwards. With runs, or without: a stage that does not say that pieces pass it keeps any from
 * beginning, and so does an engine that gathers none; and a decoder that cannot be told a text is shown every frame. Neighbours: `run-streams.ts` makes the streams.
 */
import type { ServerResponse } from 'node:http'
import type { Place } from '../../src/base/bag.ts'
import type { Delivered } from '../../src/exchange/answer-out.ts'
import { createDeparture } from '../../src/exchange/departure.ts'
import { serveLive } from '../../src/exchange/live.ts'
import type { Timed } from '../../src/exchange/ticker.ts'
import { createWatch } from '../../src/exchange/watch.ts'
import type { LiveSink } from '../../src/exchange/attempted.ts'
import { createWholeFrames } from '../../src/exchange/whole-frames.ts'
import type { StreamEvent, WireName } from '../../src/event/event.ts'
import type { Engine, EngineOut } from '../../src/policy/engine.ts'
import type { AnswerStage } from '../../src/translate/answer-stage.ts'
import type { EncoderOptions, Wire } from '../../src/wire/wire.ts'
import { WIRES } from '../../src/wire/wires.ts'

export interface ServeOptions {
  readonly from: WireName
  readonly to: WireName
  readonly hasRuns: boolean
  createStages?(): readonly AnswerStage[]
  createEngine?(out: EngineOut): Engine
  readonly encoder?: EncoderOptions
  /** After so many pieces a minute passes in silence. */
  readonly silentAfter?: number
  /** After so many pieces the client goes away. */
  readonly leaveAfter?: number
}

export interface Served {
  readonly bytes: Buffer
  readonly delivered: Delivered
  /** How many events were read one by one. */
  readonly read: number
}

export async function serve(pieces: readonly Uint8Array[], options: ServeOptions): Promise<Served> {
  const { from, to, createEngine: create } = options
  const written: Buffer[] = []
  const clock = createClock()
  const client = createDeparture()
  let read = 0
  const counting: AnswerStage = {
    passes: () => options.hasRuns,
    push(event: StreamEvent) {
      read += 1
      return [event]
    },
    end: () => [],
  }
  let sink: LiveSink | undefined
  const done = serveLive({
    live: {
      type: 'stream',
      status: 200,
      headers: {},
      watch: createWatch(WIRES[from]),
      call: { pause() {}, resume() {}, abort() {} },
      take(given) {
        sink = given
      },
    },
    way: {
      wire: options.hasRuns ? WIRES[from] : withoutForms(WIRES[from]),
      isTranslated: from !== to,
      body: undefined,
      encoding: undefined,
      headers: {},
      losses: [],
      encoder: { now: () => 1, createId: () => 'made', issuer: 'up', ...options.encoder },
      createStages: () => [counting, ...(options.createStages?.() ?? [])],
      count: undefined,
    },
    wire: WIRES[to],
    response: toResponse(written),
    client,
    isChecked: true,
    countsEvents: true,
    beat: { ticker: clock, startedAt: 0, limits: NO_LIMITS, keepaliveMs: 10_000, name: 'up' },
    onHalt: undefined,
    createEngine:
      create === undefined
        ? undefined
        : (out) =>
            options.hasRuns ? create(out) : Object.assign(create(out), { gathers: () => false }),
  })
  const frames = createWholeFrames()
  for (const [at, piece] of pieces.entries()) {
    const whole = frames.push(Buffer.from(piece))
    if (whole !== undefined) sink?.onFrames(whole, false)
    if (at === options.silentAfter) clock.pass(61_000)
    if (at === options.leaveAfter) client.leave()
  }
  sink?.onEnd(frames.rest(), true)
  const delivered = await done
  return { bytes: Buffer.concat(written), delivered, read }
}

/** One whose decoder is never told a text: it reads every frame. */
const withoutForms = (wire: Wire): Wire => ({
  ...wire,
  createDecoder(options) {
    const { push, end } = wire.createDecoder(options)
    return { push, end }
  },
})

const DAY = 24 * 60 * 60 * 1000
const NO_LIMITS = { connect: DAY, firstByte: DAY, idle: DAY, total: DAY }

function createClock() {
  let time = 0
  const watching = new Set<Timed>()
  return {
    now: () => time,
    watch(timed: Timed) {
      watching.add(timed)
      return { item: timed, at: 0 }
    },
    unwatch: ({ item }: Place<Timed>) => void watching.delete(item),
    pass(ms: number): void {
      time += 1
      // What came before is timed at a tick of its own.
      for (const timed of watching) timed.look(time)
      time += ms
      for (const timed of watching) timed.look(time)
    },
  }
}

function toResponse(written: Buffer[]): ServerResponse {
  const take = (bytes?: Uint8Array): boolean => {
    if (bytes !== undefined) written.push(Buffer.from(bytes))
    return true
  }
  const nothing = (): void => {}
  const response = {
    socket: null,
    headersSent: true,
    on: nothing,
    off: nothing,
    flushHeaders: nothing,
    destroy: nothing,
    write: take,
    end: take,
  }
  return response as unknown as ServerResponse
}
