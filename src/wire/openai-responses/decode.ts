/**
 * Responses frames to events. Neighbours: `open-items.ts` follows each output item, `terms.ts` has the
 * words, `../decoding.ts` keeps the order. Items are known by their place (`output_index`): some
 * servers change the ids on every event.
 */
import { parseObject, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { StreamFault } from '../../event/fault.ts'
import type { Frame } from '../../sse/frame.ts'
import { createDecoding, type OpenStep } from '../decoding.ts'
import type { Decoder, DecoderOptions } from '../wire.ts'
import { createBriefItems } from './brief-items.ts'
import { NAME } from './json.ts'
import { createOpenItems } from './open-items.ts'
import { readEnd, readError, readUsage } from './terms.ts'

const CUT: StreamFault = {
  kind: 'cut',
  message: 'The upstream ended before its response was completed',
}
const NO_JSON: StreamFault = {
  kind: 'bad-stream',
  message: 'A frame of the upstream holds no JSON object',
}

/** A client takes what stands there for what was said. */
const TOO_EARLY: StreamFault = {
  kind: 'bad-stream',
  message: 'The upstream announced a response with output in it',
}

export function createDecoder({ createId, isBrief = false }: DecoderOptions = {}): Decoder {
  const decoding = createDecoding(NAME)
  const items = isBrief ? createBriefItems() : createOpenItems(decoding, contradicts, createId)
  let isStarted = false
  let isOver = false
  let step: OpenStep

  function contradicts(name: string): void {
    if (isOver) return
    isOver = true
    decoding.refuse({
      kind: 'bad-stream',
      message: `The upstream told the call "${name}" twice, with other arguments`,
    })
  }

  function fail(error: StreamFault): void {
    if (isOver) return
    isOver = true
    items.release()
    decoding.emit({ type: 'error', error, step })
  }

  /** As `fail`, and the frame itself does not leave. */
  function refuse(error: StreamFault): void {
    if (isOver) return
    isOver = true
    items.release()
    decoding.refuse(error)
  }

  function start(response: JsonObject | undefined): void {
    if (isStarted) return
    isStarted = true
    decoding.emit({
      type: 'message-start',
      id: toText(response?.['id']) ?? '',
      model: toText(response?.['model']) ?? '',
      ...(typeof response?.['created_at'] === 'number' ? { created: response['created_at'] } : {}),
      wire: NAME,
      ...(response === undefined ? {} : { vendor: response }),
      step,
    })
  }

  function end(response: JsonObject): void {
    start(response)
    items.closeAll(toList(response['output']), step)
    if (isOver) return
    decoding.emit({
      type: 'finish',
      ...readEnd(response, items.hasToolCall),
      vendor: response,
      step,
    })
    const usage = readUsage(response['usage'])
    if (usage !== undefined) decoding.emit({ type: 'usage', usage, step })
    isOver = true
    decoding.emit({ type: 'message-stop', step })
  }

  function read(json: JsonObject, type: string): void {
    const response = toObject(json['response'])
    switch (type) {
      case 'response.created':
        return hasOutput(response) ? refuse(TOO_EARLY) : start(response)
      case 'response.in_progress':
      case 'response.queued':
        if (hasOutput(response)) refuse(TOO_EARLY)
        return
      case 'response.completed':
      case 'response.incomplete':
        return end(response ?? {})
      case 'response.failed':
      case 'response.cancelled':
      case 'error':
        // It may repeat a call that somebody holds: then it is told without.
        return hasOutput(response) ? refuse(readError(json)) : fail(readError(json))
      case 'keepalive':
        decoding.emit({ type: 'ping', step })
        return
      default:
        if (typeof json['output_index'] !== 'number' && !isOfItem(json)) return
        start(undefined)
        items.read(json, type, step)
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
    if (type !== undefined) read(json, type)
    else if (json['error'] != null) fail(readError(json))
  }

  return {
    push(frame) {
      step = decoding.begin(frame)
      readFrame(frame)
      if (step.events.length === 0 && !step.late.has(step.number))
        decoding.emit({ type: 'other', step })
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

const hasOutput = (response: JsonObject | undefined): boolean =>
  toList(response?.['output']).length > 0

/** Whether an event speaks of an item without saying its place. */
const isOfItem = (json: JsonObject): boolean =>
  toObject(json['item']) !== undefined || toText(json['item_id']) !== undefined
