/**
 * A request that a policy changed → the client's own body with the change in it, and everything else as it came. Texts
 * and arguments are exchanged at their place; a change of another kind is written anew from our own form, which may lose
 * what only the client's vendor knows. Neighbours: `policies.ts`. Works on any wire: it looks for the objects that parts
 * were read from.
 */
import { isObject, parseObject, type JsonObject } from '../base/json.ts'
import type { Part } from '../request/part.ts'
import type { ModelRequest, Turn } from '../request/request.ts'
import { toProfile } from '../request/profile.ts'
import type { Wire } from '../wire/wire.ts'
import { WIRE_NAMES } from '../wire/wires.ts'

/** Inside of that object (or anywhere, where there is none) one text becomes another. */
interface Exchange {
  readonly scope: object | undefined
  readonly from: string
  readonly to: string
}

/** The body; `undefined` when it cannot be written. */
export function writeChanged(
  wire: Wire,
  before: ModelRequest,
  after: ModelRequest,
): JsonObject | undefined {
  const exchanges = findExchanges(before, after)
  if (exchanges !== undefined) return exchange(before.source.body, exchanges)
  // Written as if it came from elsewhere: from its parts, and not from the client's objects.
  const other = WIRE_NAMES.find((name) => name !== wire.name) ?? wire.name
  const written = wire.writeRequest(
    { ...after, source: { ...after.source, wire: other } },
    {
      model: after.model,
      isStream: after.isStream,
      profile: toProfile({
        wire: wire.name,
        host: undefined,
        vendor: undefined,
        model: after.model,
      }),
    },
  )
  return written.ok ? written.body : undefined
}

/** `undefined` when something else than texts is different. */
function findExchanges(before: ModelRequest, after: ModelRequest): readonly Exchange[] | undefined {
  const { system: oldSystem, turns: oldTurns, source: _source, ...oldRest } = before
  const { system, turns, source: _own, ...rest } = after
  const isSame = Object.entries(oldRest).every(
    ([name, value]) => rest[name as keyof typeof rest] === value,
  )
  if (!isSame || system.length !== oldSystem.length || turns.length !== oldTurns.length)
    return undefined
  const found: Exchange[] = []
  const isTexts =
    system.every((part, at) => compareParts(oldSystem[at], part, undefined, found)) &&
    turns.every((turn, at) => compareTurns(oldTurns[at], turn, found))
  return isTexts ? found : undefined
}

function compareTurns(before: Turn | undefined, after: Turn, found: Exchange[]): boolean {
  if (before === after) return true
  if (before?.role !== after.role || before.parts.length !== after.parts.length) return false
  return after.parts.every((part, at) => compareParts(before.parts[at], part, before.vendor, found))
}

function compareParts(
  before: Part | undefined,
  after: Part,
  outer: object | undefined,
  found: Exchange[],
): boolean {
  if (before === after) return true
  if (before === undefined || before.type !== after.type) return false
  const scope = before.vendor ?? outer
  const add = (from: string, to: string): void => {
    if (from !== to) found.push({ scope, from, to })
  }
  switch (after.type) {
    case 'text':
    case 'refusal':
    case 'thinking':
      if ('text' in before) add(before.text ?? '', after.text)
      return true
    case 'tool-call':
      if (before.type !== 'tool-call' || before.name !== after.name || before.id !== after.id)
        return false
      add(before.arguments, after.arguments)
      addLeaves(parseObject(before.arguments), parseObject(after.arguments), add)
      return true
    case 'tool-result':
      return (
        before.type === 'tool-result' &&
        before.parts.length === after.parts.length &&
        after.parts.every((part, at) => compareParts(before.parts[at], part, scope, found))
      )
    case 'document':
      if (before.type !== 'document') return false
      if (before.source.type === 'text' && after.source.type === 'text')
        add(before.source.text, after.source.text)
      return before.source.type === after.source.type
    case 'image':
    case 'audio':
    case 'opaque':
      return false
  }
}

/** On a wire whose arguments are an object, the texts in it are what is exchanged. */
function addLeaves(before: unknown, after: unknown, add: (from: string, to: string) => void): void {
  if (typeof before === 'string' && typeof after === 'string') return add(before, after)
  if (Array.isArray(before) && Array.isArray(after))
    before.forEach((one, at) => addLeaves(one, after[at], add))
  else if (isObject(before) && isObject(after))
    for (const [name, value] of Object.entries(before)) addLeaves(value, after[name], add)
}

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

/** Where words stand, on all wires. */
const SPOKEN: readonly string[] = ['messages', 'input', 'system', 'instructions', 'prompt']

function exchange(body: JsonObject, exchanges: readonly Exchange[]): JsonObject {
  const anywhere = new Map<string, string>()
  const scoped = new Map<object, Map<string, string>>()
  const inBody = objectsIn(body)
  for (const { scope, from, to } of exchanges) {
    // What a reader made itself, such as the message of an input that is a string, stands nowhere in the body.
    if (scope === undefined || !inBody.has(scope)) anywhere.set(from, to)
    else {
      const inside = scoped.get(scope)
      if (inside === undefined) scoped.set(scope, new Map([[from, to]]))
      else inside.set(from, to)
    }
  }
  const walk = (value: unknown, words: ReadonlyMap<string, string>): unknown => {
    if (typeof value === 'string') return words.get(value) ?? value
    if (Array.isArray(value)) return value.map((one) => walk(one, words))
    if (!isObject(value)) return value
    const own = scoped.get(value)
    const inside = own === undefined ? words : new Map([...words, ...own])
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        name,
        NAMES.has(name) && typeof one === 'string' ? one : walk(one, inside),
      ]),
    )
  }
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      SPOKEN.includes(name) ? walk(value, anywhere) : value,
    ]),
  )
}

/** Every object that stands where words do. */
function objectsIn(body: JsonObject): ReadonlySet<object> {
  const found = new Set<object>()
  const open: unknown[] = SPOKEN.map((name) => body[name])
  while (open.length > 0) {
    const one = open.pop()
    if (Array.isArray(one)) for (const item of one) open.push(item)
    else if (isObject(one)) {
      found.add(one)
      for (const value of Object.values(one)) open.push(value)
    }
  }
  return found
}
