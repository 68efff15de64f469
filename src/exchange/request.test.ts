import { expect, test } from 'vitest'
import type { WireName } from '../event/event.ts'
import { changeRequest, readRequest, type RequestChanges } from './request.ts'

const change = (wire: WireName, body: string, changes: Partial<RequestChanges>): string => {
  const read = readRequest(wire, Buffer.from(body))
  if (!read.ok) throw new Error(read.message)
  const all = { model: undefined, isStream: undefined, ...changes }
  return Buffer.from(changeRequest(wire, Buffer.from(body), read.facts, all)).toString()
}

test('changes the model where it stands, and no other byte', () => {
  const body = '{ "a" : "model", "model"\t:  "m\\u006f" , "x": {"model": "m"} ,"n":1.0e3 }'
  expect(change('openai-chat', body, { model: 'new' })).toBe(body.replace('"m\\u006f"', '"new"'))
})

test('gives back the very same bytes where nothing changes', () => {
  const body = Buffer.from('{"model":"m","stream":true}')
  const read = readRequest('openai-chat', body)
  if (!read.ok) throw new Error(read.message)
  expect(changeRequest('openai-chat', body, read.facts, { model: 'm', isStream: true })).toBe(body)
})

test('asks for a stream, on Chat with its usage', () => {
  expect(JSON.parse(change('openai-chat', '{"model":"m"}', { isStream: true }))).toEqual({
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
  })
  expect(JSON.parse(change('anthropic-messages', '{"model":"m"}', { isStream: true }))).toEqual({
    model: 'm',
    stream: true,
  })
})

test('asks for JSON, on Chat without options of a stream', () => {
  const body = '{"model":"m","stream":true,"stream_options":{"include_usage":true}}'
  expect(JSON.parse(change('openai-chat', body, { isStream: false }))).toEqual({
    model: 'm',
    stream: false,
    stream_options: null,
  })
})

test.each([
  ['{', /ends too early/],
  ['[]', /must be a JSON object/],
  ['"x"', /must be a JSON object/],
  ['null', /must be a JSON object/],
  ['', /ends too early/],
  ['{"model":"secret",}', /unexpected character at|out of place/],
  ['{"model":1}', /^model: a string/],
  ['{}', /^model: a string/],
  ['{"model":"m","stream":"yes"}', /^stream: true or false/],
  ['{"model":"m","model":"n"}', /"model" twice/],
  ['{"model":"m","\\u006dodel":"n"}', /"model" twice/],
  [`{"model":"${'x'.repeat(300)}"}`, /at most 256/],
])('says what is wrong with %s', (body, words) => {
  const read = readRequest('openai-chat', Buffer.from(body))
  expect(read.ok ? '' : read.message).toMatch(words)
  expect(read.ok ? '' : read.message).not.toMatch(/secret/)
})

test('says so when a body is no UTF-8', () => {
  const read = readRequest('openai-chat', Buffer.from([0x7b, 0xff, 0x7d]))
  expect(read).toMatchObject({ ok: false, message: 'The request body is not valid UTF-8' })
})
