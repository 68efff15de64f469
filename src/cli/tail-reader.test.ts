import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAssembler } from '../block/assemble.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import { WIRE_NAMES, WIRES } from '../wire/wires.ts'
import { blockJson } from './block-lines.ts'
import { createAnswerReader, type Growth } from './tail-reader.ts'

const FIXTURES = fileURLToPath(new URL('../../test/fixtures/', import.meta.url))
const STREAMS = WIRE_NAMES.flatMap((wire) =>
  readdirSync(join(FIXTURES, wire))
    .filter((name) => name.endsWith('.sse'))
    .map((name) => ({ wire, name, bytes: readFileSync(join(FIXTURES, wire, name)) })),
)

const [FIRST = { wire: 'openai-chat' as const, name: '', bytes: new Uint8Array() }] = STREAMS

/** The blocks as a reader tells them, and the text that came bit by bit. */
function readIn(bytes: Uint8Array, cuts: readonly number[], likely: (typeof WIRE_NAMES)[number]) {
  const reader = createAnswerReader(likely)
  const growth: Growth[] = []
  let from = 0
  for (const to of [...cuts, bytes.length].toSorted((a, b) => a - b)) {
    growth.push(...reader.push(bytes.subarray(from, to)))
    from = to
  }
  growth.push(...reader.end())
  return {
    blocks: growth.flatMap((one) => (one.type === 'block' ? [blockJson(one.block)] : [])),
    text: growth.map((one) => (one.type === 'more' ? one.text : '')).join(''),
  }
}

function blocksOf(wire: (typeof WIRE_NAMES)[number], bytes: Uint8Array): object[] {
  const framer = createFrameDecoder()
  const decoder = WIRES[wire].createDecoder()
  const assembler = createAssembler()
  for (const frame of [...framer.push(bytes), ...framer.end()])
    for (const event of decoder.push(frame)) assembler.apply(event)
  for (const event of decoder.end()) assembler.apply(event)
  return assembler.state.blocks.map(blockJson)
}

describe('an answer as it passes', () => {
  test('gives the blocks that the decoder of its wire gives, however it was cut', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...STREAMS),
        fc.array(fc.nat({ max: 5000 }), { maxLength: 8 }),
        ({ wire, bytes }, cuts) => {
          const inside = cuts.filter((cut) => cut < bytes.length)
          const { blocks } = readIn(bytes, inside, wire)
          const expected = blocksOf(wire, bytes)
          const byPlace = (a: object, b: object): number =>
            JSON.stringify(a) < JSON.stringify(b) ? -1 : 1
          // Blocks that overlap are told when each is whole.
          expect(blocks.toSorted(byPlace)).toEqual(expected.toSorted(byPlace))
        },
      ),
      { numRuns: 200 },
    )
  })

  test('is read in its own wire, whichever the client speaks', () => {
    const { wire, bytes } = STREAMS.find((one) => one.wire === 'openai-responses') ?? FIRST
    expect(readIn(bytes, [], 'anthropic-messages').blocks).toEqual(blocksOf(wire, bytes))
  })

  test('that is JSON is read when it is whole', () => {
    const body = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
    }
    const bytes = new TextEncoder().encode(JSON.stringify(body))
    expect(readIn(bytes, [3, 10], 'anthropic-messages').blocks).toMatchObject([
      { type: 'text', text: 'Hello' },
    ])
  })

  test('that streams after an upstream has refused is read all the same', () => {
    const { wire, bytes } = FIRST
    const refused = new TextEncoder().encode('{"type":"error","error":{"type":"overloaded_error"}}')
    const both = Buffer.concat([refused, bytes])
    expect(readIn(both, [refused.length], wire).blocks).toEqual(blocksOf(wire, bytes))
  })

  test.each(['', 'no stream at all', '{"broken', '\0\u0001\u0002', 'data: [DONE]\n\n'])(
    'that is nothing (%j) gives nothing',
    (text) => {
      expect(readIn(new TextEncoder().encode(text), [1], 'openai-chat').blocks).toEqual([])
    },
  )
})
