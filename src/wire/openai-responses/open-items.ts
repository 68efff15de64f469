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
export function createOpenItems(
  decoding: Decoding,
  contradicts: (name: string) => void,
  createId?: () => string,
): OpenItems {
  const items = new Map<number, Item>()
  const open = new Set<Part>()
  let count = 0
  let lastStarted: Part | undefined
  let lastGrown: Part | undefined
  let step: OpenStep

  function itemOf(index: number, json?: JsonObject): Item {
    let item = items.get(index)
    if (item === undefined) {
      item = {
        json: json ?? { type: 'message', role: 'assistant' },
        blocks: new Map(),
        isDone: false,
        heldStep: undefined,
      }
      items.set(index, item)
    }
    return item
  }

  function start(item: Item, number: number, block: BlockInfo): Part {
    makeRoom()
    const part = createPart(block)
    item.blocks.set(number, part)
    open.add(part)
    lastStarted = part
    count += 1
    if (block.type === 'tool-call') opened.hasToolCall = true
    decoding.emit({ type: 'block-start', block, vendor: item.json, step })
    releaseHeld(item, block)
    return part
  }

  function releaseHeld(item: Item, block?: BlockInfo): void {
    const { heldStep } = item
    if (heldStep === undefined) return
    item.heldStep = undefined
    decoding.emit({ type: 'other', ...(block === undefined ? {} : { block }), step: heldStep })
  }

  /**
   * Another block begins. What nobody runs or reads piece by piece is over with that (a reasoning item
   * that its server closes after the message would hold the message back); text and calls go on until
   * they are done, and the new block waits for them.
   */
  function makeRoom(): void {
    // Only these two can be over: any other was looked at when it was one of them.
    for (const part of [lastStarted, lastGrown]) {
      if (part === undefined || !part.isOpen) continue
      const { type } = part.block
      if (type === 'text' || type === 'refusal') continue
      if (type !== 'tool-call' || part.isWhole()) stop(part)
    }
  }

  function grow(part: Part, delta: Delta): void {
    part.hasText = true
    lastGrown = part
    if (delta.type === 'arguments' || delta.type === 'text') part.add(delta.text)
    decoding.emit({ type: 'block-delta', block: part.block, delta, step })
  }

  function stop(part: Part, final?: JsonObject): void {
    if (!open.delete(part)) return
    part.isOpen = false
    decoding.emit({
      type: 'block-stop',
      block: part.block,
      ...(isCutText(part.block, final) ? { isCut: true } : {}),
      ...(final === undefined ? {} : { vendor: final }),
      step,
    })
  }

  /** A frame that says nothing new of a block still belongs to it: it repeats what is in there. */
  const repeat = (part: Part): void => decoding.emit({ type: 'other', block: part.block, step })

  function partOf(item: Item, json: JsonObject, type: 'text' | 'refusal'): Part {
    const number = typeof json['content_index'] === 'number' ? json['content_index'] : 0
    const known = item.blocks.get(number)
    return known !== undefined && (known.isOpen || known.block.type === type)
      ? known
      : startPart(item, number, type)
  }

  function startPart(item: Item, number: number, type: 'text' | 'refusal'): Part {
    const id = toText(item.json['id']) ?? `block_${count}`
    return start(item, number, {
      id: number === 0 ? id : `${id}_${number}`,
      index: count,
      type,
      vendor: item.json,
    })
  }

  function wholeOf(item: Item): Part {
    return item.blocks.get(WHOLE) ?? start(item, WHOLE, readItem(item.json, count, createId))
  }

  /** A piece of a block that is over (its server closed it late or never): it opens another one. */
  function reopened(item: Item, part: Part): Part {
    return part.isOpen
      ? part
      : start(item, WHOLE, { ...part.block, index: count, id: `${part.block.id}_${count}` })
  }

  /** Another item takes that place. What waited for the old one has its turn. */
  function forget(index: number): void {
    const old = items.get(index)
    if (old === undefined) return
    items.delete(index)
    releaseHeld(old)
  }

  function readAdded(index: number, json: JsonObject): void {
    // A second item on the same place is another item, whatever its number says.
    forget(index)
    const item = itemOf(index, json)
    if (json['type'] !== 'message') wholeOf(item)
    else if (toList(json['content']).length > 0) readParts(item, json)
    else if (item.heldStep === undefined) {
      item.heldStep = step
      decoding.hold(step)
    }
  }

  function readDone(index: number, json: JsonObject): void {
    if (items.get(index)?.json['type'] !== json['type']) forget(index)
    const item = itemOf(index, json)
    item.isDone = true
    if (json['type'] === 'message') {
      readParts(item, json)
      releaseHeld(item)
      for (const part of item.blocks.values()) stop(part, part.final)
      const last = [...item.blocks.values()].at(-1)
      if (step.events.length === 0 && last !== undefined) repeat(last)
      return
    }
    if (!isSameCall(item, json)) return
    const part = wholeOf(item)
    if (part.isOpen) finishWhole(part, json)
    else repeat(part)
  }

  /** The parts of a whole message, as far as they did not come as a stream. */
  function readParts(item: Item, json: JsonObject): void {
    toList(json['content']).forEach((one, number) => {
      const content = toObject(one)
      const isRefusal = content?.['type'] === 'refusal'
      const text = toText(content?.[isRefusal ? 'refusal' : 'text'])
      const known = item.blocks.get(number)
      if (text === undefined || known?.hasText === true) return
      const part =
        known?.isOpen === true ? known : startPart(item, number, isRefusal ? 'refusal' : 'text')
      part.final = content
      grow(part, { type: 'text', text })
      for (const annotation of toList(content?.['annotations'])) {
        const citation = toObject(annotation)
        if (citation !== undefined) grow(part, { type: 'citation', citation })
      }
    })
  }

  /** What only the whole item tells: sealed thinking, and arguments that came in no delta. */
  function finishWhole(part: Part, json: JsonObject): void {
    const { type } = part.block
    if (type === 'thinking') {
      const text = part.hasText ? '' : thoughtsOf(json)
      if (text !== '') grow(part, { type: 'thinking', text })
      const signature = toText(json['encrypted_content'])
      if (signature !== undefined) grow(part, { type: 'signature', signature })
    } else if (type === 'tool-call' || type === 'server-tool') {
      const text = restOf(part.text, argumentsOf(json))
      if (text !== undefined) grow(part, { type: 'arguments', text })
    } else if (type === 'tool-result') {
      const text = resultOf(json)
      if (text !== '') grow(part, { type: 'text', text })
    }
    stop(part, json)
  }

  function readText(item: Item, json: JsonObject, type: 'text' | 'refusal', value: unknown): void {
    const part = partOf(item, json, type)
    const text = toText(value)
    if (text === undefined || !part.isOpen) repeat(part)
    else grow(part, { type: 'text', text })
  }

  /** `.done` repeats everything. What it has beyond the deltas is news: some servers send no deltas. */
  function readTextDone(
    item: Item,
    json: JsonObject,
    type: 'text' | 'refusal',
    value: unknown,
  ): void {
    readText(item, json, type, restOf(partOf(item, json, type).text, value))
  }

  function readThought(item: Item, json: JsonObject): void {
    const text = toText(json['delta'])
    const part = text === undefined ? wholeOf(item) : reopened(item, wholeOf(item))
    if (text === undefined) return repeat(part)
    const isNext =
      typeof json['summary_index'] === 'number' && json['summary_index'] > part.summaries
    if (isNext) part.summaries = Number(json['summary_index'])
    grow(part, { type: 'thinking', text: isNext && part.hasText ? `\n\n${text}` : text })
  }

  function readArguments(item: Item, value: unknown, isDone: boolean): void {
    const part = wholeOf(item)
    const text = toText(value)
    const news = isDone ? restOf(part.text, text) : text
    if (news !== undefined && part.isOpen) return grow(part, { type: 'arguments', text: news })
    const told = part.text.toString()
    const isNew = isDone ? !isSameJson(told, text ?? '') : news !== undefined && news.trim() !== ''
    if (isNew && part.block.type === 'tool-call') contradicts(part.block.name)
    else repeat(part)
  }

  /** Which item of the stream one of the terminal event is: by its id, else by its place. */
  function placeOf(json: JsonObject, place: number, byId: ReadonlyMap<unknown, number>): number {
    const index = json['id'] == null ? undefined : byId.get(json['id'])
    if (index !== undefined && items.get(index)?.json['type'] === json['type']) return index
    const there = items.get(place)
    // Another item stands at that place: this one was never streamed.
    return there === undefined || there.json['type'] === json['type'] ? place : items.size + place
  }

  /**
   * A call that is told twice must be told the same twice: a client runs what it heard last, and a
   * policy has judged what came first.
   */
  function isSameCall(item: Item, json: JsonObject): boolean {
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
    contradicts(block.name)
    return false
  }

  /** An event of an item that does not say its place: found by its id, else the last one, or a new one. */
  function lostIndex(json: JsonObject): number {
    const id = toText(json['item_id']) ?? toText(toObject(json['item'])?.['id'])
    for (const [index, item] of items) if (id !== undefined && item.json['id'] === id) return index
    return json['item'] === undefined ? Math.max(0, items.size - 1) : items.size + LOST
  }

  const opened: OpenItems & { hasToolCall: boolean } = {
    hasToolCall: false,
    read(json, type, current) {
      step = current
      const index =
        typeof json['output_index'] === 'number' ? json['output_index'] : lostIndex(json)
      if (type === 'response.output_item.added')
        return readAdded(index, toObject(json['item']) ?? {})
      if (type === 'response.output_item.done') return readDone(index, toObject(json['item']) ?? {})
      const item = itemOf(index)
      switch (type) {
        case 'response.content_part.added': {
          const kind = toObject(json['part'])?.['type']
          if (kind === 'output_text') partOf(item, json, 'text')
          else if (kind === 'refusal') partOf(item, json, 'refusal')
          else repeat(wholeOf(item))
          return
        }
        case 'response.content_part.done': {
          const part = item.blocks.get(Number(json['content_index']))
          if (part === undefined) repeat(wholeOf(item))
          else if (part.isOpen) stop(part, toObject(json['part']))
          else repeat(part)
          return
        }
        case 'response.output_text.delta':
          return readText(item, json, 'text', json['delta'])
        case 'response.output_text.done':
          return readTextDone(item, json, 'text', json['text'])
        case 'response.refusal.delta':
          return readText(item, json, 'refusal', json['delta'])
        case 'response.refusal.done':
          return readTextDone(item, json, 'refusal', json['refusal'])
        case 'response.output_text.annotation.added': {
          const part = partOf(item, json, 'text')
          const citation = toObject(json['annotation'])
          if (citation === undefined || !part.isOpen) repeat(part)
          else grow(part, { type: 'citation', citation })
          return
        }
        case 'response.reasoning_summary_text.delta':
        case 'response.reasoning_text.delta':
          return readThought(item, json)
        case 'response.function_call_arguments.delta':
        case 'response.mcp_call_arguments.delta':
        case 'response.custom_tool_call_input.delta':
          return readArguments(item, json['delta'], false)
        case 'response.function_call_arguments.done':
        case 'response.mcp_call_arguments.done':
          return readArguments(item, json['arguments'], true)
        case 'response.custom_tool_call_input.done':
          return readArguments(item, json['input'], true)
        default:
          // Progress of a built-in tool, or an event that is newer than we are.
          if (item.json['type'] !== 'message') return repeat(wholeOf(item))
          for (const part of item.blocks.values()) return repeat(part)
      }
    },
    closeAll(output, current) {
      step = current
      const byId = new Map([...items].map(([index, item]) => [item.json['id'], index]))
      output.forEach((one, place) => {
        const json = toObject(one)
        if (json === undefined) return
        const index = placeOf(json, place, byId)
        const item = items.get(index)
        if (item?.isDone !== true) readDone(index, json)
        else isSameCall(item, json)
      })
      for (const item of items.values()) releaseHeld(item)
      for (const part of open) stop(part)
    },
    release() {
      for (const item of items.values()) releaseHeld(item)
    },
  }
  return opened
}
