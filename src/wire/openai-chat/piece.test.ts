import { expect, test } from 'vitest'
import { readPiece } from './piece.ts'

const chunk = (delta: object, more: object = {}): Record<string, unknown> => ({
  id: 'c',
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
})
const details = (detail: object): object => ({
  content: '',
  role: 'assistant',
  reasoning: 'so',
  reasoning_details: [{ type: 'reasoning.text', format: 'unknown', index: 0, ...detail }],
})

test.each([
  ['content', chunk({ role: 'assistant', content: 'so', tool_calls: null })],
  ['reasoning', chunk({ content: '', reasoning: 'so' })],
  ['reasoning and its details', chunk(details({ text: 'so' }))],
  ['reasoning and its summary', chunk(details({ summary: 'so', signature: null }))],
  ['arguments', chunk({ tool_calls: [{ index: 0, function: { arguments: 'so' } }] })],
])('reads %s as a piece', (_name, json) => {
  expect(readPiece(json)).toBe('so')
})

test.each([
  ['reasoning and content', chunk({ content: 'a', reasoning: 'so' })],
  ['other details', chunk(details({ text: 'other' }))],
  ['sealed details', chunk(details({ text: 'so', signature: 'x' }))],
  ['details with data', chunk(details({ text: 'so', data: 'x' }))],
  ['two details', chunk({ reasoning: 'so', reasoning_details: [{ text: 's' }, { text: 'o' }] })],
  ['details alone', chunk({ reasoning_details: [{ text: 'so' }] })],
  ['a finish', chunk({ content: 'so' }, { finish_reason: 'stop' })],
  ['a call with a name', chunk({ tool_calls: [{ function: { name: 'x', arguments: 'so' } }] })],
])('reads no piece in %s', (_name, json) => {
  expect(readPiece(json)).toBeUndefined()
})
