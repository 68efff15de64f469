/**
 * What users of other gateways suffer, as far as it is in what an upstream is asked: caches, betas, schemas, names,
 * tools that only one vendor runs. One test for each pain, by its number.
 */
import { expect, test } from 'vitest'
import { toObjects, type Json } from '../support/api-rules.ts'
import { withCrossing } from '../support/crossing.ts'
import { fetchRaw } from '../support/raw-client.ts'
import { reply } from '../support/spoken.ts'

const CHAT = 'openai-chat'
const MESSAGES = 'anthropic-messages'
const RESPONSES = 'openai-responses'
const YES = { pieces: [{ text: 'Yes.' }] }
const EMPTY = { type: 'object', properties: {} }
const nameOf = (tool: Json): unknown =>
  (tool['function'] as Json | undefined)?.['name'] ?? tool['name']

test('pain 15: two turns of Claude Code share their prefix byte for byte, without the nonce', async () => {
  for (const wire of [CHAT, RESPONSES] as const)
    await withCrossing({ wire }, async ({ upstream, stream, sent }) => {
      upstream.answer((request) => reply(wire, YES, request))
      const turn = (nonce: string, ...rest: Json[]): object => ({
        system: [
          { type: 'text', text: `x-anthropic-billing-header: cc_version=2.1; cch=${nonce};` },
          { type: 'text', text: 'You are a coder.', cache_control: { type: 'ephemeral' } },
        ],
        tools: [{ name: 'run', input_schema: EMPTY }],
        messages: [{ role: 'user', content: 'Go.' }, ...rest],
        metadata: { user_id: 'user_1_session_2' },
      })
      await stream(MESSAGES, turn('aaa'))
      await stream(
        MESSAGES,
        turn('bbb', { role: 'assistant', content: 'Well.' }, { role: 'user', content: 'On.' }),
      )
      const [first, second] = [sent(0), sent(1)]
      expect(JSON.stringify(first)).not.toContain('cch=')
      const list = wire === CHAT ? 'messages' : 'input'
      const before = toObjects(first[list])
      expect(toObjects(second[list]).slice(0, before.length)).toEqual(before)
      const { [list]: _first, ...rest } = first
      const { [list]: _second, ...again } = second
      expect(JSON.stringify(again)).toBe(JSON.stringify(rest))
    })
})

test('pain 15: the nonce stays where it belongs, byte for byte', async () => {
  await withCrossing({ wire: MESSAGES, model: 'm' }, async ({ upstream, gateway }) => {
    upstream.always(reply(MESSAGES, YES, { body: Buffer.from('{}') }))
    const body =
      '{"model":"m", "max_tokens":9,"system":[{"type":"text","text":"x-anthropic-billing-header: cch=1;"}],"messages":[{"role":"user","content":"Go."}]}'
    await fetchRaw(`${gateway.url}/v1/messages`, { body })
    expect(upstream.requests[0]?.body.toString()).toBe(body)
  })
})

test('pain 16: the fields of every request of Claude Code cross, and its betas stay at home', async () => {
  const headers = {
    'anthropic-beta': 'context-management-2025-06-27,interleaved-thinking-2025-05-14',
    'anthropic-version': '2023-06-01',
  }
  const more = {
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    output_config: { effort: 'medium' },
    thinking: { type: 'adaptive' },
    metadata: { user_id: 'u' },
  }
  for (const wire of [CHAT, RESPONSES] as const)
    await withCrossing({ wire }, async ({ upstream, stream, sent }) => {
      upstream.answer((request) => reply(wire, YES, request))
      const { headers: told } = await stream(MESSAGES, more, { headers })
      sent(0)
      expect(told['x-sluice-losses'] ?? '').not.toContain('context_management')
      expect(upstream.requests[0]?.headers['anthropic-beta']).toBeUndefined()
    })
  // To its own vendor everything goes as it is.
  await withCrossing({ wire: MESSAGES, model: 'm' }, async ({ upstream, stream }) => {
    upstream.answer((request) => reply(MESSAGES, YES, request))
    await stream(MESSAGES, more, { headers })
    expect(upstream.requests[0]?.headers['anthropic-beta']).toBe(headers['anthropic-beta'])
  })
})

/** All that servers stumble over, and properties that are only called like it. */
const ODD_SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    format: { type: 'string', format: 'uri-reference' },
    const: { const: 'x' },
    pattern: { type: ['string', 'null'], pattern: '^a' },
    additionalProperties: { anyOf: [{ type: 'string' }, { type: 'integer', exclusiveMinimum: 0 }] },
    $ref: { type: 'string' },
  },
  required: ['format', 'const'],
  additionalProperties: false,
}

