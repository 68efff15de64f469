/**
 * What a Chat client declares as tools, in the form of today and in the old one, and which of them it wants
 * called. Neighbours: `request-read.ts`; `request-write-tools.ts` goes the other way.
 */
import { isObject, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { Tool, ToolChoice } from '../../request/tool.ts'
import { describe, takeList, type Problems } from './request-fields.ts'

export function readTools(body: JsonObject, problems: Problems): readonly Tool[] {
  const tools = takeList(body, 'tools', problems).map((tool, i) =>
    readTool(tool, `tools[${i}]`, problems),
  )
  const old = takeList(body, 'functions', problems).map((tool, i) =>
    readFunction(tool, `functions[${i}]`, problems),
  )
  return [...tools, ...old].filter((tool) => tool !== undefined)
}

function readTool(value: unknown, path: string, problems: Problems): Tool | undefined {
  if (!isObject(value)) {
    problems.add(path, `Send a tool as an object: got ${describe(value)}`)
    return undefined
  }
  const type = value['type'] ?? 'function'
  // Some clients send the flat form of Responses here, and most servers take it.
  if (type === 'function')
    return readFunction(value['function'] ?? value, `${path}.function`, problems, value)
  if (type === 'custom') return readCustom(value, `${path}.custom`, problems)
  const kind = toText(type)
  if (kind !== undefined)
    return { type: 'server', name: toText(value['name']) ?? kind, kind, vendor: value }
  problems.add(`${path}.type`, `Send "function" or "custom": got ${describe(type)}`)
  return undefined
}

function readFunction(
  value: unknown,
  path: string,
  problems: Problems,
  vendor?: JsonObject,
): Tool | undefined {
  const name = toText(toObject(value)?.['name'])
  if (!isObject(value) || name === undefined) {
    problems.add(`${path}.name`, 'Give the function a name')
    return undefined
  }
  const schema = value['parameters'] ?? undefined
  if (schema !== undefined && !isObject(schema)) {
    problems.add(
      `${path}.parameters`,
      `Send the JSON Schema of "${name}" as an object: got ${describe(schema)}`,
    )
    return undefined
  }
  return {
    type: 'function',
    name,
    ...readDescription(value),
    schema,
    isStrict: typeof value['strict'] === 'boolean' ? value['strict'] : undefined,
    vendor: vendor ?? value,
  }
}

function readCustom(tool: JsonObject, path: string, problems: Problems): Tool | undefined {
  const custom = toObject(tool['custom']) ?? tool
  const name = toText(custom['name'])
  if (name === undefined) {
    problems.add(`${path}.name`, 'Give the tool a name')
    return undefined
  }
  const format = toObject(custom['format'])
  const grammar = toObject(format?.['grammar']) ?? format
  const definition = toText(grammar?.['definition'])
  return {
    type: 'custom',
    name,
    ...readDescription(custom),
    grammar:
      definition === undefined
        ? undefined
        : { syntax: toText(grammar?.['syntax']) ?? 'lark', definition },
    vendor: tool,
  }
}

function readDescription(from: JsonObject): { description?: string } {
  const description = toText(from['description'])
  return description === undefined ? {} : { description }
}

export function readToolChoice(
  body: JsonObject,
  tools: readonly Tool[],
  problems: Problems,
): ToolChoice | undefined {
  const choice = body['tool_choice'] ?? undefined
  if (choice !== undefined) return readChoice(choice, tools, problems)
  const old = body['function_call'] ?? undefined
  if (old === undefined) return undefined
  if (old === 'none' || old === 'auto') return { type: old }
  const name = toText(toObject(old)?.['name'])
  if (name !== undefined) return { type: 'tool', name }
  problems.add('function_call', `Send "none", "auto" or {"name": …}: got ${describe(old)}`)
  return undefined
}

/** `any` is Mistral's word for `required`. */
function readChoice(
  choice: unknown,
  tools: readonly Tool[],
  problems: Problems,
): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { type: choice }
  if (choice === 'any') return { type: 'required' }
  const object = toObject(choice)
  if (object?.['type'] === 'allowed_tools') {
    const allowed = toObject(object['allowed_tools']) ?? object
    const named = toList(allowed['tools']).map(readName)
    const names = named.filter((name) => name !== undefined)
    if (names.length > 0)
      return {
        type: 'allowed',
        isRequired: allowed['mode'] === 'required',
        tools: names.map((name) => ({ name })),
      }
    problems.add('tool_choice.allowed_tools.tools', 'Name at least one of the tools')
    return undefined
  }
  const name = readName(choice)
  if (name !== undefined) return { type: 'tool', name }
  const server = tools.find((tool) => tool.type === 'server' && tool.kind === object?.['type'])
  if (server !== undefined) return { type: 'tool', name: server.name }
  problems.add(
    'tool_choice',
    `Send "none", "auto", "required" or the name of a tool in an object: got ${describe(choice)}`,
  )
  return undefined
}

function readName(value: unknown): string | undefined {
  const object = toObject(value)
  const inner = toObject(object?.['function']) ?? toObject(object?.['custom']) ?? object
  return toText(inner?.['name'])
}
