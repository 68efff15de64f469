import { expect, test } from 'vitest'
import { frameEnd } from './known-forms.ts'

test('finds where a frame ends, however long it is and wherever it begins', () => {
  for (const from of [0, 7])
    for (let size = 0; size < 1100; size += size > 500 && size < 520 ? 1 : 13) {
      const before = '\n\n'.padStart(from, '#').slice(0, from)
      const frame = `${'x\n'.repeat(size / 2)}${size % 2 === 0 ? '' : 'y'}z\n\n`
      const bytes = Buffer.from(`${before}${frame}data: more\n\n`)
      expect([from, size, frameEnd(bytes, from)]).toEqual([from, size, from + frame.length])
      // Nothing is seen of an end that has not come.
      const short = bytes.subarray(0, from + frame.length - 1)
      expect(frameEnd(short, from)).toBe(short.length)
    }
})
