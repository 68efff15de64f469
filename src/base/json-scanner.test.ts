import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createJsonScanner } from './json-scanner.ts'

/** After how many characters the scanner says that the text is over. */
function overAt(text: string): number | undefined {
  const scanner = createJsonScanner()
  for (let at = 0; at < text.length; at++) if (scanner.feed(text.charAt(at))) return at + 1
  return undefined
}

const brackets = fc
  .oneof(fc.object(), fc.array(fc.jsonValue()))
  .map((value) => JSON.stringify(value))

test('says that an object or a list is over with its last bracket, and not before', () => {
  fc.assert(
    fc.property(brackets, (text) => {
      expect(overAt(text)).toBe(text.length)
    }),
  )
})

test('says the same however the text is cut', () => {
  fc.assert(
    fc.property(brackets, fc.string(), fc.array(fc.nat(60)), (text, rest, cuts) => {
      const scanner = createJsonScanner()
      const whole = text + rest
      const places = [
        0,
        ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b),
        whole.length,
      ]
      let fed = 0
      for (let i = 1; i < places.length; i++) {
        fed = places[i] ?? 0
        expect(scanner.feed(whole.slice(places[i - 1], fed))).toBe(fed >= text.length)
      }
    }),
  )
})

test('stays over, whatever comes then', () => {
  const scanner = createJsonScanner()
  expect(scanner.feed('{}')).toBe(true)
  expect(scanner.feed('{"a":')).toBe(true)
  expect(scanner.feed('')).toBe(true)
})

test('does not count brackets and quotes in strings', () => {
  expect(overAt('{"a":"}]{[\\"}\\\\"}')).toBe(17)
})

test('never says that a text without brackets is over', () => {
  for (const text of ['', '"a"', 'null', '12', '"{}"', '   ']) expect(overAt(text)).toBeUndefined()
})
