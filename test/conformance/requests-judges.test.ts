/**
 * The judges themselves: they take what is legal, and each rule is seen to refuse something.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WIRE_NAMES } from '../../src/index.ts'
import { validateAnthropic } from '../support/api-rules-anthropic.ts'
import { validateChat } from '../support/api-rules-chat.ts'
import { validateResponses } from '../support/api-rules-responses.ts'
import type { Finding, Json } from '../support/api-rules.ts'
import { expectFinding, type Row } from '../support/judging.ts'
import { toBody } from '../support/conversation-bodies.ts'
import { conversations } from '../support/conversations.ts'

const runs = { numRuns: Number(process.env['RUNS'] ?? 200) }

const JUDGES = {
  'anthropic-messages': (body: unknown): Finding[] => validateAnthropic(body),
  'openai-chat': (body: unknown): Finding[] => validateChat(body, { vendor: 'client' }),
  'openai-responses': (body: unknown): Finding[] => validateResponses(body),
}

describe.each(WIRE_NAMES)('random conversations on %s', (wire) => {
  test('are legal where they start', () => {
    fc.assert(
      fc.property(conversations(wire, { hasEnvelopes: false }), (plan) => {
        expect(JUDGES[wire](toBody(plan))).toEqual([])
      }),
      runs,
    )
  })
})

const schema = { type: 'object', properties: { a: { type: 'string' } } }
const user = { role: 'user', content: 'hi' }
const use = (id: string): Json => ({ type: 'tool_use', id, name: 'x', input: {} })
const result = (id: string): Json => ({ type: 'tool_result', tool_use_id: id, content: 'y' })
const said = (...content: Json[]): Json => ({ role: 'user', content })
const answered = (...content: Json[]): Json => ({ role: 'assistant', content })
const text = (words: string): Json => ({ type: 'text', text: words })
const mark = { cache_control: { type: 'ephemeral' } }
const tools = [{ name: 'x', input_schema: schema }]
const thinking = { type: 'thinking', thinking: '', signature: 'Er' }
const manual = { thinking: { type: 'enabled', budget_tokens: 1024 } }

test.each<Row>([
  ['nothing', {}, undefined],
  ['an unknown field', { reasoning_effort: 'low' }, /Extra/],
  ['an unknown field inside', { messages: [{ ...user, name: 'x' }] }, /Extra/],
  ['no limit', { max_tokens: undefined }, /required/],
  ['no messages', { messages: [] }, /short/],
  ['an empty text', { messages: [said(text(''))] }, /match/],
  ['a blank text', { messages: [said(text(' \n'))] }, /match/],
  ['an answer first', { messages: [answered(text('a')), user] }, /first message/],
  ['a prefill', { messages: [user, answered(text('a'))] }, undefined],
  [
    'a prefill on a new model',
    { model: 'claude-opus-5', messages: [user, answered(text('a'))] },
    /prefill/,
  ],
  ['a prefill with a blank end', { messages: [user, answered(text('a '))] }, /whitespace/],
  ['a call and its result', { messages: [user, answered(use('a')), said(result('a'))] }, undefined],
  ['a call without result', { messages: [user, answered(use('a')), user] }, /without tool_result/],
  ['a result without call', { messages: [said(result('a'))] }, /unexpected/],
  [
    'two results',
    { messages: [user, answered(use('a')), said(result('a'), result('a'))] },
    /single/,
  ],
  [
    'a result too late',
    { messages: [user, answered(use('a')), said(text('a'), result('a'))] },
    /before other/,
  ],
  ['an odd id', { messages: [user, answered(use('a:1')), said(result('a:1'))] }, /match/],
  [
    'an id twice',
    {
      messages: [
        user,
        answered(use('a')),
        said(result('a')),
        answered(use('a')),
        said(result('a')),
      ],
    },
    /unique/,
  ],
  ['a system message', { messages: [user, { role: 'system', content: 'a' }] }, /not supported/],
  [
    'a system message on a new model',
    { model: 'claude-opus-5', messages: [user, { role: 'system', content: 'a' }] },
    undefined,
  ],
  [
    'a system message before a user',
    { model: 'claude-opus-5', messages: [user, { role: 'system', content: 'a' }, user] },
    /followed by/,
  ],
  [
    'an image of another kind',
    {
      messages: [
        said({ type: 'image', source: { type: 'base64', media_type: 'image/bmp', data: 'AA==' } }),
      ],
    },
    /one of/,
  ],
  [
    'a tool with a union',
    { tools: [{ name: 'x', input_schema: { ...schema, anyOf: [schema] } }] },
    /top level/,
  ],
  ['a tool with a dot', { tools: [{ name: 'x.y', input_schema: schema }] }, /match/],
  [
    'a tool with a long name',
    { tools: [{ name: 'x'.repeat(129), input_schema: schema }] },
    /match/,
  ],
  ['a tool twice', { tools: [...tools, ...tools] }, /unique/],
  ['a choice without tools', { tool_choice: { type: 'auto' } }, /while providing/],
  [
    'a choice of what is not there',
    { tools, tool_choice: { type: 'tool', name: 'z' } },
    /not found/,
  ],
  ['a budget', { ...manual, max_tokens: 2000 }, undefined],
  ['a budget over the limit', { ...manual, max_tokens: 1024 }, /greater than/],
  ['a small budget', { thinking: { type: 'enabled', budget_tokens: 1000 } }, /at least/],
  [
    'a budget on a new model',
    { ...manual, max_tokens: 2000, model: 'claude-opus-5' },
    /not supported/,
  ],
  [
    'a forced choice that thinks',
    { ...manual, max_tokens: 2000, tools, tool_choice: { type: 'any' } },
    /forces/,
  ],
  [
    'a loop without its thinking',
    { ...manual, max_tokens: 2000, messages: [user, answered(use('a')), said(result('a'))] },
    /Expected/,
  ],
  [
    'a loop with its thinking',
    {
      ...manual,
      max_tokens: 2000,
      messages: [user, answered(thinking, use('a')), said(result('a'))],
    },
    undefined,
  ],
  [
    'a seal of OpenAI',
    { messages: [user, answered({ ...thinking, signature: 'gAAAAB' }, text('a')), user] },
    /signature/,
  ],
  [
    'an envelope',
    { messages: [user, answered({ ...thinking, signature: 'sluice1.e30' }, text('a')), user] },
    /envelope/,
  ],
  ['an effort on an old model', { output_config: { effort: 'low' } }, /effort/],
  ['sampling', { temperature: 0.5 }, undefined],
  ['sampling on a new model', { temperature: 0.5, model: 'claude-opus-5' }, /not supported/],
  ['two ways of sampling', { temperature: 0.5, top_p: 0.5 }, /both/],
  [
    'five marks',
    { messages: [said(...'abcde'.split('').map((a) => ({ ...text(a), ...mark })))] },
    /maximum of 4/,
  ],
  ['a blank stop', { stop_sequences: [' '] }, /match/],
  ['a beta without its name', { context_management: { edits: [] } }, /Extra/],
  [
    'an open object as answer',
    { output_config: { format: { type: 'json_schema', schema } } },
    /additionalProperties/,
  ],
  ['another key of metadata', { metadata: { user_id: 'a', team: 'b' } }, /Extra/],
])('the judge of Messages looks at %s', (_, change, refusal) => {
  const body = { model: 'claude-sonnet-4-5', max_tokens: 100, messages: [user], ...change }
  expectFinding(validateAnthropic(body), refusal)
})

test('no judge falls over, whatever it is shown', () => {
  fc.assert(
    fc.property(fc.anything(), fc.jsonValue(), (odd, json) => {
      for (const value of [odd, json, { messages: json, tools: json, input: json }])
        for (const judge of Object.values(JUDGES)) expect(judge(value)).toBeInstanceOf(Array)
    }),
    runs,
  )
})
