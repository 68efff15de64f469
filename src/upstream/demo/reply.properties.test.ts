import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isObject, parseObject, type JsonObject } from '../../base/json.ts'
import type { WireName } from '../../event/event.ts'
import { toBytes } from '../../sse/encode.ts'
import { WIRE_NAMES, WIRES } from '../../wire/wires.ts'
import { lint } from '../../../test/support/pipeline.ts'
import { toReply } from './reply.ts'
import { SCRIPTS } from './scripts.ts'

const PATHS: Record<WireName, readonly string[]> = {
  'anthropic-messages': ['/v1/messages', '/v1/messages/count_tokens'],
  'openai-chat': ['/chat/completions'],
  'openai-responses': ['/responses', '/responses/input_tokens'],
}

/** Scripts whose answers are meant to be broken. */
const BROKEN = /demo-(?:cut|eof)/

/** Whatever comes in: an answer that is legal, or an error in the words of the wire. */
function check(wire: WireName, path: string, body: string): number {
  const reply = toReply(
    { method: 'POST', wire, path, query: '', headers: {}, body: Buffer.from(body) },
    { pace: 0, now: () => 0 },
  )
  const bytes = Buffer.concat([...reply.chunks].map(toBytes))
  if (BROKEN.test(body)) return reply.status
  if (reply.headers['content-type'] !== 'application/json') {
    expect(reply.status).toBe(200)
    // Custom tools on Chat are odd to lint, and what the client asked for.
    expect(lint(wire, bytes).filter(({ rule }) => rule !== 'B23')).toEqual([])
    return 200
  }
  const json = parseObject(bytes.toString())
  if (json === undefined) throw new Error(`no JSON object: ${bytes.toString()}`)
  if (reply.status === 200) {
    const isAnswer = WIRES[wire].recognise(json) === 'answer'
    expect(isAnswer || typeof json['input_tokens'] === 'number').toBe(true)
  } else {
    expect(reply.status).toBeGreaterThanOrEqual(400)
    expect(isObject(json['error']) && typeof json['error']['message']).toBe('string')
  }
  return reply.status
}

const TEXT = { type: 'string' }
const schema = {
  type: 'object',
  properties: { command: TEXT, n: { type: 'integer' } },
  required: ['command'],
}

const VALID: Record<WireName, JsonObject> = {
  'anthropic-messages': {
    model: 'm',
    max_tokens: 10,
    stream: true,
    system: [{ type: 'text', text: 'Be kind' }],
    tools: [{ name: 'Bash', input_schema: schema }],
    tool_choice: { type: 'auto' },
    output_config: { format: { type: 'json_schema', schema } },
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'call Bash `{"command":"x"}` think' }] },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'a', name: 'Bash', input: { command: 'x' } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'y' }] },
    ],
  },
  'openai-chat': {
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    tools: [
      { type: 'function', function: { name: 'bash', parameters: schema } },
      { type: 'custom', custom: { name: 'exec' } },
    ],
    tool_choice: 'auto',
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    messages: [
      { role: 'system', content: 'Be kind' },
      { role: 'user', content: 'run `ls` in 3 steps' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function' }] },
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'y' }] },
    ],
  },
  'openai-responses': {
    model: 'm',
    stream: true,
    include: ['reasoning.encrypted_content'],
    tools: [
      { type: 'namespace', name: 'n', tools: [{ type: 'custom', name: 'exec' }] },
      { type: 'function', name: 'exec_command', parameters: schema },
      { type: 'local_shell' },
    ],
    text: { format: { type: 'json_schema', schema } },
    input: [
      { type: 'additional_tools', tools: [{ type: 'custom', name: 'apply_patch' }] },
      { role: 'user', content: [{ type: 'input_text', text: 'think and loop 2 times' }] },
      { type: 'function_call', call_id: 'a', name: 'exec_command', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: 'y' }] },
    ],
  },
}

const prompts = fc.constantFrom(
  'tool',
  'tools',
  'dangerous',
  'weather in Rome',
  'loop 3 times',
  'call exec `{"a":1}`',
  `call Bash \`${'['.repeat(200)}\``,
  `call Bash \`{"a":${'['.repeat(200)}${']'.repeat(200)}}\``,
  'run `x`',
  'think slowly',
  'refuse',
  '\ud800',
  '<system-reminder>',
)

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  prompts,
  fc.constantFrom(...Object.keys(SCRIPTS)),
  fc.constantFrom(
    'user',
    'tool',
    'assistant',
    'custom',
    'function',
    'none',
    'required',
    '__proto__',
  ),
  fc.constant({ type: 'object', properties: { x: { $ref: '#' } }, required: ['x'] }),
)

/** The body with something else at a random place. */
function mutate(value: unknown, path: readonly number[], other: unknown): unknown {
  const [first, ...rest] = path
  if (first === undefined || typeof value !== 'object' || value === null) return other
  const keys = Object.keys(value)
  const key = keys[first % Math.max(keys.length, 1)]
  if (key === undefined) return other
  const entries = Object.entries(value).map(([name, part]): [string, unknown] => [
    name,
    name === key ? mutate(part, rest, other) : part,
  ])
  return Array.isArray(value) ? entries.map(([, part]) => part) : Object.fromEntries(entries)
}

test.each(WIRE_NAMES)('any JSON on %s gets a legal answer or a legal error', (wire) => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(...PATHS[wire]), (body, path) => {
      expect([200, 400]).toContain(check(wire, path, body))
    }),
    { numRuns: 300 },
  )
})

test.each(WIRE_NAMES)('any change to a request on %s gets one too', (wire) => {
  const change = fc.tuple(fc.array(fc.nat(), { minLength: 1, maxLength: 6 }), anything)
  const statuses = new Set<number>()
  fc.assert(
    fc.property(
      fc.array(change, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('m', ...Object.keys(SCRIPTS)),
      fc.constantFrom(...PATHS[wire]),
      (changes, model, path) => {
        let body: unknown = { ...VALID[wire], model }
        for (const [place, other] of changes) body = mutate(body, place, other)
        statuses.add(check(wire, path, JSON.stringify(body)))
      },
    ),
    { numRuns: 1000 },
  )
  expect(statuses).toContain(200)
  expect(statuses).toContain(400)
})

test.each(WIRE_NAMES)('a body that is nested very deep on %s is no trouble', (wire) => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000)
  const { model: _model, ...rest } = VALID[wire]
  const head = JSON.stringify({ model: 'demo-tool', ...rest }).slice(0, -1)
  for (const key of ['messages', 'input', 'tools', 'metadata', 'system', 'response_format'])
    for (const path of PATHS[wire]) check(wire, path, `${head},"${key}":${deep}}`)
  const prompt = JSON.stringify(`call x \`{"a":${deep}}\``)
  for (const stream of [true, false]) {
    const body = `{"model":"m","max_tokens":9,"stream":${stream},"input":${prompt},"messages":[{"role":"user","content":${prompt}}]}`
    expect(check(wire, PATHS[wire][0] ?? '', body)).toBe(200)
  }
})
