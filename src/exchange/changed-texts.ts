/**
 * Words that a policy exchanged in a request → the same words at their place in the client's own body. Neighbours:
 * `changed-request.ts` looks whether that is all there is to it. Works on any wire: it looks for the objects that parts
 * were read from, and for the texts in them. Whatever is not touched stays the same object.
 */
import { isObject, parseObject, toList, type JsonObject } from '../base/json.ts'
import type { Part } from '../request/part.ts'
import type { ModelRequest, Turn } from '../request/request.ts'

/** Where words stand, on all wires. */
const SPOKEN: readonly string[] = ['messages', 'input', 'system', 'instructions', 'prompt']

/** Members that name things: they are not words of anybody. */
const NAMES: ReadonlySet<string> = new Set([
  'type',
  'role',
  'id',
  'name',
  'model',
  'call_id',
  'tool_call_id',
  'tool_use_id',
  'status',
  'media_type',
  'signature',
  'encrypted_content',
])

type Words = Map<string, string>

/** The body with other words; the same where none was found. */
export function exchangeTexts(before: ModelRequest, after: ModelRequest): JsonObject {
  // A policy that knows of bodies may have put its change there already.
  const { body } = after.source
  const inBody = objectsIn(body)
  const scoped = new Map<object, Words>()
  const inSystem: Words = new Map()
  const anywhere: Words = new Map()

  function add(scopes: readonly (object | undefined)[], rest: Words, from: string, to: string) {
    if (from === to) return
    const scope = scopes.find((one) => one !== undefined && inBody.has(one))
    // What a reader made itself, such as the message of an input that is a string, stands nowhere in the body.
    const words = scope === undefined ? rest : (scoped.get(scope) ?? new Map<string, string>())
    words.set(from, to)
    if (scope !== undefined) scoped.set(scope, words)
  }

  before.system.forEach((part, at) => {
    const said = after.system[at]
    if (said !== undefined) add([said.vendor, part.vendor], inSystem, part.text, said.text)
  })
  before.turns.forEach((turn, at) => {
    const said = after.turns[at]
    if (said === undefined || said === turn) return
    comparePairs(turn, said, (scopes, from, to) => add(scopes, anywhere, from, to))
  })
  return walkBody(body, { scoped, inSystem, anywhere })
}

type Add = (scopes: readonly (object | undefined)[], from: string, to: string) => void

function comparePairs(before: Turn, after: Turn, add: Add): void {
  before.parts.forEach((part, at) => {
    const said = after.parts[at]
    if (said !== undefined) comparePart(part, said, [after.vendor, before.vendor], add)
  })
}

function comparePart(
  before: Part,
  after: Part,
  outer: readonly (object | undefined)[],
  add: Add,
): void {
  if (before === after) return
  const scopes = [after.vendor, before.vendor, ...outer]
  const say = (from: string | undefined, to: string | undefined): void => {
    if (from !== undefined && to !== undefined) add(scopes, from, to)
  }
  switch (before.type) {
    case 'text':
    case 'refusal':
      if (after.type === before.type) say(before.text, after.text)
      return
    case 'thinking':
      // What is sealed is its vendor's: with another word in it, it is refused.
      if (after.type === 'thinking' && before.seal === undefined) say(before.text, after.text)
      return
    case 'opaque':
      if (after.type === 'opaque') say(before.text, after.text)
      return
    case 'tool-call':
      if (after.type !== 'tool-call') return
      say(before.arguments, after.arguments)
      addLeaves(parseObject(before.arguments), parseObject(after.arguments), say)
      return
    case 'tool-result':
      if (after.type !== 'tool-result') return
      before.parts.forEach((part, at) => {
        const said = after.parts[at]
        if (said !== undefined) comparePart(part, said, scopes, add)
      })
      return
    case 'document':
      if (after.type !== 'document') return
      say(before.title, after.title)
      say(before.context, after.context)
      if (before.source.type === 'text' && after.source.type === 'text')
        say(before.source.text, after.source.text)
      return
    case 'image':
    case 'audio':
  }
}

/** On a wire whose arguments are an object, the texts in it are what is exchanged. */
function addLeaves(before: unknown, after: unknown, say: (from: string, to: string) => void): void {
  if (typeof before === 'string' && typeof after === 'string') return say(before, after)
  if (Array.isArray(before) && Array.isArray(after))
    before.forEach((one, at) => addLeaves(one, after[at], say))
  else if (isObject(before) && isObject(after))
    for (const [name, value] of Object.entries(before)) addLeaves(value, after[name], say)
}

interface Exchanges {
  readonly scoped: ReadonlyMap<object, Words>
  readonly inSystem: Words
  readonly anywhere: Words
}

function walkBody(body: JsonObject, { scoped, inSystem, anywhere }: Exchanges): JsonObject {
  const walk = (value: unknown, words: Words): unknown => {
    if (typeof value === 'string') return words.get(value) ?? value
    if (Array.isArray(value)) return mapSame(value, (one) => walk(one, words))
    if (!isObject(value)) return value
    const own = scoped.get(value)
    const inside = own === undefined ? words : new Map([...words, ...own])
    return mapMembers(value, (one, name) =>
      NAMES.has(name) && typeof one === 'string' ? one : walk(one, inside),
    )
  }
  return mapMembers(body, (value, name) => {
    if (!SPOKEN.includes(name)) return value
    if (name === 'system' || name === 'instructions') return walk(value, inSystem)
    if (!Array.isArray(value)) return walk(value, anywhere)
    return mapSame(value, (one) => walk(one, isSystem(one) ? inSystem : anywhere))
  })
}

const isSystem = (message: unknown): boolean =>
  isObject(message) && (message['role'] === 'system' || message['role'] === 'developer')

function mapSame(list: readonly unknown[], become: (item: unknown) => unknown): readonly unknown[] {
  const made = list.map(become)
  return made.some((item, at) => item !== list[at]) ? made : list
}

function mapMembers(
  object: JsonObject,
  become: (value: unknown, name: string) => unknown,
): JsonObject {
  let isSame = true
  const made = Object.entries(object).map(([name, value]): [string, unknown] => {
    const other = become(value, name)
    if (other !== value) isSame = false
    return [name, other]
  })
  return isSame ? object : Object.fromEntries(made)
}

/** Every object that stands where words do. */
function objectsIn(body: JsonObject): ReadonlySet<object> {
  const found = new Set<object>()
  const open: unknown[] = SPOKEN.map((name) => body[name])
  while (open.length > 0) {
    const one = open.pop()
    if (Array.isArray(one)) for (const item of toList(one)) open.push(item)
    else if (isObject(one)) {
      found.add(one)
      for (const value of Object.values(one)) open.push(value)
    }
  }
  return found
}
