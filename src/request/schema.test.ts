import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../base/json.ts'
import { toSchema } from './schema.ts'

const KINDS = ['full', 'anthropic', 'gemini'] as const

function clean(schema: JsonObject, kind: (typeof KINDS)[number]) {
  const cleaned = toSchema(schema, kind)
  if (!cleaned.ok) throw new Error(cleaned.message)
  return cleaned
}

test.each(KINDS)('no schema is an object without properties: %s', (kind) => {
  expect(toSchema(undefined, kind)).toEqual({
    ok: true,
    schema: { type: 'object', properties: {} },
    isChanged: false,
  })
})

describe('full', () => {
  test('an object without properties gets none', () => {
    expect(clean({ type: 'object', title: 'T' }, 'full')).toMatchObject({
      schema: { type: 'object', title: 'T', properties: {} },
      isChanged: false,
    })
  })

  test('a top level that says nothing is an object', () => {
    expect(clean({}, 'full').schema).toEqual({ type: 'object', properties: {} })
    const anything = { anyOf: [{ type: 'object', properties: {} }] }
    expect(clean(anything, 'full').schema).toBe(anything)
  })

  test('anything else stays the same object', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', format: 'uri' } } }
    expect(clean(schema, 'full').schema).toBe(schema)
  })
})

describe('anthropic', () => {
  test('an object stays the same object', () => {
    const schema = { type: 'object', properties: { a: { anyOf: [{ type: 'null' }] } } }
    expect(clean(schema, 'anthropic').schema).toBe(schema)
  })

  test('alternatives at the top become one object that asks for what all of them ask for', () => {
    const { schema, isChanged } = clean(
      {
        description: 'a shape',
        anyOf: [
          {
            type: 'object',
            properties: { kind: { const: 'circle' }, r: { type: 'number' } },
            required: ['kind', 'r'],
          },
          {
            type: 'object',
            properties: { kind: { const: 'square' }, a: { type: 'number' } },
            required: ['kind', 'a'],
          },
        ],
      },
      'anthropic',
    )
    expect(schema).toEqual({
      description: 'a shape',
      type: 'object',
      properties: {
        kind: { anyOf: [{ const: 'circle' }, { const: 'square' }] },
        r: { type: 'number' },
        a: { type: 'number' },
      },
      required: ['kind'],
    })
    expect(isChanged).toBe(true)
  })

  test('what must all hold is asked for together', () => {
    const { schema } = clean(
      {
        type: 'object',
        properties: { id: { type: 'string' } },
        required: ['id'],
        allOf: [{ $ref: '#/$defs/Named' }, { required: ['id'] }],
        $defs: { Named: { properties: { name: { type: 'string' } }, required: ['name'] } },
      },
      'anthropic',
    )
    expect(schema).toMatchObject({
      type: 'object',
      properties: { id: { type: 'string' }, name: { type: 'string' } },
      required: ['id', 'name'],
    })
    expect(schema).not.toHaveProperty('allOf')
  })

  test('"one of these is required" is no longer required', () => {
    const { schema } = clean(
      {
        type: 'object',
        properties: { a: {}, b: {} },
        oneOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      'anthropic',
    )
    expect(schema).toEqual({ type: 'object', properties: { a: {}, b: {} } })
  })

  test('alternatives that are closed stay closed', () => {
    const closed = (name: string) => ({ properties: { [name]: {} }, additionalProperties: false })
    const { schema } = clean({ anyOf: [closed('a'), closed('b')] }, 'anthropic')
    expect(schema['additionalProperties']).toBe(false)
  })

  test.each<JsonObject>([
    { type: 'string' },
    { type: ['string', 'null'] },
    { anyOf: [{ type: 'string' }, { type: 'number' }] },
    { allOf: [{ type: 'object' }, { type: 'string' }] },
    { anyOf: [false] },
  ])('what can be no object is refused: %j', (schema) => {
    expect(toSchema(schema, 'anthropic')).toMatchObject({ ok: false })
    expect(toSchema(schema, 'gemini')).toMatchObject({ ok: false })
  })

  test.each<JsonObject>([{ type: ['object', 'null'] }, {}, { properties: {} }])(
    'what may be an object is one: %j',
    (schema) => {
      expect(clean(schema, 'anthropic').schema['type']).toBe('object')
    },
  )
})

describe('gemini', () => {
  const property = (schema: unknown) => {
    const cleaned = clean({ type: 'object', properties: { it: schema } }, 'gemini')
    return [(cleaned.schema['properties'] as JsonObject)['it'], cleaned.isChanged] as const
  }

  test('words that the server does not know go, without a change', () => {
    const { schema, isChanged } = clean(
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        $id: 'x',
        $comment: 'y',
        type: 'object',
        additionalProperties: false,
        properties: { url: { type: 'string', format: 'uri', description: 'Where' } },
        required: ['url', 'gone'],
      },
      'gemini',
    )
    expect(schema).toEqual({
      type: 'object',
      properties: { url: { type: 'string', description: 'Where' } },
      required: ['url'],
    })
    expect(isChanged).toBe(false)
  })

  test('a property that is named like a keyword is a property', () => {
    const names = ['format', 'const', '$schema', '$ref', 'anyOf', 'allOf', 'additionalProperties']
    const more = ['type', 'enum', 'default', 'properties', 'required', 'items', 'not', 'nullable']
    const properties = Object.fromEntries(
      [...names, ...more].map((name) => [name, { type: 'string' }]),
    )
    const schema = { type: 'object', properties, required: ['const', 'format'] }
    expect(clean(schema, 'gemini').schema).toEqual(schema)
    expect(property(schema)).toEqual([schema, false])
  })

  test('a property named __proto__ is kept', () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')
    expect(JSON.stringify(clean(schema, 'gemini').schema)).toBe(JSON.stringify(schema))
  })

  test('values are not looked into', () => {
    const value = { $schema: 1, const: 2, additionalProperties: false }
    expect(property({ type: 'object', default: value, examples: [value] })).toEqual([
      { type: 'object', default: value, example: value },
      false,
    ])
    const words = ['$schema', 'const', 'null']
    expect(property({ type: 'string', enum: words })).toEqual([
      { type: 'string', enum: words },
      false,
    ])
  })

  test.each<[unknown, JsonObject, boolean]>([
    [{ const: 'a' }, { type: 'string', enum: ['a'] }, false],
    [{ type: ['string', 'null'] }, { type: 'string', nullable: true }, false],
    [{ enum: ['a', null] }, { type: 'string', enum: ['a'], nullable: true }, false],
    [
      { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'D', default: null },
      { type: 'string', nullable: true, description: 'D', default: null },
      false,
    ],
    [
      { type: ['string', 'number'], pattern: 'x', minimum: 1, description: 'D' },
      {
        anyOf: [
          { type: 'string', pattern: 'x' },
          { type: 'number', minimum: 1 },
        ],
        description: 'D',
      },
      false,
    ],
    [
      { oneOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
      {
        anyOf: [
          { type: 'string', nullable: true },
          { type: 'integer', nullable: true },
        ],
      },
      false,
    ],
    [{ type: 'integer', exclusiveMinimum: 0 }, { type: 'integer', minimum: 1 }, false],
    [{ type: 'number', exclusiveMaximum: 1 }, { type: 'number', maximum: 1 }, true],
    [{ type: 'array' }, { type: 'array', items: { type: 'string' } }, true],
    [{ type: 'integer', enum: [1, 2] }, { type: 'integer', description: 'One of: 1, 2' }, true],
    [{ type: 'object', additionalProperties: { type: 'string' } }, { type: 'object' }, true],
    [true, { type: 'string' }, true],
    [{ type: 'string', not: { const: 'a' } }, { type: 'string' }, true],
  ])('%j', (from, to, isChanged) => {
    expect(property(from)).toEqual([to, isChanged])
  })

  test('references are written out, with what stands beside them', () => {
    const { schema } = clean(
      {
        type: 'object',
        properties: {
          pet: { $ref: '#/$defs/Pet', description: 'Mine' },
          all: { allOf: [{ $ref: '#/$defs/Pet' }], default: 'cat' },
        },
        $defs: { Pet: { type: 'string', enum: ['cat', 'dog'], description: 'Any' } },
      },
      'gemini',
    )
    expect(schema).toEqual({
      type: 'object',
      properties: {
        pet: { type: 'string', enum: ['cat', 'dog'], description: 'Mine' },
        all: { type: 'string', enum: ['cat', 'dog'], description: 'Any', default: 'cat' },
      },
    })
  })

  test('a type that holds itself is written out a few times', () => {
    const { schema, isChanged } = clean(
      {
        type: 'object',
        properties: { tree: { $ref: '#/$defs/Tree' } },
        $defs: {
          Tree: { type: 'object', properties: { left: { $ref: '#/$defs/Tree' } } },
        },
      },
      'gemini',
    )
    const tree = (left: JsonObject) => ({ type: 'object', properties: { left } })
    expect(schema['properties']).toEqual({ tree: tree(tree({ type: 'object' })) })
    expect(isChanged).toBe(true)
  })

  test('an object with alternatives beside its properties is one object', () => {
    const [schema] = property({
      type: 'object',
      properties: { a: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { properties: { b: { type: 'string' } } }],
    })
    expect(schema).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
    })
  })
})

