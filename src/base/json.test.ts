import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isObject, parseObject, toCount, toList, toObject, toText } from './json.ts'

test('takes only plain objects for objects', () => {
  expect(isObject({})).toBe(true)
  for (const value of [null, undefined, [], 'a', 1, true]) {
    expect(isObject(value)).toBe(false)
    expect(toObject(value)).toBeUndefined()
  }
})

test('takes null and the empty string for absent text', () => {
  expect(toText('a')).toBe('a')
  for (const value of ['', null, undefined, 1, {}, []]) expect(toText(value)).toBeUndefined()
})

test('takes only numbers that can count something', () => {
  expect(toCount(0)).toBe(0)
  for (const value of [-1, Number.NaN, Number.POSITIVE_INFINITY, '1', null])
    expect(toCount(value)).toBeUndefined()
})

test('gives an empty list for what is no list', () => {
  expect(toList([1])).toEqual([1])
  for (const value of [null, undefined, {}, 'ab']) expect(toList(value)).toEqual([])
})

test('parses any text without throwing, and gives objects only', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const parsed = parseObject(text)
      expect(parsed === undefined || isObject(parsed)).toBe(true)
    }),
  )
  expect(parseObject('{"a":1}')).toEqual({ a: 1 })
  expect(parseObject('[1]')).toBeUndefined()
})
