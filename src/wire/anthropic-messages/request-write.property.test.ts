import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Part } from '../../request/part.ts'
import { toProfile } from '../../request/profile.ts'
import type { ModelRequest, Turn } from '../../request/request.ts'
import type { Tool } from '../../request/tool.ts'
import { validateAnthropic } from '../../../test/support/api-rules-anthropic.ts'
import { NOTHING_SAID } from '../../request/write.ts'
import { writeRequest } from './request-write.ts'

const words = fc.oneof(fc.constantFrom('', ' ', 'Hi', 'a\n'), fc.string({ maxLength: 8 }))
const id = fc.constantFrom('call_1', 'call_2', 'Bash:0', 'call|x', `c${'x'.repeat(90)}`)
const name = fc.constantFrom('look', 'a b', 'mcp.x', 'n'.repeat(140))
const cache = fc.constantFrom({}, { cache: {} }, { cache: { ttl: '1h' } }, { cache: { ttl: '5m' } })
const text = fc
  .tuple(words, cache)
  .map(([said, mark]): Extract<Part, { type: 'text' }> => ({ type: 'text', text: said, ...mark }))
const image = fc.constant<Extract<Part, { type: 'image' }>>({
  type: 'image',
  source: { type: 'inline', mediaType: 'image/png', data: 'aGk=' },
})
const opaque = fc.constant<Extract<Part, { type: 'opaque' }>>({
  type: 'opaque',
  what: 'x',
  vendor: { type: 'x' },
})
const result = fc
  .tuple(id, fc.array(fc.oneof(text, image, opaque), { maxLength: 3 }), fc.boolean(), cache)
  .map(([callId, parts, isError, mark]): Part => ({
    type: 'tool-result',
    callId,
    dialect: 'function',
    parts,
    isError,
    ...mark,
  }))
const call = fc
  .tuple(id, name, fc.constantFrom('', '{}', '{"a":1}', '{"a', '[]'))
  .map(([callId, tool, args]): Part => ({
    type: 'tool-call',
    id: callId,
    name: tool,
    dialect: 'function',
    arguments: args,
  }))
const thinking = fc
  .constantFrom(undefined, 'anthropic-messages' as const, 'openai-chat' as const)
  .map((wire): Part => ({
    type: 'thinking',
    text: 'Hm',
    seal: wire === undefined ? undefined : { wire, signature: 'EqQB' },
  }))
const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc
    .array(fc.oneof(text, image, result, opaque), { maxLength: 3 })
    .map((parts) => ({ role: 'user' as const, parts })),
  fc
    .array(fc.oneof(text, call, thinking, opaque), { maxLength: 4 })
    .map((parts) => ({ role: 'assistant' as const, parts })),
  fc.array(text, { maxLength: 2 }).map((parts) => ({ role: 'system' as const, parts })),
)
const tool: fc.Arbitrary<Tool> = fc
  .tuple(name, fc.constantFrom(undefined, 'ns'), fc.boolean())
  .map(([called, namespace, isStrict]) => ({
    type: 'function',
    name: called,
    ...(namespace === undefined ? {} : { namespace }),
    schema: { type: 'object', properties: { a: { type: 'string', pattern: 'x' } } },
    isStrict,
  }))

const request: fc.Arbitrary<ModelRequest> = fc
  .record({
    system: fc.array(text, { maxLength: 3 }),
    turns: fc.array(turn, { maxLength: 8 }),
    tools: fc.uniqueArray(tool, {
      maxLength: 3,
      selector: (one) => `${one.namespace} ${one.name}`,
    }),
    toolChoice: fc.constantFrom(
      undefined,
      { type: 'required' as const },
      { type: 'auto' as const },
    ),
    isParallel: fc.constantFrom(undefined, true, false),
    maxTokens: fc.constantFrom(undefined, 100, 4000),
    stop: fc.array(words, { maxLength: 2 }),
    temperature: fc.constantFrom(undefined, 0, 1, 2),
    topP: fc.constantFrom(undefined, 0.5, 1),
    effort: fc.constantFrom(undefined, 'none', 'minimal', 'high', 'xhigh', 'max'),
    key: fc.constantFrom(undefined, 'k'),
  })
  .map(({ temperature, topP, effort, key, ...rest }): ModelRequest => ({
    ...rest,
    source: { wire: 'openai-responses', body: {} },
    model: 'gpt-5.5',
    isStream: true,
    sampling: {
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
    },
    reasoning:
      effort === undefined
        ? {}
        : { effort: effort as NonNullable<ModelRequest['reasoning']['effort']> },
    format: undefined,
    verbosity: undefined,
    user: undefined,
    metadata: undefined,
    cache: { key, mark: undefined },
    serviceTier: undefined,
    isStored: undefined,
    logprobs: undefined,
    lost: [],
    needed: [],
  }))

const model = fc.constantFrom(
  'claude-3-5-sonnet',
  'claude-sonnet-4-5',
  'claude-opus-5',
  'claude-fable-5',
)

const writeFor = (one: ModelRequest, to: string) =>
  writeRequest(one, {
    model: to,
    isStream: true,
    profile: toProfile({ wire: 'anthropic-messages', model: to }),
  })

test('writes what the API takes, whatever the conversation', () => {
  const property = fc.property(request, model, (one, to) => {
    const written = writeFor(one, to)
    // Random turns may come to nothing at all.
    if (!written.ok) expect(written.problem.message).toBe(NOTHING_SAID)
    else expect(validateAnthropic(written.body, { headers: written.headers })).toEqual([])
  })
  fc.assert(property, { numRuns: 1000 })
})

test('writes the same bytes for the same conversation, and begins a longer one with them', () => {
  const property = fc.property(
    request,
    model,
    fc.array(turn, { maxLength: 3 }),
    (one, to, more) => {
      // A word of the user's ends the first, and the model answers: nothing can move across.
      const hi = { role: 'user', parts: [{ type: 'text', text: 'Hi' }] } as const
      const yes = { role: 'assistant', parts: [{ type: 'text', text: 'Yes' }] } as const
      const unmarked = JSON.parse(JSON.stringify(one.turns), (key, value) =>
        key === 'cache' ? undefined : value,
      ) as readonly Turn[]
      const turns = [...unmarked, hi]
      const messagesOf = (these: readonly Turn[]): string => {
        const written = writeFor({ ...one, turns: these }, to)
        return written.ok ? JSON.stringify(written.body['messages']) : ''
      }
      const before = messagesOf(turns)
      expect(messagesOf(turns)).toBe(before)
      const plain = more.filter(({ parts }) => parts.every(({ type }) => type === 'text'))
      expect(messagesOf([...turns, yes, ...plain]).startsWith(before.slice(0, -1))).toBe(true)
    },
  )
  fc.assert(property, { numRuns: 300 })
})
