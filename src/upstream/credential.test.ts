import { expect, test } from 'vitest'
import { httpUpstream } from '../../test/support/gateway.ts'
import { applyCredential, mergeHeaders } from './credential.ts'

const CLIENT = { authorization: 'Bearer c', 'x-api-key': 'c', 'api-key': 'c', accept: 'x' }
const withKey = (auth: 'auto' | 'bearer' | 'x-api-key' | 'api-key' | 'none') =>
  httpUpstream('http://127.0.0.1:1', { apiKey: 'own', auth })

test('without a key of its own an upstream gets what the request carries', () => {
  expect(applyCredential(httpUpstream('http://127.0.0.1:1'), 'openai-chat', CLIENT)).toEqual(CLIENT)
})

test.each([
  ['auto', 'anthropic-messages', { 'x-api-key': 'own' }],
  ['auto', 'openai-chat', { authorization: 'Bearer own' }],
  ['auto', 'openai-responses', { authorization: 'Bearer own' }],
  ['bearer', 'anthropic-messages', { authorization: 'Bearer own' }],
  ['x-api-key', 'openai-chat', { 'x-api-key': 'own' }],
  ['api-key', 'openai-chat', { 'api-key': 'own' }],
  ['none', 'openai-chat', {}],
] as const)('with a key and "%s" it gets only that on %s', (auth, wire, expected) => {
  expect(applyCredential(withKey(auth), wire, CLIENT)).toEqual({ accept: 'x', ...expected })
})

test('headers of the config go over those of the client, whatever their case', () => {
  const merged = mergeHeaders({ accept: 'a', 'user-agent': 'u' }, { Accept: 'b', 'X-New': '1' })
  expect(merged).toEqual({ accept: 'b', 'user-agent': 'u', 'x-new': '1' })
})

test('beta names of both are kept, each once', () => {
  const merged = mergeHeaders({ 'anthropic-beta': 'a, b,,c' }, { 'Anthropic-Beta': 'b,d ' })
  expect(merged).toEqual({ 'anthropic-beta': 'a,b,c,d' })
  expect(mergeHeaders({}, { 'anthropic-beta': 'b' })).toEqual({ 'anthropic-beta': 'b' })
})
