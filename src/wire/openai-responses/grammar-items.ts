/**
 * The output items under the rules of this wire. Neighbours: `grammar.ts` hands over what names an item.
 */
import { createFragments, type Fragments } from '../../base/fragments.ts'
import { toObject, toText, type JsonObject } from '../../base/json.ts'
import type { RULES } from './rules.ts'

export interface ItemsGrammar {
  read(json: JsonObject, type: string, index: number): void
  /** The terminal event came with that output. */
  end(output: unknown): void
}

interface ItemState {
  readonly json: JsonObject
  readonly parts: Map<number, Fragments>
  readonly summaries: Map<number, Fragments>
  readonly text: Fragments
  isDone: boolean
}

const CALLS = new Set(['function_call', 'custom_tool_call'])

/** Deltas into something that must have been added, and the field that their `done` repeats. */
const TEXTS: Readonly<Record<string, { list: 'parts' | 'summaries'; field: string }>> = {
  'response.output_text': { list: 'parts', field: 'text' },
  'response.refusal': { list: 'parts', field: 'refusal' },
  'response.reasoning_text': { list: 'parts', field: 'text' },
  'response.reasoning_summary_text': { list: 'summaries', field: 'text' },
}

const WHOLE_TEXTS: Readonly<Record<string, string>> = {
  'response.function_call_arguments': 'arguments',
  'response.mcp_call_arguments': 'arguments',
  'response.custom_tool_call_input': 'input',
}

export function createItemsGrammar(add: (rule: keyof typeof RULES, message: string) => void): ItemsGrammar {
  const items: ItemState[] = []
  const ids = new Set<unknown>()

  function readAdded(json: JsonObject, index: number): void {
    if (index !== items.length) add('C5', `item ${index} came where ${items.length} was due`)
    const type = toText(json['type']) ?? ''
    const id = toText(json['id'])
    if (id === undefined || ids.has(id)) add('C7', id === undefined ? `item ${index} has no id` : `the id ${id} is used twice`)
    if (CALLS.has(type) && toText(json['call_id']) === undefined) add('C7', `the ${type} ${index} has no call_id`)
    if (type === 'function_call' && typeof json['arguments'] !== 'string') add('C12', `function call ${index} has no arguments`)
    ids.add(id)
    items[index] = { json, parts: new Map(), summaries: new Map(), text: createFragments(), isDone: false }
  }

  function readDone(item: ItemState, json: JsonObject): void {
    item.isDone = true
    for (const key of ['type', 'id', 'call_id']) {
      if (item.json[key] !== json[key] && !(item.json[key] == null && json[key] == null))
        add('C8', `${key} is another one than at the start`)
    }
  }

  function readText(item: ItemState, json: JsonObject, type: string): boolean {
    const dot = type.lastIndexOf('.')
    const stem = type.slice(0, dot)
    const isDone = type.endsWith('.done')
    const whole = WHOLE_TEXTS[stem]
    if (whole !== undefined) {
      if (isDone) compare(item.text, json[whole])
      else item.text.add(toText(json['delta']) ?? '')
      return true
    }
    const known = TEXTS[stem]
    if (known === undefined) return false
    const number = Number(json[known.list === 'parts' ? 'content_index' : 'summary_index'])
    const text = item[known.list].get(number)
    if (text === undefined) add(known.list === 'parts' ? 'C9' : 'C10', `${type} for a part that was not added`)
    else if (isDone) compare(text, json[known.field])
    else text.add(toText(json['delta']) ?? '')
    return true
  }

  function compare(text: Fragments, done: unknown): void {
    if (typeof done === 'string' && text.length > 0 && text.toString() !== done) add('C11', 'done says another text than the deltas')
  }

  return {
    read(json, type, index) {
      if (type === 'response.output_item.added') return readAdded(toObject(json['item']) ?? {}, index)
      const item = items[index]
      if (item === undefined) return add('C4', `${type} for item ${index}, which was not added`)
      if (type === 'response.output_item.done') return readDone(item, toObject(json['item']) ?? {})
      if (item.isDone) add('C14', `${type} after item ${index} was done`)
      if (json['item_id'] !== undefined && json['item_id'] !== item.json['id']) add('C6', `${type} names another item`)
      if (type === 'response.content_part.added') {
        const number = Number(json['content_index'])
        if (number !== item.parts.size) add('C9', `part ${number} came where ${item.parts.size} was due`)
        item.parts.set(number, createFragments())
      } else if (type === 'response.reasoning_summary_part.added') {
        item.summaries.set(Number(json['summary_index']), createFragments())
      } else readText(item, json, type)
    },
    end(output) {
      const count = items.filter((item) => item !== undefined).length
      if (!Array.isArray(output)) return add('C16', 'the terminal event has no output')
      if (output.length < count) add('C16', `the terminal event lists ${output.length} of ${count} items`)
    },
  }
}
