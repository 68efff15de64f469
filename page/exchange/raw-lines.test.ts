import { expect, test } from 'vitest'
import { toLines } from './raw-lines.ts'

test('lines stay lines, also empty ones', () => {
  expect(toLines('a\n\nb\n')).toEqual(['a', '', 'b', ''])
  expect(toLines('')).toEqual([''])
})

test('a long line is cut behind a space or a comma', () => {
  expect(toLines('one two,three four', 10)).toEqual(['one two,', 'three four'])
})

test('a line without such a place is cut all the same, and no character in two', () => {
  expect(toLines('abcdef', 4)).toEqual(['abcd', 'ef'])
  const lines = toLines('abc🙂def', 4)
  expect(lines).toEqual(['abc', '🙂de', 'f'])
  expect(toLines('🙂🙂', 1).join('')).toBe('🙂🙂')
})
