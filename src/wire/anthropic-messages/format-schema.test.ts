import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anthropicEnforced } from '../../../test/support/api-rules-schema.ts'
import { toFormatSchema } from './format-schema.ts'

const enforce = (schema: Record<string, unknown>) => {
  const result = toFormatSchema(schema)
  if (!result.ok) throw new Error(result.message)
  return result
}

test('closes every object and makes one-of any-of', () => {
  const { schema, isLoose } = enforce({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { a: { oneOf: [{ type: 'object' }, { type: ['string', 'null'] }] } },
    required: ['a'],
  })
  expect(schema).toEqual({
    type: 'object',
    properties: {
      a: {
        anyOf: [
          { type: 'object', properties: {}, additionalProperties: false },
          { type: ['string', 'null'] },
        ],
      },
    },
    required: ['a'],
    additionalProperties: false,
  })
  expect(isLoose).toBe(false)
})

test('tells the model what cannot be enforced, and says so', () => {
  const { schema, isLoose } = enforce({
    type: 'array',
    minItems: 3,
    description: 'Names',
    items: { type: 'string', format: 'phone', maxLength: 9 },
  })
  expect(schema).toEqual({
    type: 'array',
    description: 'Names\n\n{"minItems":3}',
    items: { type: 'string', description: '{"format":"phone","maxLength":9}' },
  })
  expect(isLoose).toBe(true)
})

test('takes a property for a property, also when it is called like a keyword', () => {
  const properties = { pattern: { type: 'string' }, format: { type: 'string', format: 'uri' } }
  expect(enforce({ type: 'object', properties }).schema['properties']).toEqual(properties)
})

test('gives what the API enforces, whatever comes', () => {
  const { tree } = fc.letrec<{
    tree: Record<string, unknown>
    node: Record<string, unknown>
  }>((tie) => ({
    tree: fc.oneof({ maxDepth: 2 }, fc.constant({ type: 'string' }), tie('node')),
    node: fc.record(
      {
        type: fc.constantFrom('object', 'array', 'string', ['object', 'null']),
        properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('tree'), { maxKeys: 2 }),
        items: tie('tree'),
        anyOf: fc.array(tie('tree'), { minLength: 1, maxLength: 2 }),
        oneOf: fc.array(tie('tree'), { minLength: 1, maxLength: 2 }),
        additionalProperties: fc.boolean(),
        minItems: fc.nat(3),
        format: fc.constantFrom('date', 'odd'),
        pattern: fc.string(),
        not: fc.constant({ type: 'null' }),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  }))
  fc.assert(
    fc.property(tree, (node) => {
      const found: string[] = []
      anthropicEnforced(enforce(node).schema, '', (path, message) => found.push(path + message))
      expect(found).toEqual([])
    }),
    { numRuns: 100 },
  )
})

test('refuses a schema without end', () => {
  let schema: Record<string, unknown> = {}
  for (let i = 0; i < 20_000; i++) schema = { type: 'array', items: schema }
  expect(toFormatSchema(schema)).toMatchObject({ ok: false })
  expect(toFormatSchema({ not: schema })).toMatchObject({ ok: false })
})
