import { expect, test } from 'vitest'
import { createLater } from './later.ts'

const WIRE = 'openai-responses'
const noted = (id: string, bytes = 10) => ({ id, wire: WIRE, bytes, make: () => id }) as const

test('an answer is taken once, by its owner', () => {
  const later = createLater<string>()
  later.note('ann', noted('a'))
  expect(later.take('bob', WIRE, 'a')).toBeUndefined()
  expect(later.take('ann', 'anthropic-messages', 'a')).toBeUndefined()
  expect(later.take('ann', WIRE, 'a')).toBe('a')
  expect(later.take('ann', WIRE, 'a')).toBeUndefined()
})

test('the oldest are forgotten, by bytes and by number', () => {
  const later = createLater<string>(100, 3)
  for (const id of ['a', 'b', 'c', 'd']) later.note('ann', noted(id))
  expect(later.take('ann', WIRE, 'a')).toBeUndefined()
  later.note('ann', noted('e', 26))
  expect(later.take('ann', WIRE, 'e')).toBeUndefined()
  for (const id of ['f', 'g', 'h', 'i', 'f']) later.note('ann', noted(id, 25))
  expect(['b', 'g', 'h', 'i', 'f'].map((id) => later.take('ann', WIRE, id))).toEqual([
    undefined,
    undefined,
    'h',
    'i',
    'f',
  ])
})
