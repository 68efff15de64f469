/**
 * An answer to the client, by the shortest way that serves it: bytes as they came where nobody acts and
 * the form is the one asked for, else events. Neighbours: `exchange.ts` has the answer, `relay.ts` and
 * `acted.ts` are the ways.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { createAssembler } from '../block/assemble.ts'
import type { StreamState } from '../block/state.ts'
import type { StreamEvent } from '../event/event.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import type { Headers } from '../upstream/upstream.ts'
import type { Wire } from '../wire/wire.ts'
import { writeJson, writeStream, type Acted, type Actor } from './acted.ts'
import type { Attempted, Live } from './attempted.ts'
import type { Departure } from './departure.ts'
import type { Draft } from './draft.ts'
import type { ExchangeInput } from './exchange.ts'
import { toStatus } from './fault-status.ts'
import { toClient } from './headers.ts'
import { createHeartbeat, type HeartbeatOptions } from './heartbeat.ts'
import { createLiveReader } from './read-live.ts'
import { refuse } from './refuse.ts'
import { relay } from './relay.ts'
import type { ExchangeReport } from './report.ts'
import type { Target } from './target.ts'

export interface Delivery {
  readonly input: ExchangeInput
  readonly wire: Wire
  readonly draft: Draft
  readonly actor: Actor | undefined
  readonly result: Exclude<Attempted, { type: 'failed' | 'left' }>
  readonly target: Target | undefined
  readonly wantsStream: boolean
  readonly client: Departure
}

export async function deliver(delivery: Delivery): Promise<ExchangeReport> {
  const { result, wire, wantsStream, actor } = delivery
  if (result.type === 'stream')
    return actor === undefined ? passStream(delivery, result) : actOnStream(delivery, result)
  if (result.type === 'json' && delivery.input.endpoint.kind !== 'answer')
    return passBody(delivery, result.headers, result.body, undefined)
  const events =
    result.type === 'json' ? wire.readAnswer(result.json) : readWhole(wire, result.body)
  if (wantsStream) return makeStream(delivery, events)
  if (result.type === 'json' && actor === undefined)
    return passBody(delivery, result.headers, result.body, collect(events))
  return makeBody(delivery, events)
}

/** As it came, frame by frame. */
async function passStream(delivery: Delivery, live: Live): Promise<ExchangeReport> {
  const { input, draft, client, target } = delivery
  writeStreamHead(delivery, live.headers)
  // Committed by time: the client learns now that an answer comes. Else the head goes with its first bytes.
  if (!live.watch.hasContent) input.response.flushHeaders()
  const { fault, hasLeft, bytesOut } = await relay({
    live,
    response: input.response,
    client,
    countsEvents: countsEvents(input.request.headers),
    ...beatOptions(delivery, target),
  })
  draft.bytesOut += bytesOut
  const { watch } = live
  const said = {
    answerId: watch.id,
    answerModel: watch.model,
    usage: watch.usage,
    finishReason: watch.finishReason,
  }
  noteOrigin(delivery, watch.id)
  // SDKs hang up at the last event, or at an error, and do not wait for the connection to end.
  const hasHeardAll = watch.isStopped || watch.hasSaidError
  if (hasLeft && !hasHeardAll) return draft.leave(said)
  const why = fault ?? (hasLeft ? watch.fault : undefined)
  return draft.finish({
    outcome: why === undefined ? 'done' : 'broken',
    status: 200,
    fault: why,
    ...said,
  })
}

async function actOnStream(delivery: Delivery, live: Live): Promise<ExchangeReport> {
  const { wire, target } = delivery
  const { signal } = delivery.client
  writeStreamHead(delivery, live.headers)
  delivery.input.response.flushHeaders()
  const reader = createLiveReader({ wire, live, signal, onCame: () => beat?.came() })
  let beat: ReturnType<typeof createHeartbeat> | undefined
  try {
    const acted = await writeStream(reader.events, {
      ...delivery,
      signal,
      response: delivery.input.response,
      createBeat: (keepalive) =>
        (beat = createHeartbeat(beatOptions(delivery, target), {
          keepalive: (asEvent) =>
            keepalive(asEvent && countsEvents(delivery.input.request.headers)),
          expired: reader.fail,
          stalled: () => delivery.input.response.destroy(),
        })),
    })
    return finishStream(delivery, acted)
  } finally {
    // Whoever acts may have read nothing at all.
    live.call.abort()
  }
}

/** A stream from an answer that came whole. */
async function makeStream(
  delivery: Delivery,
  events: Iterable<StreamEvent>,
): Promise<ExchangeReport> {
  writeStreamHead(delivery, delivery.result.headers)
  const { response } = delivery.input
  response.flushHeaders()
  // All of it is here: what is waited for is whoever acts, and a client that reads, and not for ever.
  const createBeat = (keepalive: (asEvent: boolean) => void): ReturnType<typeof createHeartbeat> =>
    createHeartbeat(beatOptions(delivery, delivery.target), {
      keepalive: (asEvent) => keepalive(asEvent && countsEvents(delivery.input.request.headers)),
      expired() {},
      stalled: () => response.destroy(),
    })
  return finishStream(
    delivery,
    await writeStream(events, {
      ...delivery,
      signal: delivery.client.signal,
      response,
      createBeat,
    }),
  )
}

