/**
 * The tools of a request and the choice among them. A namespace is a folder of tools: they come out one by
 * one, each with its namespace. Neighbours: `request-read.ts` and `request-items.ts` ask,
 * `request-native-tools.ts` knows the vendor's own. Does not know what a tool is called elsewhere.
 */
import { isObject, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { Tool, ToolChoice } from '../../request/tool.ts'
import { nativeTool } from './request-native-tools.ts'
import type { Notes } from './request-notes.ts'

export function readTools(value: unknown, path: string, notes: Notes): readonly Tool[] {
  if (value == null) return []
  if (!Array.isArray(value)) {
    notes.fail(path, 'Cannot read these tools: send a list')
    return []
  }
  return value.flatMap((tool: unknown, i) => readTool(tool, `${path}[${i}]`, notes))
}

function readTool(tool: unknown, path: string, notes: Notes): readonly Tool[] {
  if (!isObject(tool)) {
    notes.fail(path, 'Cannot read this tool: send an object with a "type"')
    return []
  }
  if (tool['type'] !== 'namespace') return toOne(tool, path, notes)
  const namespace = readName(tool, path, notes)
  return toList(tool['tools']).flatMap((inner, i) => {
    const at = `${path}.tools[${i}]`
    if (isObject(inner) && inner['type'] !== 'namespace')
      return toOne(inner, at, notes).map((read) => ({ ...read, namespace }))
    notes.fail(at, 'Cannot read this tool: a namespace holds functions and custom tools')
    return []
  })
}

function toOne(tool: JsonObject, path: string, notes: Notes): readonly Tool[] {
  const type = toText(tool['type']) ?? 'function'
  const description = toText(tool['description'])
  const base = { vendor: tool, ...(description === undefined ? {} : { description }) }
  if (type === 'function') return [{ ...base, ...readFunction(tool, path, notes) }]
  if (type === 'custom')
    return [{ ...base, type, name: readName(tool, path, notes), grammar: readGrammar(tool) }]
  const native = nativeTool(type)
  if (native !== undefined && !runsAtProvider(tool))
    return [{ ...native, ...base, type: 'vendor', name: native.name }]
  const name = toText(tool['name']) ?? toText(tool['server_label']) ?? type
  return [{ ...base, type: 'server', kind: type, name }]
}

function readFunction(
  tool: JsonObject,
  path: string,
  notes: Notes,
): Omit<Extract<Tool, { type: 'function' }>, 'vendor' | 'description'> {
  const { parameters, strict } = tool
  if (parameters != null && !isObject(parameters))
    notes.fail(`${path}.parameters`, 'Cannot read these parameters: send a JSON Schema object')
  if (tool['async'] === true)
    notes.need(`${path}.async`, 'Cannot call a tool without waiting for it here: leave "async" out')
  if (tool['defer_loading'] === true) notes.lose('tools.defer_loading')
  if (toList(tool['allowed_callers']).some((caller) => caller !== 'direct'))
    notes.lose('tools.allowed_callers')
  return {
    type: 'function',
    name: readName(tool, path, notes),
    schema: toObject(parameters),
    isStrict: typeof strict === 'boolean' ? strict : undefined,
  }
}

function readName(tool: JsonObject, path: string, notes: Notes): string {
  const name = toText(tool['name'])
  if (name === undefined) notes.fail(`${path}.name`, 'Cannot use a tool without a name')
  return name ?? ''
}

/** Flat on this wire; clients that came from Chat nest it. */
function readGrammar(tool: JsonObject): Extract<Tool, { type: 'custom' }>['grammar'] {
  const format = toObject(tool['format'])
  if (format?.['type'] !== 'grammar') return undefined
  const grammar = toObject(format['grammar']) ?? format
  const definition = toText(grammar['definition'])
  if (definition === undefined) return undefined
  return { syntax: toText(grammar['syntax']) ?? 'lark', definition }
}

/** A shell in a container of the provider's. */
function runsAtProvider(tool: JsonObject): boolean {
  const environment = toText(toObject(tool['environment'])?.['type'])
  return environment !== undefined && environment !== 'local'
}

/** Tools that came later replace those of the same name, where those stood: a cached prefix stays. */
export function mergeTools(first: readonly Tool[], later: readonly Tool[]): readonly Tool[] {
  if (later.length === 0) return first
  const merged = [...first]
  const places = new Map(first.map((tool, i) => [keyOf(tool), i]))
  for (const tool of later) {
    const place = places.get(keyOf(tool))
    if (place !== undefined) merged[place] = tool
    else places.set(keyOf(tool), merged.push(tool) - 1)
  }
  return merged
}

const keyOf = ({ namespace, name }: Tool): string => JSON.stringify([namespace, name])

export function readToolChoice(
  value: unknown,
  tools: readonly Tool[],
  notes: Notes,
): ToolChoice | undefined {
  if (value == null) return undefined
  if (value === 'auto' || value === 'none' || value === 'required') return { type: value }
  if (!isObject(value) || toText(value['type']) === undefined) {
    notes.fail(
      'tool_choice',
      'Cannot read this choice: send "auto", "none", "required" or an object that names a tool',
    )
    return undefined
  }
  if (value['type'] === 'allowed_tools')
    return {
      type: 'allowed',
      isRequired: value['mode'] === 'required',
      tools: refsOf(toList(value['tools']), tools),
    }
  const [ref] = refsOf([value], tools)
  if (ref !== undefined) return { type: 'tool', ...ref }
  notes.fail('tool_choice', 'Cannot choose a tool without a name')
  return undefined
}

type Ref = Pick<Tool, 'name' | 'namespace'>

/** The tools that are meant. A built-in one is named by its type, and a namespace means all in it. */
function refsOf(entries: readonly unknown[], tools: readonly Tool[]): readonly Ref[] {
  const spaces = new Map<string, Ref[]>()
  /** By its bare name the one without a namespace is meant, else the first. */
  const named = new Map<string, Ref>()
  for (const tool of tools) {
    const { name, namespace } = tool
    const before = named.get(name)
    if (before === undefined || (namespace === undefined && before.namespace !== undefined))
      named.set(name, toRef(tool))
    if (namespace === undefined) continue
    const space = spaces.get(namespace)
    if (space === undefined) spaces.set(namespace, [toRef(tool)])
    else space.push(toRef(tool))
  }

  function refOf(entry: JsonObject): readonly Ref[] {
    const type = toText(entry['type']) ?? ''
    if (type === 'namespace') {
      const space = toText(entry['name']) ?? ''
      const inside = spaces.get(space) ?? []
      // Said twice it means no more, and a list that repeats a large one would grow with the square.
      spaces.delete(space)
      return inside
    }
    const name = toText(entry['name']) ?? toText(entry['server_label']) ?? nativeTool(type)?.name
    const namespace = toText(entry['namespace'])
    if (name !== undefined && namespace !== undefined) return [{ name, namespace }]
    if (name === undefined) return type === '' || type === 'function' ? [] : [{ name: type }]
    return [named.get(name) ?? { name }]
  }

  return entries.flatMap((entry) => (isObject(entry) ? refOf(entry) : []))
}

const toRef = ({ name, namespace }: Ref): Ref =>
  namespace === undefined ? { name } : { name, namespace }
