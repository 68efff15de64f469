import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { fillSchema } from './schema-filler.ts'

const noHint = (): undefined => undefined
const fill = (schema: unknown): unknown => fillSchema(schema, noHint, 'demo')

/** What clients make from zod, as JSON schema and back. */
const SCHEMAS: Record<string, z.ZodType> = {
  texts: z.object({ a: z.string(), b: z.string().min(10).max(12), c: z.string().max(2) }),
  formats: z.object({ a: z.email(), b: z.uuid(), c: z.iso.datetime(), d: z.url(), e: z.ipv4() }),
  patterns: z.object({ a: z.string().regex(/^\d+$/), b: z.string().regex(/^#[0-9a-f]{6}$/) }),
  numbers: z.object({
    a: z.number(),
    b: z.int().min(5),
    c: z.number().gt(3).lt(4),
    d: z.int().max(-7),
    e: z.number().multipleOf(25).min(30),
    f: z.int().min(8).max(8),
  }),
  choices: z.object({ a: z.enum(['x', 'y']), b: z.literal(7), c: z.union([z.int(), z.string()]) }),
  nullable: z.object({ a: z.string().nullable(), b: z.null(), c: z.int().nullable() }),
  lists: z.object({
    a: z.array(z.string()),
    b: z.array(z.object({ c: z.boolean() })).min(3),
    d: z.tuple([z.int(), z.string()]),
  }),
  deep: z.object({ a: z.object({ b: z.object({ c: z.array(z.array(z.int())) }) }) }),
  both: z.intersection(z.object({ a: z.string() }), z.object({ b: z.int() })),
  optional: z.strictObject({ a: z.string().optional(), b: z.int() }),
  alternatives: z.discriminatedUnion('type', [
    z.object({ type: z.literal('a'), a: z.int() }),
    z.object({ type: z.literal('b'), b: z.int() }),
  ]),
}

test.each(Object.keys(SCHEMAS))('gives a value that its schema accepts: %s', (name) => {
  const schema = SCHEMAS[name]
  if (schema === undefined) throw new Error(name)
  expect(schema.safeParse(fill(z.toJSONSchema(schema)))).toMatchObject({ success: true })
})

test('fills what is required, and what has a known name', () => {
  const text = { type: 'string' }
  const schema = {
    type: 'object',
    properties: { city: text, unknown: text, count: { type: 'integer' }, other: text },
    required: ['count', 'undescribed'],
  }
  const hint = (name: string): string | undefined => (name === 'city' ? 'Oslo' : undefined)
  expect(fillSchema(schema, hint, 'demo')).toEqual({ count: 1, undescribed: 'demo', city: 'Oslo' })
})

test('follows references, also those that never end', () => {
  const schema = {
    $defs: {
      node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, required: ['next'] },
    },
    $ref: '#/$defs/node',
  }
  expect(JSON.stringify(fill(schema))).toContain('{"next":{"next":')
  expect(fill({ $ref: '#' })).toBe('demo')
  expect(fill({ $ref: '#/nowhere' })).toBe('demo')
})

test('a schema that multiplies itself comes to an end', () => {
  const names = Array.from({ length: 50 }, (_, place) => `p${place}`)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { $ref: '#' }])),
    required: names,
  }
  expect(JSON.stringify(fill(schema)).length).toBeLessThan(10_000)
  const lists = { type: 'array', minItems: 20, items: { $ref: '#' } }
  expect(JSON.stringify(fill(lists)).length).toBeLessThan(10_000)
})

test('never throws, and gives what can be written', () => {
  const keys = [
    'type',
    'properties',
    'required',
    'items',
    'enum',
    'const',
    'anyOf',
    'allOf',
    '$ref',
  ]
  const more = [
    'minLength',
    'minItems',
    'minimum',
    'multipleOf',
    'pattern',
    'format',
    'prefixItems',
  ]
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue(),
      fc.constantFrom('object', 'array', 'string', 'integer', '#', '^(a+)+$', '__proto__'),
      fc.double(),
      fc.array(tie('schema')),
      fc.dictionary(fc.constantFrom(...keys, ...more, '__proto__'), tie('schema')),
    ),
  }))
  fc.assert(fc.property(schema, (any) => typeof JSON.stringify({ value: fill(any) }) === 'string'))
  let deep: unknown = 1
  for (let depth = 0; depth < 20_000; depth++) deep = [deep]
  for (const key of ['const', 'enum', 'anyOf', 'items'])
    expect(JSON.stringify({ value: fill({ [key]: [deep] }) })).toMatch(/value/)
})
