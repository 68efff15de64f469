import { expect, test } from 'vitest'
import { readOptions } from './options.ts'

test('a soak is as long as its guide says, where nothing else is said', () => {
  expect(readOptions([], 1_234_567)).toEqual({
    exchanges: 100_000,
    open: 2000,
    minutes: 30,
    isTimed: false,
    seed: 234_567,
    isShort: false,
    only: undefined,
  })
  expect(readOptions(['--short', '--minutes', '1'])).toMatchObject({
    exchanges: 400,
    open: 200,
    isTimed: true,
  })
  expect(readOptions(['--help'])).toBe('help')
})

test.each([
  [['--exchanges', 'many'], '--exchanges takes a whole number from 1 on: got "many"'],
  [['--exchanges', '0'], '--exchanges takes a whole number from 1 on: got "0"'],
  [['--seed', '-1'], /--seed/],
  [['--open', '1.5'], '--open takes a whole number from 0 on: got "1.5"'],
  [['--only='], '--only takes a whole number from 0 on: got ""'],
  [['--shrot'], /Unknown option '--shrot'/],
])('what it cannot be asked for is said: %s', (args, message) => {
  expect(() => readOptions(args)).toThrow(message)
})
