import { expect, test } from 'vitest'
import { isStrictSchema } from './schema-strict.ts'

const closed = (properties: object, fields: object = {}): Record<string, unknown> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...fields,
})

test('a schema that says everything is enforced', () => {
  expect(isStrictSchema(closed({}))).toBe(true)
  const inner = closed({ b: { type: ['string', 'null'] }, default: { type: 'number' } })
  expect(isStrictSchema(closed({ a: { type: 'array', items: inner } }))).toBe(true)
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
  ['a value of no type', closed({ a: {} })],
  ['a list of no type', closed({ a: { type: 'array', items: {} } })],
  ['a list of anything', closed({ a: { type: 'array' } })],
  ['an object that does not name its properties', { ...closed({}), properties: undefined }],
  ['no object', { type: 'string' }],
])('a schema with %s is not', (__, schema) => {
  expect(isStrictSchema(schema)).toBe(false)
})

test('a schema is not looked into without end', () => {
  let deep: Record<string, unknown> = closed({})
  for (let i = 0; i < 9; i++) deep = closed({ a: deep })
  expect(isStrictSchema(deep)).toBe(true)
  for (let i = 0; i < 100_000; i++) deep = closed({ a: deep })
  expect(isStrictSchema(deep)).toBe(false)
})
