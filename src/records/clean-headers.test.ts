import { expect, test } from 'vitest'
import { cleanHeaders, cleanQuery } from './clean-headers.ts'

test('nothing that lets anybody in is kept of headers', () => {
  const secrets = [
    'authorization',
    'Proxy-Authorization',
    'x-api-key',
    'api-key',
    'cookie',
    'set-cookie',
    'x-goog-api-key',
    'x-amz-security-token',
    'x-client-secret',
    'x-auth',
    'idempotency-key',
  ]
  const headers = Object.fromEntries(secrets.map((name) => [name, 'hush']))
  expect(cleanHeaders({ ...headers, 'x-own': 'Bearer hush', 'x-other': 'sk-hush' })).toEqual({})
})

test('what tells of clients and limits is kept, cut to a size', () => {
  expect(
    cleanHeaders({
      'user-agent': 'claude-cli/2.1',
      'anthropic-ratelimit-tokens-remaining': '5',
      'x-claude-code-session-id': 's',
      'set-cookie': ['a', 'b'],
      via: ['a', 'b'],
      'x-long': 'x'.repeat(2000),
      'x-none': undefined,
    }),
  ).toEqual({
    'user-agent': 'claude-cli/2.1',
    'anthropic-ratelimit-tokens-remaining': '5',
    'x-claude-code-session-id': 's',
    via: 'a, b',
    'x-long': 'x'.repeat(1024),
  })
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`x-${n}`, 'v']))
  expect(Object.keys(cleanHeaders(many))).toHaveLength(64)
})

test('keys in a query are left out', () => {
  expect(cleanQuery('')).toBe('')
  expect(cleanQuery('?beta=true&api_key=hush&x=1')).toBe('?beta=true&api_key=&x=1')
  expect(cleanQuery('?api%5Fkey=hush')).toBe('?api%5Fkey=')
  expect(cleanQuery('?sk-hush')).toBe('?=')
})
