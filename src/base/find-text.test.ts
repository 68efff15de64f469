import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findText } from './find-text.ts'

test('finds what `indexOf` finds', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 40 })
  const part = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 })
  fc.assert(
    fc.property(text, part, (whole, piece) => {
      expect(findText(whole, piece)).toBe(whole.indexOf(piece))
    }),
    { numRuns: 500 },
  )
})
