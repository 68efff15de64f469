import { Validator, type Schema } from '@cfworker/json-schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import { toSentences } from './check.ts'
import { createPatterns } from './patterns.ts'
import { validate } from './validate.ts'

const patterns = createPatterns()
const wrong = (schema: JsonObject, value: unknown): string | undefined => {
  const problems = validate(schema, value, patterns)
  return problems.length === 0 ? undefined : toSentences(problems)
}
/** Not as a literal: an object with a `then` is taken for a promise. */
const toIf = (one: unknown, then: unknown, other: unknown): JsonObject =>
  Object.fromEntries(Object.entries({ if: one, else: other }).concat([['then', then]]))

const inX = (schema: unknown, value: unknown): string | undefined =>
  wrong({ properties: { x: schema } }, { x: value })

describe('says what is expected and what came', () => {
  test.each<[unknown, unknown, string]>([
    [{ type: 'integer' }, 'a', 'x: expected integer, got string'],
    [{ type: 'integer' }, 1.5, 'x: expected integer, got a number with a fraction'],
    [{ type: ['string', 'null'] }, {}, 'x: expected string or null, got object'],
    [{ type: 'array', items: { type: 'string' } }, 1, 'x: expected array of string, got number'],
    [{ enum: ['low', 'high'] }, 'medium', 'x: expected one of "low", "high"'],
    [{ const: 5 }, 6, 'x: expected 5'],
    [{ const: { a: 1, b: 2 } }, { a: 1 }, 'x: expected a certain object'],
    [{ minimum: 1 }, 0, 'x: expected at least 1, got 0'],
    [{ minimum: 1, exclusiveMinimum: true }, 1, 'x: expected more than 1, got 1'],
    [{ exclusiveMaximum: 5 }, 5, 'x: expected less than 5, got 5'],
    [{ multipleOf: 0.1 }, 0.25, 'x: expected a multiple of 0.1, got 0.25'],
    [{ minLength: 2 }, '😀', 'x: expected at least 2 characters, got 1'],
    [{ pattern: '^/' }, 'a', 'x: expected text that matches ^/'],
    [{ maxItems: 1 }, [1, 2], 'x: expected at most 1 items, got 2'],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      'x: expected no item twice',
    ],
    [{ items: { type: 'string' } }, ['a', 1], 'x[1]: expected string, got number'],
    [{ prefixItems: [true], items: false }, [1, 2], 'x[1]: not allowed'],
    [{ contains: { const: 1 } }, [2], 'x: expected at least 1 of 1, got 0'],
    [{ not: { type: 'string' } }, 'a', 'x: not allowed here'],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, 'x.b: missing, needed beside "a"'],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, 'x.ab: expected at most 1 characters, got 2'],
    [{ type: 'STRING' }, 1, 'x: expected string, got number'],
  ])('%j on %j', (schema, value, message) => {
    expect(inX(schema, value)).toBe(message)
  })

  test('names what is missing, and what was given instead', () => {
    const schema = {
      properties: { file_path: { type: 'string' }, limit: { type: 'integer' } },
      required: ['file_path'],
    }
    expect(wrong(schema, { filepath: 'a' })).toBe(
      'file_path: missing, expected string; you gave "filepath"',
    )
    expect(wrong({ ...schema, additionalProperties: false }, { file_path: 'a', limits: 1 })).toBe(
      'limits: unknown property, did you mean "limit"?',
    )
  })

  test('never repeats a text that came', () => {
    const secret = 'sk-live-0123456789'
    for (const schema of [{ type: 'integer' }, { enum: ['a'] }, { pattern: '^a$' }, { const: 1 }])
      expect(inX(schema, secret)).not.toContain(secret)
  })

  test('tells five problems and counts the rest', () => {
    const schema = { items: { type: 'string' } }
    expect(inX(schema, [1, 2, 3, 4, 5, 6, 7])).toMatch(/^(x\[\d\]: [^;]+; ){5}and 2 more$/)
  })
})

