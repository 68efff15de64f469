import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { learnForm } from './run-form.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const KEYS = { piece: ['text', 'delta'], texts: ['obfuscation'], numbers: ['sequence_number'] }
const frame = (piece: string, more = ''): Uint8Array =>
  bytes(`event: x\ndata: {"type":"x","delta":{"text":${JSON.stringify(piece)}}${more}}\n\n`)

/** The same bytes, so far into a larger block. */
function lyingAt(place: number, frame: Uint8Array): Uint8Array {
  const block = new Uint8Array(place + frame.length + 5).fill(0x23)
  block.set(frame, place)
  return block.subarray(place, place + frame.length)
}

describe('the form of a run', () => {
  it('knows each byte of a frame, wherever that lies', () => {
    const form = learnForm(frame('a'), 'a', KEYS)
    const next = frame('next')
    const piece = bytes('event: x\ndata: {"type":"x","delta":{"text":"').length
    for (let place = 0; place < 5; place++) {
      expect(form?.match(lyingAt(place, next), 0)).toBe(true)
      for (let at = 0; at < next.length; at++) {
        const other = next.map((byte, index) => (index === at ? byte ^ 1 : byte))
        const isPiece = at >= piece && at < piece + 'next'.length
        expect([at, form?.match(lyingAt(place, other), 0)]).toEqual([at, isPiece])
        expect(form?.match(lyingAt(place, Uint8Array.from([0x23, ...other])), 1)).toBe(isPiece)
      }
      // Too little is left: nothing is read behind the end.
      for (let end = 0; end < next.length; end++)
        expect(form?.match(lyingAt(place, next).subarray(0, end), 0)).toBe(false)
    }
  })

  it('takes a frame that differs in its piece alone, and says where that lies', () => {
    const form = learnForm(frame('one'), 'one', KEYS)
    const next = frame('two "quoted" \n ü')
    expect(form?.match(next, 0)).toBe(true)
    expect(form?.end).toBe(next.length)
    expect(new TextDecoder().decode(next.subarray(form?.from, form?.to))).toBe(
      'two \\"quoted\\" \\n ü',
    )
  })

  it('takes padding and numbers as they come', () => {
    const form = learnForm(frame('a', ',"obfuscation":"xyz","sequence_number":9'), 'a', KEYS)
    expect(form?.match(frame('b', ',"obfuscation":"","sequence_number":10'), 0)).toBe(true)
    expect(form?.match(frame('b', ',"obfuscation":"","sequence_number":-1'), 0)).toBe(false)
  })

  it('takes spaces before the last brace, more or fewer than were there', () => {
    const padded = (piece: string, spaces: number): Uint8Array =>
      bytes(`data: {"delta":{"text":${JSON.stringify(piece)}}${' '.repeat(spaces)}}\n\n`)
    for (const learnt of [0, 3])
      for (const spaces of [0, 1, 3, 15]) {
        const form = learnForm(padded('a } b', learnt), 'a } b', { ...KEYS, isPadded: true })
        expect(form?.match(padded('next', spaces), 0)).toBe(true)
        expect(form?.end).toBe(padded('next', spaces).length)
        expect(Buffer.from(form?.write(bytes('next')) ?? [])).toEqual(
          Buffer.from(padded('next', 0)),
        )
        expect(form?.match(bytes('data: {"delta":{"text":"b"}  \t}\n\n'), 0)).toBe(false)
      }
    for (const end of ['\n', '\r', '\r\n']) {
      const inEvent = (piece: string, spaces: string): Uint8Array =>
        bytes(`data: {"delta":{"text":"${piece}"}}${end}event: x${spaces}}${end}${end}`)
      const form = learnForm(inEvent('a', ' '), 'a', { ...KEYS, isPadded: true })
      expect(form?.match(inEvent('b', ' '), 0)).toBe(true)
      expect(form?.match(inEvent('b', '  '), 0)).toBe(false)
    }
    const strict = learnForm(padded('a', 1), 'a', KEYS)
    expect(strict?.match(padded('b', 2), 0)).toBe(false)
  })

  it('takes a text that is said twice, if it is the same', () => {
    const twice = (one: string, other: string): Uint8Array =>
      bytes(`data: {"delta":${JSON.stringify(one)},"also":{"echo":${JSON.stringify(other)}}}\n\n`)
    const before = (one: string, other: string): Uint8Array =>
      bytes(`data: {"also":{"echo":${JSON.stringify(other)}},"delta":${JSON.stringify(one)}}\n\n`)
    const keys = { ...KEYS, echoes: ['echo'] }
    for (const write of [twice, before]) {
      const form = learnForm(write('a', 'a'), 'a', keys)
      expect(form?.match(write('b "c"', 'b "c"'), 0)).toBe(true)
      for (const other of ['', 'b', 'b "d"', 'b "c" ', 'b "c\\"'])
        expect(form?.match(write('b "c"', other), 0)).toBe(false)
      expect(Buffer.from(form?.write(bytes('x')) ?? [])).toEqual(Buffer.from(write('x', 'x')))
      // What says something else there says it each time.
      const apart = learnForm(write('a', 'z'), 'a', keys)
      expect(apart?.match(write('b', 'z'), 0)).toBe(true)
      expect(apart?.match(write('b', 'b'), 0)).toBe(false)
    }
  })

  it('takes names of the whole as they come, and those deeper in as they were', () => {
    const named = (piece: string, id: string, inner: string): Uint8Array =>
      bytes(
        `data: ${JSON.stringify({ id, all: [{ id: inner, delta: piece }], more: { id: '}' } })}\n\n`,
      )
    const form = learnForm(named('a', 'one', 'x'), 'a', { ...KEYS, topTexts: ['id', 'more'] })
    expect(form?.match(named('b', 'another "one"', 'x'), 0)).toBe(true)
    expect(form?.match(named('b', 'one', 'y'), 0)).toBe(false)
    expect(
      form?.match(bytes('data: {"id":1,"all":[{"id":"x","delta":"b"}],"more":{"id":"}"}}\n\n'), 0),
    ).toBe(false)
  })

  it.each([
    ['behind a brace of another field', 'event: }', 'event: x'],
    ['behind a comment with a brace', ': }', ': x'],
    ['behind a bracket', 'id: ]', 'id: x'],
    ['in one of several lines', 'data: {"all":', 'data: }'],
  ])('takes no name for one of the whole that stands %s', (_name, before, behind) => {
    const named = (piece: string, id: string): Uint8Array =>
      bytes(`${before}\ndata: {"a":{"id":"${id}","delta":"${piece}"}}\n${behind}\n\n`)
    for (const learnt of ['one', 'two'])
      expect(
        learnForm(named('a', learnt), 'a', { ...KEYS, topTexts: ['id'] })?.match(
          named('b', 'three'),
          0,
        ),
      ).toBe(false)
  })

  it.each([
    ['another member', frame('b', ',"more":1')],
    ['an empty piece', frame('')],
    [
      'the second half of a letter',
      Uint8Array.from(frame('#'), (byte) => (byte === 0x23 ? 0xa9 : byte)),
    ],
    ['a frame that is cut', frame('bcd').subarray(0, 40)],
    ['a bad escape', bytes('event: x\ndata: {"type":"x","delta":{"text":"\\x"}}\n\n')],
    ['half an escape', bytes('event: x\ndata: {"type":"x","delta":{"text":"\\u12"}}\n\n')],
    ['a raw line end', bytes('event: x\ndata: {"type":"x","delta":{"text":"a\nb"}}\n\n')],
    [
      'a string that goes on as an object',
      bytes('event: x\ndata: {"type":"x","delta":{"text":"a","type":"b"}}\n\n'),
    ],
  ])('does not take %s', (_name, other) => {
    const form = learnForm(frame('a'), 'a', KEYS)
    expect(form?.match(other, 0)).toBe(false)
  })

  it('is not learned where two members have the text, or none', () => {
    expect(learnForm(frame('a', ',"delta":"a"'), 'a', KEYS)).toBeUndefined()
    expect(learnForm(frame('a'), 'b', KEYS)).toBeUndefined()
    expect(learnForm(frame(''), '', KEYS)).toBeUndefined()
  })

  it('takes of two members the one that has the text, and keeps the other', () => {
    const two = (piece: string, other: string): Uint8Array =>
      frame(piece, `,"delta":${JSON.stringify(other)}`)
    const form = learnForm(two('a', ''), 'a', KEYS)
    expect(form?.match(two('b', ''), 0)).toBe(true)
    expect(form?.match(two('b', 'c'), 0)).toBe(false)
  })

  it('writes what it takes', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (piece) => {
        const form = learnForm(frame('a', ',"sequence_number":9'), 'a', KEYS)
        const literal = bytes(JSON.stringify(piece)).slice(1, -1)
        const written = form?.write(literal)
        expect(new TextDecoder().decode(written)).toBe(
          new TextDecoder().decode(frame(piece, ',"sequence_number":0')),
        )
      }),
    )
  })
})
