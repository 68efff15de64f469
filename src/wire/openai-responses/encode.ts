/**
 * Events to Responses frames. Neighbours: `../encoder.ts` lets frames pass that nobody touched and
 * calls this writer for the rest; `item-writer.ts` writes the items, `passed-items.ts` those that are kept as they
 * were, `tracking.ts` knows what passed before, `response.ts` is the envelope. Owns the grammar of the wire: created first, dense indices, sequence numbers, every item with its
 * lifecycle, and a terminal event that repeats all of them (reference `wire-formats.md` 5).
 */
import { FewSet } from '../../base/few.ts'
import { toText, type JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'
import type { EventOf, StreamEvent, WireName } from '../../event/event.ts'
import type { StreamFault } from '../../event/fault.ts'
import { cutReason, laterReason, noteFinishLoss, type FinishReason } from '../../event/finish.ts'
import { createLossList } from '../../event/loss.ts'
import { mergeUsage, type Usage } from '../../event/usage.ts'
import { writeComment, writeEvent } from '../../sse/encode.ts'
import { createEncoder as createModes, NOWHERE, type Frames, type Writer } from '../encoder.ts'
import { ANY_ID, ToolIds, randomId, toAnswerId } from '../ids.ts'
import { streamCodeOf, writeErrorValue } from '../openai-errors.ts'
import type { Encoder, EncoderOptions, Terminal } from '../wire.ts'
import { createItemWriter, outputOf, type ItemWriter } from './item-writer.ts'
import { NAME } from './json.ts'
import { isPassedOn, PassedItems } from './passed-items.ts'
import { createResponse, rawEnvelope, withoutSaid } from './response.ts'
import { writeIncomplete, writeUsage } from './terms.ts'
import { createTracking } from './tracking.ts'

export const createEncoder = (options: EncoderOptions = {}): Encoder =>
  createModes(NAME, new ResponseWriter(options))

/** A class, and not functions around what they share: every answer that is read has one, for as long as it takes. */
class ResponseWriter implements Writer {
  readonly losses = createLossList()
  fault: StreamFault | undefined
  private readonly options: EncoderOptions
  private readonly createId: () => string
  private readonly now: () => number
  private readonly toolIds: ToolIds
  private readonly tracking = createTracking()
  private readonly items: ItemWriter
  private readonly passed: PassedItems
  private readonly seen = new FewSet<BlockInfo>()
  private readonly replaced = new FewSet<BlockInfo>()
  private readonly done = new FewSet<BlockInfo>()
  private source: WireName | undefined
  private response: JsonObject | undefined
  private isStarted = false
  private isResumed = false
  private isOver = false
  private sequence = 0
  private reason: FinishReason | undefined
  private ending: EventOf<'finish'> | undefined
  private usage: Usage | undefined
  private out: Frames = NOWHERE
  private told: Terminal | undefined
  /** What stays the same of the response, as JSON without its last brace: it is said thrice. */
  private envelope = ''

  constructor(options: EncoderOptions) {
    this.options = options
    this.createId = options.createId ?? randomId
    this.now = options.now ?? (() => Math.floor(Date.now() / 1000))
    this.toolIds = new ToolIds(ANY_ID, 64, options.usedIds)
    const emit = (type: string, payload: object): void => this.emit(type, payload)
    this.items = createItemWriter({
      emit,
      emitRaw: (type, payload) => this.emitRaw(type, payload),
      losses: this.losses,
      source: () => this.source,
      issuer: options.issuer,
      showsThinking: options.showsThinking ?? true,
      takeToolId: (id) => this.toolIds.take(id),
      responseKey: () => (toText(this.response?.['id']) ?? '').replace(/^resp_/, '').slice(0, 40),
    })
    this.passed = new PassedItems(this.items, emit)
  }

  write(event: StreamEvent, to: Frames): void {
    if (this.isOver) return
    if ((event.choice ?? 0) !== 0) {
      if (event.type === 'block-start') this.losses.add('dropped', 'choice')
      return
    }
    this.out = to
    this.note(event)
    this.resume()
    this.say(event)
  }

  close(to: Frames): void {
    this.out = to
    this.resume()
    this.fail({ kind: 'cut', message: 'The upstream ended before its response was completed' })
  }

  terminal(): Terminal | undefined {
    return this.told
  }

  skip(frames: number): void {
    this.sequence += frames
  }

  /** Codex counts events and not comments, so that only an event resets its clock. */
  keepalive(asEvent: boolean): string {
    if (!asEvent || !this.isStarted || this.isOver || this.response === undefined)
      return writeComment('keepalive')
    const type = 'response.in_progress'
    // Among frames that pass, the upstream goes on counting from where it was.
    const number = this.isResumed ? this.sequence++ : this.nextSequence()
    const body = { ...this.response, output: outputOf(this.items.output), status: 'in_progress' }
    return writeEvent(type, JSON.stringify({ type, sequence_number: number, response: body }))
  }

  private start(event?: EventOf<'message-start'>): void {
    if (this.isStarted) return
    this.isStarted = true
    const vendor = event?.wire === NAME ? withoutSaid(event.vendor) : undefined
    const id =
      toText(vendor?.['id']) ??
      toAnswerId(event, { prefix: 'resp_', wire: NAME, createId: this.createId })
    this.response = {
      ...createResponse({
        id,
        model: event?.model ?? '',
        created: event?.created ?? this.now(),
        echo: vendor === undefined ? this.options.echo : undefined,
      }),
      ...vendor,
      output: [],
      status: 'in_progress',
    }
    this.envelope = rawEnvelope(this.response)
    const payload = `"response":${this.envelope},"status":"in_progress","incomplete_details":null,"usage":null,"output":[]}`
    this.emitRaw('response.created', payload)
    this.emitRaw('response.in_progress', payload)
  }

  /** The first word of ours behind frames that left as they came: take up where they stopped. */
  private resume(): void {
    if (this.isResumed) return
    this.isResumed = true
    this.sequence = this.nextSequence()
    const before = this.tracking.read()
    for (const { info, index, id } of before.items) {
      this.items.keep(index, id)
      if (!isPassedOn(info)) continue
      this.passed.keep(info, { index, id })
    }
    for (const [index, item] of before.output) this.items.output.set(index, item)
    const { open } = before
    if (open !== undefined && !isPassedOn(open.info)) this.items.resume(open)
  }

  private nextSequence(): number {
    const last = this.options.lastSequence?.()
    return last === undefined ? this.sequence : last + 1
  }

  /** What the provider said of its refusal, as the part that this wire has for it. */
  private sayRefusal(text: string): void {
    const block: BlockInfo = { id: 'refusal', index: 0, type: 'refusal' }
    this.items.grow(block, { type: 'text', text })
  }

  private stop(): void {
    this.start()
    if (this.source !== NAME && this.ending?.explanation !== undefined)
      this.sayRefusal(this.ending.explanation)
    this.items.close()
    this.isOver = true
    const because = cutReason(
      this.reason ?? 'stop',
      this.items.hasCutCall() && this.source !== NAME,
    )
    if (this.source !== NAME) noteFinishLoss(this.losses, because, this.ending?.vendorReason)
    const incomplete = writeIncomplete(because)
    const vendor = this.source === NAME ? withoutSaid(this.ending?.vendor) : undefined
    const status = incomplete === undefined ? 'completed' : 'incomplete'
    const said = {
      status,
      incomplete_details:
        incomplete === undefined
          ? null
          : (vendor?.['incomplete_details'] ?? { reason: incomplete }),
      completed_at: vendor?.['completed_at'] ?? (incomplete === undefined ? this.now() : null),
      usage: vendor?.['usage'] ?? (this.usage === undefined ? null : writeUsage(this.usage)),
    }
    const id = this.response?.['id']
    if (vendor !== undefined || this.envelope === '')
      this.envelope = rawEnvelope({ ...this.response, ...vendor, id })
    const rest = JSON.stringify(said).slice(1, -1)
    const json = `${this.envelope},${rest},"output":${this.items.rawOutput()}}`
    this.told = { id: toText(id) ?? '', json }
    this.emitRaw(`response.${status}`, `"response":${json}`)
  }

  private fail(error: StreamFault): void {
    if (this.isOver) return
    this.fault = error
    this.start()
    this.isOver = true
    const own = this.source === NAME ? error.vendor : undefined
    const code = toText(own?.['code']) ?? streamCodeOf(error)
    const said: JsonObject = { ...writeErrorValue(error), ...own, code }
    const message = toText(said['message']) ?? error.message
    // Both shapes in one: the nested one makes every SDK throw, the flat one is the published type.
    this.emit('error', { code, message, param: null, error: said })
    const output = outputOf(this.items.output)
    this.emit('response.failed', {
      response: { ...this.response, status: 'failed', error: { code, message }, output },
    })
  }

  private note(event: StreamEvent): void {
    if (event.type === 'message-start') {
      this.source = event.wire
      this.usage = mergeUsage(this.usage, event.usage)
    } else if (event.type === 'usage') this.usage = mergeUsage(this.usage, event.usage)
    else if (event.type === 'finish') {
      this.reason = laterReason(this.reason, event.reason)
      this.ending = event
    }
  }

  track(event: StreamEvent): void {
    const { step } = event
    const data = step?.frame.data
    if (step?.events[0] === event && data !== undefined && data !== '[DONE]')
      this.sequence += step.frame.frames
    this.tracking.track(event)
    switch (event.type) {
      case 'message-start':
        this.isStarted = true
        this.response = { ...withoutSaid(event.vendor), output: [] }
        return this.note(event)
      case 'block-start':
        this.seen.add(event.block)
        if (event.block.type === 'tool-call') this.toolIds.take(event.block.id)
        return
      case 'block-stop':
        this.done.add(event.block)
        return
      case 'message-stop':
      case 'error':
        this.isOver = true
        return
      case 'finish':
      case 'usage':
        return this.note(event)
      case 'block-delta':
      case 'other':
      case 'ping':
    }
  }

  /**
   * Whether somebody says other things of a block that was being passed on. Nothing of the original
   * leaves from there on: the item is closed as it was opened.
   */
  private isReplaced(event: EventOf<'block-start' | 'block-delta' | 'block-stop'>): boolean {
    const { block, step } = event
    if (step?.events.includes(event) === true) return false
    const place = this.passed.placeOf(block)
    if (place === undefined) return step !== undefined || this.seen.has(block)
    this.done.add(block)
    this.replaced.add(block)
    const item = { ...block.vendor, id: place.id }
    this.items.output.set(place.index, item)
    this.emit('response.output_item.done', { output_index: place.index, item })
    return true
  }

  private writeBlock(event: EventOf<'block-start' | 'block-delta' | 'block-stop'>): void {
    const { block } = event
    if (this.done.has(block)) return
    if (this.source === NAME && isPassedOn(block) && !this.isReplaced(event)) {
      if (event.step?.wire === NAME) this.passed.write(block, event.step)
      const place = this.passed.placeOf(block)
      // What only the terminal event told of an item that its upstream never closed.
      if (place !== undefined && event.type === 'block-stop' && event.vendor !== undefined)
        this.items.output.set(place.index, { ...event.vendor, id: place.id })
      if (place !== undefined) return
    }
    if (!this.seen.has(block)) {
      this.seen.add(block)
      this.items.start(block)
    }
    if (this.done.has(block)) return
    if (event.type === 'block-delta') this.items.grow(block, event.delta)
    else if (event.type === 'block-stop') {
      this.done.add(block)
      this.items.stop(block, event.vendor, event.isCut)
    }
  }

  private say(event: StreamEvent): void {
    switch (event.type) {
      case 'message-start':
        return this.start(event)
      case 'block-start':
      case 'block-delta':
      case 'block-stop':
        this.start()
        return this.writeBlock(event)
      case 'message-stop':
        return this.stop()
      case 'error':
        return this.fail(event.error)
      case 'other':
        if (
          this.source === NAME &&
          event.block !== undefined &&
          isPassedOn(event.block) &&
          !this.replaced.has(event.block) &&
          event.step !== undefined
        )
          this.passed.write(event.block, event.step)
        return
      case 'finish':
      case 'usage':
      case 'ping':
    }
  }

  private emit(type: string, payload: object): void {
    this.emitRaw(type, JSON.stringify(payload).slice(1, -1))
  }

  private emitRaw(type: string, payload: string): void {
    this.out.push(
      `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.sequence++},${payload}}\n\n`,
    )
  }
}
