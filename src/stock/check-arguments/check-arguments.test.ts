import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import { createGrowingBlock } from '../../block/growing-block.ts'
import type { BlockOf, ToolDialect } from '../../event/block.ts'
import type { PolicyContext } from '../../policy/policy.ts'
import type { Verdict } from '../../policy/verdict.ts'
import type { Tool } from '../../request/tool.ts'
import { checkArguments } from './check.ts'
import { checkArgumentsPolicy, type CheckArgumentsOptions } from './check-arguments.ts'

const toTool = (name: string, schema: JsonObject | undefined): Tool => ({
  type: 'function',
  name,
  schema,
  isStrict: undefined,
})

const READ = toTool('Read', {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    file_path: { type: 'string' },
    limit: { type: 'integer', minimum: 1 },
    all: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    range: {
      type: 'object',
      properties: { from: { type: 'integer' }, to: { type: 'integer' } },
      required: ['from'],
      additionalProperties: false,
    },
  },
  required: ['file_path'],
  additionalProperties: false,
})
const ECHO = toTool('echo', { type: 'object', properties: { text: { type: 'string' } } })
const PATCH: Tool = { type: 'custom', name: 'apply_patch', grammar: undefined }
const TOOLS = [READ, ECHO, PATCH]

interface Called {
  readonly name?: string
  readonly dialect?: ToolDialect
  readonly namespace?: string
  readonly isCut?: boolean
  readonly tools?: readonly Tool[]
}

function toCall(
  text: string,
  { name = 'Read', dialect = 'function', ...more }: Called,
): BlockOf<'tool-call'> {
  const growing = createGrowingBlock({
    type: 'tool-call',
    id: 'c',
    index: 0,
    name,
    dialect,
    ...(more.namespace === undefined ? {} : { namespace: more.namespace }),
  })
  growing.grow({ type: 'arguments', text })
  growing.complete(undefined, more.isCut)
  return growing.block as BlockOf<'tool-call'>
}

function judge(text: string, called: Called = {}, options?: CheckArgumentsOptions): Verdict {
  const { tools = TOOLS } = called
  const request = {
    tools: () => tools,
    tool: (name: string, namespace?: string) =>
      tools.find((tool) => tool.name === name && tool.namespace === namespace),
  }
  const ctx = { request } as unknown as PolicyContext
  return checkArgumentsPolicy(options).judge?.(toCall(text, called), ctx) as Verdict
}

const reasonOf = (verdict: Verdict): string =>
  verdict.type === 'deny' ? `${verdict.reason} | ${verdict.instead}` : verdict.type

describe('arguments that fit', () => {
  test.each([
    '{"file_path":"/a"}',
    ' { "file_path" : "/a", "limit": 5.0 } ',
    '{"file_path":"/a","limit":1,"limit":2}',
    '{"file_path":"/a","range":{"from":1}}',
  ])('pass as they are: %s', (text) => {
    expect(judge(text)).toEqual({ type: 'pass' })
  })

  test('pass when there are none and none are needed', () => {
    expect(judge('', { name: 'echo' })).toEqual({ type: 'pass' })
  })

  test('pass with numbers that would be rounded', () => {
    expect(judge('{"text":"a","id":12345678901234567890}', { name: 'echo' })).toEqual({
      type: 'pass',
    })
  })

  test('pass when the tool has no schema', () => {
    const tools = [toTool('any', undefined)]
    expect(judge('{"a":[1]}', { name: 'any', tools })).toEqual({ type: 'pass' })
  })
})

