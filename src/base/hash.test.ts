import { expect, test } from 'vitest'
import { hashHex, hashLanes } from './hash.ts'

test('the same text has the same digits for ever: ids of conversations under way are made of them', () => {
  expect(hashHex('')).toBe('9747b28c811c9dc5')
  // As the authors of FNV-1a have it for 32 bits.
  expect(hashHex('foobar').slice(8)).toBe('bf9cf968')
  expect(hashLanes('foobar')[0]).toBe(0xbf9cf968)
  expect(hashHex('foobaz')).not.toBe(hashHex('foobar'))
})
