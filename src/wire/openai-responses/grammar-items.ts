/**
 * The output items under the rules of this wire. Neighbours: `grammar.ts` hands over what names an item.
 */
import { createFragments, type Fragments } from '../../base/fragments.ts'
import { isObject, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import { KNOWN_EVENTS, type RULES } from './rules.ts'

export interface ItemsGrammar {
  read(json: JsonObject, type: string, index: number): void
  /** The terminal event came with that output. */
  end(output: unknown): void
  count(): number
}

interface ItemState {
  readonly json: JsonObject
  /** The parts as the SDKs have them: those of the item that was added, and each that was added since. */
  readonly parts: PartState[]
  readonly summaries: PartState[]
  readonly text: Fragments
  /** The item when it was done. */
  done: JsonObject | undefined
}

interface PartState {
  readonly json: JsonObject
  readonly text: Fragments
}

/** Where a part stands: a content part of an item, or a summary of a reasoning item. */
interface Place {
  readonly list: 'parts' | 'summaries'
  readonly index: 'content_index' | 'summary_index'
  readonly rule: 'C9' | 'C10'
}

const CONTENT: Place = { list: 'parts', index: 'content_index', rule: 'C9' }
const SUMMARY: Place = { list: 'summaries', index: 'summary_index', rule: 'C10' }

const CALLS = new Set(['function_call', 'custom_tool_call'])

/** Deltas into a part that must have been added, of which type, and the field that their `done` repeats. */
const TEXTS: Readonly<Record<string, { place: Place; type: string; field: string }>> = {
  'response.output_text': { place: CONTENT, type: 'output_text', field: 'text' },
  'response.refusal': { place: CONTENT, type: 'refusal', field: 'refusal' },
  'response.reasoning_text': { place: CONTENT, type: 'reasoning_text', field: 'text' },
  'response.reasoning_summary_text': { place: SUMMARY, type: 'summary_text', field: 'text' },
}

const WHOLE_TEXTS: Readonly<Record<string, string>> = {
  'response.function_call_arguments': 'arguments',
  'response.mcp_call_arguments': 'arguments',
  'response.custom_tool_call_input': 'input',
}

export function createItemsGrammar(
  add: (rule: keyof typeof RULES, message: string) => void,
): ItemsGrammar {
  /** By place. No list: a place may be any number, and a list with a hole of that size takes forever. */
  const items = new Map<number, ItemState>()
  let nextIndex = 0
  const ids = new Set<unknown>()

  function readAdded(json: JsonObject, index: number): void {
    if (index !== nextIndex) add('C5', `item ${index} came where ${nextIndex} was due`)
    nextIndex = Math.max(nextIndex, index + 1)
    const type = toText(json['type']) ?? ''
    const id = toText(json['id'])
    if (id === undefined || ids.has(id))
      add('C7', id === undefined ? `item ${index} has no id` : `the id ${id} is used twice`)
    if (CALLS.has(type) && toText(json['call_id']) === undefined)
      add('C7', `the ${type} ${index} has no call_id`)
    if (type === 'function_call' && typeof json['arguments'] !== 'string')
      add('C12', `function call ${index} has no arguments`)
    ids.add(id)
    checkContent(json)
    const parts = toList(json['content']).map(toPart)
    const summaries = toList(json['summary']).map(toPart)
    items.set(index, { json, parts, summaries, text: createFragments(), done: undefined })
  }

  function checkContent(json: JsonObject): void {
    if (!hasContent(json)) add('C9', 'a message without a list of parts')
  }

  function readPart(item: ItemState, json: JsonObject, { list, index, rule }: Place): void {
    const number = json[index]
    const due = item[list].length
    if (number !== due) add(rule, `part ${String(number)} came where ${due} was due`)
    if (!isPart(json['part'])) add(rule, `part ${String(number)} is added without a type or a text`)
    if (rule === 'C10' && !Array.isArray(item.json['summary']))
      add(rule, 'the item was added without a summary list')
    item[list].push(toPart(json['part']))
  }

  /** The part that an event speaks of. */
  function partOf(
    item: ItemState,
    json: JsonObject,
    { list, index, rule }: Place,
  ): PartState | undefined {
    const number = json[index]
    const part = typeof number === 'number' ? item[list][number] : undefined
    if (part === undefined) add(rule, `part ${String(number)} was not added`)
    return part
  }

  function readDone(item: ItemState, json: JsonObject): void {
    for (const key of ['type', 'id', 'call_id']) {
      if (item.json[key] !== json[key] && !(item.json[key] == null && json[key] == null))
        add('C8', `${key} is another one than at the start`)
    }
    checkContent(json)
    item.parts.forEach(({ text }, index) => compare(text, textOf(toList(json['content'])[index])))
    compare(item.text, json['arguments'] ?? json['input'])
    item.done = json
  }

  function readText(item: ItemState, json: JsonObject, type: string): void {
    const dot = type.lastIndexOf('.')
    const stem = type.slice(0, dot)
    const isDone = type.endsWith('.done')
    const whole = WHOLE_TEXTS[stem]
    if (whole !== undefined) {
      if (isDone) compare(item.text, json[whole])
      else item.text.add(toText(json['delta']) ?? '')
      return
    }
    const known = TEXTS[stem]
    if (known === undefined) return
    const part = partOf(item, json, known.place)
    if (part === undefined) return
    const partType = toText(part.json['type'])
    if (partType !== undefined && partType !== known.type)
      add(known.place.rule, `${type} for a part of type ${partType}`)
    if (isDone && typeof json[known.field] !== 'string')
      add(known.place.rule, `${type} says no ${known.field}`)
    if (isDone) compare(part.text, json[known.field])
    else part.text.add(toText(json['delta']) ?? '')
  }

  function readScoped(item: ItemState, json: JsonObject, type: string): void {
    switch (type) {
      case 'response.content_part.added':
        return readPart(item, json, CONTENT)
      case 'response.reasoning_summary_part.added':
        return readPart(item, json, SUMMARY)
      case 'response.content_part.done':
        if (partOf(item, json, CONTENT) !== undefined && !isPart(json['part']))
          add('C9', 'a part is done without a type or a text')
        return
      case 'response.reasoning_summary_part.done':
        partOf(item, json, SUMMARY)
        return
      case 'response.output_text.annotation.added': {
        const part = partOf(item, json, CONTENT)
        if (part !== undefined && !Array.isArray(part.json['annotations']))
          add('C9', 'the part was added without a list of annotations')
        return
      }
      default:
        readText(item, json, type)
    }
  }

  function compare(text: Fragments, done: unknown): void {
    if (typeof done === 'string' && text.length > 0 && text.toString() !== done)
      add('C11', 'done says another text than the deltas')
  }

  return {
    read(json, type, index) {
      if (type === 'response.output_item.added')
        return readAdded(toObject(json['item']) ?? {}, index)
      const item = items.get(index)
      if (item === undefined) return add('C4', `${type} for item ${index}, which was not added`)
      if (type === 'response.output_item.done') return readDone(item, toObject(json['item']) ?? {})
      if (item.done !== undefined) add('C14', `${type} after item ${index} was done`)
      const name = json['item_id']
      if (
        name === undefined
          ? KNOWN_EVENTS.has(type) && item.json['id'] !== undefined
          : name !== item.json['id']
      )
        add('C6', `${type} names ${name === undefined ? 'no' : 'another'} item`)
      readScoped(item, json, type)
    },
    end(output) {
      const count = items.size
      if (!Array.isArray(output)) return add('C16', 'the terminal event has no output')
      if (output.length < count)
        add('C16', `the terminal event lists ${output.length} of ${count} items`)
      output.forEach((item: unknown, index) => {
        const done = items.get(index)?.done
        if (!isObject(item) || toText(item['id']) === undefined)
          add('C16', `the terminal event lists item ${index} without its id`)
        else if (!hasContent(item))
          add('C16', `the terminal event lists message ${index} without its parts`)
        else if (done !== undefined && sayingOf(item) !== sayingOf(done))
          add('C16-other', `the terminal event says item ${index} otherwise than it was done`)
      })
    },
    count: () => items.size,
  }
}

/** A message has a list of parts; other items have none, or one that nobody reads. */
const hasContent = (item: JsonObject): boolean =>
  item['type'] !== 'message' || (Array.isArray(item['content']) && item['content'].every(isPart))

const isPart = (part: unknown): boolean =>
  isObject(part) && toText(part['type']) !== undefined && typeof textOf(part) === 'string'

const textOf = (part: unknown): unknown =>
  isObject(part) ? (part['text'] ?? part['refusal']) : undefined

/** What a client makes of an item: what must not change between its end and the end of the response. */
const sayingOf = (item: JsonObject): string =>
  JSON.stringify([
    ...['type', 'call_id', 'name', 'arguments', 'input'].map((key) => item[key] ?? null),
    [...toList(item['content']), ...toList(item['summary'])].map(textOf),
  ])

const toPart = (json: unknown): PartState => ({
  json: toObject(json) ?? {},
  text: createFragments(),
})
