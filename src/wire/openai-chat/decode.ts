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
import type { StreamEvent } from '../../event/event.ts'
import type { Frame } from '../../sse/frame.ts'
import { createDecoding } from '../decoding.ts'
import type { Decoder, DecoderOptions } from '../wire.ts'
import { createChoice, NO_STEP, type Choice } from './choice.ts'
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

export const createDecoder = ({ createId }: DecoderOptions = {}): Decoder =>
  new ChunkReader(createId)

/** A class, and not functions around what they share: every answer that is read has one, for as long as it takes. */
class ChunkReader implements Decoder {
  private readonly createId: (() => string) | undefined
  private readonly decoding = createDecoding(NAME)
  private readonly choices = new FewMap<number, Choice>()
  private id = ''
  private model = ''
  private isStarted = false
  private isOver = false
  private step = NO_STEP
  /** The choice that was spoken of last. */
  private last: Choice | undefined

  constructor(createId: (() => string) | undefined) {
    this.createId = createId
  }

  push(frame: Frame): readonly StreamEvent[] {
    const step = (this.step = this.decoding.begin(frame))
    this.readFrame(frame)
    if (step.events.length === 0 && !step.late.has(step.number))
      this.decoding.emit({ type: 'other', step })
    return this.take()
  }

  again(text: string, frame: Frame): readonly StreamEvent[] {
    const step = (this.step = this.decoding.begin(frame))
    if (!this.isOver && this.last?.again(text, step) === 'contradicted') this.refuse()
    if (step.events.length === 0) this.decoding.emit({ type: 'other', step })
    return this.take()
  }

  end(): readonly StreamEvent[] {
    if (this.isOver) return []
    this.step = this.decoding.begin()
    this.stop()
    return this.take()
  }

  private take(): readonly StreamEvent[] {
    // It holds the frame, and that what was read with it.
    this.step = NO_STEP
    return this.decoding.take()
  }

  private fail(error: StreamFault): void {
    if (this.isOver) return
    this.isOver = true
    this.decoding.emit({ type: 'error', error, step: this.step })
  }

  private refuse(): void {
    this.isOver = true
    this.decoding.refuse({
      kind: 'bad-stream',
      message: 'The upstream went back on a tool call that was over',
    })
  }

  private choiceOf(json: JsonObject): Choice {
    const number = typeof json['index'] === 'number' ? json['index'] : 0
    let choice = this.choices.get(number)
    if (choice === undefined) {
      const { decoding, id: messageId, createId } = this
      choice = createChoice({ decoding, number, messageId, createId })
      this.choices.set(number, choice)
    }
    return choice
  }

  private start(chunk: JsonObject): void {
    this.isStarted = true
    const { id, model, step } = this
    const created = toCount(chunk['created'])
    const made = created === undefined || created === 0 ? {} : { created }
    this.decoding.emit({
      type: 'message-start',
      id,
      model,
      ...made,
      wire: NAME,
      vendor: chunk,
      step,
    })
  }

  private readChunk(chunk: JsonObject): void {
    if (isObject(chunk['error']) || toText(chunk['error']) !== undefined)
      return this.fail(readError(chunk))
    const { step } = this
    // Azure opens with a chunk that has no choices and empty names; the first real one gives them.
    if (this.id === '') this.id = toText(chunk['id']) ?? ''
    if (this.model === '') this.model = toText(chunk['model']) ?? ''
    for (const one of toList(chunk['choices'])) {
      const json = toObject(one)
      if (json === undefined) continue
      if (!this.isStarted) this.start(chunk)
      this.last = this.choiceOf(json)
      const said = this.last.read(json, step)
      if (said === 'contradicted') return this.refuse()
      if (said === 'broken')
        return this.fail({
          kind: 'internal',
          message: `The upstream broke off: ${toText(json['finish_reason']) ?? 'error'}`,
        })
    }
    const usage = readUsage(chunk['usage']) ?? readUsage(toObject(chunk['x_groq'])?.['usage'])
    if (usage !== undefined) this.decoding.emit({ type: 'usage', usage, vendor: chunk, step })
  }

  /** Ends the message where the format does: at `[DONE]`, or at the end of input after a finish. */
  private stop(): void {
    const { choices, step } = this
    const first = choices.get(0) ?? choices.values()[0]
    if (first === undefined || !first.hasFinish) return this.fail(CUT)
    for (const choice of choices.values()) choice.close(step)
    this.isOver = true
    this.decoding.emit({ type: 'message-stop', step })
  }

  private readFrame(frame: Frame): void {
    if (this.isOver) return
    if (frame.stray !== undefined) {
      const error = readStray(frame.stray)
      if (error !== undefined) return this.fail(error)
    }
    if (frame.data === undefined || frame.data === '') return
    if (frame.data.startsWith('[DONE]')) return this.stop()
    const chunk = parseObject(frame.data)
    if (chunk === undefined) this.fail(frame.isEnded ? NO_JSON : CUT)
    else if (frame.event === 'error') this.fail(readError(chunk))
    else this.readChunk(chunk)
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
