import { expect, test } from 'vitest'
import { hasMark } from './way.ts'

test.each([0, 1, 7, 499, 500, 501, 3000])('a mark is found behind %i other numbers', (count) => {
  const numbers = '1.'.repeat(count)
  for (const before of ['', 'x'.repeat(5), `${'text '.repeat(50)}`]) {
    expect(hasMark(Buffer.from(`${before}${numbers}sluice1.`))).toBe(true)
    expect(hasMark(Buffer.from(`${before}${numbers}sluice1.${numbers}`))).toBe(true)
    for (const other of ['', 'sluice2.', 'luice1.', 'sluice1', 'sluicE1.'])
      expect(hasMark(Buffer.from(`${before}${numbers}${other}`))).toBe(false)
  }
})
