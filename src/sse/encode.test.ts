import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFrameDecoder } from './decode.ts'
import { toBytes, writeComment, writeData, writeEvent } from './encode.ts'
import type { Frame } from './frame.ts'

function read(text: string): Frame[] {
  const decoder = createFrameDecoder()
  return [...decoder.push(toBytes(text)), ...decoder.end()]
}

const json = fc.json()
const name = fc.stringMatching(/^[a-z_.]{1,20}$/)

test('writes a frame with a name that reads back as it was', () => {
  fc.assert(
    fc.property(name, json, (event, data) => {
      expect(read(writeEvent(event, data))).toMatchObject([
        { event, data, stray: undefined, isEnded: true },
      ])
    }),
  )
})

test('writes a frame without a name that reads back as it was', () => {
  fc.assert(
    fc.property(json, (data) => {
      expect(read(writeData(data))).toMatchObject([
        { event: undefined, data, stray: undefined, isEnded: true },
      ])
    }),
  )
})

test('writes a comment that says nothing to a client, whatever stands in it', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(read(writeComment(text))).toMatchObject([
        { event: undefined, data: undefined, stray: undefined, isEnded: true },
      ])
    }),
  )
  expect(read(writeComment('a\r\ndata: b\n\ndata: c'))).toMatchObject([{ data: undefined }])
})

test('turns text into UTF-8 and leaves bytes as they are', () => {
  const bytes = Uint8Array.of(0xff, 0x00)
  expect(toBytes('€')).toEqual(Uint8Array.of(0xe2, 0x82, 0xac))
  expect(toBytes(bytes)).toBe(bytes)
})
