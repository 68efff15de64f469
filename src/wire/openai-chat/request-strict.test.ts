import { expect, test } from 'vitest'
import { isEnforceable } from './request-strict.ts'

const closed = (properties: object, fields: object = {}): Record<string, unknown> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...fields,
})

test('a schema that says everything is enforced', () => {
  expect(isEnforceable(closed({}))).toBe(true)
  const inner = closed({ b: { type: ['string', 'null'] }, default: { type: 'number' } })
  expect(isEnforceable(closed({ a: { type: 'array', items: inner } }))).toBe(true)
})

test.each([
  ['more than its properties', closed({}, { additionalProperties: true })],
  ['an optional property', closed({ a: {} }, { required: [] })],
  ['a property that it does not have', closed({}, { required: ['a'] })],
  ['an open object further down', closed({ a: { type: 'object', properties: {} } })],
  ['an open alternative', closed({ a: { anyOf: [{ type: 'object' }] } })],
  ['an open definition', closed({}, { $defs: { a: { type: 'object' } } })],
  ['a default', closed({ a: { type: 'string', default: 'x' } })],
  ['alternatives at the top', closed({}, { anyOf: [{}] })],
  ['no object', { type: 'string' }],
])('a schema with %s is not', (__, schema) => {
  expect(isEnforceable(schema)).toBe(false)
})
