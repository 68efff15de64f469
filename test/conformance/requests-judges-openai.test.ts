/**
 * The judges of Chat and Responses: each rule is seen to refuse something.
 */
import { test } from 'vitest'
import { validateChat } from '../support/api-rules-chat.ts'
import { validateResponses } from '../support/api-rules-responses.ts'
import type { Json } from '../support/api-rules.ts'
import { expectFinding, type Row } from '../support/judging.ts'

const schema = { type: 'object', properties: { a: { type: 'string' } } }
const user = { role: 'user', content: 'hi' }

const call = (id: string): Json => ({
  id,
  type: 'function',
  function: { name: 'x', arguments: '{}' },
})
const calls = (...ids: string[]): Json => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map(call),
})
const answer = (id: string): Json => ({ role: 'tool', tool_call_id: id, content: 'y' })
const chatTools = [{ type: 'function', function: { name: 'x', parameters: schema } }]
const strict = (parameters: unknown): Json => ({
  tools: [{ type: 'function', function: { name: 'x', strict: true, parameters } }],
})
const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }

test.each<Row>([
  ['nothing', {}, undefined],
  ['an unknown field', { top_k: 1 }, /Extra/],
  [
    'thinking',
    { messages: [user, { role: 'assistant', content: 'a', reasoning_content: 'b' }] },
    /Extra/,
  ],
  [
    'parallel calls in any order',
    { messages: [user, calls('a', 'b'), answer('b'), answer('a')] },
    undefined,
  ],
  [
    'a call without answer',
    { messages: [user, calls('a', 'b'), answer('a'), user, answer('b')] },
    /without a tool message/,
  ],
  ['an answer without call', { messages: [user, answer('a')] }, /must follow/],
  ['an answer twice', { messages: [user, calls('a'), answer('a'), answer('a')] }, /must follow/],
  ['a long id', { messages: [user, calls('a'.repeat(41)), answer('a'.repeat(41))] }, /longer/],
  [
    'an image in an answer',
    { messages: [user, calls('a'), { ...answer('a'), content: [image] }] },
    /Not one of/,
  ],
  [
    'an answer of the model without content',
    { messages: [user, { role: 'assistant', content: null }] },
    /content is required/,
  ],
  ['a long name', { tools: [{ type: 'function', function: { name: 'x'.repeat(65) } }] }, /match/],
  ['no tools in a list', { tools: [] }, /short/],
  ['a choice without tools', { tool_choice: 'auto' }, /only allowed/],
  [
    'a choice of what is not there',
    { tools: chatTools, tool_choice: { type: 'function', function: { name: 'y' } } },
    /not found/,
  ],
  [
    'a strict tool with an option',
    strict({ ...schema, additionalProperties: false }),
    /Missing 'a'/,
  ],
  ['a strict tool that is open', strict({ ...schema, required: ['a'] }), /additionalProperties/],
  [
    'a tool without properties',
    { tools: [{ type: 'function', function: { name: 'x', parameters: { type: 'object' } } }] },
    /missing properties/,
  ],
  ['options of a stream', { stream_options: { include_usage: true } }, /only allowed/],
  ['five stops', { stop: ['a', 'b', 'c', 'd', 'e'] }, /too long/],
  ['effort on an old model', { reasoning_effort: 'low' }, /Unrecognized/],
  ['sampling on a new model', { model: 'gpt-5.2', temperature: 0.5 }, /Unsupported/],
  ['the old limit on a new model', { model: 'gpt-5.2', max_tokens: 5 }, /max_completion_tokens/],
  ['a stop on a new model', { model: 'gpt-5.2', stop: ['a'] }, /Unsupported/],
  [
    'tools that think',
    { model: 'gpt-5.5', tools: chatTools, reasoning_effort: 'low' },
    /responses/,
  ],
  [
    'tools that do not think',
    { model: 'gpt-5.5', tools: chatTools, reasoning_effort: 'none' },
    undefined,
  ],
  ['JSON that is not asked for', { response_format: { type: 'json_object' } }, /word/],
  ['much metadata', { metadata: { a: 'b'.repeat(513) } }, /longer/],
])('the judge of Chat looks at %s', (_, change, refusal) => {
  expectFinding(validateChat({ model: 'gpt-4.1', messages: [user], ...change }), refusal)
})