describe('hostile schemas', () => {
  const deep = (levels: number): JsonObject => {
    let schema: JsonObject = { type: 'string' }
    for (let at = 0; at < levels; at++) schema = { type: 'object', properties: { a: schema } }
    return schema
  }
  const fan = {
    type: 'object',
    properties: { a: { $ref: '#/$defs/n0' } },
    $defs: Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `n${at}`,
        { anyOf: [{ $ref: `#/$defs/n${at + 1}` }, { $ref: `#/$defs/n${at + 1}` }] },
      ]),
    ),
  }
  const long = {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 2000 }, (_, at) => [`p${at}`, { $ref: '#/$defs/long' }]),
    ),
    $defs: { long: { type: 'string', description: 'x'.repeat(100_000) } },
  }
  const loops: JsonObject[] = [
    { $ref: '#' },
    { anyOf: [{ $ref: '#' }] },
    { allOf: [{ $ref: '#' }, { $ref: '#' }, { $ref: '#' }] },
    { type: 'object', properties: { a: { $ref: '#/properties/a' } } },
    { type: 'object', properties: { a: { allOf: [{ $ref: '#/properties/a' }] } } },
    { $ref: '#/%E0%A4%A' },
    { $ref: 'https://x.test/schema.json' },
    { $ref: '#/constructor/name' },
    { ...fan, anyOf: [{ $ref: '#/$defs/n0' }, { $ref: '#/$defs/n0' }] },
    { anyOf: [{ properties: { a: deep(20_000) } }, { properties: { a: deep(20_000) } }] },
    deep(20_000),
    fan,
    long,
  ]

  test.each(KINDS)('are answered in little time: %s', (kind) => {
    const started = performance.now()
    for (const schema of loops) expect(typeof toSchema(schema, kind).ok).toBe('boolean')
    expect(performance.now() - started).toBeLessThan(2000)
  })

  test('what grows beyond all bounds with its references is refused', () => {
    expect(toSchema(long, 'gemini')).toMatchObject({ ok: false })
    const fanned = clean(fan, 'gemini')
    expect(JSON.stringify(fanned.schema).length).toBeLessThan(1_000_000)
    expect(fanned.isChanged).toBe(true)
  })
})

