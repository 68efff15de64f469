import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mend } from './mend.ts'
import { repairJson } from './repair-json.ts'

const repaired = (text: string): unknown => {
  const made = repairJson(text)
  return made === undefined ? undefined : JSON.parse(made.text)
}

describe('puts right', () => {
  test.each([
    ['a trailing comma', '{"a":[1,2,],"b":{"c":1,},}', { a: [1, 2], b: { c: 1 } }],
    ['single quotes', `{'a': 'it is "x"', 'b': 'don\\'t'}`, { a: 'it is "x"', b: "don't" }],
    ['bare keys', '{path: "x", max_lines: 3, $a-b: 1}', { path: 'x', max_lines: 3, '$a-b': 1 }],
    ['raw line breaks in strings', '{"a":"one\ntwo\tthree\r\n"}', { a: 'one\ntwo\tthree\r\n' }],
    ["Python's literals", "{'a': True, 'b': False, 'c': None}", { a: true, b: false, c: null }],
    ["Python's escapes", String.raw`{'a': 'x\x41A\n'}`, { a: 'xAA\n' }],
    ['a code fence', '```json\n{"a":1}\n```', { a: 1 }],
    ['a code fence on one line', '```{"a":1}```', { a: 1 }],
    ['the end of a code fence', '{"a":1}\n```', { a: 1 }],
    ['code marks', '`{"a":1}`', { a: 1 }],
    ['space of other kinds around it', '\uFEFF {"a":1}', { a: 1 }],
    ['a bracket too many', '{"a":[1]}}', { a: [1] }],
    ['a bracket left out before the last', '{"a":[1,{"b":2]}', { a: [1, { b: 2 }] }],
    ['an empty object in front', '{}{"a":1}', { a: 1 }],
    ['the same written twice', '{"a":1}\n{"a":1}', { a: 1 }],
    ['a missing end behind a string', '{"a":{"b":"x"', { a: { b: 'x' } }],
    ['a missing end behind a literal', '{"a":true', { a: true }],
    ['a missing end behind a number that is over', '{"a":[12\n', { a: [12] }],
  ])('%s', (_name, text, value) => {
    expect(repaired(text)).toEqual(value)
  })

  test('and says what it did, each once', () => {
    expect(repairJson("{'a': True, b: [1,], 'c': 'x',}")?.repairs).toEqual([
      'single-quotes',
      'python-literal',
      'bare-key',
      'trailing-comma',
    ])
  })

  test('and keeps the digits of a number', () => {
    expect(repairJson('{"id":12345678901234567890,}')?.text).toBe('{"id":12345678901234567890}')
  })

  test('a name that objects have anyway', () => {
    expect(repairJson('{__proto__: {"a": 1}, "constructor": 2}')?.text).toBe(
      '{"__proto__":{"a":1},"constructor":2}',
    )
  })
})

describe('gives up', () => {
  test.each([
    ['on nothing', ' '],
    ['on words', 'I will now list the files'],
    ['on words before it', 'Sure: {"a":1}'],
    ['on a string that breaks off', '{"command":"rm -rf /tmp/x'],
    ['on a number that breaks off', '{"limit":12'],
    ['on a word that breaks off', '{"all":tru'],
    ['on a key without a value', '{"a":1,"b"'],
    ['behind a colon', '{"a":'],
    ['behind a comma', '{"a":1,'],
    ['on an object that has just begun', '{"a":{'],
    ['on a quote inside a string', '{"command":"echo "hi""}'],
    ['on an apostrophe inside single quotes', "{'a': 'it's'}"],
    ['on an escape that may be meant', String.raw`{"pattern":"\d+",}`],
    ['on an apostrophe that a shell may need escaped', String.raw`{"command":"echo 'it'\''s'",}`],
    ['on a missing comma', '{"a":1 "b":2}'],
    ['on two commas', '{"a":1,,"b":2}'],
    ['on numbers of other tongues', '{"a":007}'],
    ['on a bare text', '{"a": hello}'],
    ['on two different objects', '{"a":1}{"a":2}'],
    ['on brackets that do not end the outermost', '{"a":[{"b":1]'],
    ['on wrong brackets in the middle', '{"a":{"b":1],"c":2}'],
    ['on hostile nesting', '['.repeat(100_000)],
    ['on nesting that could not be walked', `${'['.repeat(600)}1,${']'.repeat(600)}`],
    ['on a number with a word behind it', '{"a": 12px}'],
    ['on too much', `{"a":"${'x'.repeat(1_000_000)}",}`],
  ])('%s', (_name, text) => {
    expect(repairJson(text)).toBeUndefined()
  })
})

test('tells where it was open when the end was missing', () => {
  expect(mend('{"a":{"b":[{"c":1},{"d":"x"')?.open).toEqual(['a', 'b', 1])
  expect(mend('{"a":{"b":1}')?.open).toEqual([])
  expect(mend('{"a":{"b":1},}')?.open).toBeUndefined()
})

describe('for every text', () => {
  const json = fc.json()
  /** What models make of JSON, and rubbish. */
  const nearly = fc.oneof(
    fc.tuple(json, fc.nat(200)).map(([text, at]) => text.slice(0, at)),
    fc
      .tuple(json, fc.nat(200), fc.constantFrom(...'{}[]",:\'`\\ \n'))
      .map(([text, at, char]) => text.slice(0, at) + char + text.slice(at)),
    json.map((text) => text.replaceAll('"', "'").replaceAll('true', 'True')),
    fc.string({ unit: fc.constantFrom(...'{}[]",:\'`\\ \n10eaT-.') }),
  )

  test('JSON stays as it is', () => {
    fc.assert(
      fc.property(json, fc.constantFrom('', ' ', '\n\t'), (text, space) => {
        const whole = space + text + space
        expect(repairJson(whole)).toEqual({ text: whole, repairs: [] })
      }),
    )
  })

  test('what comes out is JSON, and repairing it again changes nothing', () => {
    fc.assert(
      fc.property(nearly, (text) => {
        const made = repairJson(text)
        if (made === undefined) return
        expect(() => void JSON.parse(made.text)).not.toThrow()
        expect(repairJson(made.text)).toEqual({ text: made.text, repairs: [] })
      }),
      { numRuns: 1000 },
    )
  })

  test('a value that is written by other rules comes back as it was', () => {
    const values = fc.object({
      maxDepth: 3,
      values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null)],
    })
    fc.assert(
      fc.property(values, (value) => {
        expect(repaired(toPython(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('no beginning of JSON becomes other words than it has', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer())),
        fc.nat(100),
        (value, at) => {
          const made = repaired(JSON.stringify(value).slice(0, at))
          if (made === undefined) return
          for (const [key, one] of Object.entries(made as object)) expect(value[key]).toEqual(one)
        },
      ),
    )
  })
})

/** As `repr` writes it, with a comma behind each item. */
function toPython(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((one) => `${toPython(one)}, `).join('')}]`
  if (typeof value === 'string') return toQuoted(value)
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return String(value)
  const members = Object.entries(value as object)
  return `{${members.map(([key, one]) => `${toQuoted(key)}: ${toPython(one)},\n`).join('')}}`
}

const toQuoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
