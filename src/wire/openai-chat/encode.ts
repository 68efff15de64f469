/**
 * Events to Chat frames. Neighbours: `../encoder.ts` lets frames pass that nobody touched and calls
 * this writer for the rest; `choice-writer.ts` writes each choice. Together they own the grammar of
 * the wire: the role once and first, dense indices for calls, id, type and name once, the finish alone
 * in its chunk, usage last, then `[DONE]`.
 */
import { FewMap } from '../../base/few.ts'
import { parseObject, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { EventOf, StreamEvent, WireName } from '../../event/event.ts'
import type { StreamFault } from '../../event/fault.ts'
import { createLossList } from '../../event/loss.ts'
import { mergeUsage, type Usage } from '../../event/usage.ts'
import { writeComment, writeData } from '../../sse/encode.ts'
import { createEncoder as createModes, NOWHERE, type Frames, type Writer } from '../encoder.ts'
import { ANY_ID, ToolIds, randomId, toAnswerId } from '../ids.ts'
import type { Encoder, EncoderOptions } from '../wire.ts'
import { createChoiceWriter, type ChoiceWriter } from './choice-writer.ts'
import { NAME } from './json.ts'
import { writeError, writeUsage } from './terms.ts'

export const createEncoder = (options: EncoderOptions = {}): Encoder =>
  createModes(NAME, new ChunkWriter(options))

/** A class, and not functions around what they share: every answer that is read has one, for as long as it takes. */
class ChunkWriter implements Writer {
  readonly losses = createLossList()
  fault: StreamFault | undefined
  private readonly options: EncoderOptions
  private readonly createId: () => string
  private readonly now: () => number
  private readonly withUsage: boolean
  private readonly toolIds: ToolIds
  /** On their own wire ids stay as they are, however long. */
  private readonly ownIds = new ToolIds(ANY_ID, 1000)
  private readonly choices = new FewMap<number, ChoiceWriter>()
  private first: ChoiceWriter | undefined
  private source: WireName | undefined
  private envelope: JsonObject | undefined
  /** What all chunks begin with. */
  private head: string | undefined
  private isOver = false
  private usage: Usage | undefined
  private usageVendor: JsonObject | undefined
  private hasSaidUsage = false
  private hasNewUsage = false
  private out: Frames = NOWHERE

  constructor(options: EncoderOptions) {
    this.options = options
    this.createId = options.createId ?? randomId
    this.now = options.now ?? (() => Math.floor(Date.now() / 1000))
    this.withUsage = options.includeUsage ?? true
    this.toolIds = new ToolIds(ANY_ID, 40, options.usedIds)
  }

  track(event: StreamEvent): void {
    // Nearly all events are these, and this path is taken when nobody does anything.
    if (event.type === 'block-delta') return this.choiceOf(event.choice).track(event)
    this.note(event)
    this.trackRoles(event)
    if (event.type === 'usage') this.hasSaidUsage = true
    else if (event.type === 'message-stop' || event.type === 'error') this.isOver = true
    else this.choiceOf(event.choice).track(event)
  }

  write(event: StreamEvent, to: Frames): void {
    if (this.isOver) return
    if (this.source !== NAME && (event.choice ?? 0) !== 0) {
      if (event.type === 'block-start') this.losses.add('dropped', 'choice')
      return
    }
    this.out = to
    this.note(event)
    switch (event.type) {
      case 'usage':
        this.hasNewUsage = true
        return
      case 'message-start':
        return this.choiceOf(event.choice).giveRole()
      case 'block-start':
        return this.choiceOf(event.choice).start(event.block)
      case 'block-delta':
        return this.choiceOf(event.choice).grow(event.block, event.delta)
      case 'block-stop':
        return this.choiceOf(event.choice).stop(event.block, event.vendor, event.isCut)
      case 'message-stop':
        return this.stop()
      case 'error':
        return this.fail(event.error)
      case 'finish':
      case 'ping':
      case 'other':
    }
  }

  close(to: Frames): void {
    this.out = to
    this.fail({ kind: 'cut', message: 'The upstream ended before it gave a finish_reason' })
  }

  keepalive(): string {
    return writeComment('keepalive')
  }

  private choiceOf(number = 0): ChoiceWriter {
    if (number === 0 && this.first !== undefined) return this.first
    let choice = this.choices.get(number)
    if (choice === undefined) {
      choice = createChoiceWriter({
        emit: (delta) => this.emitChunk(number, delta, 'null'),
        emitFinish: (word) => this.emitChunk(number, '{}', JSON.stringify(word)),
        losses: this.losses,
        source: () => this.source,
        issuer: this.options.issuer,
        takeToolId: (id) => (this.source === NAME ? this.ownIds : this.toolIds).take(id),
        keepsCustom: this.options.customTools ?? false,
      })
      this.choices.set(number, choice)
      if (number === 0) this.first = choice
    }
    return choice
  }

  private envelopeOf(event?: EventOf<'message-start'>): JsonObject {
    if (this.envelope !== undefined) return this.envelope
    const vendor = event?.wire === NAME ? event.vendor : undefined
    const { created, service_tier, system_fingerprint } = vendor ?? {}
    this.envelope = {
      id:
        toText(vendor?.['id']) ??
        toAnswerId(event, { prefix: 'chatcmpl-', wire: NAME, createId: this.createId }),
      object: 'chat.completion.chunk',
      created: typeof created === 'number' ? created : (event?.created ?? this.now()),
      model: event?.model ?? '',
      ...(service_tier === undefined ? {} : { service_tier }),
      ...(system_fingerprint === undefined ? {} : { system_fingerprint }),
    }
    return this.envelope
  }

  /**
   * A chunk around a delta that is JSON already. Everything else in it is the same for the whole
   * answer, so it is written once: there are thousands of these (`bench/core.ts`).
   */
  private emitChunk(number: number, delta: string, finish: string): void {
    this.head ??= `data: ${JSON.stringify(this.envelopeOf()).slice(0, -1)},"choices":[`
    // A null would take back what was said already.
    const usageField = this.withUsage && !this.hasSaidUsage ? ',"usage":null' : ''
    const choice = `{"index":${number},"delta":${delta},"logprobs":null,"finish_reason":${finish}}`
    this.out.push(`${this.head}${choice}]${usageField}}\n\n`)
  }

  private stop(): void {
    this.isOver = true
    if (this.choices.size === 0) this.choiceOf(0)
    for (const choice of this.choices.values()) choice.finish()
    if (this.withUsage && this.usage !== undefined && (!this.hasSaidUsage || this.hasNewUsage))
      this.out.push(
        writeData(
          JSON.stringify({
            ...this.envelopeOf(),
            choices: [],
            usage: this.usageVendor ?? writeUsage(this.usage),
          }),
        ),
      )
    this.out.push(writeData('[DONE]'))
  }

  private fail(error: StreamFault): void {
    if (this.isOver) return
    this.fault = error
    this.isOver = true
    const body =
      this.source === NAME && error.vendor !== undefined
        ? { error: error.vendor }
        : writeError(error)
    this.out.push(writeData(JSON.stringify(body)))
  }

  private note(event: StreamEvent): void {
    if (event.type === 'message-start') {
      this.source = event.wire
      this.usage = mergeUsage(this.usage, event.usage)
      this.envelopeOf(event)
    } else if (event.type === 'usage') {
      this.usage = mergeUsage(this.usage, event.usage)
      this.usageVendor = this.source === NAME ? toObject(event.vendor?.['usage']) : undefined
    } else if (event.type === 'finish') this.choiceOf(event.choice).note(event)
  }

  private trackRoles({ step, type }: StreamEvent): void {
    if (type !== 'message-start' && type !== 'block-start' && type !== 'other') return
    if (step?.frame.data?.includes('"role":"assistant"') !== true) return
    for (const one of toList(parseObject(step.frame.data)?.['choices'])) {
      const choice = toObject(one)
      const hasRole = toObject(choice?.['delta'])?.['role'] === 'assistant'
      if (hasRole && typeof choice?.['index'] === 'number')
        this.choiceOf(choice['index']).noteRole()
    }
  }
}
