import { expect, test } from 'vitest'
import { sniffWire } from './sniff-wire.ts'
import { findSchema } from './tool-schema.ts'
import { nameOf, toLeft, toShare } from './words.ts'

test('counts whole seconds down, and never below nothing', () => {
  expect([-5, 1, 9_000, 59_001, 305_000, 3_660_000].map(toLeft)).toEqual([
    '0 s',
    '1 s',
    '9 s',
    '1 min 00',
    '5 min 05',
    '1 h 01',
  ])
  expect(toShare({ askedAt: 0, deadlineAt: 100 }, 25)).toBe(0.75)
  expect(toShare({ askedAt: 0, deadlineAt: 100 }, 500)).toBe(0)
  expect(toShare({ askedAt: 5, deadlineAt: 5 }, 5)).toBe(0)
})

test('names a call with its set, and shows what is hidden in a name', () => {
  const call = { type: 'tool-call', id: 'i', preview: '' } as const
  expect(nameOf({ call: { ...call, name: 'read', namespace: 'files' } })).toBe('files__read')
  expect(nameOf({ call: { ...call, name: '\u202Eexe' } })).toBe('⟨U+202E⟩exe')
  expect(nameOf({ call: { ...call, name: '' } })).toBe('A tool without a name')
  expect(nameOf({ call: { ...call, type: 'text' } })).toBe('A text')
})

test('finds the schema by the whole name before the bare one', () => {
  const tools = [
    { name: 'read', schema: 1 },
    { name: 'files__read', schema: 2 },
  ]
  const call = { type: 'tool-call', id: 'i', name: 'read', preview: '' } as const
  expect(findSchema(tools, { ...call, namespace: 'files' })).toBe(2)
  expect(findSchema(tools, call)).toBe(1)
  expect(findSchema(undefined, call)).toBeUndefined()
})

test('tells by its first bytes by which wire an upstream answers', () => {
  const sniff = (text: string): unknown => sniffWire(new TextEncoder().encode(text))
  expect(sniff('event: message_start\ndata: {}\n')).toBe('anthropic-messages')
  expect(sniff('data: {"id":"x","object":"chat.completion.chunk"}')).toBe('openai-chat')
  expect(sniff('event: response.created\ndata: {}')).toBe('openai-responses')
  expect(sniff('{"type":"message","role":"assistant"}')).toBe('anthropic-messages')
  expect(sniff(': hello')).toBeUndefined()
})
