import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StreamEvent } from '../event/event.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import type { Frame } from '../sse/frame.ts'
import { learnForm, type RunForm } from '../sse/run-form.ts'
import type { Decoder } from '../wire/wire.ts'
import { readOwnForm, Run } from './run.ts'

const came = (text: string): string => `data: {"id":"a","text":${JSON.stringify(text)}}\n\n`
const leaves = (text: string, number: number): string =>
  `event: x\ndata: {"sequence_number":${number},"delta":${JSON.stringify(text)},"more":1}\n\n`

function formOf(text: string): RunForm {
  const form = learnForm(Buffer.from(came(text)), text, { piece: ['text'] })
  if (form === undefined) throw new Error('Has no form')
  return form
}

/** Frames in buffers of so many each, from one on. */
function buffersOf(texts: readonly string[], sizes: readonly number[]): readonly Buffer[] {
  const buffers: Buffer[] = []
  for (let at = 0, turn = 0; at < texts.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    buffers.push(
      Buffer.from(
        texts
          .slice(at, at + size)
          .map(came)
          .join(''),
      ),
    )
    at += size
  }
  return buffers
}

interface Told {
  readonly text: string
  readonly frame: Frame
}

/** What a decoder is told of that run: one that can be told a text, or one that reads frames. */
function settle(run: Run, canHear: boolean): Told | undefined {
  let told: Told | undefined
  const decoder: Decoder = {
    push(frame): readonly StreamEvent[] {
      told = { text: (JSON.parse(frame.data ?? '') as { text: string }).text, frame }
      return []
    },
    end: () => [],
    ...(canHear
      ? {
          again(text, frame): readonly StreamEvent[] {
            told = { text, frame }
            return []
          },
        }
      : {}),
  }
  run.settle(createFrameDecoder(), decoder)
  return told
}

const piece = fc.oneof(
  fc.string({ minLength: 1, maxLength: 90, unit: 'grapheme' }),
  // What a decoder of bytes takes for a mark at the beginning, and what JSON escapes.
  fc.constantFrom('\uFEFF', '\uFEFFx', '"', '\\n', '\n'),
)

test('frames leave with their texts and the numbers that follow, however many come at once', () => {
  const property = fc.property(
    fc.array(piece, { minLength: 1, maxLength: 30 }),
    fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
    fc.integer({ min: 0, max: 1100 }),
    fc.boolean(),
    (texts, sizes, number, canHear) => {
      const run = new Run(formOf('first'), readOwnForm(leaves('first', number), 'first'))
      let left = ''
      for (const bytes of buffersOf(texts, sizes)) {
        expect(run.take(bytes, 0)).toBe(bytes.length)
        left += run.taken().toString()
      }
      expect(left).toBe(texts.map((text, at) => leaves(text, number + 1 + at)).join(''))
      expect(run.frames).toBe(texts.length)
      expect(settle(run, canHear)?.text).toBe(texts.join(''))
      expect(run.frames).toBe(0)
      expect(settle(run, canHear)).toBeUndefined()
    },
  )
  fc.assert(property)
})

test.each([true, false])(
  'frames that leave as they came, or are gathered, are the bytes that came',
  (canHear) => {
    const bytes = Buffer.from(`${came('one')}${came('two')}data: other\n\n`)
    const end = bytes.indexOf('data: other')
    const passing = new Run(formOf('first'), undefined)
    expect(passing.take(bytes, 0)).toBe(end)
    expect(passing.taken().toString()).toBe(came('one') + came('two'))
    const gathered = new Run(formOf('first'), undefined, true)
    expect(gathered.take(bytes, 0)).toBe(end)
    expect(gathered.take(bytes, end)).toBe(end)
    expect(gathered.take(Buffer.from(came('three')), 0)).toBe(came('three').length)
    const told = settle(gathered, canHear)
    expect(told?.text).toBe('onetwothree')
    expect(told?.frame.frames).toBe(3)
    expect(Buffer.from(told?.frame.raw ?? []).toString()).toBe(
      came('one') + came('two') + came('three'),
    )
  },
)
