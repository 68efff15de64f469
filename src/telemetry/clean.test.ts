import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createClean } from './clean.ts'

const clean = createClean(true)

test('leaves a plain text as it is', () => {
  expect(clean('claude-sonnet-4-5', 300)).toBe('claude-sonnet-4-5')
  expect(clean('Größe: 10 µs 😀', 300)).toBe('Größe: 10 µs 😀')
})

test('escapes what could begin a line, move a cursor or turn the text around', () => {
  const text = 'a\nb\r\u001b[31mc\u009b2Jd\u0000e\u202ef\u200bg\u2028h\u007fi\ud800j'
  expect(clean(text, 300)).toBe(
    'a\\nb\\u000d\\u001b[31mc\\u009b2Jd\\u0000e\\u202ef\\u200bg\\u2028h\\u007fi\\ud800j',
  )
})

test('masks, or does not where that was switched off', () => {
  expect(clean('of ada@mail.example', 300)).toBe('of [redacted:email]')
  expect(createClean(false)('of ada@mail.example\n', 300)).toBe('of ada@mail.example\\n')
})

test('cuts to the length that was asked for, and says so', () => {
  expect(clean('x'.repeat(300), 300)).toBe('x'.repeat(300))
  expect(clean('x'.repeat(301), 300)).toBe(`${'x'.repeat(299)}…`)
  expect(clean('abcdef', 4)).toBe('abc…')
  expect(clean('ab😀def', 4)).toBe('ab…')
})

test('masks before it cuts, so that no half of a credential is left', () => {
  const key = `sk-${'a1'.repeat(20)}`
  expect(clean(`${'x'.repeat(280)} ${key}`, 290)).not.toContain('sk-')
  // One that is cut where no more is looked at, drawn near by a long one before it.
  const text = `sk-${'b'.repeat(3990)} ${key}`
  expect(clean(text, 300)).not.toMatch(/sk-|a1/)
})

test('is bounded, on one line and without controls for any text', () => {
  const property = fc.property(
    fc.string({ unit: 'binary', maxLength: 500 }),
    fc.integer({ min: 2, max: 400 }),
    (text, max) => {
      const safe = clean(text, max)
      expect(safe.length).toBeLessThanOrEqual(max)
      expect(safe).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
    },
  )
  fc.assert(property)
})

test('looks at the beginning of a long text only', { retry: 2 }, () => {
  const text = 'a@'.repeat(5_000_000)
  const started = performance.now()
  clean(text, 300)
  expect(performance.now() - started).toBeLessThan(100)
})
