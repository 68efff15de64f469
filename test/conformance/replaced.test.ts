/**
 * A block that somebody replaces leaves nothing of the original, on its own wire either, where the
 * vendor's objects are at hand; and streams made to hurt end in errors with a name, in time.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SluiceError, WIRE_NAMES, WIRES, type StreamEvent, type WireName } from '../../src/index.ts'
import { encode, lint, readEvents } from '../support/pipeline.ts'

const fixture = (wire: WireName, name: string): Uint8Array =>
  new Uint8Array(readFileSync(join(import.meta.dirname, '../fixtures', wire, `${name}.sse`)))

/** The calls with another name and other arguments, as fresh events on a copy of the block. */
function* replaceCalls(events: readonly StreamEvent[]): Generator<StreamEvent> {
  for (const event of events) {
    const block = 'block' in event ? event.block : undefined
    if (block?.type !== 'tool-call') yield event
    else if (event.type === 'block-stop') {
      const safe = { ...block, name: 'safe' }
      yield { type: 'block-start', block: safe }
      yield { type: 'block-delta', block: safe, delta: { type: 'arguments', text: '{"x":"y"}' } }
      yield { type: 'block-stop', block: safe }
    }
  }
}

describe('a replaced call', () => {
  test.each([
    ['anthropic-messages', 'tool', 'look', '"name":"safe"'],
    ['openai-chat', 'several-calls-only', '"arguments":"{\\"city', '"name":"safe"'],
    ['openai-responses', 'function-call', '\\"at\\":1', '"name":"safe"'],
    ['openai-responses', 'shell', 'owls', '"action":{"x":"y"}'],
    ['openai-responses', 'apply-patch', 'owls', '"operation":{"x":"y"}'],
  ] as const)('%s/%s leaves nothing of the original', (wire, name, original, instead) => {
    const out = encode(wire, replaceCalls(readEvents(wire, [fixture(wire, name)])))
    expect(out.text).toContain(instead)
    const added = out.text.split('\n').filter((line) => line.includes('output_item'))
    const looked = wire === 'openai-responses' ? added.join('\n') : out.text
    if (wire !== 'anthropic-messages') expect(looked).not.toContain(original)
    else expect(looked).not.toContain(`"name":"${original}"`)
  })
})

test('thinking that somebody rewrites does not come back by its own frames', () => {
  const events = readEvents('openai-responses', [fixture('openai-responses', 'reasoning-summary')])
  const words = events.flatMap((event) =>
    event.type === 'block-delta' && event.delta.type === 'thinking' ? [event.delta.text] : [],
  )
  const changed = events.map((event): StreamEvent =>
    event.type === 'block-delta' && event.delta.type === 'thinking'
      ? { ...event, delta: { type: 'thinking', text: '[gone]' } }
      : event,
  )
  const out = encode('openai-responses', changed)
  for (const word of words.filter((text) => text.trim().length > 3))
    expect(out.text).not.toContain(word.trim())
  expect(lint('openai-responses', out.bytes)).toEqual([])
})

describe.each(WIRE_NAMES)('%s', (wire) => {
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`

  test('nesting without end is an error with a name', () => {
    const [first] = readFileSync(
      join(
        import.meta.dirname,
        '../fixtures',
        wire,
        `${wire === 'openai-chat' ? 'content-only' : 'text'}.sse`,
      ),
      'utf8',
    ).split('\n\n')
    const body = new TextEncoder().encode(
      `${first}\n\n` +
        `event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"n","input":${deep}}}\n\n` +
        `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"n","arguments":${deep}}}]}}]}\n\n` +
        `data: {"type":"response.output_item.done","output_index":0,"item":{"id":"i","type":"shell_call","action":${deep}}}\n\n`,
    )
    const run = (): unknown => WIRE_NAMES.map((to) => encode(to, readEvents(wire, [body])).bytes)
    try {
      run()
    } catch (error) {
      expect(error).toBeInstanceOf(SluiceError)
    }
  })

  test('names from the prototype of objects are names like others', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const text = new TextDecoder().decode(
        fixture(wire, wire === 'openai-chat' ? 'content-only' : 'text'),
      )
      const body = new TextEncoder().encode(
        text
          .replaceAll('text_delta', name)
          .replaceAll('"type":"message"', `"type":"${name}"`)
          .replaceAll('"stop"', `"${name}"`)
          .replaceAll('"end_turn"', `"${name}"`),
      )
      const events = readEvents(wire, [body])
      for (const to of WIRE_NAMES) expect(encode(to, events).bytes.length).toBeGreaterThan(0)
      expect(lint(wire, body)).toBeDefined()
      expect(
        WIRES[wire].readError({ error: { type: name, code: name, message: name } }).kind,
      ).toBeDefined()
    }
  })
})
