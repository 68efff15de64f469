import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCodec } from './codec.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const FRAME = 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0}\n\n'

test('gives back every byte, packed or not, encrypted or not', () => {
  const plain = createCodec()
  plain.open(undefined)
  const sealed = createCodec('a secret')
  sealed.open(undefined)
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 2000 }),
      fc.integer({ min: 1, max: 20 }),
      (one, times) => {
        const bytes = new Uint8Array(one.length * times)
        for (let at = 0; at < times; at++) bytes.set(one, at * one.length)
        for (const codec of [plain, sealed]) {
          const packed = codec.pack(bytes)
          expect(codec.unpack(packed.codec, packed.bytes)).toEqual(bytes)
        }
      },
    ),
    { numRuns: 200 },
  )
})

test('keeps tiny bodies as they are and makes streams much smaller', () => {
  const codec = createCodec()
  expect(codec.pack(bytesOf('{}'))).toEqual({ codec: 0, bytes: bytesOf('{}') })
  const stream = bytesOf(FRAME.repeat(100))
  const packed = codec.pack(stream)
  expect(packed.codec).toBe(1)
  expect(packed.bytes.length).toBeLessThan(stream.length / 20)
})

test('shows nothing of an encrypted body, and the same body never twice alike', () => {
  const codec = createCodec('a secret')
  codec.open(undefined)
  const one = codec.pack(bytesOf('my password'))
  const two = codec.pack(bytesOf('my password'))
  expect(Buffer.from(one.bytes).includes('password')).toBe(false)
  expect(one.bytes).not.toEqual(two.bytes)
})

test('opens a store again with the same secret alone', () => {
  const first = createCodec('a secret')
  const kept = first.open(undefined)
  const packed = first.pack(bytesOf('hello'))
  const again = createCodec('a secret')
  expect(again.open(kept)).toBe(kept)
  expect(again.unpack(packed.codec, packed.bytes)).toEqual(bytesOf('hello'))
  expect(() => createCodec('another').open(kept)).toThrow(/not the secret/)
  expect(() => createCodec().open(kept)).toThrow(/store\.key/)
  expect(kept).not.toContain('a secret')
})

test('reads what was written before there was a secret', () => {
  const packed = createCodec().pack(bytesOf(FRAME.repeat(9)))
  const sealed = createCodec('a secret')
  sealed.open(undefined)
  expect(sealed.unpack(packed.codec, packed.bytes)).toEqual(bytesOf(FRAME.repeat(9)))
})

test('refuses a body that was changed, in every byte of it', () => {
  const codec = createCodec('a secret')
  codec.open(undefined)
  const { codec: form, bytes } = codec.pack(bytesOf('hello there'))
  for (let at = 0; at < bytes.length; at++) {
    const changed = bytes.slice()
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(() => codec.unpack(form, changed)).toThrow(/changed/)
  }
  expect(() => codec.unpack(form, bytes.subarray(0, 5))).toThrow(/changed/)
  expect(() => codec.unpack(9, bytes)).toThrow(/newer version/)
})
