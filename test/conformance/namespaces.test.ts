/**
 * A tool that stands in a set of tools, from one wire to the others: Responses has namespaces, Messages has
 * toolsets, and Chat has a name only.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { BlockInfo } from '../../src/event/block.ts'
import type { StreamEvent, WireName } from '../../src/event/event.ts'
import { createCallNames } from '../../src/request/call-names.ts'
import { createCallRestorer } from '../../src/translate/restore-calls.ts'
import { WIRES } from '../../src/wire/wires.ts'
import { fromUtf8 } from '../support/bytes.ts'
import { assemble, decodeAll, encodeAll } from '../support/streams.ts'

const read = (file: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../fixtures/${file}`, import.meta.url)))

const NAMESPACED = decodeAll('openai-responses', [read('openai-responses/namespaced-call.sse')])
const TOOLSET = decodeAll('anthropic-messages', [read('anthropic-messages/toolset-call.sse')])

const textOf = (wire: WireName, events: readonly StreamEvent[]): string =>
  fromUtf8(encodeAll(wire, events))

const jsonOf = (wire: WireName, events: readonly StreamEvent[]): string =>
  JSON.stringify(WIRES[wire].writeAnswer(assemble(events)).body)

describe.each([
  ['a stream', textOf],
  ['JSON', jsonOf],
])('a call of a set, as %s', (_, write) => {
  test('is a toolset’s on Messages', () => {
    expect(write('anthropic-messages', NAMESPACED)).toMatch(
      /"name":"look","toolset_name":"birds","input":\{/,
    )
  })

  test('is a namespace’s on Responses', () => {
    expect(write('openai-responses', TOOLSET)).toMatch(/"namespace":"birds"[^}]*"name":"hoot"/)
  })

  test('has both in its name on Chat', () => {
    expect(write('openai-chat', NAMESPACED)).toContain('"name":"birds__look"')
    expect(write('openai-chat', TOOLSET)).toContain('"name":"birds__hoot"')
  })

  test('stays what it was on its own wire, also where somebody has changed the answer', () => {
    const touched = (events: readonly StreamEvent[]): readonly StreamEvent[] =>
      events.map((event) => {
        if (event.type !== 'block-delta') return event
        const { step: _step, ...rest } = event
        return rest
      })
    expect(write('openai-responses', touched(NAMESPACED))).toMatch(
      /"name":"look","namespace":"birds"/,
    )
    expect(write('anthropic-messages', touched(TOOLSET))).toMatch(
      /"name":"hoot","toolset_name":"birds"/,
    )
  })

  test('comes back to its Messages client from a wire without sets', () => {
    const names = createCallNames({
      tools: [
        {
          type: 'vendor',
          name: 'hoot',
          namespace: 'birds',
          dialect: 'function',
          schema: { type: 'object' },
        },
      ],
      maxLength: 64,
    })
    const block: BlockInfo = {
      type: 'tool-call',
      id: 'call_a',
      index: 0,
      name: 'birds__hoot',
      dialect: 'function',
    }
    const restorer = createCallRestorer(names)
    const events: readonly StreamEvent[] = [
      { type: 'message-start', id: 'a', model: 'm', wire: 'openai-chat' },
      { type: 'block-start', block },
      { type: 'block-delta', block, delta: { type: 'arguments', text: '{}' } },
      { type: 'block-stop', block },
      { type: 'finish', reason: 'tool-calls' },
      { type: 'message-stop' },
    ]
    const restored = events.flatMap((event) => [...restorer.push(event)])
    expect(write('anthropic-messages', restored)).toMatch(
      /"name":"hoot","toolset_name":"birds","input":\{/,
    )
  })
})