test.each([
  [CHAT, 'gemini', 'gemini-3-pro'],
  [CHAT, 'openai', 'gpt-4.1'],
  [RESPONSES, 'openai', 'gpt-5.2'],
] as const)(
  'pain 17: %s %s takes a schema, and no property is lost for its name',
  async (...target) => {
    const [wire, vendor, model] = target
    await withCrossing({ wire, vendor, model }, async ({ upstream, stream, sent }) => {
      upstream.answer((request) => reply(wire, YES, request))
      await stream(MESSAGES, { tools: [{ name: 'run', input_schema: ODD_SCHEMA }] })
      const [tool] = toObjects(sent(0)['tools'])
      const { parameters } = (tool?.['function'] ?? tool) as { parameters: { properties: object } }
      expect(Object.keys(parameters.properties)).toEqual(Object.keys(ODD_SCHEMA.properties))
    })
  },
)

test('pain 17: a schema that cannot be used is refused with the name of its tool', async () => {
  await withCrossing({ wire: MESSAGES }, async ({ upstream, json }) => {
    const tools = ['good', 'bad'].map((name) => ({
      type: 'function',
      function: { name, parameters: name === 'bad' ? { type: 'string' } : EMPTY },
    }))
    upstream.answer((request) => reply(MESSAGES, YES, request))
    const { status, body } = await json(CHAT, { tools })
    expect([status, body.toString()]).toEqual([400, expect.stringMatching(/bad/)])
    expect(upstream.requests.length).toBe(0)
  })
})

test('pain 23: a count looks at system, tools and messages, also where nobody counts', async () => {
  const body = {
    model: 'm',
    system: 'You are a coder. '.repeat(40),
    tools: [{ name: 'run', description: 'Runs something. '.repeat(40), input_schema: EMPTY }],
    messages: [{ role: 'user', content: 'word '.repeat(300) }],
  }
  await withCrossing({ wire: CHAT }, async ({ gateway, upstream }) => {
    const ask = async (more: object): Promise<number> => {
      const url = `${gateway.url}/v1/messages/count_tokens`
      const answer = await fetchRaw(url, { body: JSON.stringify({ ...body, ...more }) })
      expect([answer.status, answer.headers['x-sluice-tokens']]).toEqual([200, 'estimate'])
      return (JSON.parse(answer.body.toString()) as { input_tokens: number }).input_tokens
    }
    const whole = await ask({})
    expect(whole).toBeGreaterThan(500)
    expect(whole - (await ask({ system: 'Hi' }))).toBeGreaterThan(100)
    expect(whole - (await ask({ tools: [] }))).toBeGreaterThan(80)
    expect(upstream.requests.length).toBe(0)
  })
})

test('pain 26: a search that only its vendor can run is said to be lost, and refused when it is all', async () => {
  await withCrossing({ wire: CHAT }, async ({ upstream, stream, json, sent }) => {
    upstream.answer((request) => reply(CHAT, YES, request))
    const search = { type: 'web_search_20250305', name: 'web_search' }
    const standing = await stream(MESSAGES, {
      tools: [search, { name: 'run', input_schema: EMPTY }],
    })
    expect(standing.headers['x-sluice-losses']).toContain('web_search')
    expect(toObjects(sent(0)['tools']).map(nameOf)).toEqual(['run'])
    const tool_choice = { type: 'tool', name: 'web_search' }
    for (const more of [{ tools: [search] }, { tools: [search], tool_choice }]) {
      const { status, json: told } = await json(MESSAGES, more)
      expect([status, (told['error'] as Json)['type']]).toEqual([400, 'invalid_request_error'])
      expect((told['error'] as Json)['message']).toContain('web_search')
    }
    expect(upstream.requests.length).toBe(1)
  })
})

test('pain 27: a long name of a tool is shortened for its server, and the client gets its own back', async () => {
  const long = (end: string): string => `mcp__plugin_${'very_'.repeat(14)}long__${end}`
  const names = [long('read'), long('write')]
  await withCrossing({ wire: CHAT }, async ({ upstream, stream, sent }) => {
    upstream.answer((request) => {
      const { tools } = JSON.parse(request.body.toString()) as { tools: Json[] }
      const pieces = tools.map((tool, at) => ({
        call: String(nameOf(tool)),
        id: `c${at}`,
        args: '{}',
      }))
      return reply(CHAT, { pieces }, request)
    })
    const tools = names.map((name) => ({ name, input_schema: EMPTY }))
    const { state } = await stream(MESSAGES, { tools })
    expect(state.blocks.map((block) => 'name' in block && block.name)).toEqual(names)
    const [first, second] = toObjects(sent(0)['tools']).map(nameOf)
    expect(first).not.toBe(second)
    const messages = [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c0', name: names[0], input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c0', content: 'ok' }] },
    ]
    await stream(MESSAGES, { tools, messages })
    expect(JSON.stringify(sent(1)['messages'])).toContain(`"${String(first)}"`)
  })
})
