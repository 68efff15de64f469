import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { WireName } from '../event/event.ts'
import { changeRequest, readRequest, type ReadRequest, type RequestChanges } from './request.ts'
import { Body } from './request-bytes.ts'

const readBytes = (wire: WireName, bytes: Buffer): ReadRequest =>
  readRequest(wire, new Body([bytes]))

const change = (wire: WireName, body: string, changes: Partial<RequestChanges>): string => {
  const read = readBytes(wire, Buffer.from(body))
  if (!read.ok) throw new Error(read.message)
  const all = { model: undefined, isStream: undefined, ...changes }
  return Buffer.concat(changeRequest(wire, read.facts, all) ?? []).toString()
}

test('changes the model where it stands, and no other byte', () => {
  const body = '{ "a" : "model", "model"\t:  "m\\u006f" , "x": {"model": "m"} ,"n":1.0e3 }'
  expect(change('openai-chat', body, { model: 'new' })).toBe(body.replace('"m\\u006f"', '"new"'))
})

test('writes nothing anew where nothing changes', () => {
  const body = Buffer.from('{"model":"m","stream":true}')
  const read = readBytes('openai-chat', body)
  if (!read.ok) throw new Error(read.message)
  const changes = { model: 'm', isStream: true }
  expect(changeRequest('openai-chat', read.facts, changes)).toBeUndefined()
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
  const read = readBytes('openai-chat', Buffer.from(body))
  expect(read.ok ? '' : read.message).toMatch(words)
  expect(read.ok ? '' : read.message).not.toMatch(/secret/)
})

test('says so when a body is no UTF-8', () => {
  const read = readBytes('openai-chat', Buffer.from([0x7b, 0xff, 0x7d]))
  expect(read).toMatchObject({ ok: false, message: 'The request body is not valid UTF-8' })
})

test('reads of a body what is asked for, and the same as who reads all of it', () => {
  const name = fc.constantFrom('model', 'stream', 'messages', 'input', 'x')
  fc.assert(
    fc.property(fc.dictionary(name, fc.jsonValue()), fc.string(), (object, model) => {
      const body = Buffer.from(JSON.stringify({ ...object, model, stream: true }))
      const told = readBytes('openai-chat', body)
      const read = readBytes('openai-chat', body)
      if (!told.ok || !read.ok) throw new Error('not read')
      expect(read.facts.check()).toBeUndefined()
      expect(read.facts.json()).toEqual(JSON.parse(body.toString()))
      for (const one of ['model', 'stream', 'messages', 'input', 'x', 'y']) {
        expect(told.facts.member(one)).toEqual(read.facts.member(one))
        expect([...told.facts.elements(one)]).toEqual([...read.facts.elements(one)])
      }
    }),
  )
})

test('what is broken deep inside is told to whoever wants to read it', () => {
  const read = readBytes('openai-chat', Buffer.from('{"model":"m","messages":[{"a":1,}]}'))
  if (!read.ok) throw new Error(read.message)
  expect(read.facts.model).toBe('m')
  expect(read.facts.member('messages')).toBeUndefined()
  expect(read.facts.check()).toMatch(/not valid JSON: unexpected character at/)
  expect(read.facts.json()).toEqual({})
})

test('no other model is read in broken bytes than a strict reader reads', () => {
  const body =
    '{"model":"one","messages":[{"role":"user","content":"Say \\"model\\": {"}],"x":{"model":"two"}}'
  const place = fc.nat(body.length - 1)
  const change = fc.tuple(place, fc.constantFrom('', '"', '{', '}', '[', ']', ',', ':', '\\', ' '))
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      let raw = body
      for (const [at, by] of changes) raw = raw.slice(0, at) + by + raw.slice(at + 1)
      const read = readBytes('openai-chat', Buffer.from(raw))
      if (!read.ok || read.facts.check() !== undefined) return
      expect(read.facts.model).toBe((JSON.parse(raw) as { model: string }).model)
    }),
    { numRuns: 2000 },
  )
})
