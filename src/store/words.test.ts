import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toAskedWords, toWords } from './words.ts'

test('a text has each of its words once, in lower case and without accents', () => {
  expect(toWords('Löschen, LÖSCHEN: git push --force; git')).toEqual([
    'loschen',
    'git',
    'push',
    'force',
  ])
  expect(toWords('get_weather(x1) ﬁn')).toEqual(['get', 'weather', 'x1', 'fin'])
})

test('writing without spaces is cut into its signs', () => {
  expect(toWords('abc你好世界123 한국어')).toEqual([
    'abc',
    '你',
    '好',
    '世',
    '界',
    '123',
    '한국어'.normalize('NFKD'),
  ])
})

test('the last word is open only where nothing stands behind it and it says enough', () => {
  expect(toAskedWords('git pus')).toEqual({ words: ['git', 'pus'], isOpen: true })
  expect(toAskedWords('git pus ')).toEqual({ words: ['git', 'pus'], isOpen: false })
  expect(toAskedWords('git pu')).toEqual({ words: ['git', 'pu'], isOpen: false })
  expect(toAskedWords('--')).toEqual({ words: [], isOpen: false })
})

test('words have limits, however long the text is', () => {
  const words = toWords(Array.from({ length: 100_000 }, (_, i) => i.toString(36)).join(' '))
  expect(words.length).toBe(5_000)
  expect(toWords('x'.repeat(1_000_000)).map((word) => word.length)).toEqual([40])
})

test('every word of a text that is asked for is among its words', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      const words = new Set(toWords(text))
      const asked = toAskedWords(text).words
      expect(asked.filter((word) => !words.has(word))).toEqual([])
      for (const word of words) expect(word).toMatch(/^[\p{L}\p{N}\uFFFD]+$/u)
    }),
  )
})
