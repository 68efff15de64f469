import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BLOCK_BYTES, Reel } from './reel.ts'

const join = (blocks: readonly { bytes: Uint8Array }[]): Buffer =>
  Buffer.concat(blocks.map(({ bytes }) => bytes))

test('what is written comes back, in blocks of at most 64 KB, with every arrival at its time', () => {
  const sizes = fc.array(fc.oneof(fc.nat(300), fc.nat(200_000)), { maxLength: 12 })
  const whole = fc.property(sizes, fc.nat(100_000), (lengths, guess) => {
    const reel = new Reel()
    const written = lengths.map((length, at) => Buffer.alloc(length, at + 1))
    const taken = []
    for (const [at, bytes] of written.entries()) {
      reel.write(bytes, at * 10, guess)
      if (reel.hasFull()) taken.push(...reel.takeFull())
    }
    const blocks = [...taken, ...reel.takeAll()]
    expect(join(blocks).equals(Buffer.concat(written))).toBe(true)
    expect(reel.length).toBe(join(blocks).length)
    for (const { bytes, times } of blocks) {
      expect(bytes.length).toBeLessThanOrEqual(BLOCK_BYTES)
      let from = 0
      for (let at = 0; at < times.length; at += 2) {
        const size = times[at] ?? 0
        // Each run of bytes is of one arrival, and at its time.
        expect(bytes[from]).toBe((times[at + 1] ?? 0) / 10 + 1)
        from += size
      }
      expect(from).toBe(bytes.length)
    }
  })
  fc.assert(whole, { seed: 7, numRuns: 50 })
})

test('what was written is a copy: the socket may use its block again', () => {
  const reel = new Reel()
  const bytes = Buffer.from('before')
  reel.write(bytes, 0, 10)
  bytes.fill(0)
  expect(join(reel.held()).toString()).toBe('before')
})

test('a body that is there whole is not copied', () => {
  const reel = new Reel()
  const bytes = Buffer.alloc(BLOCK_BYTES + 1)
  reel.add(bytes, 3)
  const [first, second] = reel.takeAll()
  expect(first?.bytes.buffer).toBe(bytes.buffer)
  expect(second).toMatchObject({ times: [1, 3] })
})