describe('of alternatives', () => {
  const number = { type: 'number' }
  const toShape = (kind: string, ...sides: readonly string[]): JsonObject => ({
    type: 'object',
    properties: { kind: { const: kind }, ...Object.fromEntries(sides.map((one) => [one, number])) },
    required: ['kind', ...sides],
  })
  const shapes = { anyOf: [toShape('circle', 'r'), toShape('box', 'w', 'h', 'd'), toShape('dot')] }

  test('speaks of the one that was meant', () => {
    expect(inX(shapes, { kind: 'box', w: 'wide' })).toBe(
      'x.h: missing, expected number; x.d: missing, expected number; x.w: expected number, got string',
    )
    expect(inX(shapes, { kind: 'circle' })).toBe('x.r: missing, expected number')
  })

  test('names the types when none was meant', () => {
    expect(inX({ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1)).toBe(
      'x: expected string or null, got number',
    )
  })

  test('takes exactly one of oneOf', () => {
    const schema = { oneOf: [{ type: 'number' }, { type: 'integer' }] }
    expect(inX(schema, 1.5)).toBeUndefined()
    expect(inX(schema, 1)).toBe('x: fits 2 alternatives, expected one')
  })
})

describe('what cannot be checked passes', () => {
  test.each<[string, unknown, unknown]>([
    ['a pattern that RE2 does not have', { pattern: '(?=a)b' }, 'x'],
    ['its opposite', { not: { pattern: '(?=a)b' } }, 'x'],
    ['what depends on it', toIf({ pattern: '(?=a)b' }, false, false), 'x'],
    ['a reference to outside', { $ref: 'https://schemas.example/a.json' }, 1],
    ['its opposite, too', { not: { $ref: '#/nowhere' } }, 1],
    ['a pattern on a long text', { pattern: '^b' }, 'a'.repeat(20_000)],
    ['words that are no type', { type: 'any' }, 1],
    ['a schema that is none', 'string', 1],
    ['null where OpenAPI allows it', { type: 'string', nullable: true }, null],
    [
      'a name of a property that nobody can compare',
      { patternProperties: { '(?=a)b': {} }, additionalProperties: false },
      { a: 1 },
    ],
    ['a format', { type: 'string', format: 'email' }, 'nobody'],
  ])('%s', (_name, schema, value) => {
    expect(inX(schema, value)).toBeUndefined()
  })
})

describe('a hostile schema', () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => {
      const $ref = `#/$defs/a${i + 1}`
      return [`a${i}`, { allOf: [{ $ref }, { $ref }] }]
    }),
  )
  test.each<[string, JsonObject]>([
    ['that leads to itself', { $ref: '#' }],
    ['that leads to itself in two ways', { anyOf: [{ $ref: '#' }, { not: { $ref: '#' } }] }],
    ['that doubles at each step', { $defs: { ...doubling, a60: true }, $ref: '#/$defs/a0' }],
    [
      'of heavy patterns',
      {
        properties: {
          x: {
            allOf: Array.from({ length: 500 }, (_, i) => ({
              pattern: `(?:a?){${300 + i}}a{${300 + i}}`,
            })),
          },
        },
      },
    ],
  ])('%s is not followed for ever', (_name, schema) => {
    const start = performance.now()
    expect(wrong(schema, { x: 'a'.repeat(1000) })).toBe('too complex to be checked')
    expect(performance.now() - start).toBeLessThan(3000)
  })

  test('cannot make a value be compared for ever', () => {
    const list = Array.from({ length: 1000 }, () => 0)
    const object = Object.fromEntries(list.map((_, i) => [`p${i}`, 0]))
    for (const [one, other] of [
      [
        [...list, 1],
        [...list, 2],
      ],
      [
        { ...object, z: 1 },
        { ...object, z: 2 },
      ],
    ])
      expect(inX({ enum: Array.from({ length: 1000 }, () => one) }, other)).toBe(
        'too complex to be checked',
      )
  })

  test('cannot make a pattern run for ever', () => {
    const start = performance.now()
    expect(inX({ pattern: '^(a+)+$' }, `${'a'.repeat(5000)}!`)).toBe(
      'x: expected text that matches ^(a+)+$',
    )
    expect(performance.now() - start).toBeLessThan(2000)
  })

  test('of any JSON does no harm', () => {
    const words =
      'type $ref properties required items anyOf allOf not if then enum pattern patternProperties dependencies additionalProperties contains'
    const word = fc.constantFrom(...words.split(' '))
    const schema = fc.object({
      key: word,
      maxDepth: 4,
      values: [fc.string(), fc.integer(), fc.constantFrom('#', 'string', '#/type', '(')],
    })
    fc.assert(
      fc.property(schema, fc.jsonValue(), (one, value) => {
        validate(one as JsonObject, value, patterns)
      }),
    )
  })
})

