import { expect, test } from 'vitest'
import { mergeUsage, totalInput, toUsage } from './usage.ts'

test('lets the later word win, field by field', () => {
  const before = { inputTokens: 5, cacheReadTokens: 2, outputTokens: 1 }
  expect(mergeUsage(before, { inputTokens: 3, outputTokens: 9 })).toEqual({
    inputTokens: 3,
    cacheReadTokens: 2,
    outputTokens: 9,
  })
})

test('keeps the one that is there', () => {
  const usage = { outputTokens: 1 }
  expect(mergeUsage(undefined, usage)).toBe(usage)
  expect(mergeUsage(usage, undefined)).toBe(usage)
  expect(mergeUsage(undefined, undefined)).toBeUndefined()
})

test('leaves out what nobody said, and is nothing when nobody said anything', () => {
  expect(toUsage({ inputTokens: 0, outputTokens: undefined })).toEqual({ inputTokens: 0 })
  expect(toUsage({ inputTokens: undefined })).toBeUndefined()
})

test('counts each token of the input once', () => {
  expect(
    totalInput({ inputTokens: 1, cacheReadTokens: 20, cacheWriteTokens: 300, outputTokens: 4000 }),
  ).toBe(321)
  expect(totalInput({})).toBe(0)
})
