import { expect, test } from 'vitest'
import { matches } from '../base/star-pattern.ts'
import { findRoute, type Route } from './route.ts'

test.each([
  ['*', '', true],
  ['*', 'anything', true],
  ['gpt-5', 'gpt-5', true],
  ['gpt-5', 'gpt-5.1', false],
  ['claude-*', 'claude-opus', true],
  ['claude-*', 'my-claude-opus', false],
  ['*-mini', 'gpt-5-mini', true],
  ['*-mini', 'gpt-5-mini-x', false],
  ['a*b*c', 'abc', true],
  ['a*b*c', 'a--b--b--c', true],
  ['a*b*c', 'acb', false],
  ['ab*ba', 'aba', false],
  ['ab*ba', 'abba', true],
  ['a.c', 'abc', false],
  ['(a+)+$*', '(a+)+$x', true],
])('whether %s takes "%s": %s', (pattern, name, expected) => {
  expect(matches(pattern, name)).toBe(expected)
})

test('a pattern with many stars takes no long time', () => {
  const startedAt = performance.now()
  expect(matches('*a'.repeat(100), 'a'.repeat(90) + 'b'.repeat(100_000))).toBe(false)
  expect(performance.now() - startedAt).toBeLessThan(200)
})

test('the first route that takes the model from that wire wins', () => {
  const route = (model: string, wire: Route['wire'], to: string): Route => ({
    model,
    wire,
    to: [to],
    as: {},
  })
  const routes = [
    route('m-*', 'openai-chat', 'chat'),
    route('m-1', undefined, 'one'),
    route('*', 'anthropic-messages', 'rest'),
  ]
  const to = (wire: 'openai-chat' | 'anthropic-messages', model: string) =>
    findRoute(routes, wire, model)?.to[0]
  expect(to('openai-chat', 'm-1')).toBe('chat')
  expect(to('anthropic-messages', 'm-1')).toBe('one')
  expect(to('anthropic-messages', 'x')).toBe('rest')
  expect(to('openai-chat', 'x')).toBeUndefined()
})
