import { expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import type { ThinkingPart } from '../../request/part.ts'
import { toProfile, type Vendor } from '../../request/profile.ts'
import type { WriteOptions } from '../../request/write.ts'
import { seal } from '../envelope.ts'
import { readRequest } from './request-read.ts'
import { writeRequest } from './request-write.ts'

function send(
  fields: JsonObject,
  options: Partial<WriteOptions> & { readonly vendor?: Vendor } = {},
): JsonObject {
  const body: JsonObject = {
    model: 'asked',
    messages: [{ role: 'user', content: 'hi' }],
    ...fields,
  }
  const read = readRequest(body)
  if (!read.ok) expect.fail(read.problem.message)
  const { vendor = 'openai', ...rest } = options
  const profile = toProfile({ wire: 'openai-chat', vendor, model: 'm' })
  const isStream = body['stream'] === true
  const made = writeRequest(read.request, { model: 'm', isStream, profile, ...rest })
  if (!made.ok) expect.fail(made.problem.message)
  return made.body
}

const calling = (fields: JsonObject = {}): JsonObject => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
  ...fields,
})

test('a body goes on as it came, whatever stands in it', () => {
  const body = {
    stream: true,
    stream_options: { include_obfuscation: false },
    n: 3,
    min_p: 0.1,
    seed: null,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', new: 1 }], name: 'x' }],
    tools: [{ type: 'function', function: { name: 'a.b', new: true } }],
  }
  expect(send(body)).toEqual({ ...body, model: 'm' })
})

test('a stream that only we want is counted, and one that we do not want has no options', () => {
  expect(send({}, { isStream: true })).toMatchObject({
    stream: true,
    stream_options: { include_usage: true },
  })
  const made = send({ stream: true, stream_options: { include_usage: true } }, { isStream: false })
  expect(made).toMatchObject({ stream: false })
  expect(made).not.toHaveProperty('stream_options')
})

test('thinking of another vendor that we sealed stays here, with its words', () => {
  const data = seal({ wire: 'anthropic-messages', text: 'hm', signature: 'ErUB' })
  const sealed = calling({ reasoning_content: 'hm', reasoning_details: [{ index: 0, data }] })
  expect(send({ messages: [sealed] })['messages']).toEqual([calling()])
  expect(send({ messages: [sealed] }, { vendor: 'deepseek' })['messages']).toEqual([
    calling({ reasoning_content: ' ' }),
  ])
})

test('thinking that nobody sealed is left alone', () => {
  const messages = [calling({ reasoning: 'hm', reasoning_details: [{ data: 'own', index: 0 }] })]
  expect(send({ messages }, { vendor: 'openrouter' })['messages']).toEqual(messages)
})

test('what this client does not keep and its server wants back is put in again', () => {
  const recall = (): ThinkingPart[] => [{ type: 'thinking', text: 'hm', seal: undefined }]
  expect(send({ messages: [calling()] }, { vendor: 'deepseek', recall })['messages']).toEqual([
    calling({ reasoning_content: 'hm' }),
  ])
  const kept = [calling({ reasoning_content: 'mine' })]
  expect(send({ messages: kept }, { vendor: 'deepseek', recall })['messages']).toEqual(kept)
  const recallExtra = (): JsonObject => ({ extra_content: { google: { thought_signature: 's' } } })
  expect(send({ messages: [calling()] }, { vendor: 'gemini', recallExtra })).toMatchObject({
    messages: [{ tool_calls: [{ id: 'a', extra_content: { google: {} } }] }],
  })
})

test('a tool is called what its client calls it', () => {
  const read = readRequest({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ type: 'custom', custom: { name: 'a.b' } }],
  })
  if (!read.ok) expect.fail(read.problem.message)
  const profile = toProfile({ wire: 'openai-chat', model: 'm' })
  const made = writeRequest(read.request, { model: 'm', isStream: true, profile })
  expect(made.ok && made.names.toSource('a.b')).toEqual({ name: 'a.b', dialect: 'custom' })
  expect(made.ok && made.names.toTarget({ name: 'a.b' })).toBe('a.b')
})
