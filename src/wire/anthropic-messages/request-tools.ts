/**
 * The client's `tools` and `tool_choice` to tools of ours. Neighbours: `request-read.ts` asks,
 * `vendor-tools.ts` knows what the vendor's own tools take. Knows no target.
 */
import { isObject, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { CacheMark } from '../../request/request.ts'
import type { Tool, ToolChoice } from '../../request/tool.ts'
import type { Problems } from './request-problems.ts'
import { toolset, vendorTool } from './vendor-tools.ts'

export function readTools(tools: unknown, problems: Problems): readonly Tool[] {
  if (tools === undefined || tools === null) return []
  if (!Array.isArray(tools)) {
    problems.add('tools', 'Send a list of tools')
    return []
  }
  return tools.flatMap((tool: unknown, i) => readTool(tool, `tools[${i}]`, problems))
}

function readTool(tool: unknown, path: string, problems: Problems): readonly Tool[] {
  if (!isObject(tool)) {
    problems.add(path, 'Send an object with "name" and "input_schema"')
    return []
  }
  const type = toText(tool['type']) ?? 'custom'
  const base = { vendor: tool, ...toCache(tool) }
  const set = toolset(type)
  if (set !== undefined)
    return Object.entries(set.members)
      .filter(([name]) => isOffered(tool, name))
      .map(([name, schema]) => ({
        ...base,
        type: 'vendor',
        dialect: 'function',
        name,
        namespace: set.name,
        description: `${set.name}: ${name.replaceAll('_', ' ')}`,
        schema,
      }))
  const known = vendorTool(type)
  if (known !== undefined)
    return [
      { ...base, ...known, type: 'vendor', dialect: 'function', name: nameOf(tool) ?? known.name },
    ]
  // Unknown types without a schema are the vendor's to run, or at least nobody else's.
  if (type !== 'custom' && tool['input_schema'] === undefined)
    return [{ ...base, type: 'server', kind: type, name: nameOf(tool) ?? type }]
  return readFunction(tool, path, problems)
}

function readFunction(tool: JsonObject, path: string, problems: Problems): readonly Tool[] {
  const name = nameOf(tool)
  const schema = tool['input_schema'] ?? undefined
  const description = toText(tool['description'])
  if (name === undefined) problems.add(`${path}.name`, 'Give the tool a name')
  else if (schema !== undefined && !isObject(schema))
    problems.add(`${path}.input_schema`, `Send a JSON Schema object for the tool "${name}"`)
  else
    return [
      {
        type: 'function',
        name,
        ...(description === undefined ? {} : { description }),
        schema,
        isStrict: typeof tool['strict'] === 'boolean' ? tool['strict'] : undefined,
        vendor: tool,
        ...toCache(tool),
      },
    ]
  return []
}

const isOffered = (set: JsonObject, member: string): boolean =>
  toObject(toObject(set['configs'])?.[member])?.['enabled'] !== false

const nameOf = (tool: JsonObject): string | undefined => toText(tool['name'])

export function readToolChoice(
  choice: unknown,
  problems: Problems,
): { toolChoice: ToolChoice | undefined; isParallel: boolean | undefined } {
  if (choice === undefined || choice === null)
    return { toolChoice: undefined, isParallel: undefined }
  const type = toObject(choice)?.['type']
  const isSerial = toObject(choice)?.['disable_parallel_tool_use']
  const isParallel = typeof isSerial === 'boolean' ? !isSerial : undefined
  if (type === 'auto' || type === 'none') return { toolChoice: { type }, isParallel }
  if (type === 'any') return { toolChoice: { type: 'required' }, isParallel }
  const name = toText(toObject(choice)?.['name'])
  const namespace = toText(toObject(choice)?.['toolset_name'])
  if (type === 'tool' && name !== undefined)
    return {
      toolChoice: { type, name, ...(namespace === undefined ? {} : { namespace }) },
      isParallel,
    }
  problems.add('tool_choice', 'Send {"type":"auto"}, "any", "none", or "tool" with a name')
  return { toolChoice: undefined, isParallel: undefined }
}

/** "Cache up to here", where a block or a tool says so. */
export function toCache(block: JsonObject): { cache?: CacheMark } {
  const control = toObject(block['cache_control'])
  if (control === undefined) return {}
  const ttl = toText(control['ttl'])
  return { cache: ttl === undefined ? {} : { ttl } }
}
