/**
 * JSON answers on another wire, field by field: ends, costs, ids, nulls and fixed fields as the tables
 * of the reference say, and errors in all nine directions.
 */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import type { WireName } from '../../src/event/event.ts'
import { unseal } from '../../src/wire/envelope.ts'
import { WIRES } from '../../src/wire/wires.ts'
import { CHAT, MESSAGES, RESPONSES } from '../support/json-answers.ts'
import { assemble } from '../support/pipeline.ts'

const OPTIONS = { now: () => 7, createId: () => 'new' }

const write = (
  from: WireName,
  to: WireName,
  body: JsonObject,
): { body: JsonObject; losses: string[] } => {
  const { body: written, losses } = WIRES[to].writeAnswer(
    assemble(WIRES[from].readAnswer(body)),
    OPTIONS,
  )
  return { body: written, losses: losses.map(({ kind, what }) => `${kind} ${what}`) }
}

/** Thinking that a vendor signed, in the opaque field of another wire. */
const sealOf = (wire: WireName, rest: JsonObject): unknown =>
  expect.toSatisfy((value: string) => {
    expect(unseal(value)).toEqual({ wire, ...rest })
    return true
  })

const MESSAGES_USAGE = {
  input_tokens: 100,
  cache_creation_input_tokens: 30,
  cache_read_input_tokens: 20,
  output_tokens: 50,
  output_tokens_details: { thinking_tokens: 10 },
}
const CHAT_USAGE = {
  prompt_tokens: 150,
  completion_tokens: 50,
  total_tokens: 200,
  prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 30 },
  completion_tokens_details: { reasoning_tokens: 10 },
}
const RESPONSES_USAGE = {
  input_tokens: 150,
  input_tokens_details: { cached_tokens: 20, cache_write_tokens: 30 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 10 },
  total_tokens: 200,
}

const citation = (start_index: number, end_index: number): JsonObject => ({
  url: 'https://weather.example/bern',
  title: 'Weather in Bern',
  start_index,
  end_index,
})

const call = (id: string, name: string, args: string): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})

const toolUse = (id: string, name: string, input: JsonObject): JsonObject => ({
  type: 'tool_use',
  id,
  name,
  input,
})

const message = (id: string, text: string, ...annotations: readonly JsonObject[]): JsonObject => ({
  id,
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations, logprobs: [] }],
})

const callItem = (id: string, call_id: string, name: string, args: string): JsonObject => ({
  id,
  type: 'function_call',
  call_id,
  name,
  arguments: args,
  status: 'completed',
})

describe('an Anthropic answer', () => {
  const signed = sealOf('anthropic-messages', {
    text: 'They want the weather.',
    signature: 'c2lnbmVk',
  })
  const hidden = sealOf('anthropic-messages', { text: '', signature: 'aGlkZGVu', redacted: true })
  const losses = [
    'dropped server-tool web_search',
    'dropped tool-result web_search',
    'dropped block container_upload',
  ]

  test('becomes a chat completion', () => {
    expect(write('anthropic-messages', 'openai-chat', MESSAGES.rich)).toEqual({
      body: {
        id: 'chatcmpl-new',
        object: 'chat.completion',
        created: 7,
        model: 'claude',
        choices: [
          {
            index: 0,
            finish_reason: 'tool_calls',
            logprobs: null,
            message: {
              role: 'assistant',
              content: 'I look it up. \n\nIt rains.',
              refusal: null,
              reasoning_content: 'They want the weather.',
              reasoning_details: [
                { type: 'reasoning.encrypted', index: 0, data: signed },
                { type: 'reasoning.encrypted', index: 1, data: hidden },
              ],
              annotations: [{ type: 'url_citation', url_citation: citation(16, 25) }],
              tool_calls: [
                call('toolu_1', 'weather', '{"city":"Bern","days":3}'),
                call('toolu_2', 'time', '{}'),
              ],
            },
          },
        ],
        usage: CHAT_USAGE,
      },
      losses,
    })
  })

  test('becomes a response', () => {
    expect(write('anthropic-messages', 'openai-responses', MESSAGES.rich)).toEqual({
      body: expect.objectContaining({
        id: 'resp_new',
        object: 'response',
        created_at: 7,
        completed_at: 7,
        model: 'claude',
        status: 'completed',
        error: null,
        incomplete_details: null,
        background: false,
        truncation: 'disabled',
        store: false,
        access_programs: null,
        previous_response_id: null,
        output: [
          {
            id: 'rs_new_0',
            type: 'reasoning',
            summary: [{ type: 'summary_text', text: 'They want the weather.' }],
            encrypted_content: signed,
          },
          { id: 'rs_new_1', type: 'reasoning', summary: [], encrypted_content: hidden },
          message('msg_new_2', 'I look it up. '),
          message('msg_new_3', 'It rains.', { type: 'url_citation', ...citation(0, 9) }),
          callItem('fc_new_4', 'toolu_1', 'weather', '{"city":"Bern","days":3}'),
          callItem('fc_new_5', 'toolu_2', 'time', '{}'),
        ],
        usage: RESPONSES_USAGE,
      }),
      losses,
    })
  })
})

