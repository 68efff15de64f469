/**
 * One choice under the rules of this wire. Neighbours: `grammar.ts` has one per choice.
 */
import { createFragments, type Fragments } from '../../base/fragments.ts'
import { jsonShape } from '../../base/json-shape.ts'
import { toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { RULES } from './rules.ts'

export interface ChoiceGrammar {
  read(choice: JsonObject): void
  end(): void
}

interface CallState {
  id: string | undefined
  readonly name: string | undefined
  readonly isCustom: boolean
  readonly text: Fragments
}

export function createChoiceGrammar(
  number: number,
  add: (rule: keyof typeof RULES, message: string) => void,
): ChoiceGrammar {
  /** By index. No list: an index may be any number, and a list with a hole of that size takes forever. */
  const calls = new Map<number, CallState>()
  let nextIndex = 0
  const text = createFragments()
  /** What the SDK has for text: a `message` beside the delta replaces it. */
  let taken: Fragments | undefined
  let hasRole = false
  let hasCall = false
  let finish: string | undefined
  let current = -1

  function readDelta(delta: JsonObject): boolean {
    const { content } = delta
    const said = toText(content) ?? toText(delta['refusal'])
    let hasContent = said !== undefined
    const role = toText(delta['role'])
    if (role !== undefined) {
      if (role !== 'assistant') add('B2', `the role is ${role}`)
      if (hasRole) add('B3', 'the role comes again')
      hasRole = true
    } else if (!hasRole && hasContent) {
      add('B2-late', 'content before the role')
    }
    if (Array.isArray(content)) add('B21', 'content is a list')
    if (typeof content === 'string') {
      text.add(content)
      taken?.add(content)
    }
    for (const one of toList(delta['tool_calls'])) {
      hasContent = true
      readFragment(toObject(one) ?? {})
    }
    return hasContent
  }

  function readFragment(fragment: JsonObject): void {
    const { index } = fragment
    hasCall = true
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0)
      return add('B7', 'a call without an index')
    const id = toText(fragment['id'])
    const body = toObject(fragment['function']) ?? toObject(fragment['custom'])
    const name = toText(body?.['name'])
    const type = toText(fragment['type'])
    if (type === undefined ? toObject(fragment['custom']) !== undefined : type !== 'function')
      add('B23', `a call of type ${type ?? 'custom'}`)
    let call = calls.get(index)
    if (call === undefined) {
      if (index !== nextIndex) add('B7', `call ${index} came where ${nextIndex} was due`)
      nextIndex = Math.max(nextIndex, index + 1)
      if (type === undefined) add('B9', `call ${index} begins without a type`)
      else if (body === undefined) add('B9', `call ${index} begins without its ${type}`)
      if (id === undefined || name === undefined)
        add('B9-id', `call ${index} begins without an id or a name`)
      const isCustom = toObject(fragment['custom']) !== undefined
      call = { id, name, isCustom, text: createFragments() }
      calls.set(index, call)
    } else {
      if (id !== undefined && call.id !== undefined && id !== call.id && name !== undefined)
        add('B8', `another call on index ${index}`)
      else if (id !== undefined || name !== undefined || type !== undefined)
        add('B3', `the head of call ${index} comes again`)
      if (current !== index) add('B10', `call ${index} goes on after another began`)
      call.id = id ?? call.id
    }
    current = index
    call.text.add(toText(body?.['arguments']) ?? toText(body?.['input']) ?? '')
  }

  /** A `message` beside the delta: the SDK believes it, so it must say all that came before. */
  function readMessage(message: JsonObject): void {
    const told = toList(message['tool_calls'])
    if (told.length < calls.size) add('B22', 'a message beside the delta leaves out calls')
    for (const [index, call] of calls) {
      const { function: body } = toObject(told[index]) ?? {}
      const { name, arguments: args } = toObject(body) ?? {}
      if (!call.isCustom && (name !== call.name || (args ?? '') !== call.text.toString()))
        add('B22', `a message beside the delta says call ${index} otherwise`)
    }
    taken = createFragments(toText(message['content']) ?? '')
  }

  return {
    read(choice) {
      const isAfter = finish !== undefined
      const message = toObject(choice['message'])
      if (message !== undefined) readMessage(message)
      const delta = toObject(choice['delta'])
      const hasContent = delta !== undefined && readDelta(delta)
      if (isAfter && hasContent) add('B5', 'content after finish_reason')
      const word = toText(choice['finish_reason'])
      if (word === undefined) return
      if (isAfter) add('B4-again', 'finish_reason comes again')
      if (hasContent) add('B6', 'finish_reason beside content')
      finish = word
    },
    end() {
      if (finish === undefined) return add('B4', `choice ${number} has no finish_reason`)
      if (!hasRole) add('B2', `choice ${number} has no role`)
      if (taken !== undefined && taken.toString() !== text.toString())
        add('B22', 'the message beside the delta says another text')
      const isCut = finish === 'length' || finish === 'content_filter'
      for (const [index, call] of calls) {
        const shape = call.isCustom ? 'whole' : jsonShape(call.text.toString())
        if (shape === 'whole' || (shape === 'cut' && isCut)) continue
        if (shape === 'broken') add('B11-json', `the arguments of call ${index} are no JSON`)
        else add('B11', `the arguments of call ${index} are ${shape}`)
      }
      if (!isCut && (finish === 'tool_calls') !== hasCall && finish !== 'function_call')
        add(
          'B16',
          hasCall
            ? `there are calls, and finish_reason is ${finish}`
            : 'finish_reason is tool_calls without a call',
        )
    },
  }
}
