import { expect, test } from 'vitest'
import { conversationOf, toldBy } from './conversation.ts'

const of = (body: object, headers = {}): string =>
  conversationOf(headers, toldBy(body as never), (id) => (id === 'resp_1' ? 'known' : undefined))

test('a session that the client names is the conversation', () => {
  expect(of({}, { session_id: 's1' })).toBe('s1')
  expect(of({ metadata: { user_id: 'user_a_account__session_0123456789' } })).toBe('0123456789')
  expect(of({ prompt_cache_key: 'k' })).toBe('k')
})

test('an answer that it goes on from tells which it is', () => {
  expect(of({ previous_response_id: 'resp_1', input: 'More' })).toBe('known')
  expect(of({ previous_response_id: 'resp_2', input: 'More' })).toBe(of({ input: 'More' }))
})

test('else the first words of the user do, wherever the marks of a cache stand and however they are said', () => {
  const user = (content: unknown): object => ({ messages: [{ role: 'user', content }] })
  const plain = of(user('Hello'))
  const marked = { type: 'text', text: 'Hello', cache_control: { type: 'ephemeral' } }
  expect(of(user([marked]))).toBe(plain)
  expect(of(user([{ type: 'text', text: 'Hello' }]))).toBe(plain)
  expect(of({ input: 'Hello' })).toBe(plain)
  expect(of(user('Hello you'))).not.toBe(plain)
  const image = (data: string): object => user([{ type: 'image', source: { data } }])
  expect(of(image('a'))).not.toBe(of(image('b')))
})
