/**
 * Chat frames to events, for OpenAI and for everybody who says they are compatible. Neighbours:
 * `choice.ts` reads one choice, `terms.ts` the words, `../decoding.ts` keeps the order. What a chunk
 * holds is read in the order reasoning, content, refusal, calls, finish, usage: some servers send all
 * of it at once.
 */
import { FewMap } from '../../base/few.ts'
import {
  isObject,
  parseObject,
  toCount,
  toList,
  toObject,
  toText,
  type JsonObject,
} from '../../base/json.ts'
import type { StreamFault } from '../../event/fault.ts'
import type { Frame } from '../../sse/frame.ts'
import { createDecoding, type OpenStep } from '../decoding.ts'
import type { Decoder, DecoderOptions } from '../wire.ts'
import { createChoice, type Choice } from './choice.ts'
import { NAME } from './json.ts'
import { readError, readUsage } from './terms.ts'

const CUT: StreamFault = {
  kind: 'cut',
  message: 'The upstream ended before it gave a finish_reason',
}
const NO_JSON: StreamFault = {
  kind: 'bad-stream',
  message: 'A frame of the upstream holds no JSON object',
}

export function createDecoder({ createId }: DecoderOptions = {}): Decoder {
  const decoding = createDecoding(NAME)
  const choices = new FewMap<number, Choice>()
  let id = ''
  let model = ''
  let isStarted = false
  let isOver = false
  let step: OpenStep
  let last: Choice | undefined

  function fail(error: StreamFault): void {
    if (isOver) return
    isOver = true
    decoding.emit({ type: 'error', error, step })
  }

  function refuse(): void {
    isOver = true
    decoding.refuse({
      kind: 'bad-stream',
      message: 'The upstream went back on a tool call that was over',
    })
  }

  function choiceOf(json: JsonObject): Choice {
    const number = typeof json['index'] === 'number' ? json['index'] : 0
    let choice = choices.get(number)
    if (choice === undefined) {
      choice = createChoice({ decoding, number, messageId: id, createId })
      choices.set(number, choice)
    }
    return choice
  }

  function start(chunk: JsonObject): void {
    isStarted = true
    const created = toCount(chunk['created'])
    const made = created === undefined || created === 0 ? {} : { created }
    decoding.emit({ type: 'message-start', id, model, ...made, wire: NAME, vendor: chunk, step })
  }

  function readChunk(chunk: JsonObject): void {
    if (isObject(chunk['error']) || toText(chunk['error']) !== undefined) {
      fail(readError(chunk))
      return
    }
    // Azure opens with a chunk that has no choices and empty names; the first real one gives them.
    if (id === '') id = toText(chunk['id']) ?? ''
    if (model === '') model = toText(chunk['model']) ?? ''
    for (const one of toList(chunk['choices'])) {
      const json = toObject(one)
      if (json === undefined) continue
      if (!isStarted) start(chunk)
      last = choiceOf(json)
      const said = last.read(json, step)
      if (said === 'contradicted') return refuse()
      if (said === 'broken') {
        fail({
          kind: 'internal',
          message: `The upstream broke off: ${toText(json['finish_reason']) ?? 'error'}`,
        })
        return
      }
    }
    const usage = readUsage(chunk['usage']) ?? readUsage(toObject(chunk['x_groq'])?.['usage'])
    if (usage !== undefined) decoding.emit({ type: 'usage', usage, vendor: chunk, step })
  }

  /** Ends the message where the format does: at `[DONE]`, or at the end of input after a finish. */
  function stop(): void {
    const first = choices.get(0) ?? choices.values()[0]
    if (first === undefined || !first.hasFinish) {
      fail(CUT)
      return
    }
    for (const choice of choices.values()) choice.close(step)
    isOver = true
    decoding.emit({ type: 'message-stop', step })
  }

  function readFrame(frame: Frame): void {
    if (isOver) return
    if (frame.stray !== undefined) {
      const error = readStray(frame.stray)
      if (error !== undefined) return fail(error)
    }
    if (frame.data === undefined || frame.data === '') return
    if (frame.data.startsWith('[DONE]')) return stop()
    const chunk = parseObject(frame.data)
    if (chunk === undefined) fail(frame.isEnded ? NO_JSON : CUT)
    else if (frame.event === 'error') fail(readError(chunk))
    else readChunk(chunk)
  }

  return {
    push(frame) {
      step = decoding.begin(frame)
      readFrame(frame)
      if (step.events.length === 0 && !step.late.has(step.number))
        decoding.emit({ type: 'other', step })
      return decoding.take()
    },
    again(text, frame) {
      step = decoding.begin(frame)
      if (!isOver && last?.again(text, step) === 'contradicted') refuse()
      if (step.events.length === 0) decoding.emit({ type: 'other', step })
      return decoding.take()
    },
    end() {
      if (isOver) return []
      step = decoding.begin()
      stop()
      return decoding.take()
    },
  }
}

/** A server wrote an error as a bare line: `error: {…}`, or the object alone. */
function readStray(stray: string): StreamFault | undefined {
  const text = /^error:?\s*(.*)$/s.exec(stray)?.[1] ?? (stray.startsWith('{') ? stray : undefined)
  if (text === undefined) return undefined
  const body = parseObject(text)
  if (body === undefined)
    return stray.startsWith('error') ? { kind: 'internal', message: text } : undefined
  return stray.startsWith('error') || body['error'] !== undefined ? readError(body) : undefined
}