const fnCall = (id: string, more: Json = {}): Json => ({
  type: 'function_call',
  call_id: id,
  name: 'x',
  arguments: '{}',
  ...more,
})
const fnOutput = (id: string): Json => ({ type: 'function_call_output', call_id: id, output: 'y' })
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAA' }
const reply = { role: 'assistant', content: [{ type: 'output_text', text: 'a' }] }

test.each<Row>([
  ['nothing', {}, undefined],
  ['an unknown field', { stop: ['a'] }, /Extra/],
  [
    'parallel calls',
    { input: [user, fnCall('a'), fnCall('b'), fnOutput('b'), fnOutput('a')] },
    undefined,
  ],
  ['a call without output', { input: [user, fnCall('a')] }, /No tool output/],
  ['an output without call', { input: [user, fnOutput('a')] }, /No tool call/],
  [
    'an output of another kind',
    { input: [fnCall('a'), { ...fnOutput('a'), type: 'custom_tool_call_output' }] },
    /answers a/,
  ],
  [
    'a call twice',
    { input: [fnCall('a'), fnOutput('a'), fnCall('a'), fnOutput('a')] },
    /Duplicate/,
  ],
  ['a foreign id', { input: [fnCall('a', { id: 'toolu_1' }), fnOutput('a')] }, /match/],
  ['a long id', { input: [fnCall('a'.repeat(65)), fnOutput('a'.repeat(65))] }, /longer/],
  ['thinking that led to something', { input: [user, reasoning, reply, user] }, undefined],
  ['thinking that led to nothing', { input: [user, reasoning, user] }, /required following/],
  [
    'thinking of Anthropic',
    { input: [user, { ...reasoning, encrypted_content: 'ErUB' }, reply] },
    /verified/,
  ],
  [
    'thinking without seal, nothing stored',
    { store: false, input: [user, { type: 'reasoning', id: 'rs_1', summary: [] }, reply] },
    /not persisted/,
  ],
  [
    'an answer in the words of a question',
    { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'a' }] }] },
    /Not one of/,
  ],
  ['a small limit', { max_output_tokens: 15 }, /at least/],
  [
    'a strict tool that is open',
    { tools: [{ type: 'function', name: 'x', strict: true, parameters: schema }] },
    /additionalProperties/,
  ],
  ['a nested tool', { tools: chatTools }, /Extra/],
  ['a forced choice without tools', { tool_choice: 'required' }, /come with/],
  ['sampling on a new model', { model: 'gpt-5.5', temperature: 0.5 }, /Unsupported/],
  [
    'an effort that the model has not',
    { model: 'gpt-5.5', reasoning: { effort: 'minimal' } },
    /Unsupported/,
  ],
  ['seals of a model without them', { include: ['reasoning.encrypted_content'] }, /not supported/],
  ['no input', { input: [] }, /must be provided/],
])('the judge of Responses looks at %s', (_, change, refusal) => {
  expectFinding(validateResponses({ model: 'gpt-4.1', input: 'hi', ...change }), refusal)
})

test.each([
  ['mistral', { messages: [user, calls('call_1'), answer('call_1')] }, /must be a-z/],
  ['mistral', { messages: [user], user: 'a' }, /Extra/],
  [
    'gemini',
    {
      messages: [user],
      tools: [
        { type: 'function', function: { name: 'x', parameters: { ...schema, $schema: 'x' } } },
      ],
    },
    /Unknown name/,
  ],
  [
    'deepseek',
    {
      messages: [user],
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    },
    /unavailable/,
  ],
  [
    'ollama',
    {
      messages: [
        user,
        {
          role: 'assistant',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'x', arguments: '' } }],
        },
        answer('a'),
      ],
    },
    /arguments/,
  ],
] as const)('%s has rules of its own', (vendor, change, refusal) => {
  expectFinding(validateChat({ model: 'm', ...change }, { vendor }), refusal)
})
