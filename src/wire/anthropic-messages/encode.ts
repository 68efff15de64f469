/**
 * Events to Anthropic frames. Neighbours: `../encoder.ts` lets frames pass that nobody touched and
 * calls this writer for the rest; `content-writer.ts` writes the blocks. Together they own the grammar
 * of the wire: blocks one after another, dense indices, no empty text, one signature at the end of a
 * thinking block, a stop reason that agrees with what was delivered.
 */
import { toObject, type JsonObject } from '../../base/json.ts'
import type { EventOf, StreamEvent, WireName } from '../../event/event.ts'
import type { StreamFault } from '../../event/fault.ts'
import { cutReason, laterReason, type FinishReason } from '../../event/finish.ts'
import { createLossList } from '../../event/loss.ts'
import { mergeUsage, type Usage } from '../../event/usage.ts'
import { writeEvent, type Written } from '../../sse/encode.ts'
import { createEncoder as createModes, type Writer } from '../encoder.ts'
import { randomId, toAnswerId } from '../ids.ts'
import type { Encoder, EncoderOptions } from '../wire.ts'
import { createContentWriter } from './content-writer.ts'
import { NAME } from './json.ts'
import { writeError, writeStopReason, writeUsage } from './terms.ts'

export const createEncoder = (options: EncoderOptions = {}): Encoder =>
  createModes(NAME, createWriter(options))

function createWriter(options: EncoderOptions): Writer {
  const createId = options.createId ?? randomId
  const losses = createLossList()
  let source: WireName | undefined
  let isStarted = false
  let isOver = false
  let fault: StreamFault | undefined
  let hasSaidEnd = false
  let out: Written[] = []
  let reason: FinishReason | undefined
  let finish: EventOf<'finish'> | undefined
  let usage: Usage | undefined
  let usageEvent: EventOf<'usage'> | undefined

  const emit = (type: string, payload: object): void => {
    out.push(writeEvent(type, JSON.stringify({ type, ...payload })))
  }

  const content = createContentWriter({
    emit,
    emitRaw: (frame) => out.push(frame),
    losses,
    source: () => source,
    issuer: options.issuer,
    usedIds: options.usedIds,
    onBroken: (message) => fail({ kind: 'bad-stream', message }),
  })

  function start(event?: EventOf<'message-start'>): void {
    if (isStarted) return
    isStarted = true
    const vendor = event?.wire === NAME ? event.vendor : undefined
    const message = {
      id: toAnswerId(event, { prefix: 'msg_', wire: NAME, createId }),
      type: 'message',
      role: 'assistant',
      model: event?.model ?? '',
      ...vendor,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: toObject(vendor?.['usage']) ?? { ...writeUsage(event?.usage), output_tokens: 0 },
    }
    emit('message_start', { message })
  }

  function stop(): void {
    start()
    content.close()
    if (isOver) return
    isOver = true
    if (!hasSaidEnd)
      emit('message_delta', { delta: endOf(), usage: endUsage(), ...restOf(usageEvent) })
    emit('message_stop', {})
  }

  function endOf(): JsonObject {
    const because = cutReason(reason ?? 'stop', content.hasCutCall && source !== NAME)
    const refusal = content.refusal()
    const isRefused = refusal !== undefined && because === 'stop'
    const word = writeStopReason(isRefused ? 'refusal' : because, content.hasToolCall)
    const vendor = source === NAME ? finish?.vendor : undefined
    const isVendors = because === 'other' && !content.hasToolCall
    if (because === 'other' && vendor === undefined)
      losses.add('approximated', `finish ${finish?.vendorReason ?? ''}`)
    const details =
      word === 'refusal' && vendor === undefined
        ? {
            stop_details: {
              type: 'refusal',
              category: null,
              explanation: refusal ?? finish?.explanation ?? null,
            },
          }
        : {}
    return {
      stop_sequence: finish?.stopSequence ?? null,
      ...details,
      ...(vendor === undefined ? {} : endFields(vendor)),
      stop_reason: isVendors && vendor !== undefined ? (finish?.vendorReason ?? word) : word,
    }
  }

  function endUsage(): JsonObject {
    const vendor = source === NAME ? toObject(usageEvent?.vendor?.['usage']) : undefined
    return {
      ...(vendor ?? writeUsage(usage)),
      ...(vendor !== undefined && vendor['output_tokens'] === undefined
        ? { output_tokens: usage?.outputTokens ?? 0 }
        : {}),
    }
  }

  /** Top-level fields of the vendor's `message_delta` that we do not know, such as `context_management`. */
  function restOf(event: EventOf<'usage'> | undefined): JsonObject {
    if (source !== NAME || event?.vendor === undefined) return {}
    const { type: _type, delta: _delta, usage: _usage, ...rest } = event.vendor
    return rest
  }

  function fail(error: StreamFault): void {
    if (isOver) return
    fault = error
    isOver = true
    const vendor = source === NAME || source === undefined ? error.vendor : undefined
    const body = writeError(error)
    const isOwn = source === NAME && vendor !== undefined && typeof vendor['type'] === 'string'
    out.push(writeEvent('error', JSON.stringify(isOwn ? { ...body, error: vendor } : body)))
  }

  function note(event: StreamEvent): void {
    if (event.type === 'message-start') source = event.wire
    else if (event.type === 'usage') {
      usage = mergeUsage(usage, event.usage)
      usageEvent = event
    } else if (event.type === 'finish') {
      reason = laterReason(reason, event.reason)
      finish = event
    }
  }

  return {
    track(event) {
      switch (event.type) {
        case 'message-start':
          isStarted = true
          usage = mergeUsage(usage, event.usage)
          note(event)
          return
        case 'block-start':
          return content.trackStart(event.block)
        case 'block-delta':
          return content.trackDelta(event.block, event.delta)
        case 'block-stop':
          return content.trackStop(event.block)
        case 'message-stop':
        case 'error':
          isOver = true
          return
        case 'finish':
          hasSaidEnd = true
          return note(event)
        case 'usage':
          return note(event)
        case 'ping':
        case 'other':
      }
    },
    write(event, to) {
      if (isOver) return
      if ((event.choice ?? 0) !== 0) {
        if (event.type === 'block-start') losses.add('dropped', 'choice')
        return
      }
      out = to
      note(event)
      switch (event.type) {
        case 'message-start':
          usage = mergeUsage(usage, event.usage)
          return start(event)
        case 'block-start':
          start()
          return content.start(event.block)
        case 'block-delta':
          start()
          return content.grow(event.block, event.delta)
        case 'block-stop':
          return content.stop(event.block, event.vendor, event.isCut)
        case 'message-stop':
          return stop()
        case 'ping':
          return emit('ping', {})
        case 'error':
          return fail(event.error)
        case 'finish':
        case 'usage':
        case 'other':
      }
    },
    close(to) {
      out = to
      fail({ kind: 'cut', message: 'The upstream ended before its message had stopped' })
    },
    keepalive: () => writeEvent('ping', '{"type":"ping"}'),
    losses: () => losses.list(),
    fault: () => fault,
  }
}

/** The fields of the vendor's own end, without those that we decide. */
function endFields(vendor: JsonObject): JsonObject {
  const known = ['stop_sequence', 'stop_details', 'container']
  return Object.fromEntries(Object.entries(vendor).filter(([key]) => known.includes(key)))
}
