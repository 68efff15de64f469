import fc from 'fast-check'
import { expect, test } from 'vitest'
import { learnForm, type RunForm } from '../sse/run-form.ts'
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

const piece = fc.string({ minLength: 1, maxLength: 90, unit: 'grapheme' })

test('frames leave with their texts and the numbers that follow, however many come at once', () => {
  const property = fc.property(
    fc.array(piece, { minLength: 1, maxLength: 30 }),
    fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
    fc.integer({ min: 0, max: 1100 }),
    (texts, sizes, number) => {
      const run = new Run(formOf('first'), readOwnForm(leaves('first', number), 'first'))
      let left = ''
      for (const bytes of buffersOf(texts, sizes)) {
        expect(run.take(bytes, 0)).toBe(bytes.length)
        left += run.written.toString()
      }
      expect(left).toBe(texts.map((text, at) => leaves(text, number + 1 + at)).join(''))
      const settled = run.settled()
      expect(settled?.frames).toBe(texts.length)
      expect(Buffer.from(settled?.bytes ?? []).toString()).toBe(came(texts.join('')))
    },
  )
  fc.assert(property)
})

test('frames that leave as they came, or are gathered, are the bytes that came', () => {
  const bytes = Buffer.from(`${came('one')}${came('two')}data: other\n\n`)
  const end = bytes.indexOf('data: other')
  const passing = new Run(formOf('first'), undefined)
  expect(passing.take(bytes, 0)).toBe(end)
  expect(passing.written.toString()).toBe(came('one') + came('two'))
  const gathered = new Run(formOf('first'), undefined, true)
  expect(gathered.take(bytes, 0)).toBe(end)
  expect(gathered.take(bytes, end)).toBe(end)
  expect(gathered.take(Buffer.from(came('three')), 0)).toBe(came('three').length)
  expect(gathered.settled()).toMatchObject({
    frames: 3,
    raw: Buffer.from(came('one') + came('two') + came('three')),
  })
})
