import { expect, test } from 'vitest'
import { httpUpstream } from '../../test/support/gateway.ts'
import { mergeHeaders, toOwnHeaders } from './credential.ts'

const CLIENT = { authorization: 'Bearer c', 'x-api-key': 'c', 'api-key': 'c', accept: 'x' }
const up = (more: Parameters<typeof httpUpstream>[1] = {}) =>
  httpUpstream('http://127.0.0.1:1', more)

test('without a key of its own an upstream gets what the request carries', () => {
  expect(toOwnHeaders(up(), 'openai-chat', CLIENT)).toEqual(CLIENT)
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
  expect(toOwnHeaders(up({ apiKey: 'own', auth }), wire, CLIENT)).toEqual({
    accept: 'x',
    ...expected,
  })
})

test('with "none" it gets nobody’s, but for what the config’s headers say', () => {
  expect(toOwnHeaders(up({ auth: 'none' }), 'openai-chat', CLIENT)).toEqual({ accept: 'x' })
  for (const apiKey of [undefined, 'own']) {
    const settings = up({ apiKey, auth: 'none', headers: { Authorization: 'Basic b3du' } })
    expect(toOwnHeaders(settings, 'openai-chat', CLIENT)).toEqual({
      accept: 'x',
      authorization: 'Basic b3du',
    })
  }
})

test('on the account of the config’s key a client chooses nothing', () => {
  const chosen = {
    'openai-organization': 'o',
    'openai-project': 'p',
    'chatgpt-account-id': 'c',
    'anthropic-workspace-id': 'w',
  }
  expect(toOwnHeaders(up(), 'openai-chat', chosen)).toEqual(chosen)
  const headers = { 'OpenAI-Project': 'ours' }
  expect(toOwnHeaders(up({ apiKey: 'own', headers }), 'openai-chat', chosen)).toEqual({
    authorization: 'Bearer own',
    'openai-project': 'ours',
  })
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
