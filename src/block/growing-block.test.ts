import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BlockInfo, BlockOf, ToolDialect } from '../event/block.ts'
import type { Delta } from '../event/event.ts'
import { createGrowingBlock } from './growing-block.ts'

const base = { id: 'a', index: 0 } as const

function callOf(
  pieces: readonly string[],
  dialect: ToolDialect = 'function',
  isComplete = true,
): BlockOf<'tool-call'> {
  const growing = createGrowingBlock({ ...base, type: 'tool-call', name: 'look', dialect })
  for (const text of pieces) growing.grow({ type: 'arguments', text })
  if (isComplete) growing.complete(undefined)
  return growing.block as BlockOf<'tool-call'>
}

describe('arguments', () => {
  test('stay raw text, as it came', () => {
    expect(callOf(['{ "a"', ':\t1.0 }']).arguments).toBe('{ "a":\t1.0 }')
  })

  test('are an object once they are whole', () => {
    const call = callOf(['{"a":', '[1,{}]}'])
    expect(call.args()).toEqual({ a: [1, {}] })
    expect(call.parseArguments()).toEqual({ ok: true, value: { a: [1, {}] } })
  })

  test('are an empty object when there are none', () => {
    for (const pieces of [[], [''], [' \n']]) expect(callOf(pieces).args()).toEqual({})
  })

  test('are undefined when they are cut, broken or no object, and the reason is told', () => {
    const reasons = {
      '{"a":': 'cut',
      '{"a":}': 'broken',
      '[1]': 'not-an-object',
      '"a"': 'not-an-object',
      null: 'not-an-object',
    }
    for (const [text, reason] of Object.entries(reasons)) {
      expect(callOf([text]).args()).toBeUndefined()
      expect(callOf([text]).parseArguments()).toMatchObject({
        ok: false,
        reason,
        message: expect.any(String),
      })
    }
  })

  test('of a custom tool are free text, whatever stands in it', () => {
    expect(callOf(['{"a":', 'x'], 'custom').args()).toEqual({ input: '{"a":x' })
    expect(callOf([], 'custom').args()).toEqual({ input: '' })
  })

  test('are parsed once when the block is complete, and anew while it grows', () => {
    const whole = callOf(['{"a":1}'])
    expect(whole.args()).toBe(whole.args())
    const growing = createGrowingBlock({
      ...base,
      type: 'tool-call',
      name: 'look',
      dialect: 'function',
    })
    const block = growing.block as BlockOf<'tool-call'>
    growing.grow({ type: 'arguments', text: '{"a"' })
    expect(block.args()).toBeUndefined()
    growing.grow({ type: 'arguments', text: ':1}' })
    expect(block.args()).toEqual({ a: 1 })
  })

  test('do not depend on how they were cut', () => {
    fc.assert(
      fc.property(fc.object(), fc.array(fc.nat(200)), (value, cuts) => {
        const text = JSON.stringify(value)
        const places = [0, ...cuts.sort((a, b) => a - b), text.length]
        const call = callOf(places.slice(1).map((to, i) => text.slice(places[i], to)))
        expect(call.arguments).toBe(text)
        expect(call.args()).toEqual(JSON.parse(text))
      }),
    )
  })

  test('of a server tool are read the same way', () => {
    const growing = createGrowingBlock({ ...base, type: 'server-tool', name: 'web_search' })
    growing.grow({ type: 'arguments', text: '{"query":"owls"}' })
    growing.complete(undefined)
    expect(growing.block).toMatchObject({ type: 'server-tool', name: 'web_search' })
    expect((growing.block as BlockOf<'server-tool'>).args()).toEqual({ query: 'owls' })
  })
})

describe('every type of block', () => {
  const grown = (info: BlockInfo, ...deltas: Delta[]): unknown => {
    const growing = createGrowingBlock(info)
    for (const delta of deltas) growing.grow(delta)
    return growing.block
  }

  test('a text has its words and its sources', () => {
    const block = grown(
      { ...base, type: 'text' },
      { type: 'text', text: 'Owls ' },
      { type: 'citation', citation: { url: 'https://owls.example' } },
      { type: 'text', text: 'hoot.' },
    )
    expect(block).toMatchObject({
      type: 'text',
      text: 'Owls hoot.',
      citations: [{ url: 'https://owls.example' }],
      isComplete: false,
    })
  })

  test('a thinking block has its words and the last of its signatures', () => {
    const block = grown(
      { ...base, type: 'thinking', redacted: false },
      { type: 'thinking', text: 'Hmm' },
      { type: 'signature', signature: 'one' },
      { type: 'signature', signature: 'two' },
    )
    expect(block).toMatchObject({ text: 'Hmm', signature: 'two', redacted: false })
    expect(grown({ ...base, type: 'thinking', redacted: true })).toMatchObject({
      text: '',
      signature: undefined,
      redacted: true,
    })
  })

  test('a tool result has its text and names its call', () => {
    const info: BlockInfo = { ...base, type: 'tool-result', name: 'web_search', callId: 'srv_1' }
    expect(grown(info, { type: 'text', text: 'found' })).toMatchObject({
      name: 'web_search',
      callId: 'srv_1',
      text: 'found',
    })
  })

  test('an opaque block has all that its vendor said of it, the start included', () => {
    const info: BlockInfo = {
      ...base,
      type: 'opaque',
      vendorType: 'hologram',
      vendor: { type: 'hologram' },
    }
    expect(grown(info, { type: 'other', raw: { depth: 1 } })).toMatchObject({
      vendorType: 'hologram',
      raw: [{ type: 'hologram' }, { depth: 1 }],
    })
  })

  test('has the info that its events carry, and the whole object where the wire sends one at its end', () => {
    const info: BlockInfo = { ...base, type: 'refusal', choice: 1 }
    const growing = createGrowingBlock(info)
    growing.grow({ type: 'text', text: 'No' })
    growing.complete({ type: 'refusal', refusal: 'No' })
    expect(growing.block).toMatchObject({
      type: 'refusal',
      text: 'No',
      choice: 1,
      isComplete: true,
      final: { refusal: 'No' },
    })
    expect(growing.block.info).toBe(info)
  })
})
