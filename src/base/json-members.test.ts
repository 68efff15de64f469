import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  elementsOf,
  replaceMembers,
  scanObject,
  type Cuttable,
  type JsonMember,
} from './json-members.ts'

const bytes = (text: string): Buffer => Buffer.from(text)
const findMembers = (raw: Buffer): readonly JsonMember[] => scanObject(raw).members

/** What comes of it where the bytes lie in one piece. */
function replace(raw: Buffer, values: Readonly<Record<string, string>>): string {
  const slice: Cuttable['slice'] = (from, to) => [raw.subarray(from, to)]
  const pieces = replaceMembers({ length: raw.length, slice }, scanObject(raw), values)
  return Buffer.concat(pieces).toString()
}
const text = (raw: Uint8Array): string => new TextDecoder().decode(raw)

describe('members of a JSON object', () => {
  test('stand where their values stand, for any JSON and any spacing', () => {
    const spaces = fc.constantFrom(undefined, 1, '\t')
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()),
        spaces,
        (object, space) => {
          const raw = bytes(JSON.stringify(object, undefined, space))
          const found = findMembers(raw).map(({ name, from, to }) => [
            name,
            JSON.parse(text(raw.subarray(from, to))) as unknown,
          ])
          expect(found).toEqual(Object.entries(JSON.parse(text(raw)) as object))
        },
      ),
    )
  })

  test('that are named twice are found twice, however their names are spelled', () => {
    const found = findMembers(bytes('{"model":"a","x":{"model":1},"m\\u006fdel":"b"}'))
    expect(found.map(({ name }) => name)).toEqual(['model', 'x', 'model'])
  })

  test('can be exchanged, and no other byte changes', () => {
    const raw = bytes(' { "a" : [1, {"model":"no"}] ,"model": "old\\"}" , "é":true }')
    expect(replace(raw, { model: '"new"' })).toBe(
      ' { "a" : [1, {"model":"no"}] ,"model": "new" , "é":true }',
    )
  })

  test('can be added, also to an empty object', () => {
    const raw = bytes('{"a":1}')
    expect(replace(raw, { stream: 'true', a: '2' })).toBe('{"stream":true,"a":2}')
    expect(replace(bytes('{}'), { stream: 'true' })).toBe('{"stream":true}')
  })
})

describe('JSON that is no good', () => {
  test('is refused when it is nested too deep, before a parser spends its time on it', () => {
    const deep = bytes(`{"a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`)
    expect(() => findMembers(deep)).toThrow('Cannot read JSON that is nested over 1000 deep')
  })

  test('is refused when there is too much of it, before a parser spends seconds on it', () => {
    const wide = bytes(`{"x":[${'{},'.repeat(600_000)}{}]}`)
    expect(() => findMembers(wide)).toThrow('Cannot read JSON of more than 500000 values')
    const names = Array.from({ length: 600_000 }, (_, i) => `"${i}":1`)
    expect(() => findMembers(bytes(`{${names.join(',')}}`))).toThrow('500000 values')
  })

  test('never makes it throw otherwise, whatever it is', () => {
    const text = fc.stringMatching(/^[{}[\]",:\\a1 ]{0,40}$/)
    fc.assert(fc.property(text, (one) => void findMembers(bytes(`{${one}`))))
  })

  test('are all of it, or it is told that they are not', () => {
    const isWhole = (raw: string): boolean => scanObject(bytes(raw)).isWhole
    const spaces = fc.constantFrom(undefined, 1, '\t')
    const object = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue())
    fc.assert(
      fc.property(object, spaces, (value, space) => {
        const raw = JSON.stringify(value, undefined, space)
        expect(isWhole(raw)).toBe(true)
        expect(isWhole(raw.slice(0, -1))).toBe(false)
        expect(isWhole(`${raw}1`)).toBe(false)
      }),
    )
    for (const raw of [
      '',
      '[]',
      '{"a":1,}',
      '{"a" 1}',
      '{,}',
      '{"a":1 "b":2}',
      "{'a':1}",
      '{"a":[1}',
      '{"a":NaN}',
      '{"a":[NaN]}',
      '{"a":tru}',
      '{"a":[1}}',
      '{"a":{"b":[}]}}',
      '{"a":[//x\n1]}',
      '{"a":1 2}',
      '{"a":01}',
      '{"a":}',
      '{"a',
      '{"',
    ])
      expect([raw, isWhole(raw)]).toEqual([raw, false])
  })

  test('that are lists have their elements where they stand', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 1), (list, space) => {
        const raw = bytes(`{"a":${JSON.stringify(list, undefined, space)}}`)
        const [found] = findMembers(raw)
        const elements = [...elementsOf(raw, found?.from ?? 0)].map(
          ({ start, end }) => JSON.parse(text(raw.subarray(start, end))) as unknown,
        )
        expect(elements).toEqual(JSON.parse(JSON.stringify(list)))
      }),
    )
    expect([...elementsOf(bytes('{"a":1}'), 5)]).toEqual([])
  })
})
