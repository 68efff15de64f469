import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ENDPOINTS } from '../exchange/endpoint.ts'
import { findPath } from './paths.ts'

describe('finds', () => {
  test.each(ENDPOINTS)('$method $pattern', (endpoint) => {
    const path = endpoint.pattern.replace('{id}', 'resp_A-1')
    const found = findPath(endpoint.method, path, false)
    expect(found).toMatchObject({ type: 'endpoint', endpoint })
    expect('answerId' in found).toBe(endpoint.pattern.includes('{id}'))
  })

  test.each(['/', '/health', '/ready', '/metrics', '/v1/models'])(
    'the gateway’s own %s',
    (path) => {
      expect(findPath('GET', path, false)).toEqual({ type: 'own', path })
      expect(findPath('HEAD', path, false)).toEqual({ type: 'own', path })
    },
  )

  test.each(['gpt-5.5', 'anthropic/claude-opus-4.1', 'qwen3:8b', 'a@b'])('the model %s', (id) => {
    expect(findPath('GET', `/v1/models/${id}`, false)).toEqual({
      type: 'own',
      path: '/v1/models/{id}',
      id,
    })
  })
})

test('takes no pattern for a path', () => {
  for (const path of [
    '/v1/responses/{id}/cancel',
    '/v1/models/{id}',
    '/v1/responses/{id}/input_items',
  ])
    expect(findPath('GET', path, false).type).not.toBe('own')
  expect(findPath('POST', '/v1/responses/{id}/cancel', false)).not.toHaveProperty(
    'answerId',
    '{id}',
  )
})

test('says which methods a path has', () => {
  expect(findPath('PUT', '/v1/responses/resp_1', false)).toMatchObject({
    type: 'method',
    wire: 'openai-responses',
    allow: ['GET', 'DELETE'],
  })
})

test('guesses in whose words to say no', () => {
  const wireOf = (path: string, hasVersion = false): unknown => findPath('POST', path, hasVersion)
  expect(wireOf('/messages')).toMatchObject({ wire: 'anthropic-messages' })
  expect(wireOf('/x', true)).toMatchObject({ wire: 'anthropic-messages' })
  expect(wireOf('/v2/responses')).toMatchObject({ wire: 'openai-responses' })
  expect(wireOf('/x')).toMatchObject({ wire: 'openai-chat' })
})

test('says what was meant, and quotes no more than a little', () => {
  const long = findPath('GET', `/${'x'.repeat(10_000)}`, false)
  expect(long.type === 'unknown' && long.message.length).toBeLessThan(200)
  expect(findPath('POST', '/v1/chat/completion', false)).toMatchObject({
    message: 'There is no POST /v1/chat/completion here; did you mean /v1/chat/completions?',
  })
})

test('is exact: a path that was changed in any place is another one', () => {
  const known = ENDPOINTS.map(({ pattern }) => pattern).filter((path) => !path.includes('{'))
  const strange = fc.constantFrom('/', '.', '%', ';', '\\', '%2f', 'A', '\u00e9', '?', '#', ' ')
  const changed = fc.property(fc.constantFrom(...known), fc.nat(40), strange, (path, at, piece) => {
    const place = at % (path.length + 1)
    const found = findPath('POST', path.slice(0, place) + piece + path.slice(place), false)
    // `/v1/responses/inputA_tokens` would be the id of an answer, and that has no POST.
    expect(['unknown', 'method']).toContain(found.type)
  })
  fc.assert(changed, { numRuns: 2000 })
})