function finishStream(delivery: Delivery, acted: Acted): ExchangeReport {
  const { draft, client, input } = delivery
  input.response.end()
  draft.bytesOut += acted.bytesOut
  const { fault, losses, violations } = acted
  const said = { ...saidBy(acted.state), losses, violations }
  noteOrigin(delivery, acted.state.id)
  // As above: who hangs up behind the last event has heard it all.
  if (client.hasLeft && !acted.isHeard) return draft.leave(said)
  return draft.finish({
    outcome: fault === undefined ? 'done' : 'broken',
    status: 200,
    fault,
    ...said,
  })
}

/** One JSON body from events. */
async function makeBody(
  delivery: Delivery,
  events: Iterable<StreamEvent>,
): Promise<ExchangeReport> {
  const { input, wire, draft, client } = delivery
  const { result } = delivery
  const acted = await writeJson([...events], { ...delivery, signal: client.signal })
  const { body, fault, state, losses } = acted
  const said = { ...saidBy(state), losses }
  if (client.hasLeft) return draft.leave(said)
  if (fault !== undefined || body === undefined) {
    const error = fault ?? { kind: 'internal' as const, message: 'The answer could not be written' }
    const status = toStatus(error.kind, wire.name)
    draft.firstByte()
    refuse(input, wire, { fault: error, status })
    return draft.finish({ outcome: 'upstream-error', status, fault: error, ...said })
  }
  // What nobody touched leaves as it came.
  if (result.type === 'json' && acted.isUntouched)
    return passBody(delivery, result.headers, result.body, state)
  const bytes = Buffer.from(JSON.stringify(body))
  return passBody(delivery, delivery.result.headers, bytes, state, losses)
}

/** A JSON body, as it is. */
function passBody(
  delivery: Delivery,
  headers: Headers,
  body: Buffer,
  state: StreamState | undefined,
  losses: ExchangeReport['losses'] = [],
): ExchangeReport {
  const { input, draft, result } = delivery
  const own = toClient(headers)
  if (!/^application\/(?:[\w.+-]+\+)?json/i.test(own['content-type'] ?? ''))
    own['content-type'] = 'application/json'
  draft.firstByte()
  input.response.writeHead(result.status, {
    ...own,
    'content-length': body.length,
    'x-request-id': input.id,
  })
  input.response.end(body)
  draft.bytesOut += body.length
  noteOrigin(delivery, state?.id)
  return draft.finish({
    outcome: 'done',
    status: result.status,
    losses,
    ...(state === undefined ? {} : saidBy(state)),
  })
}

function writeStreamHead({ input, draft }: Delivery, headers: Headers): void {
  const own = toClient(headers)
  if (!/^text\/event-stream/i.test(own['content-type'] ?? ''))
    own['content-type'] = 'text/event-stream; charset=utf-8'
  draft.firstByte()
  input.response.writeHead(200, {
    ...own,
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'x-request-id': input.id,
  })
}

function beatOptions({ input, draft }: Delivery, target: Target | undefined): HeartbeatOptions {
  const limits = target?.settings.limits
  return {
    ticker: input.room.ticker,
    startedAt: draft.startedTick,
    limits: limits ?? { connect: 0, firstByte: 0, idle: Infinity, total: Infinity },
    keepaliveMs: input.room.keepaliveMs,
    name: target?.settings.name ?? '',
  }
}

/** Codex says its name in both. */
const countsEvents = ({ originator, 'user-agent': agent }: IncomingHttpHeaders): boolean =>
  /^codex/i.test(String(originator ?? agent ?? ''))

function noteOrigin({ input, target, wire }: Delivery, id: string | undefined): void {
  if (wire.name === 'openai-responses' && id !== undefined && target !== undefined)
    input.room.origins.note(input.client.key, id, target.settings.name)
}

const saidBy = (
  state: StreamState,
): Pick<ExchangeReport, 'answerId' | 'answerModel' | 'usage' | 'finishReason'> => ({
  answerId: state.id,
  answerModel: state.model,
  usage: state.usage,
  finishReason: state.finishReason,
})

function collect(events: Iterable<StreamEvent>): StreamState {
  const assembler = createAssembler()
  for (const event of events) assembler.apply(event)
  return assembler.state
}

function* readWhole(wire: Wire, body: Buffer): Generator<StreamEvent> {
  const framer = createFrameDecoder()
  const decoder = wire.createDecoder()
  for (const frame of [...framer.push(body), ...framer.end()]) yield* decoder.push(frame)
  yield* decoder.end()
}