describe('puts right', () => {
  test.each<[string, string, JsonObject, string]>([
    [
      'a number in a text',
      '{"file_path":"/a","limit":"5"}',
      { file_path: '/a', limit: 5 },
      'text-to-number limit',
    ],
    [
      'true in a text',
      '{"file_path":"/a","all":"True"}',
      { file_path: '/a', all: true },
      'text-to-boolean all',
    ],
    [
      'one where a list is expected',
      '{"file_path":"/a","tags":"x"}',
      { file_path: '/a', tags: ['x'] },
      'one-to-list tags',
    ],
    [
      'a list in a text',
      '{"file_path":"/a","tags":"[\\"x\\"]"}',
      { file_path: '/a', tags: ['x'] },
      'text-to-array tags',
    ],
    [
      'an object in a text, and what is in it',
      '{"file_path":"/a","range":"{\'from\': \'1\',}"}',
      { file_path: '/a', range: { from: 1 } },
      'text-to-object range, text-to-number range.from',
    ],
    [
      'a whole number for a text',
      '{"file_path":7}',
      { file_path: '7' },
      'number-to-text file_path',
    ],
    [
      'null for what may be left out',
      '{"file_path":"/a","limit":null}',
      { file_path: '/a' },
      'removed-null limit',
    ],
    ['all of it in a text', '"{\\"file_path\\":\\"/a\\"}"', { file_path: '/a' }, 'json-in-text'],
    [
      'JSON that is nearly right',
      "```json\n{'file_path': '/a',}\n```",
      { file_path: '/a' },
      'code-fence, single-quotes, trailing-comma',
    ],
    [
      'an empty object in front',
      '{}{"file_path":"/a"}',
      { file_path: '/a' },
      'empty-object-in-front',
    ],
  ])('%s', (_name, text, args, repairs) => {
    expect(judge(text)).toEqual({
      type: 'rewrite',
      args,
      reason: `The arguments were put right: ${repairs}`,
      details: { outcome: 'repaired', repairs },
    })
  })

  test('a value of a list of values that is written as a text', () => {
    const tools = [toTool('f', { properties: { n: { enum: [1, 2] }, b: { const: true } } })]
    expect(judge('{"n":"2","b":"true"}', { name: 'f', tools })).toMatchObject({
      args: { n: 2, b: true },
    })
  })

  test('what two schemas find wrong with the same value, once', () => {
    const n = { allOf: [{ type: 'integer' }, { type: 'number' }] }
    const tools = [toTool('f', { properties: { n } })]
    expect(judge('{"n":"5"}', { name: 'f', tools })).toMatchObject({
      args: { n: 5 },
      details: { repairs: 'text-to-number n' },
    })
  })

  test('nothing when it may not', () => {
    const verdict = judge('{"file_path":"/a","limit":"5"}', {}, { repair: false })
    expect(reasonOf(verdict)).toContain('limit: expected integer, got string')
    expect(reasonOf(judge("{'a':1}", {}, { repair: false }))).toContain('are not a JSON object')
    expect(reasonOf(judge('{"file_path":"/a"', {}, { repair: false }))).toContain(
      'end in the middle',
    )
  })

  test('unknown properties only when told to', () => {
    const text = '{"file_path":"/a","why":"because"}'
    expect(reasonOf(judge(text))).toContain('why: unknown property')
    expect(judge(text, {}, { removeUnknown: true })).toMatchObject({
      type: 'rewrite',
      args: { file_path: '/a' },
      details: { repairs: 'removed-unknown why' },
    })
  })
})

describe('does not guess', () => {
  test.each<[string, string, string]>([
    [
      'a number with a fraction for an integer',
      '{"file_path":"/a","limit":"5.5"}',
      'limit: expected integer, got string',
    ],
    [
      'a number that would be rounded',
      '{"file_path":"/a","limit":"12345678901234567890"}',
      'limit: expected integer',
    ],
    ['a fraction for a text', '{"file_path":1.10}', 'file_path: expected string, got number'],
    [
      'a number for a text that had a fraction',
      '{"file_path":2.0}',
      'file_path: expected string, got number',
    ],
    ['an object for a text', '{"file_path":{"a":1}}', 'file_path: expected string, got object'],
    ['yes for true', '{"file_path":"/a","all":"yes"}', 'all: expected boolean, got string'],
    [
      'a list that breaks off',
      '{"file_path":"/a","tags":"[\\"x\\""}',
      'tags: expected array of string, got string',
    ],
    [
      'another name',
      '{"filepath":"/a"}',
      'file_path: missing, expected string; you gave "filepath"',
    ],
    ['null for what must be there', '{"file_path":null}', 'file_path: expected string, got null'],
    ['a number out of bounds', '{"file_path":"/a","limit":0}', 'limit: expected at least 1, got 0'],
    ['two different objects', '{"file_path":"/a"}{"file_path":"/b"}', 'are not a JSON object'],
    ['a list', '["/a"]', 'are not a JSON object'],
    [
      'digits when something else is wrong',
      '{"file_path":"/a","limit":12345678901234567890,}',
      'more digits than can be kept',
    ],
  ])('%s', (_name, text, reason) => {
    expect(reasonOf(judge(text))).toContain(reason)
  })

  test('and tells the model what the tool takes', () => {
    expect(judge('{"limit":5}')).toEqual({
      type: 'deny',
      reason: 'The arguments of "Read" do not fit its schema: file_path: missing, expected string',
      instead:
        'Call it again with a JSON object: file_path (string), limit (integer, optional), all (boolean, optional), tags (array of string, optional), range (object, optional).',
      details: { outcome: 'denied', cause: 'schema', problems: 1 },
    })
  })
})

