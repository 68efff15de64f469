/**
 * What is true of every stream, whatever the upstream says and whatever is done to it on the way.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { answerEvents } from '../support/arbitrary.ts'
import { meddle } from '../support/meddle.ts'
import { assemble, cut, encode, essence, lint, readEvents } from '../support/pipeline.ts'

const wires = fc.constantFrom<WireName>(...WIRE_NAMES)
const runs = { numRuns: Number(process.env['RUNS'] ?? 300) }

describe.each(WIRE_NAMES)('the %s encoder', (wire) => {
  test('writes a legal stream from any answer', () => {
    fc.assert(
      fc.property(answerEvents, (events) => {
        expect(lint(wire, encode(wire, events).bytes)).toEqual([])
      }),
      runs,
    )
  })

  test('says the text, thinking and calls of any answer', () => {
    fc.assert(
      fc.property(answerEvents, (events) => {
        const before = assemble(events)
        const after = assemble(readEvents(wire, [encode(wire, events).bytes]))
        if (before.isStopped) expect(essence(after)).toEqual(expressible(wire, before))
        expect(after.error === undefined).toBe(before.isStopped)
      }),
      runs,
    )
  })

  test('never ends a cut answer as a success', () => {
    fc.assert(
      fc.property(answerEvents, fc.nat(), (events, place) => {
        const stop = events.findIndex((event) => event.type === 'message-stop')
        const prefix = events.slice(0, place % (stop === -1 ? events.length + 1 : stop + 1))
        const after = assemble(readEvents(wire, [encode(wire, prefix).bytes]))
        expect(after.error).toBeDefined()
      }),
      runs,
    )
  })

  test('stays legal whatever is denied, inserted or replaced, from any wire', () => {
    fc.assert(
      fc.property(
        answerEvents,
        wires,
        fc.array(fc.nat(6), { minLength: 1, maxLength: 12 }),
        (events, from, moves) => {
          const read = readEvents(from, [encode(from, events).bytes])
          const changed = [...meddle(read, moves)]
          const { bytes, text } = encode(wire, changed)
          expect(lint(wire, bytes)).toEqual([])
          if (changed.length > 0) expect(text).not.toContain('undefined')
        },
      ),
      { ...runs, numRuns: runs.numRuns * 3 },
    )
  })
})

test('any cutting of the bytes gives the same events and the same bytes back', () => {
  fc.assert(
    fc.property(
      answerEvents,
      wires,
      fc.array(fc.nat(), { maxLength: 20 }),
      (events, wire, places) => {
        const { bytes } = encode(wire, events)
        const pieces = cut(bytes, places)
        const read = readEvents(wire, pieces)
        expect(assemble(read).blocks.map((block) => block.type)).toEqual(
          assemble(readEvents(wire, [bytes])).blocks.map((block) => block.type),
        )
        expect(Buffer.from(encode(wire, read).bytes).equals(Buffer.from(bytes))).toBe(true)
      },
    ),
    runs,
  )
})

/** What that wire can say of an answer. */
function expressible(
  wire: WireName,
  state: ReturnType<typeof assemble>,
): ReturnType<typeof essence> {
  const whole = essence(state)
  if (wire !== 'anthropic-messages') return whole
  // A refusal has no block of its own there: its words are text.
  const text = state.blocks
    .map((block) => (block.type === 'text' || block.type === 'refusal' ? block.text : ''))
    .join('')
  return { ...whole, text: text.replace(/\s+/g, '') }
}
