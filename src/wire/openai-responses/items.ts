/**
 * What an output item is in our tongue: the kind of block, and what its arguments are. Neighbours:
 * `decode.ts` and `answer.ts`. A message is not here: each of its parts is a block of its own.
 */
import { isObject, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import { UNNAMED, type BlockInfo, type ToolDialect } from '../../event/block.ts'

type Base = Pick<BlockInfo, 'id' | 'index' | 'vendor'>

/** Calls that the client runs. Any other `*_call` that we do not know is taken for one too. */
const CLIENT_CALLS: Readonly<Record<string, { dialect: ToolDialect; name?: string }>> = {
  function_call: { dialect: 'function' },
  custom_tool_call: { dialect: 'custom' },
  shell_call: { dialect: 'shell', name: 'shell' },
  local_shell_call: { dialect: 'local-shell', name: 'local_shell' },
  apply_patch_call: { dialect: 'apply-patch', name: 'apply_patch' },
  computer_call: { dialect: 'computer', name: 'computer' },
}

const SERVER_CALLS = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
  'mcp_approval_request',
])

export function readItem(item: JsonObject, index: number, createId?: () => string): BlockInfo {
  const type = toText(item['type']) ?? ''
  const own = toText(item['call_id']) ?? toText(item['id'])
  const id = own ?? (createId === undefined ? `block_${index}` : `call_${createId()}`)
  const base: Base = { id, index, vendor: item }
  if (type === 'reasoning') return { ...base, type: 'thinking', redacted: false }
  if (isServerRun(type, item))
    return { ...base, type: 'server-tool', name: toText(item['name']) ?? bareName(type) }
  const known = Object.hasOwn(CLIENT_CALLS, type) ? CLIENT_CALLS[type] : undefined
  if (known !== undefined)
    return {
      ...base,
      type: 'tool-call',
      name: toText(item['name']) ?? known.name ?? UNNAMED,
      dialect: known.dialect,
      ...namespaceOf(item),
    }
  if (type.endsWith('_output'))
    return {
      ...base,
      type: 'tool-result',
      name: bareName(type),
      callId: toText(item['call_id']) ?? '',
    }
  if (type.endsWith('_call'))
    return {
      ...base,
      type: 'tool-call',
      name: toText(item['name']) ?? bareName(type),
      dialect: 'unknown',
      ...namespaceOf(item),
    }
  return { ...base, type: 'opaque', vendorType: type }
}

function namespaceOf(item: JsonObject): { namespace?: string } {
  const namespace = toText(item['namespace'])
  return namespace === undefined ? {} : { namespace }
}

/** Whether the provider runs it: by its kind, or because a container of the provider's is named. */
function isServerRun(type: string, item: JsonObject): boolean {
  if (SERVER_CALLS.has(type)) return true
  if (type === 'tool_search_call') return item['execution'] !== 'client'
  return (
    type === 'shell_call' &&
    toText(toObject(item['environment'])?.['type'])?.startsWith('container') === true
  )
}

const bareName = (type: string): string => type.replace(/_call_output$|_call$|_output$/, '')

/**
 * The arguments of a whole call as text. Functions and custom tools have them as such; the others
 * keep them in fields of their own, which become one JSON object.
 */
export function argumentsOf(item: JsonObject): string {
  const own =
    item['arguments'] ?? item['input'] ?? item['action'] ?? item['actions'] ?? item['operation']
  if (typeof own === 'string') return own
  if (isObject(own) || Array.isArray(own))
    return JSON.stringify(Array.isArray(own) ? { actions: own } : own)
  const rest = ['code', 'queries', 'revised_prompt'].flatMap((key) =>
    item[key] == null ? [] : [[key, item[key]]],
  )
  return rest.length === 0 ? '' : JSON.stringify(Object.fromEntries(rest))
}

/** The visible text of a whole reasoning item: its summaries, or what an open model really thought. */
export function thoughtsOf(item: JsonObject): string {
  const read = (list: unknown): string =>
    toList(list)
      .map((part) => toText(toObject(part)?.['text']) ?? '')
      .filter((text) => text !== '')
      .join('\n\n')
  return read(item['summary']) || read(item['content'])
}

/** What a server tool gave back, as text. */
export function resultOf(item: JsonObject): string {
  const result = item['output'] ?? item['result']
  if (typeof result === 'string') return result
  return result == null ? '' : JSON.stringify(result)
}

/** JSON shows by itself that it breaks off; of a free text only its item says so. */
export const isCutText = (block: BlockInfo, final: JsonObject | undefined): boolean =>
  block.type === 'tool-call' && block.dialect === 'custom' && final?.['status'] === 'incomplete'
