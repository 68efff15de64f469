/**
 * An answer to the client, by the shortest way that serves it: bytes as they came where nobody acts and
 * the form is the one asked for, else events. Neighbours: `exchange.ts` has the answer, `relay.ts` and
 * `live.ts` and `made.ts` are the ways.
 */
import { stringifyExact } from '../base/json-exact.ts'
import type { StreamState } from '../block/state.ts'
import type { StreamEvent } from '../event/event.ts'
import type { Tape } from '../store/tape.ts'
import type { Headers } from '../upstream/upstream.ts'
import { randomId } from '../wire/ids.ts'
import type { AnswerFacts, Wire } from '../wire/wire.ts'
import type { Delivered } from './answer-out.ts'
import type { Attempted, JsonAnswer, Live } from './attempted.ts'
import { bytesSaidBy } from './bytes-said.ts'
import type { Departure } from './departure.ts'
import type { Draft } from './draft.ts'
import type { ExchangeInput } from './exchange.ts'
import { toStatus } from './fault-status.ts'
import { haltedNow, onHalt, refuseHalted } from './halted.ts'
import { countsEvents, toClient } from './headers.ts'
import { createHeartbeat, type HeartbeatOptions } from './heartbeat.ts'
import { mergeLosses, toLossHeader } from './losses.ts'
import type { Memory } from './memory.ts'
import { collectMade, writeMade } from './made.ts'
import type { ExchangePolicies } from './policies.ts'
import { refuse } from './refuse.ts'
import { relay, type Relayed } from './relay.ts'
import type { ExchangeReport } from './report.ts'
import type { Target } from './target.ts'
import { serveLive } from './live.ts'
import type { Way } from './way.ts'
import { readExactly } from './whole-answer.ts'
import { readFacts, readWhole, throughStages } from './whole-events.ts'

export interface Delivery {
  readonly input: ExchangeInput
  readonly wire: Wire
  readonly draft: Draft
  /** Whoever acts on the answer. */
  readonly policies: ExchangePolicies | undefined
  readonly result: Exclude<Attempted, { type: 'failed' | 'left' }>
  readonly target: Target | undefined
  readonly way: Way
  /** What is kept of the answer for the turns that follow; nothing, where it stays as it is. */
  readonly memory: Memory | undefined
  readonly wantsStream: boolean
  readonly client: Departure
}

/** Not `async`, nor are its ways for streams: whoever waits for a promise has six small things for as long as the stream takes. */
export function deliver(delivery: Delivery): Promise<ExchangeReport> | ExchangeReport {
  const { result, way, wantsStream, policies } = delivery
  const halted = haltedNow(delivery)
  if (halted !== undefined) {
    if (result.type === 'stream') result.call.abort()
    return refuseHalted(delivery, halted)
  }
  if (result.type === 'stream') {
    const isRead = policies !== undefined || way.isTranslated
    return isRead ? readStream(delivery, result) : passStream(delivery, result)
  }
  if (result.type === 'json' && delivery.input.endpoint.kind !== 'answer')
    return passBody(delivery, result.headers, result.body, undefined)
  if (result.type === 'json' && policies === undefined && !way.isTranslated && !wantsStream)
    return passUnread(delivery, result)
  const read =
    result.type === 'json'
      ? way.wire.readAnswer(readExactly(way.wire, result), { createId: randomId })
      : readWhole(way.wire, result.body)
  const events = throughStages(read, way.createStages())
  return wantsStream ? makeStream(delivery, events) : makeBody(delivery, events)
}

/** Frame by frame through whoever acts, from the upstream's wire to the client's. */
function readStream(delivery: Delivery, live: Live): Promise<ExchangeReport> {
  const { input, wire, client, target, way, policies } = delivery
  writeStreamHead(delivery, live.headers)
  const delivered = serveLive({
    createEngine: policies?.createEngine,
    live,
    way,
    wire,
    response: input.response,
    client,
    countsEvents: countsEvents(input.request.headers),
    isChecked: input.room.isChecked(),
    tape: delivery.draft.tape,
    beat: beatOptions(delivery, target),
    onHalt: policies?.holdsCalls === true ? undefined : onHalt(delivery),
  })
  return delivered.then((all) => finishStream(delivery, all))
}

