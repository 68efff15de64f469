/**
 * Anthropic frames to events. Neighbours: `content.ts` reads content blocks, `terms.ts` the words,
 * `../decoding.ts` keeps the order. Does not judge: what is odd but clear is read, what is not is an
 * `error` event, and after that nothing more is read.
 */
import { losesDigits, parseExactObject } from '../../base/json-exact.ts'
import { parseObject, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'
import { takesDelta, type Delta } from '../../event/event.ts'
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

export function createDecoder({ createId }: DecoderOptions = {}): Decoder {
  const decoding = createDecoding(NAME)
  /** Blocks by the vendor's index. A block that has stopped stays, for frames that come too late. */
  const blocks = new Map<unknown, BlockInfo>()
  const open = new Set<BlockInfo>()
  /** Arguments that stood whole in the start of their block. */
  const wholeArguments = new Map<BlockInfo, Delta>()
  let count = 0
  let isStarted = false
  let hasFinish = false
  let isOver = false
  let step: OpenStep

  function fail(error: StreamFault): void {
    isOver = true
    decoding.emit({ type: 'error', error, step })
  }

  function startMessage(json: JsonObject): void {
    const message = toObject(json['message']) ?? {}
    if (isStarted) {
      const error: StreamFault = {
        kind: 'bad-stream',
        message: 'A second message_start came before the message had stopped',
      }
      // A client may begin anew with what stands in it.
      if (toList(message['content']).length === 0) return fail(error)
      isOver = true
      return decoding.refuse(error)
    }
    isStarted = true
    const usage = readUsage(message['usage'])
    decoding.emit({
      type: 'message-start',
      id: toText(message['id']) ?? '',
      model: toText(message['model']) ?? '',
      wire: NAME,
      ...(usage === undefined ? {} : { usage }),
      vendor: message,
      step,
    })
    // Programmatic tool calling sends the whole answer in here, and no block events at all.
    for (const content of toList(message['content'])) {
      const block = startBlock(toObject(content) ?? {})
      stopBlock(block)
    }
    finish(message)
  }

  function startBlock(content: JsonObject): BlockInfo {
    const { info, deltas } = readContentBlock(content, count++, createId)
    open.add(info)
    decoding.emit({ type: 'block-start', block: info, vendor: content, step })
    for (const delta of deltas) {
      // Whole arguments at the start are dropped by the SDKs as soon as a delta brings others.
      if (delta.type === 'arguments') wholeArguments.set(info, delta)
      else decoding.emit({ type: 'block-delta', block: info, delta, step })
    }
    return info
  }

  function growBlock(json: JsonObject): void {
    const block = blocks.get(json['index'])
    if (block === undefined) {
      fail({
        kind: 'bad-stream',
        message: `A delta came for block ${String(json['index'])}, which never started`,
      })
      return
    }
    const delta = readDelta(toObject(json['delta']) ?? {})
    // A client appends it without a word, to a block that was judged as whole.
    if (delta !== undefined && !open.has(block)) {
      isOver = true
      decoding.refuse({
        kind: 'bad-stream',
        message: 'The upstream went on with a block that it had stopped',
      })
      return
    }
    if (delta?.type === 'arguments') wholeArguments.delete(block)
    if (delta === undefined || !takesDelta(block, delta))
      decoding.emit({ type: 'other', block, step })
    else decoding.emit({ type: 'block-delta', block, delta, step })
  }

  function stopBlock(block: BlockInfo): void {
    open.delete(block)
    const delta = wholeArguments.get(block)
    if (delta !== undefined) decoding.emit({ type: 'block-delta', block, delta, step })
    decoding.emit({ type: 'block-stop', block, step })
  }

  /** Reads the end of an answer, in a `message_delta` or in a filled `message_start`. */
  function finish(json: JsonObject): void {
    const word = toText(json['stop_reason'])
    if (word === undefined) return
    for (const block of open) stopBlock(block)
    hasFinish = true
    const stopSequence = toText(json['stop_sequence'])
    const explanation = toText(toObject(json['stop_details'])?.['explanation'])
    decoding.emit({
      type: 'finish',
      reason: readStopReason(word),
      vendorReason: word,
      ...(stopSequence === undefined ? {} : { stopSequence }),
      ...(explanation === undefined ? {} : { explanation }),
      vendor: json,
      step,
    })
  }

  function read(json: JsonObject, type: string | undefined): void {
    switch (type) {
      case 'message_start':
        return startMessage(json)
      case 'content_block_start':
        blocks.set(json['index'], startBlock(toObject(json['content_block']) ?? {}))
        return
      case 'content_block_delta':
        return growBlock(json)
      case 'content_block_stop': {
        const block = blocks.get(json['index'])
        if (block !== undefined && open.has(block)) stopBlock(block)
        return
      }
      case 'message_delta': {
        finish(toObject(json['delta']) ?? {})
        const usage = readUsage(json['usage'])
        if (usage !== undefined) decoding.emit({ type: 'usage', usage, vendor: json, step })
        return
      }
      case 'message_stop':
        if (!hasFinish)
          return fail({ kind: 'bad-stream', message: 'The message stopped without a stop_reason' })
        isOver = true
        decoding.emit({ type: 'message-stop', step })
        return
      case 'ping':
        decoding.emit({ type: 'ping', step })
        return
      case 'error':
        return fail(readError(json))
      case undefined:
      default:
    }
  }

  function readFrame(frame: Frame): void {
    if (isOver || frame.data === undefined || frame.data === '' || frame.data === '[DONE]') return
    const json = parseObject(frame.data)
    if (json === undefined) {
      fail(frame.isEnded ? NO_JSON : CUT)
      return
    }
    const type = toText(json['type']) ?? frame.event
    if (
      !isStarted &&
      type !== 'message_start' &&
      type !== 'error' &&
      type?.startsWith('content_block')
    ) {
      fail({
        kind: 'bad-stream',
        message: `The stream began with ${type} instead of message_start`,
      })
      return
    }
    // What stands whole in a start is an object, and has numbers where all else is text.
    const isFull = type === 'message_start' || type === 'content_block_start'
    read((isFull && losesDigits(frame.data) ? parseExactObject(frame.data) : json) ?? json, type)
  }

  return {
    push(frame) {
      step = decoding.begin(frame)
      readFrame(frame)
      if (step.events.length === 0) decoding.emit({ type: 'other', step })
      return decoding.take()
    },
    end() {
      if (isOver) return []
      step = decoding.begin()
      fail(CUT)
      return decoding.take()
    },
  }
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