const KEYWORDS = ['type', 'properties', 'items', 'anyOf', 'oneOf', 'allOf', '$ref', 'enum', 'const']
const OTHERS = ['required', 'nullable', 'default', 'format', 'minimum', 'exclusiveMinimum', '$defs']
const { node } = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom(null, true, false, 1, 'object', 'string', '#', '#/$defs/a', ['object', 'null']),
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYWORDS, ...OTHERS, 'a'), tie('node'), { maxKeys: 5 }),
  ),
}))

test.each(KINDS)('no schema makes it throw, and what it says for Gemini is known: %s', (kind) => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...KEYWORDS, ...OTHERS), node), (schema) => {
      const before = JSON.stringify(schema)
      const cleaned = toSchema(schema, kind)
      expect(JSON.stringify(schema)).toBe(before)
      if (cleaned.ok && kind !== 'full') expect(cleaned.schema['type']).toBe('object')
      if (cleaned.ok && kind === 'gemini') expectKnown(cleaned.schema)
    }),
    { numRuns: 500 },
  )
})

const KNOWN = new Set(
  `type format title description nullable enum items minItems maxItems properties required minProperties
  maxProperties minLength maxLength pattern example anyOf default minimum maximum`.split(/\s+/),
)

function expectKnown(schema: JsonObject): void {
  for (const key of Object.keys(schema)) expect(KNOWN).toContain(key)
  expect(schema['type'] === undefined).toBe(schema['anyOf'] !== undefined)
  for (const child of Object.values((schema['properties'] ?? {}) as Record<string, JsonObject>))
    expectKnown(child)
  if (schema['type'] === 'array') expectKnown(schema['items'] as JsonObject)
  for (const option of (schema['anyOf'] ?? []) as JsonObject[]) expectKnown(option)
}
