/**
 * Calls of the vendor's own tools, made from the JSON that another model gave as arguments: the action of a
 * shell, the operation of a patch. So a client that declared such a tool gets the item it knows, whoever
 * answers. Neighbours: `item-writer.ts` writes it; `request-native-tools.ts` is what the model was told.
 */
import { isObject, parseObject, type JsonObject } from '../../base/json.ts'
import type { ToolDialect } from '../../event/block.ts'

/** The item's fields without its ids; `undefined` where the arguments are no such action. */
export function toActionCall(dialect: ToolDialect, text: string): JsonObject | undefined {
  const said = parseObject(text)
  if (said === undefined) return undefined
  switch (dialect) {
    case 'local-shell':
      return toLocalShell(unwrap(said, 'action'))
    case 'shell':
      return toShell(unwrap(said, 'action'))
    case 'apply-patch':
      return toPatch(unwrap(said, 'operation'))
    case 'computer':
      return toComputer(unwrap(said, 'action'))
    case 'function':
    case 'custom':
    case 'unknown':
      return undefined
  }
}

const PREFIXES: Readonly<Partial<Record<ToolDialect, string>>> = {
  'local-shell': 'lsh',
  shell: 'sh',
  'apply-patch': 'apc',
  computer: 'cu',
}

/** What the ids of such items begin with; `undefined` for calls that have arguments. */
export const actionPrefix = (dialect: ToolDialect): string | undefined => PREFIXES[dialect]

/** Some models name the field that they fill. */
function unwrap(said: JsonObject, field: string): JsonObject {
  const inner = said[field]
  return isObject(inner) && Object.keys(said).length === 1 ? inner : said
}

function toLocalShell(action: JsonObject): JsonObject | undefined {
  const { command } = action
  const words = typeof command === 'string' ? ['bash', '-lc', command] : command
  if (!isTexts(words)) return undefined
  return { type: 'local_shell_call', action: { env: {}, ...action, type: 'exec', command: words } }
}

function toShell(action: JsonObject): JsonObject | undefined {
  const { commands } = action
  const list = typeof commands === 'string' ? [commands] : commands
  if (!isTexts(list)) return undefined
  return {
    type: 'shell_call',
    action: { timeout_ms: null, max_output_length: null, ...action, commands: list },
    environment: { type: 'local' },
  }
}

function toPatch(operation: JsonObject): JsonObject | undefined {
  const { type, path, diff } = operation
  if (typeof path !== 'string') return undefined
  if (type === 'delete_file') return { type: 'apply_patch_call', operation: { type, path } }
  if ((type !== 'create_file' && type !== 'update_file') || typeof diff !== 'string')
    return undefined
  return { type: 'apply_patch_call', operation: { type, path, diff } }
}

function toComputer(said: JsonObject): JsonObject | undefined {
  const base = { type: 'computer_call', pending_safety_checks: [] }
  if (Array.isArray(said['actions'])) return { ...base, actions: said['actions'] }
  return typeof said['type'] === 'string' ? { ...base, action: said } : undefined
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
