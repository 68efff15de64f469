/**
 * Anthropic frames to events. Neighbours: `content.ts` reads content blocks, `terms.ts` the words,
 * `../decoding.ts` keeps the order. Does not judge: what is odd but clear is read, what is not is an
 * `error` event, and after that nothing more is read.
 */
import { FewMap, FewSet } from '../../base/few.ts'
import { losesDigits, parseExactObject } from '../../base/json-exact.ts'
import { parseObject, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'
import { takesDelta, type Delta, type StreamEvent, type TextDelta } from '../../event/event.ts'
import type { StreamFault } from '../../event/fault.ts'
import type { Frame } from '../../sse/frame.ts'
import { createDecoding, type OpenStep } from '../decoding.ts'
import type { Decoder, DecoderOptions } from '../wire.ts'
import { readContentBlock } from './content.ts'
import { NAME } from './json.ts'
import { readError, readStopReason, readUsage } from './terms.ts'

const CUT: StreamFault = {
  kind: 'cut',
  message: 'The upstream ended before its message had stopped',
}
const NO_JSON: StreamFault = {
  kind: 'bad-stream',
  message: 'A frame of the upstream holds no JSON object',
}

/** While nothing is read. */
const NO_STEP = createDecoding(NAME).begin()

export const createDecoder = ({ createId }: DecoderOptions = {}): Decoder =>
  new MessageReader(createId)

/** A class, and not functions around what they share: every answer has one or two, for as long as it takes. */
class MessageReader implements Decoder {
  private readonly createId: (() => string) | undefined
  private readonly decoding = createDecoding(NAME)
  /** Blocks by the vendor's index. A block that has stopped stays, for frames that come too late. */
  private readonly blocks = new FewMap<unknown, BlockInfo>()
  private readonly open = new FewSet<BlockInfo>()
  /** Arguments that stood whole in the start of their block. */
  private wholeArguments: Map<BlockInfo, Delta> | undefined
  private count = 0
  /** What said a text last: that block, in a piece of that kind. */
  private grown: BlockInfo | undefined
  private kind: TextDelta['type'] = 'text'
  private isStarted = false
  private hasFinish = false
  private isOver = false
  private step: OpenStep = NO_STEP

  constructor(createId: (() => string) | undefined) {
    this.createId = createId
  }

  push(frame: Frame): readonly StreamEvent[] {
    this.step = this.decoding.begin(frame)
    this.readFrame(frame)
    if (this.step.events.length === 0) this.decoding.emit({ type: 'other', step: this.step })
    return this.take()
  }

  again(text: string, frame: Frame): readonly StreamEvent[] {
    const { grown, kind } = this
    this.step = this.decoding.begin(frame)
    if (grown !== undefined)
      this.decoding.emit({
        type: 'block-delta',
        block: grown,
        delta: { type: kind, text },
        step: this.step,
      })
    return this.take()
  }

  end(): readonly StreamEvent[] {
    if (this.isOver) return []
    this.step = this.decoding.begin()
    this.fail(CUT)
    return this.take()
  }

  /** The next frame may be long in coming, and a step holds what was read with its frame. */
  private take(): readonly StreamEvent[] {
    this.step = NO_STEP
    return this.decoding.take()
  }

  private fail(error: StreamFault): void {
    this.isOver = true
    this.decoding.emit({ type: 'error', error, step: this.step })
  }

  private startMessage(json: JsonObject): void {
    const message = toObject(json['message']) ?? {}
    if (this.isStarted) {
      const error: StreamFault = {
        kind: 'bad-stream',
        message: 'A second message_start came before the message had stopped',
      }
      // A client may begin anew with what stands in it.
      if (toList(message['content']).length === 0) return this.fail(error)
      this.isOver = true
      return this.decoding.refuse(error)
    }
    this.isStarted = true
    const usage = readUsage(message['usage'])
    this.decoding.emit({
      type: 'message-start',
      id: toText(message['id']) ?? '',
      model: toText(message['model']) ?? '',
      wire: NAME,
      ...(usage === undefined ? {} : { usage }),
      vendor: message,
      step: this.step,
    })
    // Programmatic tool calling sends the whole answer in here, and no block events at all.
    for (const content of toList(message['content'])) {
      const block = this.startBlock(toObject(content) ?? {})
      this.stopBlock(block)
    }
    this.finish(message)
  }

  private startBlock(content: JsonObject): BlockInfo {
    const { info, deltas } = readContentBlock(content, this.count++, this.createId)
    this.open.add(info)
    this.decoding.emit({ type: 'block-start', block: info, vendor: content, step: this.step })
    for (const delta of deltas) {
      // Whole arguments at the start are dropped by the SDKs as soon as a delta brings others.
      if (delta.type === 'arguments') (this.wholeArguments ??= new Map()).set(info, delta)
      else this.decoding.emit({ type: 'block-delta', block: info, delta, step: this.step })
    }
    return info
  }

  private growBlock(json: JsonObject): void {
    const block = this.blocks.get(json['index'])
    if (block === undefined) {
      this.fail({
        kind: 'bad-stream',
        message: `A delta came for block ${String(json['index'])}, which never started`,
      })
      return
    }
    const delta = readDelta(toObject(json['delta']) ?? {})
    // A client appends it without a word, to a block that was judged as whole.
    if (delta !== undefined && !this.open.has(block)) {
      this.isOver = true
      this.decoding.refuse({
        kind: 'bad-stream',
        message: 'The upstream went on with a block that it had stopped',
      })
      return
    }
    if (delta?.type === 'arguments') this.wholeArguments?.delete(block)
    if (delta === undefined || !takesDelta(block, delta)) {
      this.decoding.emit({ type: 'other', block, step: this.step })
      return
    }
    this.grown = 'text' in delta ? block : undefined
    if ('text' in delta) this.kind = delta.type
    this.decoding.emit({ type: 'block-delta', block, delta, step: this.step })
  }

  private stopBlock(block: BlockInfo): void {
    this.open.delete(block)
    const delta = this.wholeArguments?.get(block)
    if (delta !== undefined)
      this.decoding.emit({ type: 'block-delta', block, delta, step: this.step })
    this.decoding.emit({ type: 'block-stop', block, step: this.step })
  }

  /** Reads the end of an answer, in a `message_delta` or in a filled `message_start`. */
  private finish(json: JsonObject): void {
    const word = toText(json['stop_reason'])
    if (word === undefined) return
    for (const block of this.open.keys()) this.stopBlock(block)
    this.hasFinish = true
    const stopSequence = toText(json['stop_sequence'])
    const explanation = toText(toObject(json['stop_details'])?.['explanation'])
    this.decoding.emit({
      type: 'finish',
      reason: readStopReason(word),
      vendorReason: word,
      ...(stopSequence === undefined ? {} : { stopSequence }),
      ...(explanation === undefined ? {} : { explanation }),
      vendor: json,
      step: this.step,
    })
  }

  private read(json: JsonObject, type: string | undefined): void {
    switch (type) {
      case 'message_start':
        return this.startMessage(json)
      case 'content_block_start':
        this.blocks.set(json['index'], this.startBlock(toObject(json['content_block']) ?? {}))
        return
      case 'content_block_delta':
        return this.growBlock(json)
      case 'content_block_stop': {
        const block = this.blocks.get(json['index'])
        if (block !== undefined && this.open.has(block)) this.stopBlock(block)
        return
      }
      case 'message_delta': {
        this.finish(toObject(json['delta']) ?? {})
        const usage = readUsage(json['usage'])
        if (usage !== undefined)
          this.decoding.emit({ type: 'usage', usage, vendor: json, step: this.step })
        return
      }
      case 'message_stop':
        if (!this.hasFinish)
          return this.fail({
            kind: 'bad-stream',
            message: 'The message stopped without a stop_reason',
          })
        this.isOver = true
        this.decoding.emit({ type: 'message-stop', step: this.step })
        return
      case 'ping':
        this.decoding.emit({ type: 'ping', step: this.step })
        return
      case 'error':
        return this.fail(readError(json))
      case undefined:
      default:
    }
  }

  private readFrame(frame: Frame): void {
    if (this.isOver || frame.data === undefined || frame.data === '' || frame.data === '[DONE]')
      return
    const json = readJson(frame.data)
    if (json === undefined) {
      this.fail(frame.isEnded ? NO_JSON : CUT)
      return
    }
    const type = toText(json['type']) ?? frame.event
    if (
      !this.isStarted &&
      type !== 'message_start' &&
      type !== 'error' &&
      type?.startsWith('content_block')
    ) {
      this.fail({
        kind: 'bad-stream',
        message: `The stream began with ${type} instead of message_start`,
      })
      return
    }
    // What stands whole in a start is an object, and has numbers where all else is text.
    const isFull = type === 'message_start' || type === 'content_block_start'
    this.read(
      (isFull && losesDigits(frame.data) ? parseExactObject(frame.data) : json) ?? json,
      type,
    )
  }
}

/**
 * What stands the same in every answer, and of which nothing is handed on: the ends of blocks and of the message, and pings.
 * Four or five frames of an answer that need not be parsed. The vendor writes each with up to fifteen spaces behind it.
 */
const SAME = new Map<string, JsonObject>()
const MAX_SAME = 512
const MAX_SAME_CHARS = 64

function readJson(data: string): JsonObject | undefined {
  if (data.length > MAX_SAME_CHARS) return parseObject(data)
  const same = SAME.get(data)
  if (same !== undefined) return same
  const json = parseObject(data)
  const type = json?.['type']
  const isEnd = type === 'content_block_stop' || type === 'message_stop' || type === 'ping'
  if (json !== undefined && isEnd && SAME.size < MAX_SAME) SAME.set(data, json)
  return json
}

/** The delta in our tongue; `undefined` when it brings nothing. */
function readDelta(delta: JsonObject): Delta | undefined {
  switch (delta['type']) {
    case 'text_delta': {
      const text = toText(delta['text'])
      return text === undefined ? undefined : { type: 'text', text }
    }
    case 'thinking_delta': {
      const text = toText(delta['thinking'])
      return text === undefined ? undefined : { type: 'thinking', text }
    }
    case 'input_json_delta': {
      const text = toText(delta['partial_json'])
      return text === undefined ? undefined : { type: 'arguments', text }
    }
    case 'signature_delta': {
      const signature = toText(delta['signature'])
      return signature === undefined ? undefined : { type: 'signature', signature }
    }
    case 'citations_delta': {
      const citation = toObject(delta['citation'])
      return citation === undefined ? undefined : { type: 'citation', citation }
    }
    default:
      return { type: 'other', raw: delta }
  }
}
