import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createShelf, type Shelf } from './shelf.ts'

interface Text {
  readonly text: string
  release(): void
}

let time = 0
const LIMITS = { now: () => time, maxBytes: 10_000, maxEntries: 10, maxAge: 100, ownerShare: 1 / 4 }

function put(shelf: Shelf<Text>, owner: string, key: string, text = `text of ${key}`): void {
  const account = shelf.account(owner)
  const piece = account.pieces.take(text)
  shelf.put(account, key, { text, release: () => account.pieces.release(piece) })
}

test('what was put is found by its owner and nobody else', () => {
  const shelf = createShelf<Text>(LIMITS)
  put(shelf, 'ann', 'a')
  expect(shelf.find('ann', 'a')?.text).toBe('text of a')
  expect(shelf.find('bob', 'a')).toBeUndefined()
})

test('the longest unused goes first', () => {
  const shelf = createShelf<Text>(LIMITS)
  for (let i = 0; i < 10; i++) put(shelf, 'ann', `${i}`)
  shelf.find('ann', '0')
  put(shelf, 'ann', 'new')
  expect(shelf.find('ann', '1')).toBeUndefined()
  expect(shelf.find('ann', '0')).toBeDefined()
  expect(shelf.find('ann', 'new')).toBeDefined()
})

test('a thing is gone some time after its last use', () => {
  time = 0
  const shelf = createShelf<Text>(LIMITS)
  put(shelf, 'ann', 'a')
  put(shelf, 'ann', 'b')
  time = 99
  expect(shelf.find('ann', 'a')).toBeDefined()
  time = 100
  expect(shelf.find('ann', 'b')).toBeUndefined()
  time = 198
  expect(shelf.find('ann', 'a')).toBeDefined()
  time = 298
  expect(shelf.find('ann', 'a')).toBeUndefined()
  expect(shelf.size()).toEqual({ entries: 0, bytes: 0, owners: 0 })
})

test('a busy owner does not push out what others have', () => {
  const shelf = createShelf<Text>(LIMITS)
  put(shelf, 'ann', 'a')
  for (let i = 0; i < 100; i++) put(shelf, 'bob', `${i}`, 'x'.repeat(i * 20))
  expect(shelf.find('ann', 'a')).toBeDefined()
  expect(shelf.find('bob', '99')).toBeDefined()
})

test('an owner alone may fill all of it', () => {
  const shelf = createShelf<Text>(LIMITS)
  for (let i = 0; i < 10; i++) put(shelf, 'ann', `${i}`)
  expect(shelf.size().entries).toBe(10)
})

test('a key that is put again holds the new thing, and the old one costs nothing more', () => {
  const shelf = createShelf<Text>(LIMITS)
  put(shelf, 'ann', 'a', 'new')
  const { bytes } = shelf.size()
  put(shelf, 'ann', 'a', 'old'.repeat(100))
  put(shelf, 'ann', 'a', 'new')
  expect(shelf.find('ann', 'a')?.text).toBe('new')
  expect(shelf.size()).toEqual({ entries: 1, bytes, owners: 1 })
})

test('never holds more than its limits, and nothing when all is gone', () => {
  const act = fc.record({
    owner: fc.constantFrom('ann', 'bob', 'cid', 'dan', 'eve', 'fay'),
    key: fc.nat(12).map(String),
    size: fc.nat(3000),
    does: fc.constantFrom('put', 'put', 'put', 'find', 'remove', 'wait'),
  })
  const within = fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
    time = 0
    const shelf = createShelf<Text>(LIMITS)
    for (const { owner, key, size, does } of acts) {
      if (does === 'put') put(shelf, owner, key, `${key}${'é'.repeat(size)}`)
      else if (does === 'find') shelf.find(owner, key)
      else if (does === 'remove') shelf.remove(owner, key)
      else time += 30
      const { bytes, entries } = shelf.size()
      expect(bytes).toBeLessThanOrEqual(LIMITS.maxBytes)
      expect(entries).toBeLessThanOrEqual(LIMITS.maxEntries)
    }
    time += 1000
    shelf.find('ann', '0')
    expect(shelf.size()).toEqual({ entries: 0, bytes: 0, owners: 0 })
  })
  fc.assert(within, { numRuns: 100 })
})
