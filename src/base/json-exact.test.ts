import fc from 'fast-check'
import { expect, test } from 'vitest'
import { losesDigits, parseExactObject, stringifyExact } from './json-exact.ts'

test.each([
  '{"id":1234567890123456789}',
  '{"a":[-9007199254740993,{"b":0.12345678901234567891}],"c":"9007199254740993"}',
  '{"a":1e400,"b":-1E-400,"c":123456789012345678e-3}',
  '{"a\\"1234567890123456789":1234567890123456789,"s":"\\\\"}',
])('each digit stays: %s', (text) => {
  expect(stringifyExact(parseExactObject(text))).toBe(text)
})

test('a number is found wherever it stands among long texts', () => {
  const long = JSON.stringify('4E671 \\" 1234567890123456789 '.repeat(400))
  for (const [number, isLost] of [
    ['1234567890123456789', true],
    ['1e400', true],
    ['-1E-400', true],
    ['12345', false],
    ['1e3', false],
  ] as const)
    for (const text of [
      `{"a":${long},"n":${number}}`,
      `{"n":${number},"a":${long}}`,
      `{${long}:[${long},${number},"",${long}]}`,
      `{"a":[${'1,'.repeat(3000)}${number}]}`,
    ])
      expect([text.slice(0, 20), number, losesDigits(text)]).toEqual([
        text.slice(0, 20),
        number,
        isLost,
      ])
})

test.each([
  ['{"a":1.0}', '{"a":1}'],
  ['{"a":1000000000000000000000}', '{"a":1e+21}'],
  ['{"a":100000000000000000000}', '{"a":100000000000000000000}'],
  ['{"a":0.1000000000000000000}', '{"a":0.1}'],
  ['{"a":0e999,"b":-0.0000000000000000000}', '{"a":0,"b":0}'],
])('the same number in other words is a plain number: %s', (text, written) => {
  const value = parseExactObject(text)
  expect(Object.values(value ?? {}).every((one) => typeof one === 'number')).toBe(true)
  expect(stringifyExact(value)).toBe(written)
})

test('whoever else writes it gets the number that the engine makes of it', () => {
  const value = parseExactObject('{"a":{"id":1234567890123456789}}')
  expect(JSON.stringify(value)).toBe('{"a":{"id":1234567890123456800}}')
})

test.each([
  '',
  '[1234567890123456789]',
  '{"a":1234567890123456789',
  '{"a":-}',
  '{"a":01234567890123456789}',
  '{1234567890123456789:1}',
])('what is no object in JSON is none: %s', (text) => {
  expect(parseExactObject(text)).toBeUndefined()
})

test('what is nested deeper than can be walked is read as ever', () => {
  const deep = `{"n":1234567890123456789,"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  expect(parseExactObject(deep)?.['n']).toBe(1234567890123456800)
})

test('any JSON is what it was', () => {
  const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
  fc.assert(
    fc.property(json, fc.bigInt(), (value, id) => {
      const text = JSON.stringify({ ...value, id: 0 }).replace(/"id":0\}$/, `"id":${id}}`)
      expect(stringifyExact(parseExactObject(text))).toBe(
        Number.isSafeInteger(Number(id)) ? JSON.stringify(JSON.parse(text)) : text,
      )
    }),
    { numRuns: 300 },
  )
})

test('a long text costs no more than a look', () => {
  const text = JSON.stringify({ a: '1234567890123456'.repeat(100_000), b: '0'.repeat(1_000_000) })
  const started = performance.now()
  expect(stringifyExact(parseExactObject(text))).toBe(text)
  const number = `{"a":${'0'.repeat(1)}.${'0'.repeat(500_000)}1}`
  expect(stringifyExact(parseExactObject(number))).toBe(number)
  expect(performance.now() - started).toBeLessThan(1000)
})