test('names what must be given before what may be', () => {
  const properties = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`p${i}`, {}]))
  const tools = [toTool('f', { properties, required: ['p19'] })]
  expect(judge('{}', { name: 'f', tools })).toMatchObject({
    instead: expect.stringMatching(/object: p19 \(any value\), p0 \(.*p14 \(.*\) and 4 more\.$/),
  })
})

describe('arguments that break off', () => {
  const pair = toTool('pair', {
    type: 'object',
    properties: { a: { type: 'string' }, b: { $ref: '#/$defs/b' } },
    required: ['a'],
    $defs: { b: { type: 'object', properties: { c: { type: 'boolean' } } } },
  })
  const tools = [
    pair,
    toTool('any', undefined),
    toTool('map', { type: 'object', properties: { a: {} }, additionalProperties: true }),
  ]
  const on = (text: string, name = 'pair'): Verdict => judge(text, { name, tools })

  test('are closed when nothing can be missing: each property that is known is there', () => {
    expect(on('{"a":"x","b":{"c":true')).toMatchObject({
      type: 'rewrite',
      args: { a: 'x', b: { c: true } },
      details: { repairs: 'end' },
    })
  })

  test.each([
    ['a property could follow', '{"a":"x"', 'pair'],
    ['a property could follow further in', '{"a":"x","b":{', 'pair'],
    ['its last value is not over', '{"b":{"c":true},"a":"x', 'pair'],
    ['nobody knows what it takes', '{"a":"x"', 'any'],
    ['it takes properties of any name', '{"a":"x"', 'map'],
  ])('are denied when %s', (_name, text, name) => {
    expect(reasonOf(on(text, name))).toContain('end in the middle')
  })

  test('are denied in a list, whose length nobody knows', () => {
    const lists = [
      toTool('l', { properties: { a: { type: 'array', items: { properties: { b: {} } } } } }),
    ]
    expect(judge('{"a":[{"b":1}', { name: 'l', tools: lists })).toMatchObject({
      type: 'deny',
      details: { cause: 'cut' },
    })
  })

  test('are denied when it is known that they do, whatever they look like', () => {
    expect(judge('{"file_path":"/a"}', { isCut: true })).toMatchObject({
      type: 'deny',
      reason: 'The arguments of "Read" end in the middle',
      details: { outcome: 'denied', cause: 'cut' },
    })
  })
})

describe('a free text', () => {
  const free = { name: 'apply_patch', dialect: 'custom' } as const

  test('passes, whatever stands in it', () => {
    expect(judge('{"a":', free)).toEqual({ type: 'pass' })
  })

  test('is denied when it is empty or breaks off', () => {
    expect(judge(' \n', free)).toMatchObject({ type: 'deny', details: { cause: 'empty' } })
    expect(judge('*** Begin', { ...free, isCut: true })).toMatchObject({
      type: 'deny',
      details: { cause: 'cut' },
    })
  })
})

describe('a tool that was not declared', () => {
  test('is denied with the name that was probably meant', () => {
    expect(judge('{}', { name: 'read' })).toEqual({
      type: 'deny',
      reason: 'There is no tool "read"',
      instead: 'Did you mean "Read"? Call that with the arguments that it takes.',
      details: { outcome: 'denied', cause: 'unknown-tool' },
    })
  })

  test('passes when that is configured, but not with broken arguments', () => {
    const options = { unknownTools: 'pass' } as const
    expect(judge('{"a":1}', { name: 'other' }, options).type).toBe('pass')
    expect(judge('{"a":', { name: 'other' }, options).type).toBe('deny')
  })

  test('passes when the request declares none, or when it is one of a vendor', () => {
    expect(judge('{}', { name: 'other', tools: [] }).type).toBe('pass')
    expect(judge('{}', { name: 'local_shell', dialect: 'local-shell' }).type).toBe('pass')
  })

  test('is found by the name that has its set in front', () => {
    const tools = [{ ...ECHO, namespace: 'mcp' }]
    expect(judge('{"text":"a"}', { name: 'mcp__echo', tools }).type).toBe('pass')
    expect(judge('{"text":{}}', { name: 'mcp__echo', tools }).type).toBe('deny')
  })
})

