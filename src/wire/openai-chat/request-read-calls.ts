/**
 * The calls of a Chat history, and which of them a result answers. Neighbours: `request-read-messages.ts`.
 * Calls of the old form (`function_call`) have no id, and some servers give an empty one: such a call gets one
 * from its place, the same on every request, and a result without an id finds it by name and order.
 */
import { isObject, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { ToolDialect } from '../../event/block.ts'
import type { ToolCallPart } from '../../request/part.ts'
import { describe, takeList, toJson, type Problems } from './request-fields.ts'

export interface CallReader {
  /** The calls of an assistant message. */
  read(message: JsonObject, path: string): readonly ToolCallPart[]
  /** The call that a `tool` or `function` message answers. */
  answer(message: JsonObject, path: string): { readonly id: string; readonly dialect: ToolDialect }
}

export function createCallReader(problems: Problems): CallReader {
  const dialects = new Map<string, ToolDialect>()
  const waiting = createWaiting()
  let made = 0

  function note(part: ToolCallPart, isNameless: boolean): ToolCallPart {
    dialects.set(part.id, part.dialect)
    if (isNameless) waiting.add(part)
    return part
  }

  function readCall(value: unknown, path: string): readonly ToolCallPart[] {
    if (!isObject(value)) {
      problems.add(path, `Send a call as an object: got ${describe(value)}`)
      return []
    }
    const isCustom = value['type'] === 'custom'
    const key = isCustom ? 'custom' : 'function'
    const body = toObject(value[key])
    const name = toText(body?.['name'])
    if (body === undefined || name === undefined) {
      problems.add(`${path}.${key}.name`, 'Give the name of the tool that was called')
      return []
    }
    const given = toText(value['id'])
    const part: ToolCallPart = {
      type: 'tool-call',
      id: given ?? makeId(),
      name,
      dialect: isCustom ? 'custom' : 'function',
      arguments: toArguments(body[isCustom ? 'input' : 'arguments']),
      vendor: value,
    }
    return [note(part, given === undefined)]
  }

  const makeId = (): string => `call_${made++}_unnamed`

  return {
    read(message, path) {
      const listed = takeList(message, 'tool_calls', problems, `${path}.tool_calls`)
      const calls = listed.flatMap((call, i) => readCall(call, `${path}.tool_calls[${i}]`))
      const old = toObject(message['function_call'])
      // Some servers repeat the first call in the old field.
      return old === undefined || calls.length > 0
        ? calls
        : readCall({ function: old }, `${path}.function_call`)
    },
    answer(message, path) {
      const given = toText(message['tool_call_id'])
      if (given !== undefined) return { id: given, dialect: dialects.get(given) ?? 'function' }
      const call = waiting.take(toText(message['name']))
      if (call !== undefined) return { id: call.id, dialect: call.dialect }
      if (message['role'] === 'tool')
        problems.add(`${path}.tool_call_id`, 'Give the id of the call that this answers')
      return { id: makeId(), dialect: 'function' }
    },
  }
}

interface Waiting {
  add(call: ToolCallPart): void
  /** The first that is left, or the first of that name. */
  take(name: string | undefined): ToolCallPart | undefined
}

/** Calls without an id of their own that nobody has answered yet; none is looked at twice. */
function createWaiting(): Waiting {
  const all: ToolCallPart[] = []
  const byName = new Map<string, { readonly calls: ToolCallPart[]; next: number }>()
  const taken = new Set<ToolCallPart>()
  let next = 0

  function takeNamed(name: string): ToolCallPart | undefined {
    const same = byName.get(name)
    while (same !== undefined && same.next < same.calls.length) {
      const call = same.calls[same.next++]
      if (call !== undefined && !taken.has(call)) return call
    }
    return undefined
  }

  function takeFirst(): ToolCallPart | undefined {
    while (next < all.length) {
      const call = all[next++]
      if (call !== undefined && !taken.has(call)) return call
    }
    return undefined
  }

  return {
    add(call) {
      all.push(call)
      const same = byName.get(call.name)
      if (same === undefined) byName.set(call.name, { calls: [call], next: 0 })
      else same.calls.push(call)
    },
    take(name) {
      const call = name === undefined ? takeFirst() : takeNamed(name)
      if (call !== undefined) taken.add(call)
      return call
    },
  }
}

/** Text, though some clients send the object itself. */
function toArguments(value: unknown): string {
  if (typeof value === 'string') return value
  return value === null || value === undefined ? '' : (toJson(value) ?? '')
}
