import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, test } from 'vitest'
import { cuts, numbersOf, saltedText, toEscaped } from '../../../test/support/secrets.ts'
import { createAutomaton } from './automaton.ts'
import type { Finder } from './find.ts'
import { JsonFinder } from './json-finder.ts'
import { DEFAULT_GROUPS, specsOf } from './kinds.ts'
import { toReady, type PatternSpec } from './pattern.ts'
import { Scanner } from './scanner.ts'
import { hideIn } from './search.ts'

const mark = (kind: string): string => `[redacted:${kind}]`
const STOCK = createAutomaton(specsOf(DEFAULT_GROUPS).map(toReady))
const MAX_HOLD = Math.max(...STOCK.patterns.map(({ hold }) => hold))

const scannerOf = (...specs: readonly PatternSpec[]): Scanner =>
  new Scanner(createAutomaton(specs.map(toReady)), { decide: mark })

/** What comes out of pieces, each as soon as it is decided, and the most that was held back. */
function follow(pieces: readonly string[], finder: Finder): { said: string; held: number } {
  const text = pieces.join('')
  let said = ''
  let sent = 0
  let read = 0
  let held = 0
  const send = (until: number): void => {
    for (const { start, end, becomes } of finder.finds) {
      if (start >= until || end <= sent || becomes === undefined) continue
      if (start >= sent) said += text.slice(sent, start) + becomes
      sent = Math.min(end, until)
    }
    said += text.slice(sent, until)
    sent = Math.max(sent, until)
    finder.forget(sent)
  }
  for (const piece of pieces) {
    finder.push(piece)
    read += piece.length
    held = Math.max(held, read - finder.settled)
    send(finder.settled)
  }
  finder.end()
  send(text.length)
  return { said, held }
}

describe('against RE2', () => {
  const atom = fc.constantFrom('a', 'b', '[ab]', '[^a]', '.', '\\w', '(?i:K)', 'é', '😀', '-')
  const many = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '{2,}')
  const piece = fc.tuple(atom, many).map(([one, times]) => `(?:${one})${times}`)
  const pattern = fc
    .array(fc.array(piece, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 2 })
    .map((ways) => ways.map((way) => way.join('')).join('|'))
    .filter((source) => !RE2JS.matches(source, ''))
  const subject = fc
    .array(fc.constantFrom('a', 'b', 'k', '\u212a', '-', 'é', '😀', '\n'), { maxLength: 24 })
    .map((chars) => chars.join(''))

  test('hides exactly the characters that are part of some match', () => {
    fc.assert(
      fc.property(
        fc.array(pattern, { minLength: 1, maxLength: 3 }),
        subject,
        cuts,
        (sources, text, cut) => {
          const whole = sources.map((source) => RE2JS.compile(`(?:${source})`))
          const places = [...text].reduce(
            (all, char) => [...all, (all.at(-1) ?? 0) + char.length],
            [0],
          )
          const units = Array.from({ length: text.length }, () => false)
          for (const start of places)
            for (const end of places)
              if (end > start && whole.some((one) => one.matches(text.slice(start, end))))
                units.fill(true, start, end)
          const scanner = scannerOf(...sources.map((source) => ({ kind: 'x', pattern: source })))
          const seen = Array.from({ length: text.length }, () => false)
          for (const one of cut(text)) scanner.push(one)
          scanner.end()
          for (const { start, end } of scanner.finds) seen.fill(true, start, end)
          expect(seen).toEqual(units)
        },
      ),
      { numRuns: 400 },
    )
  })

  test('knows the edges of words, lines and texts, wherever the cut is', () => {
    const find = (pattern: string, pieces: readonly string[]): string =>
      follow(pieces, scannerOf({ kind: 'x', pattern })).said
    for (const pieces of [['ab a', ' b\na'], [...'ab a b\na']]) {
      expect(find('\\ba\\b', pieces)).toBe('ab [redacted:x] b\n[redacted:x]')
      expect(find('^a', pieces)).toBe('[redacted:x]b a b\na')
      expect(find('(?m)^a', pieces)).toBe('[redacted:x]b a b\n[redacted:x]')
      expect(find('a$', pieces)).toBe('ab a b\n[redacted:x]')
      expect(find('a\\B', pieces)).toBe('[redacted:x]b a b\na')
    }
  })
})

describe('what is found', () => {
  test('is one where matches overlap, under the name of the one that begins first', () => {
    const scanner = scannerOf({ kind: 'late', pattern: 'bcd' }, { kind: 'early', pattern: 'abc' })
    expect(follow([...'xabcdx'], scanner).said).toBe('x[redacted:early]x')
  })

  test('is only the group called secret, where there is one', () => {
    const scanner = scannerOf({ kind: 'x', pattern: 'key=(?P<secret>[a-z]+);' })
    expect(follow([...'key=abc; key=abc'], scanner).said).toBe('key=[redacted:x]; key=abc')
  })

  test('is as long as the match is, and held only until that is sure', () => {
    const scanner = scannerOf({ kind: 'x', pattern: 'key-[a-z]{4,}' })
    const { said, held } = follow([...`key-${'a'.repeat(10_000)}!`], scanner)
    expect([said, held]).toEqual(['[redacted:x]!', 7])
  })

  test('has no more than the longest that may be held before its end', () => {
    const scanner = scannerOf({ kind: 'x', pattern: '<.*>', max: 10 })
    const { said, held } = follow([...`<${'a'.repeat(50)}> <b>`], scanner)
    expect(held).toBeLessThanOrEqual(26)
    expect(said).toMatch(/^<a+\[redacted:x\]$/)
  })
})

describe('random secrets at random places, cut at random', () => {
  test('no character of any leaves, everything else does, and little is held', () => {
    fc.assert(
      fc.property(saltedText(6, mark), cuts, ({ text, hidden }, cut) => {
        const { said, held } = follow(cut(text), new Scanner(STOCK, { decide: mark }))
        expect(said).toBe(hidden)
        expect(hideIn(text, new Scanner(STOCK, { decide: mark }))).toBe(hidden)
        expect(held).toBeLessThanOrEqual(MAX_HOLD)
      }),
      { numRuns: 2500 },
    )
  })

  test('the same in the strings of JSON, however they are escaped, and it stays JSON', () => {
    const texts = fc.array(saltedText(3, mark), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(texts, fc.nat(), cuts, (salted, seed, cut) => {
        const next = numbersOf(seed)
        const write = ({ text }: { text: string }): string => toEscaped(text, next)
        const json = `{"list": [${salted.map(write).join(', ')}], "count": -1.5e3, "more": {"x": true}}`
        const { said, held } = follow(cut(json), new JsonFinder(STOCK, { decide: mark }))
        expect(JSON.parse(said)).toEqual({
          list: salted.map(({ hidden }) => hidden),
          count: -1500,
          more: { x: true },
        })
        expect(held).toBeLessThanOrEqual(MAX_HOLD * 6 + 6)
      }),
      { numRuns: 1500 },
    )
  })

  test('whole values are given out, wherever they are cut', () => {
    fc.assert(
      fc.property(saltedText(4, mark), cuts, ({ text, secrets }, cut) => {
        const values: (string | undefined)[] = []
        const decide = (_kind: string, value: string | undefined): string => {
          values.push(value)
          return ''
        }
        follow(cut(text), new Scanner(STOCK, { decide, isWhole: true }))
        expect(values).toEqual(secrets.map(({ value }) => value))
      }),
      { numRuns: 300 },
    )
  })
})