test('has other settings for some tools, and the first that takes one counts', () => {
  const options: CheckArgumentsOptions = {
    tools: [
      { names: ['Re*'], check: false },
      { names: ['*'], repair: false },
    ],
  }
  expect(judge('{"limit":', {}, options).type).toBe('pass')
  expect(judge('{"text":1}', { name: 'echo' }, options).type).toBe('deny')
})

test('holds tool calls and nothing else', () => {
  expect(checkArgumentsPolicy()).toMatchObject({ name: 'check-arguments', holds: ['tool-call'] })
})

describe('checkArguments', () => {
  test('says what is wrong with an object, or nothing', () => {
    expect(checkArguments(READ, { file_path: '/a' })).toBeUndefined()
    expect(checkArguments(READ, { file_path: 1 })).toBe('file_path: expected string, got number')
    expect(checkArguments(READ, 'text')).toBe('expected object, got string')
  })

  test('takes text for a tool of free text', () => {
    expect(checkArguments(PATCH, 'a')).toBeUndefined()
    expect(checkArguments(PATCH, ' ')).toBe('the text is empty')
    expect(checkArguments(PATCH, { a: 1 })).toBe('expected text, got object')
  })

  test('refuses what is nested too deep to be written', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`) as JsonObject
    expect(checkArguments(ECHO, deep)).toBe('nested too deep')
  })
})

describe('for every call', () => {
  /** Values that models give, right and nearly right. */
  const scalar = fc.oneof(
    fc.constantFrom('5', '5.5', 'true', 'None', '[1', '["a"]', '{"from":"3"}', "{'from': 1,}", ''),
    fc.integer(),
    fc.double({ noNaN: true }),
    fc.boolean(),
    fc.constant(null),
  )
  const value = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('from', 'to', '__proto__'), scalar),
  )
  /** A value that is right, or any. */
  const or = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 6, arbitrary: right }, { weight: 1, arbitrary: value })
  const args = fc.record(
    {
      file_path: or(fc.string()),
      limit: or(fc.constantFrom(1, 5, '7', null)),
      all: or(fc.constantFrom(true, false, 'True')),
      tags: or(fc.oneof(fc.array(fc.string()), fc.string())),
      range: or(fc.constantFrom({ from: 1 }, { from: '1', to: null }, '{"from":2}')),
    },
    { requiredKeys: ['file_path'] },
  )
  const right = fc.record(
    { file_path: fc.string(), limit: fc.integer({ min: 1 }), tags: fc.array(fc.string()) },
    { requiredKeys: ['file_path'] },
  )
  const text = fc.oneof(
    right.map((one) => JSON.stringify(one)),
    fc.tuple(args, value).map(([one, other]) => JSON.stringify({ ...one, other })),
    args.map((one) => JSON.stringify(one)),
    args.map((one) => JSON.stringify(one).replaceAll('"', "'")),
    fc.tuple(args, fc.nat(150)).map(([one, at]) => JSON.stringify(one).slice(0, at)),
    args.map((one) => JSON.stringify(JSON.stringify(one))),
    fc.json(),
    fc.string(),
  )

  test('what comes out fits, judged again it passes, and what passes is what came', () => {
    const seen = { pass: 0, rewrite: 0, deny: 0 }
    fc.assert(
      fc.property(text, fc.boolean(), (one, removeUnknown) => {
        const verdict = judge(one, {}, { removeUnknown })
        seen[verdict.type as keyof typeof seen] += 1
        if (verdict.type !== 'rewrite') return
        expect(checkArguments(READ, verdict.args)).toBeUndefined()
        expect(judge(JSON.stringify(verdict.args), {}, { removeUnknown })).toEqual({ type: 'pass' })
      }),
      { numRuns: 1500 },
    )
    // Each of the three must have been seen, or nothing was shown.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(10)
  })
})
