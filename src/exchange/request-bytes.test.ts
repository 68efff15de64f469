import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesOf } from '../upstream/upstream.ts'
import { changeRequest, readRequest } from './request.ts'
import { Body } from './request-bytes.ts'

/** The same bytes, cut at those places. */
function cut(bytes: Buffer, places: readonly number[]): Body {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  const starts = [0, ...ends]
  return new Body(starts.map((start, i) => bytes.subarray(start, ends[i])))
}

const places = fc.array(fc.nat(), { maxLength: 5 })
const words = fc.string({ unit: 'grapheme' })

test('a body says the same however it was cut, and is sent on as it came', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), places, fc.nat(), fc.nat(), (raw, at, a, b) => {
      const bytes = Buffer.from(raw)
      const body = cut(bytes, at)
      expect(body.length).toBe(bytes.length)
      expect(body.look().equals(bytes)).toBe(true)
      const from = Math.min(a, b) % (bytes.length + 1)
      const to = from + (Math.max(a, b) % (bytes.length + 1 - from))
      expect(Buffer.concat(body.slice(from, to))).toEqual(bytes.subarray(from, to))
      expect(Buffer.from(bytesOf(body.raw)).equals(bytes)).toBe(true)
      expect(body.plain.equals(bytes)).toBe(true)
      expect(Buffer.concat(body.slice(from, to))).toEqual(bytes.subarray(from, to))
    }),
  )
})

test('a request is read and changed the same however its body was cut', () => {
  fc.assert(
    fc.property(fc.dictionary(words, fc.jsonValue()), words, places, (object, name, at) => {
      const bytes = Buffer.from(JSON.stringify({ ...object, model: 'm', messages: [name], x: 1 }))
      const read = readRequest('openai-chat', cut(bytes, at))
      const whole = readRequest('openai-chat', new Body([bytes]))
      expect(read.ok).toBe(whole.ok)
      if (!read.ok || !whole.ok) return
      expect(read.facts.model).toBe('m')
      expect(read.facts.member('messages')).toEqual([name])
      expect([...read.facts.elements('messages')]).toEqual([name])
      const changes = { model: name, isStream: true }
      const changed = changeRequest('openai-chat', read.facts, changes) ?? []
      const expected = changeRequest('openai-chat', whole.facts, changes) ?? []
      expect(Buffer.concat(changed).toString()).toBe(Buffer.concat(expected).toString())
      expect(read.facts.check()).toBeUndefined()
      expect(read.facts.json()).toEqual(JSON.parse(bytes.toString()))
    }),
  )
})

test('two bodies that are looked at in turn do not see each other, small or large', () => {
  const sizes = [10, 100_000, 5000, 1_200_000, 70_000]
  const bodies = sizes.map((size, i) => {
    const bytes = Buffer.alloc(size, 97 + i)
    return { bytes, body: cut(bytes, [size / 2]) }
  })
  for (const { bytes, body } of [...bodies, ...bodies.toReversed()])
    expect(body.look().equals(bytes)).toBe(true)
})

test('a body that came packed is sent on packed, and is read unpacked', () => {
  const plain = Buffer.from('{"model":"m"}')
  const raw = Buffer.from('packed')
  const body = new Body([plain], { raw, encoding: 'gzip' })
  expect(body.raw).toBe(raw)
  expect(body.encoding).toBe('gzip')
  expect(body.rawLength).toBe(raw.length)
  expect(body.length).toBe(plain.length)
  expect(body.plain).toBe(plain)
})

test('a body of nothing is one piece of nothing', () => {
  const body = new Body([])
  expect(body.length).toBe(0)
  expect(bytesOf(body.raw)).toHaveLength(0)
  expect(body.look()).toHaveLength(0)
})
