import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createInputText } from './input-text.ts'

function unwrap(...pieces: string[]) {
  const input = createInputText()
  const texts = pieces.map((piece) => input.push(piece))
  const last = input.end()
  return { texts, text: texts.join('') + last, isCut: input.isCut }
}

test('the text comes out as soon as it is certain', () => {
  const { texts, text, isCut } = unwrap(
    '{"in',
    'put": "a',
    'b\\',
    'nc\\u00',
    'e9\\ud83d',
    '\\ude00"',
    '}',
  )
  expect(texts).toEqual(['', 'a', 'b', '\nc', 'é', '😀', ''])
  expect(text).toBe('ab\ncé😀')
  expect(isCut).toBe(false)
})

test('half a character waits for the other half, also where it is not escaped', () => {
  expect(unwrap('{"input":"\ud83d', '\ude00"}').texts).toEqual(['', '😀'])
  expect(unwrap('{"input":"\\ud83d', 'x"}').text).toBe('\ud83dx')
})

describe('anything else is taken as it is', () => {
  test.each([
    '{}',
    '{"patch":"x"}',
    '{"input":1}',
    '["x"]',
    '"x"',
    'plain words',
    '{"inputs":"x"}',
  ])('%s', (json) => {
    expect(unwrap(json)).toMatchObject({ text: json, isCut: false })
    expect(unwrap(...json)).toMatchObject({ text: json, isCut: false })
  })

  test('space without end', () => {
    const json = `{${' '.repeat(2000)}"input":"x"}`
    expect(unwrap(json).text).toBe(json)
    expect(unwrap(...json).text).toBe(json)
  })
})

test('nothing is no text', () => {
  expect(unwrap()).toMatchObject({ text: '', isCut: false })
})

test('what follows the closing quote is left out', () => {
  expect(unwrap('{"input":"x","more":1}').text).toBe('x')
})

test('an escape that JSON does not know stays', () => {
  expect(unwrap('{"input":"\\d \\u12g \n"}').text).toBe('\\d \\u12g \n')
})

test.each<[string, string]>([
  ['{"input":"abc', 'abc'],
  ['{"input":"abc\\u00', 'abc'],
  ['{"inp', '{"inp'],
  ['{"patch":"abc', '{"patch":"abc'],
])('a text that stops in the middle is cut: %s', (json, text) => {
  expect(unwrap(json)).toMatchObject({ text, isCut: true })
})

/** What is hard about text: escapes, halves of characters, signs of JSON. */
const words = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '/', '\n', '\0', 'u', 'é', '😀', '\ud83d', '\ude00', '}'),
  maxLength: 30,
})

const cuts = fc.array(fc.nat(200), { maxLength: 12 })

function split(text: string, at: readonly number[]): string[] {
  const places = [...new Set(at.filter((place) => place < text.length))].sort((a, b) => a - b)
  return [0, ...places].map((from, index) => text.slice(from, places[index]))
}

test('any text comes back exactly, however its JSON was written and cut', () => {
  const json = fc
    .tuple(words, fc.boolean(), fc.constantFrom(0, 1))
    .map(([text, isAscii, space]) => {
      const whole = JSON.stringify({ input: text }, null, space)
      const escaped = whole.replace(
        /[^ -~\n]/g,
        (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
      return [text, isAscii ? escaped : whole] as const
    })
  fc.assert(
    fc.property(json, cuts, ([text, whole], at) => {
      expect(unwrap(...split(whole, at))).toMatchObject({ text, isCut: false })
    }),
    { numRuns: 100 },
  )
})

test('what comes out never depends on the cuts', () => {
  const piece = fc.constantFrom(
    '{',
    '"input"',
    ':',
    '"',
    '\\',
    'u',
    'd83d',
    'n',
    ' ',
    '}',
    'x',
    ',',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), cuts, (pieces, at) => {
      const whole = pieces.join('')
      const one = unwrap(whole)
      const cut = unwrap(...split(whole, at))
      expect([cut.text, cut.isCut]).toEqual([one.text, one.isCut])
    }),
    { numRuns: 500 },
  )
})