/** As it came, frame by frame. */
function passStream(delivery: Delivery, live: Live): Promise<ExchangeReport> {
  const { input, draft, client, target } = delivery
  writeStreamHead(delivery, live.headers)
  const relayed = relay({
    live,
    response: input.response,
    client,
    countsEvents: countsEvents(input.request.headers),
    beat: beatOptions(delivery, target),
    onHalt: onHalt(delivery),
    tape: draft.tape,
  })
  return relayed.then((all) => finishPassed(delivery, live, all))
}

function finishPassed(
  delivery: Delivery,
  { watch }: Live,
  { fault, hasLeft, bytesOut }: Relayed,
): ExchangeReport {
  const { draft } = delivery
  draft.bytesOut += bytesOut
  const said = {
    answerId: watch.id,
    answerModel: watch.model,
    usage: watch.usage,
    finishReason: watch.finishReason,
    losses: delivery.way.losses,
  }
  noteOrigin(delivery, watch.id)
  // SDKs hang up at the last event, or at an error, and do not wait for the connection to end.
  const hasHeardAll = watch.isStopped || watch.hasSaidError
  if (hasLeft && !hasHeardAll) return draft.leave(said)
  const why = fault ?? (hasLeft ? watch.fault : undefined)
  return draft.finish(
    Object.assign(said, {
      outcome: why === undefined ? ('done' as const) : ('broken' as const),
      status: 200,
      fault: why,
    }),
  )
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
  const delivered = await writeMade(events, {
    wire: delivery.wire,
    client: delivery.client,
    createEngine: delivery.policies?.createEngine,
    encoder: delivery.way.encoder,
    isChecked: delivery.input.room.isChecked(),
    tape: delivery.draft.tape,
    response,
    createBeat,
    onHalt: delivery.policies?.holdsCalls === true ? undefined : onHalt(delivery),
  })
  return finishStream(delivery, delivered)
}

function finishStream(delivery: Delivery, acted: Delivered): ExchangeReport {
  const { draft, client, way } = delivery
  draft.bytesOut += acted.bytesOut
  draft.bytesSaid = bytesSaidBy(acted.state)
  const { fault, violations } = acted
  // No spread: one of many fields is slow (docs/performance.md).
  const said = Object.assign(saidBy(acted.state), {
    losses: mergeLosses(way.losses, acted.losses),
    violations,
  })
  if (acted.isVerbatim) {
    noteOrigin(delivery, acted.state.id)
    delivery.memory?.keepUntouched(acted.state, acted.bytesOut)
  } else {
    if (delivery.policies !== undefined) noteOrigin(delivery, acted.state.id, true)
    delivery.memory?.keepStream(acted.state, acted.terminal, acted.bytesOut)
  }
  // As above: who hangs up behind the last event has heard it all.
  if (client.hasLeft && !acted.isHeard) return draft.leave(said)
  return draft.finish(
    Object.assign(said, {
      outcome: fault === undefined ? ('done' as const) : ('broken' as const),
      status: 200,
      fault,
    }),
  )
}

/** One JSON body from events. */
async function makeBody(
  delivery: Delivery,
  events: Iterable<StreamEvent>,
): Promise<ExchangeReport> {
  const { input, wire, draft, client } = delivery
  const { result } = delivery
  const { way } = delivery
  const acted = await collectMade([...events], {
    wire,
    client,
    createEngine: delivery.policies?.createEngine,
    encoder: way.encoder,
  })
  const { body, fault, state } = acted
  draft.bytesSaid = bytesSaidBy(state)
  const losses = mergeLosses(way.losses, acted.losses)
  const said = { ...saidBy(state), losses }
  if (client.hasLeft) return draft.leave(said)
  // Somebody may have stopped all calls while a policy took its time.
  const halted = haltedNow(delivery)
  if (halted !== undefined) return refuseHalted(delivery, halted)
  if (fault !== undefined || body === undefined) {
    const error = fault ?? { kind: 'internal' as const, message: 'The answer could not be written' }
    const status = toStatus(error.kind, wire.name)
    draft.firstByte()
    draft.refused(refuse(input, wire, { fault: error, status }))
    return draft.finish({ outcome: 'upstream-error', status, fault: error, ...said })
  }
  // What nobody touched leaves as it came.
  if (result.type === 'json' && acted.isUntouched && !way.isTranslated)
    return passSame(delivery, result, state)
  noteOrigin(delivery, state.id, delivery.policies !== undefined)
  const bytes = Buffer.from(stringifyExact(body))
  delivery.memory?.keepBody(state, body, bytes.length)
  return passBody(delivery, delivery.result.headers, bytes, state, losses)
}

