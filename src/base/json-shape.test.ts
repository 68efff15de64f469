import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonShape } from './json-shape.ts'

describe('single cases', () => {
  const cases: Readonly<Record<ReturnType<typeof jsonShape>, readonly string[]>> = {
    empty: ['', ' ', '\n\t\r '],
    whole: ['{}', '[]', '""', '0', 'null', ' {"a":[1,{"b":"\\u00e9"}]} ', '-1.5e+3', '"\u2028"'],
    cut: [
      '{',
      '[',
      '"',
      '{"',
      '{"a',
      '{"a"',
      '{"a":',
      '{"a":1',
      '{"a":1,',
      '{"a":tr',
      '[1,',
      '[-',
      '[1.',
      '[1e',
      '[1e+',
    ],
    broken: [
      '}',
      ']',
      ',',
      ':',
      '{]',
      '[}',
      '{}}',
      '{} {}',
      '{,',
      '[,',
      '{"a"}',
      '{"a":}',
      '{"a":1,}',
      '[1,]',
      '{a',
      '{1',
    ],
  }
  for (const [shape, texts] of Object.entries(cases)) {
    test(`calls these ${shape}`, () => {
      expect(texts.map((text) => [text, jsonShape(text)])).toEqual(
        texts.map((text) => [text, shape]),
      )
    })
  }

  test('calls a string cut inside an escape', () => {
    for (const text of ['"\\', '"\\u', '"\\u1', '"\\u00e', '{"a\\'])
      expect(jsonShape(text)).toBe('cut')
  })

  test('calls a bad escape, a bare control character and a single quote broken', () => {
    for (const text of ['"\\x', '"\\u00g', '"\n', '"a\tb"', "'", "{'a"])
      expect(jsonShape(text)).toBe('broken')
  })

  test('calls numbers and words that JSON does not have broken', () => {
    for (const text of [
      '01',
      '[01',
      '+1',
      '.5',
      '[.',
      '[1.e',
      '[1.e5',
      '[--',
      '[1e1.',
      'nul ',
      'nulll',
      'True',
      'NaN',
      'undefined',
    ])
      expect([text, jsonShape(text)]).toEqual([text, 'broken'])
  })

  test('calls space that JSON does not know broken', () => {
    for (const text of ['\u00a0', '\uFEFF', '{\u00a0', '\v'])
      expect([text, jsonShape(text)]).toEqual([text, 'broken'])
  })

  test('is not troubled by hostile nesting', () => {
    expect(jsonShape('['.repeat(1_000_000))).toBe('cut')
    expect(jsonShape(`${'['.repeat(1_000_000)}}`)).toBe('broken')
  })
})

describe('properties', () => {
  const structured = fc
    .oneof(fc.object(), fc.array(fc.jsonValue()), fc.string({ unit: 'binary' }))
    .map((value) => JSON.stringify(JSON.parse(JSON.stringify(value))))

  test('all that JSON.stringify writes is whole, with any space around it', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('', ' ', '\n\t'),
        fc.nat(4),
        (value, space, indent) => {
          expect(jsonShape(space + JSON.stringify(value, null, indent) + space)).toBe('whole')
        },
      ),
    )
  })

  test('each beginning of an object, a list or a string is cut, and nothing is empty', () => {
    fc.assert(
      fc.property(structured, (text) => {
        expect(jsonShape('')).toBe('empty')
        for (let end = 1; end < text.length; end++)
          expect([text.slice(0, end), jsonShape(text.slice(0, end))]).toEqual([
            text.slice(0, end),
            'cut',
          ])
      }),
    )
  })

  test('more after a whole object is broken', () => {
    fc.assert(
      fc.property(
        fc.object(),
        fc.constantFrom('{', '[', '"', '0', 't', '}', ']', ',', ':'),
        (value, more) => {
          expect(jsonShape(JSON.stringify(value) + more)).toBe('broken')
        },
      ),
    )
  })

  test('says cut exactly when JSON.parse refuses the text and some continuation would please it', () => {
    // Short texts of the characters that matter, most of them wrong in some way.
    const text = fc.string({
      unit: fc.constantFrom(...'{}[]",:01.eE+-tn\\u '),
      minLength: 1,
      maxLength: 7,
    })
    fc.assert(
      fc.property(text, (one) => {
        const shape = jsonShape(one)
        const expected =
          one.trim() === '' ? 'empty' : parses(one) ? 'whole' : canGoOn(one) ? 'cut' : 'broken'
        expect([one, shape]).toEqual([one, expected])
      }),
      { numRuns: 3000 },
    )
  })
})

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** What may end a token, what may stand before the brackets close, and how they may close. */
const TOKEN_ENDS = [
  '',
  '0',
  '"',
  '\\"',
  '00"',
  '000"',
  '0000"',
  'u0000"',
  'rue',
  'ue',
  'e',
  'ull',
  'll',
  'l',
]
const FILLINGS = ['', '0', ':0', '"a":0']
const CLOSINGS = closings(7)

function closings(depth: number): string[] {
  if (depth === 0) return ['']
  const inner = closings(depth - 1)
  return depth > 3
    ? [...inner, ']'.repeat(depth), '}'.repeat(depth)]
    : ['', ...inner.flatMap((rest) => [`]${rest}`, `}${rest}`])]
}

/** Looks for a continuation by trying: slow, and without any of the code under test. */
function canGoOn(text: string): boolean {
  const open = [...text].filter((char) => char === '{' || char === '[').length
  for (const end of TOKEN_ENDS)
    for (const filling of FILLINGS)
      for (const closing of CLOSINGS)
        if (closing.length <= open && parses(text + end + filling + closing)) return true
  return false
}
