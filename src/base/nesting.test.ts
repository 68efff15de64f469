import { expect, test } from 'vitest'
import { isNestedDeeper } from './nesting.ts'

const nest = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

test('counts how deep JSON is, whatever stands beside', () => {
  expect(isNestedDeeper({ a: [1, { b: 'c' }], d: nest(10) }, 11)).toBe(false)
  expect(isNestedDeeper({ a: [1, { b: 'c' }], d: nest(12) }, 11)).toBe(true)
  expect(isNestedDeeper(nest(100_000), 512)).toBe(true)
  expect(isNestedDeeper('[[[', 0)).toBe(false)
})
