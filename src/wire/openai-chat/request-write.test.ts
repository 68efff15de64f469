import { expect, test } from 'vitest'
import { write, written } from '../../../test/support/chat-request.ts'
import type { ModelRequest } from '../../request/request.ts'
import type { Tool } from '../../request/tool.ts'

const tool = (name: string, fields: object = {}): Tool => ({
  type: 'function',
  name,
  schema: { type: 'object', properties: {}, additionalProperties: false },
  isStrict: undefined,
  ...fields,
})
const server: Tool = { type: 'server', name: 'web_search', kind: 'web_search_20250305' }
const responses = { wire: 'openai-responses', body: {} } as const

test('a function is declared with its schema', () => {
  const { body } = written({ tools: [tool('read', { description: 'd', isStrict: true })] })
  expect(body['tools']).toEqual([
    {
      type: 'function',
      function: {
        name: 'read',
        description: 'd',
        parameters: { type: 'object', properties: {}, additionalProperties: false },
        strict: true,
      },
    },
  ])
})

test('nothing is said of tools where there are none', () => {
  const { body } = written({ toolChoice: { type: 'auto' }, isParallel: false })
  expect(body).not.toHaveProperty('tools')
  expect(body).not.toHaveProperty('tool_choice')
  expect(body).not.toHaveProperty('parallel_tool_calls')
})

test('a schema that OpenAI cannot enforce is not enforced, and it is said', () => {
  const schema = { type: 'object', properties: { a: {} }, additionalProperties: false }
  const { body, losses } = written({ tools: [tool('read', { schema, isStrict: true })] })
  expect(body['tools']).toMatchObject([{ function: { strict: false } }])
  expect(losses).toEqual(['approximated tools.read.strict'])
})

test('what Responses leaves out is said here, where it means something else', () => {
  const { body } = written({ source: responses, tools: [tool('read')] })
  expect(body['tools']).toMatchObject([{ function: { strict: false } }])
})

test('a free-text tool is one, or a function that says its grammar', () => {
  const grammar = { syntax: 'lark', definition: 'start: /a/' }
  const tools = [{ type: 'custom', name: 'patch', grammar }] as const
  expect(written({ tools }).body['tools']).toEqual([
    { type: 'custom', custom: { name: 'patch', format: { type: 'grammar', grammar } } },
  ])
  const { body, losses } = written({ tools }, { vendor: 'other' })
  expect(body['tools']).toMatchObject([
    {
      type: 'function',
      function: {
        name: 'patch',
        description: expect.stringContaining('start: /a/'),
        parameters: { required: ['input'] },
      },
    },
  ])
  expect(losses).toEqual(['approximated tools.patch'])
})

test('a tool that only its vendor can run is lost, unless the answer hangs on it', () => {
  const { body, losses } = written({ tools: [tool('read'), server] })
  expect(body['tools']).toHaveLength(1)
  expect(losses).toEqual(['dropped tools.web_search_20250305'])
  expect(write({ tools: [server] })).toMatchObject({
    problem: { path: 'tools', code: 'unsupported' },
  })
  const toolChoice = { type: 'tool', name: 'web_search' } as const
  expect(write({ tools: [tool('read'), server], toolChoice })).toMatchObject({
    problem: { path: 'tool_choice', code: 'unsupported' },
  })
})

test('long names are short at the target, and the same in the choice', () => {
  const name = 'mcp__'.padEnd(100, 'x')
  const { body } = written({ tools: [tool(name)], toolChoice: { type: 'tool', name } })
  const [declared] = body['tools'] as { function: { name: string } }[]
  expect(declared?.function.name).toHaveLength(64)
  expect(body['tool_choice']).toEqual({
    type: 'function',
    function: { name: declared?.function.name },
  })
})

test('some of the tools are allowed by their names, or the others are left out', () => {
  const tools = [tool('a'), tool('b')]
  const toolChoice = { type: 'allowed', isRequired: true, tools: [{ name: 'b' }] } as const
  const native = written({ tools, toolChoice }).body
  expect(native['tools']).toHaveLength(2)
  expect(native['tool_choice']).toMatchObject({ allowed_tools: { mode: 'required' } })
  const { body } = written({ tools, toolChoice }, { vendor: 'other' })
  expect(body['tools']).toMatchObject([{ function: { name: 'b' } }])
  expect(body['tool_choice']).toBe('required')
})

test('one call at a time is asked for, or said to be lost', () => {
  const fields = { tools: [tool('a')], isParallel: false }
  expect(written(fields).body['parallel_tool_calls']).toBe(false)
  const { body, losses } = written(fields, { vendor: 'deepseek' })
  expect(body).not.toHaveProperty('parallel_tool_calls')
  expect(losses).toEqual(['dropped tool_choice.disable_parallel_tool_use'])
})

