import { expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import { toProfile } from '../../request/profile.ts'
import type { ModelRequest } from '../../request/request.ts'
import type { WriteOptions, WrittenRequest } from '../../request/write.ts'
import { seal } from '../envelope.ts'
import { readRequest } from './request-read.ts'
import { writeRequest } from './request-write.ts'

const MODEL = 'claude-sonnet-4-5'
const FOREIGN = seal({ wire: 'openai-chat', issuer: 'gpt', text: 'Hm', signature: 'gAAAA' })
const ASK = { role: 'user', content: 'Hi' }
const CALL = { type: 'tool_use', id: 't1', name: 'Bash', input: {}, caller: { type: 'direct' } }
const RESULT = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1' }] }

function write(
  body: JsonObject,
  options: Partial<WriteOptions> = {},
  change: (request: ModelRequest) => ModelRequest = (request) => request,
): WrittenRequest & { ok: true } {
  const read = readRequest({ model: 'm', max_tokens: 9, ...body })
  if (!read.ok) throw new Error(read.problem.message)
  const profile = toProfile({ wire: 'anthropic-messages', model: MODEL })
  const all = { model: MODEL, isStream: false, profile, issuer: 'claude', ...options }
  const written = writeRequest(change(read.request), all)
  if (!written.ok) throw new Error(written.problem.message)
  return written
}

const BODY: JsonObject = {
  model: 'm',
  max_tokens: 9,
  stream: true,
  system: [
    { type: 'text', text: 'x-anthropic-billing-header: cch=1;' },
    { type: 'text', text: 'Be kind', cache_control: { type: 'ephemeral' } },
  ],
  messages: [
    ASK,
    { role: 'system', content: 'Note', clear_at: 'never' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: ' exact ', signature: 'EqQB', extra: 1 },
        { type: 'redacted_thinking', data: 'EvAF' },
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
        { type: 'text', text: 'Yes', citations: [{ type: 'char_location' }] },
        CALL,
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 't1',
          is_error: false,
          content: [
            { type: 'text', text: ' ' },
            { type: 'tool_reference', tool_name: 'G' },
          ],
        },
        { type: 'image', source: { type: 'file', file_id: 'f' }, transformations: {} },
      ],
    },
  ],
  tools: [
    { name: 'Bash', input_schema: { type: 'object' }, defer_loading: true },
    { type: 'computer_toolset_20260801' },
    { type: 'web_search_20250305', name: 'web_search' },
  ],
  container: 'c',
  brand_new: [1],
}

test('keeps everything of the client but the model and whether it streams', () => {
  const { body, losses, headers } = write(BODY)
  expect(JSON.stringify(body)).toBe(JSON.stringify({ ...BODY, model: MODEL, stream: false }))
  expect([losses, headers]).toEqual([[], {}])
})

test('leaves out thinking that another vendor sealed, and a message that was nothing else', () => {
  const thinking = { type: 'thinking', thinking: 'Hm', signature: FOREIGN }
  const { body } = write({
    messages: [
      ASK,
      { role: 'assistant', content: [thinking] },
      { role: 'assistant', content: [thinking, { type: 'text', text: 'Yes' }] },
      ASK,
    ],
  })
  expect(body['messages']).toEqual([
    ASK,
    { role: 'assistant', content: [{ type: 'text', text: 'Yes' }] },
    ASK,
  ])
})

test('opens what its own upstream sealed, and only that', () => {
  const own = (issuer: string) => ({
    type: 'thinking',
    thinking: '',
    signature: seal({ wire: 'anthropic-messages', issuer, text: 'T', signature: 'S' }),
  })
  const content = [own('claude'), own('other'), { type: 'text', text: 'Yes' }]
  const { body } = write({ messages: [ASK, { role: 'assistant', content }, ASK] })
  expect(body['messages']).toMatchObject([
    ASK,
    { content: [{ type: 'thinking', thinking: 'T', signature: 'S' }, { type: 'text' }] },
    ASK,
  ])
})

test('does without thinking where a loop began with another vendor’s', () => {
  const content = [{ type: 'thinking', thinking: 'Hm', signature: FOREIGN }, CALL]
  const asked = {
    thinking: { type: 'enabled', budget_tokens: 2000 },
    context_management: { edits: [{ type: 'clear_thinking_20251015' }] },
    messages: [ASK, { role: 'assistant', content }, RESULT],
  }
  const { body, losses } = write(asked)
  expect(body['thinking']).toEqual({ type: 'disabled' })
  expect(body).not.toHaveProperty('context_management')
  expect(losses).toMatchObject([{ kind: 'dropped', what: 'thinking' }])

  const part = { wire: 'anthropic-messages', signature: 'S' } as const
  const recalled = write(asked, {
    recall: () => [{ type: 'thinking', text: 'T', seal: part }],
  }).body
  expect(recalled['thinking']).toEqual(asked.thinking)
  expect(recalled['messages']).toMatchObject([
    ASK,
    { content: [{ thinking: 'T', signature: 'S' }, CALL] },
    RESULT,
  ])
})

test('mends what another upstream’s answer left in the history: blanks, and words after a call', () => {
  const content = [{ type: 'text', text: '' }, CALL, { type: 'text', text: 'Done' }]
  const { body } = write({ messages: [ASK, { role: 'assistant', content }, RESULT] })
  expect(body['messages']).toEqual([
    ASK,
    { role: 'assistant', content: [{ type: 'text', text: 'Done' }, CALL] },
    RESULT,
  ])
})

test('writes what was changed on the way', () => {
  const { body } = write(BODY, {}, (request) => ({
    ...request,
    system: [{ type: 'text', text: 'New' }],
    tools: [
      ...request.tools,
      { type: 'function', name: 'more', schema: undefined, isStrict: undefined },
    ],
    turns: [{ role: 'user', parts: [{ type: 'text', text: 'Before' }] }, ...request.turns],
  }))
  expect(body['system']).toEqual([{ type: 'text', text: 'New' }])
  expect(body['messages']).toMatchObject([{ content: [{ text: 'Before' }] }, ASK, {}, {}, {}])
  expect(body['tools']).toMatchObject([
    { name: 'Bash' },
    { type: 'computer_toolset_20260801' },
    { name: 'web_search' },
    { name: 'more' },
  ])
})
