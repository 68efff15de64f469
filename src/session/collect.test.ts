import { expect, test } from 'vitest'
import { assemble } from '../../test/support/pipeline.ts'
import type { JsonObject } from '../base/json.ts'
import type { Answer } from '../event/answer.ts'
import type { WireName } from '../event/event.ts'
import { WIRES } from '../wire/wires.ts'
import { collectAnswer, type Collected } from './collect.ts'
import { createSessions } from './sessions.ts'

const read = (wire: WireName, body: JsonObject): Answer => assemble(WIRES[wire].readAnswer(body))

/** What is kept when that answer was given to a client of that wire. */
function collect(answer: Answer, wire: WireName): Collected {
  const { body } = WIRES[wire].writeAnswer(answer, { now: () => 1, createId: () => 'new' })
  return collectAnswer(answer, { issuer: 'east', wire, body })
}

const message = (content: readonly JsonObject[]): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason: 'tool_use',
  usage: { input_tokens: 1, output_tokens: 1 },
})

const thinking = (text: string): JsonObject => ({
  type: 'thinking',
  thinking: text,
  signature: `sig ${text}`,
})
const toolUse = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'f', input: {} })
const part = (text: string): JsonObject => ({
  type: 'thinking',
  text,
  seal: { wire: 'anthropic-messages', issuer: 'east', signature: `sig ${text}` },
})

test('thinking belongs to the calls behind it, up to the next thinking', () => {
  const answer = read(
    'anthropic-messages',
    message([
      thinking('a'),
      { type: 'redacted_thinking', data: 'hidden' },
      { type: 'text', text: 'now' },
      toolUse('call_1'),
      toolUse('call_2'),
      thinking('b'),
      toolUse('call_3'),
      thinking('c'),
      { type: 'text', text: 'done' },
    ]),
  )
  const hidden = {
    type: 'thinking',
    text: '',
    seal: {
      wire: 'anthropic-messages',
      issuer: 'east',
      signature: 'hidden',
      isRedacted: true,
    },
  }
  expect(collect(answer, 'openai-chat').thinking).toEqual([
    { callIds: ['call_1', 'call_2'], parts: [part('a'), hidden] },
    { callIds: ['call_3'], parts: [part('b')] },
  ])
})

test('calls without thinking before them have none', () => {
  const answer = read('anthropic-messages', message([toolUse('call_1'), thinking('a')]))
  expect(collect(answer, 'openai-chat').thinking).toEqual([])
})

test('a call is known by the id that the client was given', () => {
  const long = `call_${'x'.repeat(80)}`
  const answer = read('anthropic-messages', message([thinking('a'), toolUse(long)]))
  const [group] = collect(answer, 'openai-chat').thinking
  expect(group?.callIds).toHaveLength(1)
  expect(group?.callIds[0]).not.toBe(long)
  expect(collectAnswer(answer, { issuer: 'east', wire: 'openai-chat' }).thinking).toEqual([
    { callIds: [long], parts: [part('a')] },
  ])
})

test('thinking of Responses is kept as its whole item', () => {
  const item = {
    id: 'rs_1',
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'hm' }],
    encrypted_content: 'sealed',
  }
  const call = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' }
  const answer = read('openai-responses', {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'm',
    output: [item, call],
  })
  const seal = { wire: 'openai-responses', issuer: 'east', signature: 'sealed', item }
  expect(collect(answer, 'openai-chat').thinking).toEqual([
    { callIds: ['call_1'], parts: [{ type: 'thinking', text: 'hm', seal }] },
  ])
})

test('what Gemini put on a call comes back as it is to be put there again', () => {
  const extra_content = { google: { thought_signature: 'sig' } }
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }
  const answer = read('openai-chat', {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'm',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [
            { ...call, extra_content },
            { ...call, id: 'call_2' },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
  })
  expect(collect(answer, 'anthropic-messages').extras).toEqual([
    { callId: 'call_1', extra: { extra_content } },
  ])
})

test('a Messages client goes on from the message that it was given', () => {
  const answer = read('openai-chat', {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  })
  const { id, outputItems } = collect(answer, 'anthropic-messages')
  expect(id).toBe('msg_new')
  expect(outputItems).toEqual([{ role: 'assistant', content: [{ type: 'text', text: 'hi' }] }])
})

test('an answer that said nothing leaves no message', () => {
  const answer = read('anthropic-messages', message([]))
  expect(collect(answer, 'anthropic-messages').outputItems).toEqual([])
})

test('a Responses client finds the items that it was given, by their ids too', () => {
  const answer = read('anthropic-messages', message([thinking('a'), toolUse('toolu_1')]))
  const { id = '', outputItems } = collect(answer, 'openai-responses')
  const sessions = createSessions({ now: () => 0 })
  sessions.keepAnswer('ann', {
    id,
    wire: 'openai-responses',
    requestBody: { input: 'go' },
    outputItems,
  })
  const output = { type: 'function_call_output', call_id: 'toolu_1', output: 'done' }
  const expanded = sessions.expandResponses('ann', { previous_response_id: id, input: [output] })
  expect(expanded).toMatchObject({
    ok: true,
    body: {
      input: [
        { type: 'message', role: 'user', content: 'go' },
        { type: 'reasoning', summary: [{ text: 'a' }] },
        { type: 'function_call', call_id: 'toolu_1' },
        output,
      ],
    },
  })
  const reference = { type: 'item_reference', id: outputItems[0]?.['id'] }
  expect(sessions.expandResponses('ann', { input: [reference] })).toEqual({
    ok: true,
    body: { input: [outputItems[0]] },
  })
})