/** What nobody reads. */
function passUnread(delivery: Delivery, { headers, body, json }: JsonAnswer): ExchangeReport {
  const facts = readFacts(delivery.way.wire, json)
  noteOrigin(delivery, facts.id)
  return passBody(delivery, headers, body, facts)
}

/** What nobody touched, and its upstream keeps. */
function passSame(
  delivery: Delivery,
  { headers, body }: JsonAnswer,
  state: StreamState,
): ExchangeReport {
  noteOrigin(delivery, state.id)
  delivery.memory?.keepUntouched(state, body.length)
  return passBody(delivery, headers, body, state)
}

/** A JSON body, as it is. */
function passBody(
  delivery: Delivery,
  headers: Headers,
  body: Buffer,
  state: AnswerFacts | undefined,
  losses: ExchangeReport['losses'] = delivery.way.losses,
): ExchangeReport {
  const { input, draft, result, way } = delivery
  const own = toClient(headers, way.wire.name !== delivery.wire.name)
  if (!/^application\/(?:[\w.+-]+\+)?json/i.test(own['content-type'] ?? ''))
    own['content-type'] = 'application/json'
  draft.firstByte()
  if (losses.length > 0) Object.assign(own, toLossHeader(losses))
  own['content-length'] = String(body.length)
  own['x-request-id'] = input.id
  input.response.writeHead(result.status, own)
  input.response.end(body)
  if (draft.tape !== undefined) tellBody(draft.tape, result, body)
  draft.bytesOut += body.length
  return draft.finish({
    outcome: 'done',
    status: result.status,
    losses,
    ...(state === undefined ? {} : saidBy(state)),
  })
}

/** What leaves as it came is not kept twice. */
function tellBody(tape: Tape, result: Delivery['result'], body: Buffer): void {
  if (result.type !== 'stream' && result.body === body) tape.same()
  else tape.left(body)
}

function writeStreamHead({ input, draft, way, wire }: Delivery, headers: Headers): void {
  const own = toClient(headers, way.wire.name !== wire.name)
  if (!/^text\/event-stream/i.test(own['content-type'] ?? ''))
    own['content-type'] = 'text/event-stream; charset=utf-8'
  draft.firstByte()
  own['cache-control'] = 'no-cache, no-transform'
  own['x-accel-buffering'] = 'no'
  own['x-request-id'] = input.id
  if (way.losses.length > 0) Object.assign(own, toLossHeader(way.losses))
  input.response.writeHead(200, own)
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

/** `isChanged`: not as its upstream keeps it. */
function noteOrigin(
  { input, target, wire, way, policies, draft }: Delivery,
  id: string | undefined,
  isChanged = false,
): void {
  // What another wire answered is in no upstream's books.
  if (way.wire.name !== wire.name) return
  if (wire.name !== 'openai-responses' || id === undefined || target === undefined) return
  const conversation = draft.conversation ?? policies?.conversationId()
  input.room.origins.note(input.client.key, id, target.settings.name, {
    ...(isChanged ? { isChanged } : {}),
    ...(conversation === undefined ? {} : { conversation }),
  })
}

const saidBy = (
  state: AnswerFacts,
): Pick<ExchangeReport, 'answerId' | 'answerModel' | 'usage' | 'finishReason'> => ({
  answerId: state.id,
  answerModel: state.model,
  usage: state.usage,
  finishReason: state.finishReason,
})
