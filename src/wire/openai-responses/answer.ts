/**
 * A JSON answer to events and back. Neighbours: `decode.ts` reads it as a terminal event that nothing
 * came before, and the encoder's own terminal event is what is written: the body of a Responses
 * answer and that of `response.completed` are the same thing.
 */
import { isObject, parseObject, toText, type JsonObject } from '../../base/json.ts'
import type { Answer } from '../../event/answer.ts'
import type { BlockInfo, StreamBlock } from '../../event/block.ts'
import type { Delta, StreamEvent } from '../../event/event.ts'
import type { Loss } from '../../event/loss.ts'
import { readPayloads } from '../read-answer.ts'
import type { DecoderOptions, EncoderOptions } from '../wire.ts'
import { createDecoder } from './decode.ts'
import { createEncoder } from './encode.ts'

export function readAnswer(body: JsonObject, options: DecoderOptions = {}): readonly StreamEvent[] {
  const status = toText(body['status'])
  const word =
    status === 'incomplete' || status === 'failed' || status === 'cancelled' ? status : 'completed'
  return readPayloads(createDecoder(options), [{ type: `response.${word}`, response: body }])
}

export function writeAnswer(
  answer: Answer,
  options: EncoderOptions = {},
): { body: JsonObject; losses: readonly Loss[] } {
  const encoder = createEncoder(options)
  let last: JsonObject | undefined
  for (const event of toEvents(answer)) {
    for (const written of encoder.push(event)) {
      if (event.type === 'message-stop' && typeof written === 'string') last = responseOf(written)
    }
  }
  return { body: last ?? {}, losses: encoder.losses() }
}

function responseOf(frame: string): JsonObject | undefined {
  const json = parseObject(frame.slice(frame.indexOf('data: ') + 'data: '.length))
  return isObject(json?.['response']) ? json['response'] : undefined
}

function* toEvents(answer: Answer): Generator<StreamEvent> {
  const { wire, vendor, usage, vendorFinishReason, stopSequence } = answer
  yield {
    type: 'message-start',
    id: answer.id ?? '',
    model: answer.model ?? '',
    ...(wire === undefined ? {} : { wire }),
    ...(vendor === undefined ? {} : { vendor }),
  }
  for (const block of answer.blocks) yield* toBlockEvents(block)
  yield {
    type: 'finish',
    reason: answer.finishReason ?? 'stop',
    ...(vendorFinishReason === undefined ? {} : { vendorReason: vendorFinishReason }),
    ...(stopSequence === undefined ? {} : { stopSequence }),
    ...(answer.explanation === undefined ? {} : { explanation: answer.explanation }),
    ...(vendor === undefined ? {} : { vendor }),
  }
  if (usage !== undefined) yield { type: 'usage', usage }
  yield { type: 'message-stop' }
}

function* toBlockEvents(stream: StreamBlock): Generator<StreamEvent> {
  const block: BlockInfo = stream.info
  const of = stream.choice === undefined ? {} : { choice: stream.choice }
  yield { type: 'block-start', block, ...of }
  for (const delta of toDeltas(stream)) yield { type: 'block-delta', block, delta, ...of }
  yield {
    type: 'block-stop',
    block,
    ...of,
    ...(stream.isCut ? { isCut: true } : {}),
    ...(stream.final === undefined ? {} : { vendor: stream.final }),
  }
}

function toDeltas(block: StreamBlock): readonly Delta[] {
  switch (block.type) {
    case 'text':
      return [
        { type: 'text', text: block.text },
        ...block.citations.map((citation): Delta => ({ type: 'citation', citation })),
      ]
    case 'refusal':
    case 'tool-result':
      return [{ type: 'text', text: block.text }]
    case 'thinking': {
      const seal: Delta[] =
        block.signature === undefined ? [] : [{ type: 'signature', signature: block.signature }]
      return [{ type: 'thinking', text: block.text }, ...seal]
    }
    case 'tool-call':
    case 'server-tool':
      return [{ type: 'arguments', text: block.arguments }]
    case 'opaque':
      return []
  }
}
