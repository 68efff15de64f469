import { expect, test } from 'vitest'
import { toUtf8 } from '../../test/support/bytes.ts'
import type { WireName } from '../event/event.ts'
import { readRequestText } from './request-text.ts'

const textOf = (wire: WireName, body: object): string =>
  readRequestText(wire, [toUtf8(JSON.stringify(body))])

test('is what was said since the model spoke last, results of tools included', () => {
  expect(
    textOf('anthropic-messages', {
      model: 'm',
      max_tokens: 1,
      system: 'You are an owl',
      messages: [
        { role: 'user', content: 'first question' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't', content: 'file one' },
            { type: 'text', text: 'second question' },
          ],
        },
      ],
    }),
  ).toBe('file one\nsecond question')
  expect(
    textOf('openai-chat', {
      model: 'm',
      messages: [
        { role: 'system', content: 'owl' },
        { role: 'user', content: 'one' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'a', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'result' },
      ],
    }),
  ).toBe('result')
  expect(
    textOf('openai-responses', {
      model: 'm',
      input: [
        { role: 'user', content: 'one' },
        { type: 'reasoning', id: 'r', summary: [] },
        { type: 'function_call', call_id: 'c', name: 'a', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'result' },
        { role: 'user', content: [{ type: 'input_text', text: 'two' }] },
      ],
    }),
  ).toBe('result\ntwo')
  expect(textOf('openai-responses', { model: 'm', input: 'just this' })).toBe('just this')
})

test('is bounded, and empty where nothing can be read', () => {
  const long = { model: 'm', messages: [{ role: 'user', content: 'a'.repeat(50_000) }] }
  expect(textOf('openai-chat', long)).toHaveLength(16 * 1024)
  expect(readRequestText('openai-chat', [])).toBe('')
  expect(readRequestText('openai-chat', [toUtf8('no json')])).toBe('')
  expect(textOf('openai-chat', { model: 'm' })).toBe('')
})
