import { expect, test } from 'vitest'
import type { Price } from '../store/settings.ts'
import { createCosts } from './prices.ts'

const price = (model: string, input: number, output: number, more: Partial<Price> = {}): Price => ({
  model,
  input,
  output,
  cacheRead: undefined,
  cacheWrite: undefined,
  ...more,
})

const USED = { inputTokens: 1000, cacheReadTokens: 1000, cacheWriteTokens: 1000, outputTokens: 100 }

test('a cost is in millionths of a dollar, each token at the price of its kind', () => {
  const costOf = createCosts([])
  // 3 + 0.3 + 3.75 dollars for a million of input, 15 of output.
  expect(costOf('claude-sonnet-4-5-20250929', USED)).toBe(3000 + 300 + 3750 + 1500)
  expect(costOf('gpt-4o', USED)).toBe(2500 + 1250 + 2500 + 1000)
})

test('a model that is not in the table has no cost, and neither has an unknown usage', () => {
  const costOf = createCosts([])
  expect(costOf('qwen3-coder', USED)).toBeUndefined()
  expect(costOf('gpt-4o', undefined)).toBeUndefined()
  expect(costOf(undefined, USED)).toBeUndefined()
})

test('prices of the config stand in front, the first that fits wins, and what they leave out is by the vendor', () => {
  const costOf = createCosts([
    price('claude-*-batch', 1, 2, { cacheRead: 0, cacheWrite: 0 }),
    price('claude-*', 10, 20),
    price('local-*', 0, 0),
    price('other', 10, 20),
  ])
  expect(costOf('claude-x-batch', USED)).toBe(1000 + 200)
  expect(costOf('claude-sonnet-4-5', USED)).toBe(10_000 + 1000 + 12_500 + 2000)
  expect(costOf('local-llama', USED)).toBe(0)
  expect(costOf('other', USED)).toBe(10_000 + 5000 + 10_000 + 2000)
})

test('a name that a reseller has put its own in front of costs the same', () => {
  const costOf = createCosts([])
  const plain = costOf('claude-sonnet-4-5', USED)
  for (const name of [
    'anthropic/claude-sonnet-4-5',
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'openrouter/anthropic/claude-sonnet-4-5',
    'Claude-Sonnet-4-5',
  ])
    expect(costOf(name, USED)).toBe(plain)
})

test('counts that cannot be are not paid for', () => {
  const costOf = createCosts([price('m', 1, 1)])
  expect(costOf('m', { inputTokens: -5, outputTokens: Number.NaN })).toBe(0)
})
