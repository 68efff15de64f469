import { expect, test } from 'vitest'
import { toComparable } from './request-changes.ts'

const item = (at: number): object => ({ role: 'user', content: `turn ${at}` })
const items = (count: number): object[] => Array.from({ length: count }, (_, at) => item(at))

test('what is the same in both lists is counted and not shown', () => {
  const { before, after } = toComparable(
    { model: 'a', messages: items(1000) },
    { model: 'b', messages: items(1000).with(998, { role: 'user', content: 'changed' }) },
  )
  expect(before).toContain('"model": "a"')
  expect(before).toContain('… 997 items that are the same …')
  expect(before).toContain('turn 998')
  expect(after).toContain('changed')
  expect(after.split('\n').length).toBeLessThan(30)
})

test('two long texts that differ in the middle are told apart', () => {
  const text = 'a'.repeat(2000)
  const { before, after } = toComparable(
    { system: `${text}b${text}` },
    { system: `${text}c${text}` },
  )
  expect(before.length).toBeLessThan(600)
  expect(before).not.toBe(after)
})

test('what is only there on one side stays there, whatever its name is', () => {
  const before: unknown = JSON.parse('{"__proto__":{"a":1},"x":1}')
  expect(toComparable(before, {})).toEqual({
    before: '{\n  "__proto__": {\n    "a": 1\n  },\n  "x": 1\n}',
    after: '{}',
  })
  expect(toComparable(undefined, { a: 1 }).before).toBe('')
})
