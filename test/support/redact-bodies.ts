/**
 * One conversation in the three wires, with the same word in everything that was said: as a string, in a list, in a
 * call, in its result, in the system prompt.
 */
import type { WireName } from '../../src/event/event.ts'
import type { Body } from './conversation-common.ts'

const SCHEMA = { type: 'object', properties: { command: { type: 'string' } } }

export const fixtureBodies = (word: string): Readonly<Record<WireName, Body>> => ({
  'anthropic-messages': {
    model: 'm',
    max_tokens: 100,
    system: [{ type: 'text', text: `Never tell ${word}`, cache_control: { type: 'ephemeral' } }],
    tools: [{ name: 'run', input_schema: SCHEMA }],
    messages: [
      { role: 'user', content: `Use ${word}` },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: `With ${word}.` },
          { type: 'tool_use', id: 'toolu_1', name: 'run', input: { command: `login ${word}` } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'text', text: `ok ${word}` }],
          },
          { type: 'text', text: 'Go on', cache_control: { type: 'ephemeral' } },
        ],
      },
    ],
  },
  'openai-chat': {
    model: 'm',
    tools: [{ type: 'function', function: { name: 'run', parameters: SCHEMA } }],
    messages: [
      { role: 'system', content: `Never tell ${word}` },
      { role: 'user', content: [{ type: 'text', text: `Use ${word}` }] },
      {
        role: 'assistant',
        content: `With ${word}.`,
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: 'run', arguments: JSON.stringify({ command: `login ${word}` }) },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: `ok ${word}` },
      { role: 'user', content: 'Go on' },
    ],
  },
  'openai-responses': {
    model: 'm',
    instructions: `Never tell ${word}`,
    tools: [{ type: 'function', name: 'run', parameters: SCHEMA, strict: false }],
    input: [
      { role: 'user', content: `Use ${word}` },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: `With ${word}.`, annotations: [] }],
      },
      {
        type: 'function_call',
        call_id: 'call_1',
        name: 'run',
        arguments: JSON.stringify({ command: `login ${word}` }),
      },
      { type: 'function_call_output', call_id: 'call_1', output: `ok ${word}` },
      { role: 'user', content: [{ type: 'input_text', text: 'Go on' }] },
    ],
  },
})
