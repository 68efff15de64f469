import '../../../test/support/seed.ts'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { expect, test } from 'vitest'
import { toPattern } from '../pattern.ts'
import { toProgram } from './program.ts'
import { createStreamMatcher, type Match } from './stream-matcher.ts'

const compile = (source: string): RE2JS => {
  const made = toPattern(source)
  if (!made.ok) throw new Error(made.message)
  return made.pattern
}

const SOURCES = [
  'ab+c',
  'abc|ab',
  'ab|abc',
  'a.*?b',
  '(?i)fooé?',
  '\\bab\\b',
  '^a+$',
  '(?m)^b.{0,3}$',
  '[a-c]{2,4}',
  'a+b|a',
  '\\Bb',
  '(ab)+',
  '[^ab]b',
  'é|😀b',
  'c(a|b)*?c',
] as const

const text = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', ' ', '\n', 'é', '😀', 'f', 'O', 'o'),
  maxLength: 60,
})
const cuts = fc.array(fc.nat(120), { maxLength: 12 })

function pieces(whole: string, places: readonly number[]): string[] {
  const sorted = [...new Set(places.map((place) => place % (whole.length + 1)))].sort(
    (a, b) => a - b,
  )
  return [0, ...sorted].map((from, i) => whole.slice(from, sorted[i] ?? whole.length))
}

function run(sources: readonly string[], parts: readonly string[], maxLength = 1000): Match[] {
  const matcher = createStreamMatcher(toProgram(sources.map(compile)), maxLength)
  return [...parts.flatMap((part) => [...matcher.push(part)]), ...matcher.push('', true)]
}

test('finds what RE2 finds on the whole text, wherever the text was cut', () => {
  const sources = fc.uniqueArray(fc.constantFrom(...SOURCES), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(sources, text, cuts, (some, whole, places) => {
      const all = RE2JS.compile(some.map((source) => `(?:${source})`).join('|'))
      const expected = [...all.matchAll(whole)].map((match) => [match.index, match[0]])
      const found = run(some, pieces(whole, places))
      expect(found.map(({ start, end }) => [start, whole.slice(start, end)])).toEqual(expected)
    }),
    { numRuns: 1000 },
  )
})

test('a match that is found is never before what was called settled', () => {
  fc.assert(
    fc.property(fc.constantFrom(...SOURCES), text, cuts, (source, whole, places) => {
      const matcher = createStreamMatcher(toProgram([compile(source)]), 8)
      let settled = 0
      const look = (part: string, isLast: boolean): void => {
        for (const { start, end } of matcher.push(part, isLast)) {
          expect(start).toBeGreaterThanOrEqual(settled)
          expect(end - start).toBeLessThanOrEqual(8)
          settled = end
        }
        expect(matcher.settled()).toBeGreaterThanOrEqual(settled)
        settled = matcher.settled()
      }
      let length = 0
      for (const part of pieces(whole, places)) {
        look(part, false)
        length += part.length
        // Half a character may wait beside the longest match.
        expect(length - settled).toBeLessThanOrEqual(8 + 2)
      }
      look('', true)
      expect(settled).toBe(whole.length)
    }),
    { numRuns: 1000 },
  )
})

test('finds the same whatever the cutting, also with a longest length', () => {
  fc.assert(
    fc.property(fc.constantFrom(...SOURCES), text, cuts, (source, whole, places) => {
      expect(run([source], pieces(whole, places), 3)).toEqual(run([source], [whole], 3))
    }),
    { numRuns: 1000 },
  )
})

test('a word that is whole is certain at once, and one that may go on is not', () => {
  const sure = createStreamMatcher(toProgram([compile('foo')]), 100)
  expect(sure.push('a foo')).toEqual([{ start: 2, end: 5, pattern: 0 }])
  const open = createStreamMatcher(toProgram([compile('\\bfoo\\b')]), 100)
  expect(open.push('a foo')).toEqual([])
  expect(open.settled()).toBe(2)
  expect(open.push('d ')).toEqual([])
  expect(open.settled()).toBe(7)
})

test('a candidate that grows too long is let go, and does not hide another pattern behind it', () => {
  const program = toProgram(['<.*>', 'secret'].map(compile))
  const matcher = createStreamMatcher(program, 10)
  expect(matcher.push(`<${'a'.repeat(40)}`)).toEqual([])
  expect(matcher.settled()).toBeGreaterThanOrEqual(40)
  expect(matcher.push(' <12345 secret')).toEqual([{ start: 49, end: 55, pattern: 1 }])
  expect(run(['<.*>'], [`<${'a'.repeat(8)}> <${'a'.repeat(9)}>`], 10)).toEqual([
    { start: 0, end: 10, pattern: 0 },
  ])
})

test('takes time in proportion to the text, also where everything may begin a match', () => {
  const matcher = createStreamMatcher(toProgram([compile('a+b')]), 256)
  const started = performance.now()
  for (let i = 0; i < 200; i++) matcher.push('a'.repeat(1000))
  expect(performance.now() - started).toBeLessThan(2000)
})
