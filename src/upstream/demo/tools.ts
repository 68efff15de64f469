/**
 * The tools that a client declared, the same for all wires. Neighbours: the readers of bodies,
 * `tool-choice.ts` picks one. Tools that the provider would run itself are left out: nobody runs them here.
 */
import { isObject, toList, toObject, toText, type JsonObject } from '../../base/json.ts'

export interface DemoTool {
  readonly name: string
  /** What a call looks like: JSON arguments, free text, or one of the vendor's own shells. */
  readonly kind: 'function' | 'custom' | 'local-shell' | 'shell'
  /** Responses: the namespace that it stands in. */
  readonly namespace?: string
  readonly schema: unknown
}

const objectOf = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

/** What the model says where nobody declared a tool, but a call was asked for. */
export const WEATHER_TOOL: DemoTool = {
  name: 'get_weather',
  kind: 'function',
  schema: objectOf({ city: { type: 'string' } }),
}
export const SHELL_TOOL: DemoTool = {
  name: 'bash',
  kind: 'function',
  schema: objectOf({ command: { type: 'string' } }),
}

/** Tools of Anthropic's own that the client runs have no schema in the request. */
const ANTHROPIC_TYPES: readonly (readonly [prefix: string, schema: JsonObject])[] = [
  ['bash_', objectOf({ command: { type: 'string' } })],
  ['text_editor_', objectOf({ command: { enum: ['view'] }, path: { type: 'string' } })],
  ['memory_', objectOf({ command: { enum: ['view'] }, path: { const: '/memories' } })],
  ['computer_', objectOf({ action: { enum: ['screenshot'] } })],
]

export const readAnthropicTools = (list: unknown): readonly DemoTool[] =>
  toList(list)
    .filter(isObject)
    .flatMap((tool): DemoTool[] => {
      const name = toText(tool['name'])
      if (name === undefined || tool['defer_loading'] === true) return []
      const type = toText(tool['type'])
      if (type === undefined || type === 'custom')
        return [{ name, kind: 'function', schema: tool['input_schema'] }]
      const own = ANTHROPIC_TYPES.find(([prefix]) => type.startsWith(prefix))
      return own === undefined ? [] : [{ name, kind: 'function', schema: own[1] }]
    })

export const readChatTools = (list: unknown): readonly DemoTool[] =>
  toList(list)
    .filter(isObject)
    .flatMap((tool): DemoTool[] => {
      const custom = tool['type'] === 'custom'
      const inner = toObject(tool[custom ? 'custom' : 'function'])
      const name = toText(inner?.['name'])
      if (name === undefined) return []
      return [{ name, kind: custom ? 'custom' : 'function', schema: inner?.['parameters'] }]
    })

export const readResponsesTools = (list: unknown, namespace?: string): readonly DemoTool[] =>
  toList(list)
    .filter(isObject)
    .flatMap((tool): readonly DemoTool[] => {
      const type = toText(tool['type'])
      const name = toText(tool['name'])
      const inside = namespace === undefined ? {} : { namespace }
      if (type === 'local_shell') return [{ name: 'local_shell', kind: 'local-shell', schema: {} }]
      if (type === 'shell') return [{ name: 'shell', kind: 'shell', schema: {} }]
      if (name === undefined) return []
      // One level: a namespace in a namespace is not of this wire.
      if (type === 'namespace')
        return namespace === undefined ? readResponsesTools(tool['tools'], name) : []
      if (type === 'custom') return [{ name, kind: 'custom', schema: undefined, ...inside }]
      if (type !== 'function' || tool['defer_loading'] === true) return []
      return [{ name, kind: 'function', schema: tool['parameters'], ...inside }]
    })
