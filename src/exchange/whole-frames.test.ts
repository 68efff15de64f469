import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SluiceError } from '../base/sluice-error.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import { createWholeFrames } from './whole-frames.ts'

const ending = fc.constantFrom('\n', '\r\n', '\r')
const line = fc.constantFrom('data: x', 'event: y', ': c', 'data: é')
const frame = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 3 }), ending)
  .map(([lines, end]) => lines.map((one) => one + end).join('') + end)

function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((at) => at % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length))
}

describe('whole frames', () => {
  test('are the same bytes, and every piece ends where a frame ends, wherever they are cut', () => {
    fc.assert(
      fc.property(
        fc.array(frame),
        fc.array(fc.nat()),
        fc.constantFrom('', 'data: cut'),
        (frames, cuts, rest) => {
          const bytes = Buffer.from(frames.join('') + rest)
          const whole = createWholeFrames()
          const pieces = cut(bytes, cuts).flatMap((chunk) => whole.push(chunk) ?? [])
          for (const piece of pieces) {
            const framer = createFrameDecoder()
            framer.push(piece)
            // A last CR may or may not be the end; the framer says so only when more comes.
            const open = framer.end()
            expect(open.every((one) => one.isEnded)).toBe(true)
          }
          const left = whole.rest() ?? Buffer.alloc(0)
          expect(Buffer.concat([...pieces, left]).equals(bytes)).toBe(true)
          if (rest === '' && !frames.join('').endsWith('\r')) expect(left.length).toBe(0)
        },
      ),
    )
  })

  test('leave at once when a chunk ends with its frame', () => {
    const chunk = Buffer.from('data: 1\n\n')
    expect(createWholeFrames().push(chunk)).toBe(chunk)
  })

  test('have a limit', () => {
    const whole = createWholeFrames(10)
    expect(() => whole.push(Buffer.from('data: 12345'))).toThrow(SluiceError)
  })

  test('that trickle in byte by byte take linear time', () => {
    const whole = createWholeFrames()
    const byte = Buffer.from('x')
    for (let i = 0; i < 300_000; i++) whole.push(byte)
    expect(whole.push(Buffer.from('\n\n'))?.length).toBe(300_002)
  })
})
