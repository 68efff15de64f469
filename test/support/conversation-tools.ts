/**
 * Random words and random tools, with names and schemas as servers and clients really have them. Neighbour:
 * `conversations.ts`.
 */
import fc from 'fast-check'
import type { WireName } from '../../src/event/event.ts'
import type { PlannedTool } from './conversation-plan.ts'

/** Words that survive as they are: no blanks at the ends, and nothing that means something to us. */
export const words = fc.oneof(
  fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8}){0,3}$/),
  fc.constantFrom(
    'Grüße, 世界 😀',
    'line one\nline two\r\n\ttabbed',
    '"quoted" \\ back',
    'null',
    '{"a":1}',
    'data: [DONE]',
    '\u2028 apart',
    'half \ud83d of a pair',
    '<system-reminder>as it is</system-reminder>',
  ),
)

/** Once in four times. */
export function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
}

const LONG = 'mcp__plugin_company_knowledge_base_server__search_everything'
const NAMES: Readonly<Record<WireName, readonly string[]>> = {
  'anthropic-messages': ['Bash', 'get_weather', 'x', `${LONG}_and_more_of_it`, `${LONG}_and_less`],
  'openai-chat': ['bash', 'get_weather', 'x-y_z', LONG, 'files_read'],
  'openai-responses': ['shell', 'wait', 'x', `${LONG}_and_more_of_it`, `${LONG}_and_less`, 'exec'],
}

export function tools(wire: WireName): fc.Arbitrary<PlannedTool[]> {
  const tool = fc
    .record({
      type: fc.constantFrom<PlannedTool['type']>(
        'function',
        'function',
        wire === 'anthropic-messages' ? 'function' : 'custom',
      ),
      name: fc.constantFrom(...NAMES[wire]),
      namespace:
        wire === 'openai-responses'
          ? rarely(fc.constantFrom('functions', 'clock'))
          : fc.constant(undefined),
      description: fc.option(words, { nil: undefined }),
      schema: fc.constantFrom(
        ...SCHEMAS,
        ...(wire === 'anthropic-messages' ? [{ type: 'object' }] : []),
      ),
      isStrict: fc.constantFrom(undefined, undefined, false, true),
    })
    .map((plan) => (plan.isStrict === true ? { ...plan, schema: STRICT } : plan))
  return fc.uniqueArray(tool, {
    maxLength: 4,
    selector: ({ name, namespace }) => `${namespace ?? ''}.${name}`,
  })
}

/** Taken by every API where it is enforced. */
export const STRICT = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'A place' },
    unit: { type: 'string', enum: ['c', 'f'] },
    days: { type: 'array', items: { type: 'integer' } },
  },
  required: ['city', 'unit', 'days'],
  additionalProperties: false,
}

const SCHEMAS: readonly Readonly<Record<string, unknown>>[] = [
  { type: 'object', properties: {} },
  STRICT,
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1, pattern: '^/' },
      limit: { type: ['integer', 'null'], exclusiveMinimum: 0, default: 10 },
      mode: { const: 'r' },
    },
    required: ['path'],
    additionalProperties: false,
  },
  {
    type: 'object',
    properties: {
      // Named like keywords.
      format: { type: 'string', format: 'uri' },
      default: { type: 'boolean' },
      items: { type: 'array', items: { $ref: '#/$defs/node' } },
    },
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
  },
  {
    type: 'object',
    properties: {
      edit: {
        anyOf: [{ type: 'string' }, { type: 'object', properties: { at: { type: 'number' } } }],
      },
      other: { oneOf: [{ type: 'null' }, { type: 'string' }] },
    },
    additionalProperties: { type: 'string' },
  },
]
