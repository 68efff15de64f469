/**
 * The output items of one response, from `added` to `done`. Neighbours: `decode.ts` hands over every
 * event that names an item; `items.ts` says what kind of block it is. The parts of a message are
 * blocks, every other item is one block.
 */
import { toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'
import type { Delta } from '../../event/event.ts'
import type { Decoding, OpenStep } from '../decoding.ts'
import { argumentsOf, isCutText, readItem, resultOf, thoughtsOf } from './items.ts'
import { createPart, type Part } from './open-part.ts'
import { isSameCallId, isSameJson, restOf } from './told-twice.ts'

export interface OpenItems {
  read(json: JsonObject, type: string, step: OpenStep): void
  /** The response is over: completes what is open, and reads what was never streamed. */
  closeAll(output: readonly unknown[], step: OpenStep): void
  /** The stream broke off: frames that waited for more have their turn. */
  release(): void
  readonly hasToolCall: boolean
}

interface Item {
  readonly json: JsonObject
  /** The block, or for a message the block of each part. */
  readonly blocks: Map<number, Part>
  isDone: boolean
  /** The frame that added a message waits for the first part: it must not leave without it. */
  heldStep: OpenStep | undefined
}

/** Items without a place are kept apart from those that have one. */
const LOST = 1_000_000

/** The block of an item that is no message stands under this number. */
const WHOLE = -1

/** `contradicts` is called when a call is told twice and not the same; `createId` for one that has no id. */
export const createOpenItems = (
  decoding: Decoding,
  contradicts: (name: string) => void,
  createId?: () => string,
): OpenItems => new Items(decoding, contradicts, createId)

/** A class, and not functions around what they share: every answer that is read has one, for as long as it takes. */
class Items implements OpenItems {
  hasToolCall = false
  private readonly decoding: Decoding
  private readonly contradicts: (name: string) => void
  private readonly createId: (() => string) | undefined
  private readonly items = new Map<number, Item>()
  private readonly open = new Set<Part>()
  private count = 0
  private lastStarted: Part | undefined
  private lastGrown: Part | undefined
  private step!: OpenStep

  constructor(
    decoding: Decoding,
    contradicts: (name: string) => void,
    createId: (() => string) | undefined,
  ) {
    this.decoding = decoding
    this.contradicts = contradicts
    this.createId = createId
  }

  read(json: JsonObject, type: string, current: OpenStep): void {
    this.step = current
    const index =
      typeof json['output_index'] === 'number' ? json['output_index'] : this.lostIndex(json)
    if (type === 'response.output_item.added')
      return this.readAdded(index, toObject(json['item']) ?? {})
    if (type === 'response.output_item.done')
      return this.readDone(index, toObject(json['item']) ?? {})
    const item = this.itemOf(index)
    switch (type) {
      case 'response.content_part.added': {
        const kind = toObject(json['part'])?.['type']
        if (kind === 'output_text') this.partOf(item, json, 'text')
        else if (kind === 'refusal') this.partOf(item, json, 'refusal')
        else this.repeat(this.wholeOf(item))
        return
      }
      case 'response.content_part.done': {
        const part = item.blocks.get(Number(json['content_index']))
        if (part === undefined) this.repeat(this.wholeOf(item))
        else if (part.isOpen) this.stop(part, toObject(json['part']))
        else this.repeat(part)
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
        const part = this.partOf(item, json, 'text')
        const citation = toObject(json['annotation'])
        if (citation === undefined || !part.isOpen) this.repeat(part)
        else this.grow(part, { type: 'citation', citation })
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
        if (item.json['type'] !== 'message') return this.repeat(this.wholeOf(item))
        for (const part of item.blocks.values()) return this.repeat(part)
    }
  }

  closeAll(output: readonly unknown[], current: OpenStep): void {
    this.step = current
    const byId = new Map([...this.items].map(([index, item]) => [item.json['id'], index]))
    output.forEach((one, place) => {
      const json = toObject(one)
      if (json === undefined) return
      const index = this.placeOf(json, place, byId)
      const item = this.items.get(index)
      if (item?.isDone !== true) this.readDone(index, json)
      else this.isSameCall(item, json)
    })
    for (const item of this.items.values()) this.releaseHeld(item)
    for (const part of this.open) this.stop(part)
  }

  release(): void {
    for (const item of this.items.values()) this.releaseHeld(item)
  }

  private itemOf(index: number, json?: JsonObject): Item {
    let item = this.items.get(index)
    if (item === undefined) {
      item = {
        json: json ?? { type: 'message', role: 'assistant' },
        blocks: new Map(),
        isDone: false,
        heldStep: undefined,
      }
      this.items.set(index, item)
    }
    return item
  }

  private start(item: Item, number: number, block: BlockInfo): Part {
    this.makeRoom()
    const part = createPart(block)
    item.blocks.set(number, part)
    this.open.add(part)
    this.lastStarted = part
    this.count += 1
    if (block.type === 'tool-call') this.hasToolCall = true
    this.decoding.emit({ type: 'block-start', block, vendor: item.json, step: this.step })
    this.releaseHeld(item, block)
    return part
  }

  private releaseHeld(item: Item, block?: BlockInfo): void {
    const { heldStep } = item
    if (heldStep === undefined) return
    item.heldStep = undefined
    this.decoding.emit({ type: 'other', ...(block === undefined ? {} : { block }), step: heldStep })
  }

  /**
   * Another block begins. What nobody runs or reads piece by piece is over with that (a reasoning item
   * that its server closes after the message would hold the message back); text and calls go on until
   * they are done, and the new block waits for them.
   */
  private makeRoom(): void {
    // Only these two can be over: any other was looked at when it was one of them.
    for (const part of [this.lastStarted, this.lastGrown]) {
      if (part === undefined || !part.isOpen) continue
      const { type } = part.block
      if (type === 'text' || type === 'refusal') continue
      if (type !== 'tool-call' || part.isWhole()) this.stop(part)
    }
  }

  private grow(part: Part, delta: Delta): void {
    part.hasText = true
    this.lastGrown = part
    if (delta.type === 'arguments' || delta.type === 'text') part.add(delta.text)
    this.decoding.emit({ type: 'block-delta', block: part.block, delta, step: this.step })
  }

  private stop(part: Part, final?: JsonObject): void {
    if (!this.open.delete(part)) return
    part.isOpen = false
    this.decoding.emit({
      type: 'block-stop',
      block: part.block,
      ...(isCutText(part.block, final) ? { isCut: true } : {}),
      ...(final === undefined ? {} : { vendor: final }),
      step: this.step,
    })
  }

  /** A frame that says nothing new of a block still belongs to it: it repeats what is in there. */
  private repeat(part: Part): void {
    this.decoding.emit({ type: 'other', block: part.block, step: this.step })
  }

  private partOf(item: Item, json: JsonObject, type: 'text' | 'refusal'): Part {
    const number = typeof json['content_index'] === 'number' ? json['content_index'] : 0
    const known = item.blocks.get(number)
    return known !== undefined && (known.isOpen || known.block.type === type)
      ? known
      : this.startPart(item, number, type)
  }

  private startPart(item: Item, number: number, type: 'text' | 'refusal'): Part {
    const id = toText(item.json['id']) ?? `block_${this.count}`
    return this.start(item, number, {
      id: number === 0 ? id : `${id}_${number}`,
      index: this.count,
      type,
      vendor: item.json,
    })
  }

  private wholeOf(item: Item): Part {
    return (
      item.blocks.get(WHOLE) ??
      this.start(item, WHOLE, readItem(item.json, this.count, this.createId))
    )
  }

  /** A piece of a block that is over (its server closed it late or never): it opens another one. */
  private reopened(item: Item, part: Part): Part {
    return part.isOpen
      ? part
      : this.start(item, WHOLE, {
          ...part.block,
          index: this.count,
          id: `${part.block.id}_${this.count}`,
        })
  }

  /** Another item takes that place. What waited for the old one has its turn. */
  private forget(index: number): void {
    const old = this.items.get(index)
    if (old === undefined) return
    this.items.delete(index)
    this.releaseHeld(old)
  }

  private readAdded(index: number, json: JsonObject): void {
    // A second item on the same place is another item, whatever its number says.
    this.forget(index)
    const item = this.itemOf(index, json)
    if (json['type'] !== 'message') this.wholeOf(item)
    else if (toList(json['content']).length > 0) this.readParts(item, json)
    else if (item.heldStep === undefined) {
      item.heldStep = this.step
      this.decoding.hold(this.step)
    }
  }

  private readDone(index: number, json: JsonObject): void {
    if (this.items.get(index)?.json['type'] !== json['type']) this.forget(index)
    const item = this.itemOf(index, json)
    item.isDone = true
    if (json['type'] === 'message') {
      this.readParts(item, json)
      this.releaseHeld(item)
      for (const part of item.blocks.values()) this.stop(part, part.final)
      const last = [...item.blocks.values()].at(-1)
      if (this.step.events.length === 0 && last !== undefined) this.repeat(last)
      return
    }
    if (!this.isSameCall(item, json)) return
    const part = this.wholeOf(item)
    if (part.isOpen) this.finishWhole(part, json)
    else this.repeat(part)
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
          : this.startPart(item, number, isRefusal ? 'refusal' : 'text')
      part.final = content
      this.grow(part, { type: 'text', text })
      for (const annotation of toList(content?.['annotations'])) {
        const citation = toObject(annotation)
        if (citation !== undefined) this.grow(part, { type: 'citation', citation })
      }
    })
  }

  /** What only the whole item tells: sealed thinking, and arguments that came in no delta. */
  private finishWhole(part: Part, json: JsonObject): void {
    const { type } = part.block
    if (type === 'thinking') {
      const text = part.hasText ? '' : thoughtsOf(json)
      if (text !== '') this.grow(part, { type: 'thinking', text })
      const signature = toText(json['encrypted_content'])
      if (signature !== undefined) this.grow(part, { type: 'signature', signature })
    } else if (type === 'tool-call' || type === 'server-tool') {
      const text = restOf(part.text, argumentsOf(json))
      if (text !== undefined) this.grow(part, { type: 'arguments', text })
    } else if (type === 'tool-result') {
      const text = resultOf(json)
      if (text !== '') this.grow(part, { type: 'text', text })
    }
    this.stop(part, json)
  }

  private readText(item: Item, json: JsonObject, type: 'text' | 'refusal', value: unknown): void {
    const part = this.partOf(item, json, type)
    const text = toText(value)
    if (text === undefined || !part.isOpen) this.repeat(part)
    else this.grow(part, { type: 'text', text })
  }

  /** `.done` repeats everything. What it has beyond the deltas is news: some servers send no deltas. */
  private readTextDone(
    item: Item,
    json: JsonObject,
    type: 'text' | 'refusal',
    value: unknown,
  ): void {
    this.readText(item, json, type, restOf(this.partOf(item, json, type).text, value))
  }

  private readThought(item: Item, json: JsonObject): void {
    const text = toText(json['delta'])
    const part = text === undefined ? this.wholeOf(item) : this.reopened(item, this.wholeOf(item))
    if (text === undefined) return this.repeat(part)
    const isNext =
      typeof json['summary_index'] === 'number' && json['summary_index'] > part.summaries
    if (isNext) part.summaries = Number(json['summary_index'])
    this.grow(part, { type: 'thinking', text: isNext && part.hasText ? `\n\n${text}` : text })
  }

  private readArguments(item: Item, value: unknown, isDone: boolean): void {
    const part = this.wholeOf(item)
    const text = toText(value)
    const news = isDone ? restOf(part.text, text) : text
    if (news !== undefined && part.isOpen) return this.grow(part, { type: 'arguments', text: news })
    const told = part.text.toString()
    const isNew = isDone ? !isSameJson(told, text ?? '') : news !== undefined && news.trim() !== ''
    if (isNew && part.block.type === 'tool-call') this.contradicts(part.block.name)
    else this.repeat(part)
  }

  /** Which item of the stream one of the terminal event is: by its id, else by its place. */
  private placeOf(json: JsonObject, place: number, byId: ReadonlyMap<unknown, number>): number {
    const index = json['id'] == null ? undefined : byId.get(json['id'])
    if (index !== undefined && this.items.get(index)?.json['type'] === json['type']) return index
    const there = this.items.get(place)
    // Another item stands at that place: this one was never streamed.
    return there === undefined || there.json['type'] === json['type']
      ? place
      : this.items.size + place
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
    for (const [index, item] of this.items)
      if (id !== undefined && item.json['id'] === id) return index
    return json['item'] === undefined ? Math.max(0, this.items.size - 1) : this.items.size + LOST
  }
}