test.each<[string, Partial<ModelRequest>, string | undefined, string[]]>([
  ['gpt-5.5', { reasoning: { effort: 'high' } }, 'high', []],
  ['gpt-5.5', { reasoning: { effort: 'max' } }, 'xhigh', ['approximated output_config.effort']],
  ['gpt-5.1', { reasoning: { effort: 'minimal' } }, 'low', ['approximated output_config.effort']],
  ['gpt-5', { reasoning: { mode: 'off' } }, 'minimal', ['approximated thinking']],
  ['gpt-5.5', { reasoning: { mode: 'off' } }, 'none', []],
  ['gpt-5', { reasoning: { mode: 'on', budget: 31_999 } }, 'high', []],
  ['gpt-5', { reasoning: { mode: 'on', budget: 1024 } }, 'low', []],
  ['gpt-5', { reasoning: { mode: 'adaptive' } }, undefined, []],
  ['gpt-4.1', { reasoning: { effort: 'low' } }, undefined, ['dropped output_config.effort']],
  ['gpt-4.1', { reasoning: { mode: 'off' } }, undefined, []],
  [
    'gpt-5.5',
    { reasoning: { effort: 'high' }, tools: [tool('a')], source: responses },
    'none',
    ['dropped reasoning.effort'],
  ],
  ['gpt-5.5', { tools: [tool('a')] }, 'none', []],
])('the effort of %s for %j is %s', (model, fields, effort, lost) => {
  const { body, losses } = written(fields, { model })
  expect(body['reasoning_effort']).toBe(effort)
  expect(losses).toEqual(lost)
})

test('sampling is left out where it is refused, and defaults are no loss', () => {
  const sampling = { temperature: 1, topP: 0.5, topK: 5 }
  expect(written({ sampling }, { model: 'gpt-5' })).toMatchObject({
    losses: ['dropped top_k', 'dropped top_p'],
  })
  expect(written({ sampling }, { vendor: 'vllm' }).body).toMatchObject({
    temperature: 1,
    top_p: 0.5,
    top_k: 5,
  })
})

test('stop sequences beyond what the server takes are for the gateway', () => {
  const stop = ['a', 'b', 'c', 'd', 'e']
  const { body, stop: rest } = written({ stop })
  expect(body['stop']).toEqual(['a', 'b', 'c', 'd'])
  expect(rest).toEqual(['e'])
  const reasoning = written({ stop }, { model: 'gpt-5' })
  expect(reasoning.body).not.toHaveProperty('stop')
  expect(reasoning.stop).toEqual(stop)
})

test('a schema for the answer is enforced where that is possible', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  }
  const format = {
    type: 'json-schema',
    schema,
    name: undefined,
    description: undefined,
    isStrict: undefined,
  } as const
  expect(written({ format }).body['response_format']).toEqual({
    type: 'json_schema',
    json_schema: { name: 'response', schema, strict: true },
  })
  const loose = { ...format, schema: { ...schema, required: [] } }
  const { body, losses } = written({ format: loose })
  expect(body['response_format']).toMatchObject({ json_schema: { strict: false } })
  expect(losses).toEqual(['approximated output_config.format'])
})

test('a server without schemas is told in words', () => {
  const schema = { type: 'object', properties: { a: {} } }
  const format = {
    type: 'json-schema',
    schema,
    name: 'n',
    description: undefined,
    isStrict: true,
  } as const
  const { body, losses } = written({ format }, { vendor: 'deepseek' })
  expect(body['response_format']).toEqual({ type: 'json_object' })
  expect(body['messages']).toMatchObject([
    { role: 'system', content: expect.stringContaining(JSON.stringify(schema)) },
    { role: 'user' },
  ])
  expect(losses).toEqual(['approximated output_config.format'])
})

test('the rest goes under the names that each server has', () => {
  const fields = {
    maxTokens: 9,
    user: 'x'.repeat(200),
    cache: { key: 'k', mark: undefined },
    metadata: { a: 'b' },
    serviceTier: 'standard_only',
    verbosity: 'low',
    logprobs: 3,
  } as const
  expect(written(fields, { model: 'gpt-5', isStream: true }).body).toMatchObject({
    max_completion_tokens: 9,
    safety_identifier: expect.stringMatching(/^id_[0-9a-f]{16}$/),
    prompt_cache_key: 'k',
    metadata: { a: 'b' },
    service_tier: 'default',
    verbosity: 'low',
    logprobs: true,
    top_logprobs: 3,
    stream: true,
    stream_options: { include_usage: true },
  })
  const { body } = written(
    { ...fields, logprobs: undefined },
    { vendor: 'mistral', isStream: true },
  )
  expect(Object.keys(body)).toEqual(['model', 'messages', 'max_tokens', 'stream'])
})

test('what the client needs and this wire lacks is refused, what it can spare is said', () => {
  const needed = [{ path: 'container', message: 'Leave it out' }]
  expect(write({ needed })).toMatchObject({ problem: { path: 'container', code: 'unsupported' } })
  expect(written({ lost: ['context_management'] }).losses).toEqual(['dropped context_management'])
  expect(write({ maxTokens: 0 })).toMatchObject({ problem: { path: 'max_tokens' } })
})
