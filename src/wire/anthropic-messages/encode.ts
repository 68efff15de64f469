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
import { writeEvent } from '../../sse/encode.ts'
import { createEncoder as createModes, NOWHERE, type Frames, type Writer } from '../encoder.ts'
import { randomId, toAnswerId } from '../ids.ts'
import type { Encoder, EncoderOptions } from '../wire.ts'
import { createContentWriter, type ContentWriter } from './content-writer.ts'
import { NAME } from './json.ts'
import { writeError, writeStopReason, writeUsage } from './terms.ts'

export const createEncoder = (options: EncoderOptions = {}): Encoder =>
  createModes(NAME, new MessageWriter(options))

/** A class, and not functions around what they share: every answer that is read has one, for as long as it takes. */
class MessageWriter implements Writer {
  readonly losses = createLossList()
  fault: StreamFault | undefined
  private readonly createId: () => string
  private source: WireName | undefined
  private isStarted = false
  private isOver = false
  private hasSaidEnd = false
  private out: Frames = NOWHERE
  private reason: FinishReason | undefined
  private ending: EventOf<'finish'> | undefined
  private usage: Usage | undefined
  private usageEvent: EventOf<'usage'> | undefined
  private readonly content: ContentWriter

  constructor(options: EncoderOptions) {
    this.createId = options.createId ?? randomId
    this.content = createContentWriter({
      emit: (type, payload) => this.emit(type, payload),
      emitRaw: (frame) => this.out.push(frame),
      losses: this.losses,
      source: () => this.source,
      issuer: options.issuer,
      usedIds: options.usedIds,
      onBroken: (message) => this.fail({ kind: 'bad-stream', message }),
    })
  }

  track(event: StreamEvent): void {
    switch (event.type) {
      case 'message-start':
        this.isStarted = true
        this.usage = mergeUsage(this.usage, event.usage)
        this.note(event)
        return
      case 'block-start':
        return this.content.trackStart(event.block)
      case 'block-delta':
        return this.content.trackDelta(event.block, event.delta)
      case 'block-stop':
        return this.content.trackStop(event.block)
      case 'message-stop':
      case 'error':
        this.isOver = true
        return
      case 'finish':
        this.hasSaidEnd = true
        return this.note(event)
      case 'usage':
        return this.note(event)
      case 'ping':
      case 'other':
    }
  }

  write(event: StreamEvent, to: Frames): void {
    if (this.isOver) return
    if ((event.choice ?? 0) !== 0) {
      if (event.type === 'block-start') this.losses.add('dropped', 'choice')
      return
    }
    this.out = to
    this.note(event)
    switch (event.type) {
      case 'message-start':
        this.usage = mergeUsage(this.usage, event.usage)
        return this.start(event)
      case 'block-start':
        this.start()
        return this.content.start(event.block)
      case 'block-delta':
        this.start()
        return this.content.grow(event.block, event.delta)
      case 'block-stop':
        return this.content.stop(event.block, event.vendor, event.isCut)
      case 'message-stop':
        return this.stop()
      case 'ping':
        return this.emit('ping', {})
      case 'error':
        return this.fail(event.error)
      case 'finish':
      case 'usage':
      case 'other':
    }
  }

  close(to: Frames): void {
    this.out = to
    this.fail({ kind: 'cut', message: 'The upstream ended before its message had stopped' })
  }

  keepalive(): string {
    return writeEvent('ping', '{"type":"ping"}')
  }

  private start(event?: EventOf<'message-start'>): void {
    if (this.isStarted) return
    this.isStarted = true
    const vendor = event?.wire === NAME ? event.vendor : undefined
    const message = {
      id: toAnswerId(event, { prefix: 'msg_', wire: NAME, createId: this.createId }),
      type: 'message',
      role: 'assistant',
      model: event?.model ?? '',
      ...vendor,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: toObject(vendor?.['usage']) ?? { ...writeUsage(event?.usage), output_tokens: 0 },
    }
    this.emit('message_start', { message })
  }

  private stop(): void {
    this.start()
    this.content.close()
    if (this.isOver) return
    this.isOver = true
    if (!this.hasSaidEnd)
      this.emit('message_delta', {
        delta: this.endOf(),
        usage: this.endUsage(),
        ...this.restOf(this.usageEvent),
      })
    this.emit('message_stop', {})
  }

  private endOf(): JsonObject {
    const because = cutReason(
      this.reason ?? 'stop',
      this.content.hasCutCall && this.source !== NAME,
    )
    const refusal = this.content.refusal()
    const isRefused = refusal !== undefined && because === 'stop'
    const word = writeStopReason(isRefused ? 'refusal' : because, this.content.hasToolCall)
    const vendor = this.source === NAME ? this.ending?.vendor : undefined
    const isVendors = because === 'other' && !this.content.hasToolCall
    if (because === 'other' && vendor === undefined)
      this.losses.add('approximated', `finish ${this.ending?.vendorReason ?? ''}`)
    const details =
      word === 'refusal' && vendor === undefined
        ? {
            stop_details: {
              type: 'refusal',
              category: null,
              explanation: refusal ?? this.ending?.explanation ?? null,
            },
          }
        : {}
    return {
      stop_sequence: this.ending?.stopSequence ?? null,
      ...details,
      ...(vendor === undefined ? {} : endFields(vendor)),
      stop_reason: isVendors && vendor !== undefined ? (this.ending?.vendorReason ?? word) : word,
    }
  }

  private endUsage(): JsonObject {
    const vendor = this.source === NAME ? toObject(this.usageEvent?.vendor?.['usage']) : undefined
    return {
      ...(vendor ?? writeUsage(this.usage)),
      ...(vendor !== undefined && vendor['output_tokens'] === undefined
        ? { output_tokens: this.usage?.outputTokens ?? 0 }
        : {}),
    }
  }

  /** Top-level fields of the vendor's `message_delta` that we do not know, such as `context_management`. */
  private restOf(event: EventOf<'usage'> | undefined): JsonObject {
    if (this.source !== NAME || event?.vendor === undefined) return {}
    const { type: _type, delta: _delta, usage: _usage, ...rest } = event.vendor
    return rest
  }

  private fail(error: StreamFault): void {
    if (this.isOver) return
    this.fault = error
    this.isOver = true
    const vendor = this.source === NAME || this.source === undefined ? error.vendor : undefined
    const body = writeError(error)
    const isOwn = this.source === NAME && vendor !== undefined && typeof vendor['type'] === 'string'
    this.out.push(writeEvent('error', JSON.stringify(isOwn ? { ...body, error: vendor } : body)))
  }

  private note(event: StreamEvent): void {
    if (event.type === 'message-start') this.source = event.wire
    else if (event.type === 'usage') {
      this.usage = mergeUsage(this.usage, event.usage)
      this.usageEvent = event
    } else if (event.type === 'finish') {
      this.reason = laterReason(this.reason, event.reason)
      this.ending = event
    }
  }

  private emit(type: string, payload: object): void {
    this.out.push(writeEvent(type, JSON.stringify({ type, ...payload })))
  }
}

/** The fields of the vendor's own end, without those that we decide. */
function endFields(vendor: JsonObject): JsonObject {
  const known = ['stop_sequence', 'stop_details', 'container']
  return Object.fromEntries(Object.entries(vendor).filter(([key]) => known.includes(key)))
}
