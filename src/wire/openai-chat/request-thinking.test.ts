import { expect, test } from 'vitest'
import type { ThinkingPart } from '../../request/part.ts'
import { toProfile, type Vendor } from '../../request/profile.ts'
import type { WriteOptions } from '../../request/write.ts'
import { seal } from '../envelope.ts'
import { toReasoningDetails } from './reasoning.ts'
import { readThinking, writeThinking } from './request-thinking.ts'

const toward = (vendor: Vendor, fields: Partial<WriteOptions> = {}): WriteOptions => ({
  model: 'm',
  isStream: true,
  profile: toProfile({ wire: 'openai-chat', vendor, model: 'm' }),
  issuer: 'here',
  ...fields,
})

const plain = (text: string): ThinkingPart => ({ type: 'thinking', text, seal: undefined })

test('what our encoder gave the client comes back as its vendor sealed it', () => {
  const reasoning_details = toReasoningDetails({
    seals: ['ErUB'],
    text: 'hm',
    source: 'anthropic-messages',
    issuer: 'there',
    redacted: false,
    item: undefined,
  })
  const wanted = [
    {
      type: 'thinking',
      text: 'hm',
      seal: { wire: 'anthropic-messages', issuer: 'there', signature: 'ErUB' },
    },
  ]
  expect(readThinking({ reasoning_content: 'hm', reasoning_details })).toEqual(wanted)
  // What the vendor's TypeScript client keeps of it.
  expect(readThinking({ reasoning_content: 'm', reasoning_details })).toEqual(wanted)
  expect(readThinking({ reasoning_details })).toEqual(wanted)
})

test('envelopes that a client has joined are opened one by one', () => {
  const [one, two] = ['a', 'b'].map((text) => seal({ wire: 'anthropic-messages', text }))
  const made = readThinking({ reasoning_details: [{ index: 0, data: `${one}${two}` }] })
  expect(made.map(({ text }) => text)).toEqual(['a', 'b'])
})

test('words beside the sealed ones are not lost', () => {
  const data = seal({ wire: 'openai-responses', text: 'sealed' })
  const made = readThinking({ reasoning: 'open\n\nsealed', reasoning_details: [{ data }] })
  expect(made.map(({ text }) => text)).toEqual(['open', 'sealed'])
})

test('what a server sealed itself keeps its whole entry', () => {
  const entry = { type: 'reasoning.text', text: 'hm', signature: 'sig', format: 'x', index: 0 }
  const made = readThinking({ reasoning: 'hm', reasoning_details: [entry] })
  expect(made).toEqual([
    { type: 'thinking', text: 'hm', seal: { wire: 'openai-chat', signature: 'sig', item: entry } },
  ])
  expect(writeThinking(made, [], toward('openrouter'))).toEqual({ reasoning_details: [entry] })
})

test('an envelope that cannot be opened is nothing', () => {
  expect(readThinking({ reasoning_details: [{ data: 'sluice1.xx' }] })).toEqual([])
})

test('each server gets thinking in its own field, and most get none', () => {
  const parts = [plain('a'), plain('b')]
  expect(writeThinking(parts, ['c'], toward('openai'))).toEqual({})
  expect(writeThinking(parts, ['c'], toward('vllm'))).toEqual({ reasoning: 'a\n\nb' })
  expect(writeThinking(parts, ['c'], toward('deepseek'))).toEqual({ reasoning_content: 'a\n\nb' })
  expect(writeThinking(parts, [], toward('deepseek'))).toEqual({})
  expect(writeThinking(parts, [], toward('openrouter'))).toEqual({
    reasoning_details: [
      { type: 'reasoning.text', text: 'a', index: 0 },
      { type: 'reasoning.text', text: 'b', index: 1 },
    ],
  })
})

test('sealed thinking goes to its issuer only', () => {
  const sealed = (issuer?: string): ThinkingPart => ({
    type: 'thinking',
    text: 'hm',
    seal: { wire: 'openai-chat', signature: 'sig', ...(issuer && { issuer }) },
  })
  const foreign: ThinkingPart = {
    type: 'thinking',
    text: 'hm',
    seal: { wire: 'anthropic-messages', signature: 'ErUB' },
  }
  const own = {
    reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: 'sig', index: 0 }],
  }
  expect(writeThinking([sealed('here')], [], toward('openrouter'))).toEqual(own)
  expect(writeThinking([sealed()], [], toward('openrouter'))).toEqual(own)
  expect(writeThinking([sealed('there')], [], toward('openrouter'))).toEqual({})
  expect(writeThinking([foreign], [], toward('openrouter'))).toEqual({})
  expect(writeThinking([sealed()], [], toward('openrouter', { isUnsealed: true }))).toEqual({})
})

test('thinking that the client did not keep is recalled by its call', () => {
  const recall = (id: string): ThinkingPart[] | undefined =>
    id === 'b' ? [plain('hm')] : undefined
  expect(writeThinking([], ['a', 'b'], toward('deepseek', { recall }))).toEqual({
    reasoning_content: 'hm',
  })
})

test('what was thought before each of several calls is recalled, and what they share once', () => {
  const recall = (id: string): ThinkingPart[] => [plain(id === 'c' ? 'and' : 'hm')]
  expect(writeThinking([], ['a', 'b', 'c'], toward('deepseek', { recall }))).toEqual({
    reasoning_content: 'hm\n\nand',
  })
})

test('a server that refuses calls without thinking gets a blank for those of others', () => {
  expect(writeThinking([], ['a'], toward('moonshot'))).toEqual({ reasoning_content: ' ' })
  expect(writeThinking([], ['a'], toward('qwen'))).toEqual({})
})
