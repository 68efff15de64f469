import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const WORDS = ['anthropic-messages', 'openai-chat', 'openai-responses', 'baseUrl', 'as']

test.each([
  ['a beginning', 'openai-r', 'openai-responses'],
  ['a part', 'chat', 'openai-chat'],
  ['a slip', 'openai-respnses', 'openai-responses'],
  ['two letters swapped', 'opneai-chat', 'openai-chat'],
  ['another case', 'OpenAI-Chat', 'openai-chat'],
  ['another way to write two words', 'base_url', 'baseUrl'],
])('%s leads to the word that was meant', (_, typed, meant) => {
  expect(nearest(typed, WORDS)).toBe(meant)
})

test.each([
  ['nothing at all', ''],
  ['something far off', 'kubernetes'],
  ['two letters that are all wrong', 'xy'],
  ['something too long to be a slip', 'openai-chat'.repeat(100_000)],
])('%s leads to no word', (_, typed) => {
  expect(nearest(typed, WORDS)).toBeUndefined()
})

test('the word with fewer letters to change is chosen', () => {
  expect(nearest('firstBite', ['firstBiter', 'firstByte', 'firstBitten'])).toBe('firstBiter')
  expect(nearest('tota', ['idle', 'total'])).toBe('total')
})
