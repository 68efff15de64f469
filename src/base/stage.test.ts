import { expect, test } from 'vitest'
import { chain, type Stage } from './stage.ts'

/** Gives out words at each space, and the last one at the end. */
function createWords(): Stage<string, string> {
  let held = ''
  return {
    push(text) {
      const words = (held + text).split(' ')
      held = words.pop() ?? ''
      return words
    },
    end: () => (held === '' ? [] : [held]),
  }
}

/** Gives out two words as one. */
function createPairs(): Stage<string, string> {
  let first: string | undefined
  return {
    push(word) {
      if (first === undefined) {
        first = word
        return []
      }
      const pair = `${first}-${word}`
      first = undefined
      return [pair]
    },
    end: () => (first === undefined ? [] : [`${first}!`]),
  }
}

test('hands what the first stage completes to the second, at once', () => {
  const stage = chain(createWords(), createPairs())
  expect(stage.push('a b')).toEqual([])
  expect(stage.push(' c d e')).toEqual(['a-b', 'c-d'])
})

test('ends the first stage before the second', () => {
  const stage = chain(createWords(), createPairs())
  stage.push('a b')
  expect(stage.end()).toEqual(['a-b'])
  const odd = chain(createWords(), createPairs())
  odd.push('a')
  expect(odd.end()).toEqual(['a!'])
})

test('makes a stage that can be chained again', () => {
  const upper: Stage<string, string> = { push: (text) => [text.toUpperCase()], end: () => ['END'] }
  const stage = chain(chain(createWords(), createPairs()), upper)
  expect(stage.push('a b c')).toEqual(['A-B'])
  expect(stage.end()).toEqual(['C!', 'END'])
})

test('carries more items at once than a call has room for arguments', () => {
  const many: Stage<number, number> = {
    push: (count) => Array.from({ length: count }, (_, i) => i),
    end: () => [],
  }
  const same: Stage<number, number> = { push: (one) => [one], end: () => [] }
  expect(chain(many, same).push(300_000)).toHaveLength(300_000)
})
