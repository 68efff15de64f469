import { expect, test } from 'vitest'
import { toEdit, toOffset } from './code-keys.ts'

/** The text with `|` at both ends of what is selected → the same after a key. */
function press(key: string, marked: string, isBack = false): string {
  const start = marked.indexOf('|')
  const end = marked.lastIndexOf('|') - (marked.lastIndexOf('|') > start ? 1 : 0)
  const value = marked.replaceAll('|', '')
  const edit = toEdit(key, isBack, { value, start, end })
  if (edit === undefined) return marked
  const after = `${value.slice(0, edit.from)}${edit.text}${value.slice(edit.to)}`
  const caret = edit.from + edit.text.length
  const [from, to] = edit.select ?? [caret, caret]
  return from === to
    ? `${after.slice(0, from)}|${after.slice(from)}`
    : `${after.slice(0, from)}|${after.slice(from, to)}|${after.slice(to)}`
}

test('Tab puts spaces in, and moves all lines that are selected', () => {
  expect(press('Tab', 'a|b')).toBe('a  |b')
  expect(press('Tab', 'a\nb|c\n\nd|e')).toBe('a\n  b|c\n\n  d|e')
  expect(press('Tab', 'a\n  b|c\n d|e', true)).toBe('a\nb|c\nd|e')
  expect(press('Tab', ' |b', true)).toBe('|b')
})

test('Enter keeps the indentation, and goes deeper behind a colon and below a dash', () => {
  expect(press('Enter', '  a: b|')).toBe('  a: b\n  |')
  expect(press('Enter', '  deny:|')).toBe('  deny:\n    |')
  expect(press('Enter', '  - use: rules|')).toBe('  - use: rules\n    |')
  expect(press('Enter', 'reason: |>-|'.replace('|>-|', '>-|'))).toBe('reason: >-\n  |')
})

test('other keys are left alone', () => {
  expect(toEdit('a', false, { value: '', start: 0, end: 0 })).toBeUndefined()
})

test('a place is found by its line and column, and never behind the end', () => {
  expect(toOffset('ab\ncd', 2, 2)).toBe(4)
  expect(toOffset('ab\ncd', 1, 99)).toBe(2)
  expect(toOffset('ab\ncd', 9, 1)).toBe(5)
})
