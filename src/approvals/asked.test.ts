import fc from 'fast-check'
import { expect, test } from 'vitest'
import '../../test/support/seed.ts'
import { squeeze } from './asked.ts'

test('white space between tokens makes no difference, whatever is in the strings', () => {
  const same = fc.property(fc.json(), fc.constantFrom(1, 2, '\t', ' \n'), (json, space) => {
    const spread = JSON.stringify(JSON.parse(json), null, space)
    expect(squeeze(spread)).toBe(JSON.stringify(JSON.parse(json)))
  })
  fc.assert(same)
})

test('what differs in more than white space stays different', () => {
  expect(squeeze('{"a": 1, "a": 2}')).toBe('{"a":1,"a":2}')
  expect(squeeze('{"a": 9007199254740993}')).toBe('{"a":9007199254740993}')
  expect(squeeze('{"a": "\\" b "}')).toBe('{"a":"\\" b "}')
})

test('an end within a string is taken as it is', () => {
  for (const cut of ['"a ', '"a \\', '']) expect(squeeze(cut)).toBe(cut)
})
