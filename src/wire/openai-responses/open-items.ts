/**
 * The output items of one response, from `added` to `done`. Neighbours: `decode.ts` hands over every
 * event that names an item; `item-blocks.ts` has their blocks.
 */
import { toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { Decoding, OpenStep } from '../decoding.ts'
import { ItemBlocks, WHOLE, type Item } from './item-blocks.ts'
import { argumentsOf, readItem, resultOf, thoughtsOf } from './items.ts'
import type { Part } from './open-part.ts'
import { isSameCallId, isSameJson, restOf } from './told-twice.ts'

export interface OpenItems {
  read(json: JsonObject, type: string, step: OpenStep): void
  /** The response is over: completes what is open, and reads what was never streamed. */
  closeAll(output: readonly unknown[], step: OpenStep): void
  /** The stream broke off: frames that waited for more have their turn. */
  release(): void
  readonly hasToolCall: boolean
}

/** Items without a place are kept apart from those that have one. */
const LOST = 1_000_000

/** `contradicts` is called when a call is told twice and not the same; `createId` for one that has no id. */
export const createOpenItems = (
  decoding: Decoding,
  contradicts: (name: string) => void,
  createId?: () => string,
): OpenItems => new Items(decoding, contradicts, createId)

/** A class, and not functions around what they share: every answer that is read has one, for as long as it takes. */
class Items implements OpenItems {
  private readonly blocks: ItemBlocks
  private readonly contradicts: (name: string) => void

  constructor(
    decoding: Decoding,
    contradicts: (name: string) => void,
    createId: (() => string) | undefined,
  ) {
    this.blocks = new ItemBlocks(decoding, createId)
    this.contradicts = contradicts
  }

  get hasToolCall(): boolean {
    return this.blocks.hasToolCall
  }

  read(json: JsonObject, type: string, current: OpenStep): void {
    this.blocks.step = current
    const index =
      typeof json['output_index'] === 'number' ? json['output_index'] : this.lostIndex(json)
    if (type === 'response.output_item.added')
      return this.readAdded(index, toObject(json['item']) ?? {})
    if (type === 'response.output_item.done')
      return this.readDone(index, toObject(json['item']) ?? {})
    const item = this.blocks.itemOf(index)
    switch (type) {
      case 'response.content_part.added': {
        const kind = toObject(json['part'])?.['type']
        if (kind === 'output_text') this.blocks.partOf(item, json, 'text')
        else if (kind === 'refusal') this.blocks.partOf(item, json, 'refusal')
        else this.blocks.repeat(this.blocks.wholeOf(item))
        return
      }
      case 'response.content_part.done': {
        const part = item.blocks.get(Number(json['content_index']))
        if (part === undefined) this.blocks.repeat(this.blocks.wholeOf(item))
        else if (part.isOpen) this.blocks.stop(part, toObject(json['part']))
        else this.blocks.repeat(part)
        return
      }
      case 'response.output_text.delta':
        return this.readText(item, json, 'text', json['delta'])
      case 'response.output_text.done':
        return this.readTextDone(item, json, 'text', json['text'])
      case 'response.refusal.delta':
        return this.readText(item, json, 'refusal', json['delta'])
      case 'response.refusal.done':
        return this.readTextDone(item, json, 'refusal', json['refusal'])
      case 'response.output_text.annotation.added': {
        const part = this.blocks.partOf(item, json, 'text')
        const citation = toObject(json['annotation'])
        if (citation === undefined || !part.isOpen) this.blocks.repeat(part)
        else this.blocks.grow(part, { type: 'citation', citation })
        return
      }
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return this.readThought(item, json)
      case 'response.function_call_arguments.delta':
      case 'response.mcp_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.readArguments(item, json['delta'], false)
      case 'response.function_call_arguments.done':
      case 'response.mcp_call_arguments.done':
        return this.readArguments(item, json['arguments'], true)
      case 'response.custom_tool_call_input.done':
        return this.readArguments(item, json['input'], true)
      default:
        // Progress of a built-in tool, or an event that is newer than we are.
        if (item.json['type'] !== 'message') return this.blocks.repeat(this.blocks.wholeOf(item))
        for (const part of item.blocks.values()) return this.blocks.repeat(part)
    }
  }

  closeAll(output: readonly unknown[], current: OpenStep): void {
    this.blocks.step = current
    const byId = new Map(
      this.blocks.items.entries().map(([index, item]) => [item.json['id'], index]),
    )
    output.forEach((one, place) => {
      const json = toObject(one)
      if (json === undefined) return
      const index = this.placeOf(json, place, byId)
      const item = this.blocks.items.get(index)
      if (item?.isDone !== true) this.readDone(index, json)
      else this.isSameCall(item, json)
    })
    for (const item of this.blocks.items.values()) this.blocks.releaseHeld(item)
    for (const part of this.blocks.open.keys()) this.blocks.stop(part)
  }

  release(): void {
    for (const item of this.blocks.items.values()) this.blocks.releaseHeld(item)
  }

  private readAdded(index: number, json: JsonObject): void {
    // A second item on the same place is another item, whatever its number says.
    this.blocks.forget(index)
    const item = this.blocks.itemOf(index, json)
    if (json['type'] !== 'message') this.blocks.wholeOf(item)
    else if (toList(json['content']).length > 0) this.readParts(item, json)
    else this.blocks.hold(item)
  }

  private readDone(index: number, json: JsonObject): void {
    if (this.blocks.items.get(index)?.json['type'] !== json['type']) this.blocks.forget(index)
    const item = this.blocks.itemOf(index, json)
    item.isDone = true
    if (json['type'] === 'message') {
      this.readParts(item, json)
      this.blocks.releaseHeld(item)
      for (const part of item.blocks.values()) this.blocks.stop(part, part.final)
      const last = [...item.blocks.values()].at(-1)
      if (this.blocks.step.events.length === 0 && last !== undefined) this.blocks.repeat(last)
      return
    }
    if (!this.isSameCall(item, json)) return
    const part = this.blocks.wholeOf(item)
    if (part.isOpen) this.finishWhole(part, json)
    else this.blocks.repeat(part)
  }

  /** The parts of a whole message, as far as they did not come as a stream. */
  private readParts(item: Item, json: JsonObject): void {
    toList(json['content']).forEach((one, number) => {
      const content = toObject(one)
      const isRefusal = content?.['type'] === 'refusal'
      const text = toText(content?.[isRefusal ? 'refusal' : 'text'])
      const known = item.blocks.get(number)
      if (text === undefined || known?.hasText === true) return
      const part =
        known?.isOpen === true
          ? known
          : this.blocks.startPart(item, number, isRefusal ? 'refusal' : 'text')
      part.final = content
      this.blocks.grow(part, { type: 'text', text })
      for (const annotation of toList(content?.['annotations'])) {
        const citation = toObject(annotation)
        if (citation !== undefined) this.blocks.grow(part, { type: 'citation', citation })
      }
    })
  }

  /** What only the whole item tells: sealed thinking, and arguments that came in no delta. */
  private finishWhole(part: Part, json: JsonObject): void {
    const { type } = part.block
    if (type === 'thinking') {
      const text = part.hasText ? '' : thoughtsOf(json)
      if (text !== '') this.blocks.grow(part, { type: 'thinking', text })
      const signature = toText(json['encrypted_content'])
      if (signature !== undefined) this.blocks.grow(part, { type: 'signature', signature })
    } else if (type === 'tool-call' || type === 'server-tool') {
      const text = restOf(part.text, argumentsOf(json))
      if (text !== undefined) this.blocks.grow(part, { type: 'arguments', text })
    } else if (type === 'tool-result') {
      const text = resultOf(json)
      if (text !== '') this.blocks.grow(part, { type: 'text', text })
    }
    this.blocks.stop(part, json)
  }

  private readText(item: Item, json: JsonObject, type: 'text' | 'refusal', value: unknown): void {
    const part = this.blocks.partOf(item, json, type)
    const text = toText(value)
    if (text === undefined || !part.isOpen) this.blocks.repeat(part)
    else this.blocks.grow(part, { type: 'text', text })
  }

  /** `.done` repeats everything. What it has beyond the deltas is news: some servers send no deltas. */
  private readTextDone(
    item: Item,
    json: JsonObject,
    type: 'text' | 'refusal',
    value: unknown,
  ): void {
    this.readText(item, json, type, restOf(this.blocks.partOf(item, json, type).text, value))
  }

  private readThought(item: Item, json: JsonObject): void {
    const text = toText(json['delta'])
    const part =
      text === undefined
        ? this.blocks.wholeOf(item)
        : this.blocks.reopened(item, this.blocks.wholeOf(item))
    if (text === undefined) return this.blocks.repeat(part)
    const isNext =
      typeof json['summary_index'] === 'number' && json['summary_index'] > part.summaries
    if (isNext) part.summaries = Number(json['summary_index'])
    this.blocks.grow(part, {
      type: 'thinking',
      text: isNext && part.hasText ? `\n\n${text}` : text,
    })
  }

  private readArguments(item: Item, value: unknown, isDone: boolean): void {
    const part = this.blocks.wholeOf(item)
    const text = toText(value)
    const news = isDone ? restOf(part.text, text) : text
    if (news !== undefined && part.isOpen)
      return this.blocks.grow(part, { type: 'arguments', text: news })
    const told = part.text.toString()
    const isNew = isDone ? !isSameJson(told, text ?? '') : news !== undefined && news.trim() !== ''
    if (isNew && part.block.type === 'tool-call') this.contradicts(part.block.name)
    else this.blocks.repeat(part)
  }

  /** Which item of the stream one of the terminal event is: by its id, else by its place. */
  private placeOf(json: JsonObject, place: number, byId: ReadonlyMap<unknown, number>): number {
    const index = json['id'] == null ? undefined : byId.get(json['id'])
    if (index !== undefined && this.blocks.items.get(index)?.json['type'] === json['type'])
      return index
    const there = this.blocks.items.get(place)
    // Another item stands at that place: this one was never streamed.
    return there === undefined || there.json['type'] === json['type']
      ? place
      : this.blocks.items.size + place
  }

  /**
   * A call that is told twice must be told the same twice: a client runs what it heard last, and a
   * policy has judged what came first.
   */
  private isSameCall(item: Item, json: JsonObject): boolean {
    const part = item.blocks.get(WHOLE)
    if (part?.block.type !== 'tool-call') return true
    const { block } = part
    const told = part.text.toString()
    const again = argumentsOf(json)
    const another = readItem(json, 0)
    const isSame =
      another.type === 'tool-call' && another.name === block.name && isSameCallId(item.json, json)
    // More of the same is news, as long as the call is open.
    if (isSame && (isSameJson(told, again) || (part.isOpen && again.startsWith(told)))) return true
    this.contradicts(block.name)
    return false
  }

  /** An event of an item that does not say its place: found by its id, else the last one, or a new one. */
  private lostIndex(json: JsonObject): number {
    const id = toText(json['item_id']) ?? toText(toObject(json['item'])?.['id'])
    for (const [index, item] of this.blocks.items.entries())
      if (id !== undefined && item.json['id'] === id) return index
    return json['item'] === undefined
      ? Math.max(0, this.blocks.items.size - 1)
      : this.blocks.items.size + LOST
  }
}