test('follows references, also by the address of the schema itself', () => {
  const schema = {
    $id: 'https://tools.example/tree.json',
    properties: {
      kids: { type: 'array', items: { $ref: '#' } },
      a: { $ref: 'https://tools.example/tree.json#/$defs/n' },
    },
    $defs: { n: { type: 'number' } },
  }
  expect(wrong(schema, { kids: [{ kids: [] }], a: 1 })).toBeUndefined()
  expect(wrong(schema, { kids: [{ kids: 1 }] })).toBe(
    'kids[0].kids: expected array of object, got number',
  )
  expect(wrong(schema, { a: 'x' })).toBe('a: expected number, got string')
})

describe('agrees with another validator', () => {
  const name = fc.constantFrom('a', 'b', 'c')
  const leaf: fc.Arbitrary<object> = fc.oneof(
    fc.record({
      type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'object', 'array'),
    }),
    fc.record({
      type: fc.uniqueArray(fc.constantFrom('string', 'integer', 'null'), { minLength: 1 }),
    }),
    fc.record({ enum: fc.array(fc.constantFrom(1, 'a', null, [1], { a: 1 }), { minLength: 1 }) }),
    fc.record({ const: fc.constantFrom<unknown>(1, 'a', { a: [1] }) }),
    fc.record({
      minimum: fc.integer({ min: -3, max: 3 }),
      exclusiveMaximum: fc.integer({ min: 0, max: 5 }),
    }),
    fc.record({ multipleOf: fc.constantFrom(1, 2, 0.5, 0.1) }),
    fc.record({ minLength: fc.nat(3), maxLength: fc.nat(4) }),
    fc.record({ pattern: fc.constantFrom('^a', 'b+$', '[0-9]') }),
    fc.record({ $ref: fc.constantFrom('#/$defs/d', '#/$defs/e') }),
    fc.record({ required: fc.uniqueArray(name), maxProperties: fc.nat(3) }),
    fc.record({ minItems: fc.nat(2), uniqueItems: fc.boolean() }),
  )
  const { schema } = fc.letrec<{ schema: object }>((tie) => {
    const inner = fc.oneof(tie('schema'), fc.boolean())
    return {
      schema: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        leaf,
        fc.record(
          {
            properties: fc.dictionary(name, inner),
            additionalProperties: inner,
            required: fc.uniqueArray(name),
          },
          { requiredKeys: [] },
        ),
        fc.record(
          {
            patternProperties: fc.dictionary(fc.constantFrom('^a', '[bc]'), inner),
            propertyNames: tie('schema'),
          },
          { requiredKeys: [] },
        ),
        fc.record({ items: inner }),
        fc.record({ prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }), items: inner }),
        fc.record(
          { contains: inner, minContains: fc.nat(2), maxContains: fc.nat(3) },
          { requiredKeys: ['contains'] },
        ),
        fc.record({ anyOf: fc.array(inner, { minLength: 1, maxLength: 3 }) }),
        fc.record({ oneOf: fc.array(inner, { minLength: 1, maxLength: 3 }) }),
        fc.record({ allOf: fc.array(inner, { minLength: 1, maxLength: 3 }) }),
        fc.record({ not: tie('schema') }),
        fc.tuple(inner, inner, inner).map(([one, then, other]) => toIf(one, then, other)),
        fc.record(
          {
            dependentRequired: fc.dictionary(name, fc.array(name)),
            dependentSchemas: fc.dictionary(name, tie('schema')),
          },
          { requiredKeys: [] },
        ),
      ),
    }
  })
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, false),
      fc.integer({ min: -4, max: 6 }),
      fc.constantFrom(0.5, 1.5, 0.3, 1e3),
      fc.string({ unit: fc.constantFrom('a', 'b', '1', '😀'), maxLength: 5 }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(name, tie('value')),
    ),
  }))

  test('on schemas and values at random', () => {
    fc.assert(
      fc.property(schema, schema, schema, value, (one, d, e, instance) => {
        // Each definition may lead to the others, but not before a value inside is looked at.
        const whole = { ...one, $defs: { d: { properties: { a: d } }, e: { items: e } } }
        const theirs = new Validator(structuredClone(whole) as Schema, '2020-12', true)
        expect(validate(whole, instance, patterns).length === 0).toBe(
          theirs.validate(instance).valid,
        )
      }),
      { numRuns: 1500 },
    )
  })
})