describe('a chat completion', () => {
  const thought = sealOf('openai-chat', { text: 'They want the weather.' })

  test('becomes an Anthropic message', () => {
    expect(write('openai-chat', 'anthropic-messages', CHAT.rich)).toEqual({
      body: {
        id: 'msg_new',
        type: 'message',
        role: 'assistant',
        model: 'gpt',
        content: [
          { type: 'thinking', thinking: 'They want the weather.', signature: thought },
          { type: 'text', text: 'It rains.' },
          toolUse('call_1', 'weather', { city: 'Bern', days: 3 }),
          toolUse('call_2', 'time', {}),
        ],
        stop_reason: 'tool_use',
        stop_sequence: null,
        stop_details: null,
        container: null,
        diagnostics: null,
        usage: MESSAGES_USAGE,
      },
      losses: ['dropped citation'],
    })
  })

  test('becomes a response', () => {
    const { body } = write('openai-chat', 'openai-responses', CHAT.rich)
    expect(body).toMatchObject({ id: 'resp_new', status: 'completed', usage: RESPONSES_USAGE })
    expect(body['output']).toEqual([
      {
        id: 'rs_new_0',
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'They want the weather.' }],
        encrypted_content: thought,
      },
      message('msg_new_1', 'It rains.', { type: 'url_citation', ...citation(0, 9) }),
      callItem('fc_new_2', 'call_1', 'weather', '{"city":"Bern","days":3}'),
      callItem('fc_new_3', 'call_2', 'time', '{}'),
    ])
  })
})

describe('a response', () => {
  const [item] = RESPONSES.rich['output'] as JsonObject[]
  const thought = sealOf('openai-responses', {
    text: 'They want the weather.\n\nI look it up.',
    signature: 'c2VhbGVk',
    item,
  })

  test('becomes an Anthropic message', () => {
    const { body, losses } = write('openai-responses', 'anthropic-messages', RESPONSES.rich)
    expect(body).toMatchObject({
      id: 'msg_new',
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: MESSAGES_USAGE,
    })
    expect(body['content']).toEqual([
      { type: 'thinking', thinking: 'They want the weather.\n\nI look it up.', signature: thought },
      { type: 'text', text: 'It rains.' },
      toolUse('call_1', 'weather', { city: 'Bern', days: 3 }),
      toolUse('call_2', 'run', { input: 'ls "a b"\n' }),
      toolUse('call_3', 'shell', { commands: ['ls'], timeout_ms: 1000 }),
    ])
    expect(losses).toEqual([
      'dropped server-tool web_search',
      'dropped citation',
      'dropped block compaction',
    ])
  })

  test('becomes a chat completion, made when the response was', () => {
    const { body } = write('openai-responses', 'openai-chat', RESPONSES.rich)
    expect(body).toMatchObject({ id: 'chatcmpl-new', created: 1763200000, usage: CHAT_USAGE })
    expect(body['choices']).toEqual([
      {
        index: 0,
        finish_reason: 'tool_calls',
        logprobs: null,
        message: {
          role: 'assistant',
          content: 'It rains.',
          refusal: null,
          reasoning_content: 'They want the weather.\n\nI look it up.',
          reasoning_details: [{ type: 'reasoning.encrypted', index: 0, data: thought }],
          annotations: [{ type: 'url_citation', url_citation: citation(0, 9) }],
          tool_calls: [
            call('call_1', 'weather', '{"city":"Bern","days":3}'),
            call('call_2', 'run', '{"input":"ls \\"a b\\"\\n"}'),
            call('call_3', 'shell', '{"commands":["ls"],"timeout_ms":1000}'),
          ],
        },
      },
    ])
  })
})
