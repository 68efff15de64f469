/**
 * Small streams, one per quirk, each beside what must be read from it. `NAME.blocks.json` was written
 * by hand from the rules, not from what the code does; only the keys that stand there are compared,
 * but blocks are compared one by one and an error must be named there to be right.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { WIRE_NAMES, type StreamEvent, type StreamState, type WireName } from '../src/index.ts'
import { cutEvery, fromUtf8 } from './support/bytes.ts'
import { assemble, decodeAll, encodeAll } from './support/streams.ts'

interface Expected {
  readonly blocks: readonly Readonly<Record<string, unknown>>[]
  readonly finishReason: string | null
  readonly usage?: Readonly<Record<string, unknown>>
  readonly error?: Readonly<Record<string, unknown>>
}

/** How far apart the places are at which a stream is cut. A prime, so that all places get their turn. */
const STRIDE = 13

describe.each(WIRE_NAMES)('%s', (wire) => {
  describe.each(namesOf(wire))('%s', (name) => {
    const bytes = new Uint8Array(readFileSync(pathOf(wire, `${name}.sse`)))
    const expected = JSON.parse(
      readFileSync(pathOf(wire, `${name}.blocks.json`), 'utf8'),
    ) as Expected
    const events = decodeAll(wire, [bytes])

    test('is read as its blocks', () => {
      expect(pick(assemble(events), expected)).toEqual(expected)
    })

    test('keeps the order of blocks: one is over before the next begins', () => {
      expect(disorder(events)).toEqual([])
    })

    test('leaves as it came when nobody touches it', () => {
      expect(fromUtf8(encodeAll(wire, events))).toBe(fromUtf8(bytes))
      expect(encodeAll(wire, events)).toEqual(bytes)
    })

    test('is read the same and leaves the same in pieces, wherever it is cut', () => {
      const strided = Array.from({ length: STRIDE }, (_, first) =>
        cutEvery(bytes, STRIDE, first + 1),
      )
      for (const pieces of [...strided, cutEvery(bytes, 1)]) {
        const read = decodeAll(wire, pieces)
        expect(read.map(withoutStep)).toEqual(events.map(withoutStep))
        expect(encodeAll(wire, read)).toEqual(bytes)
      }
    })
  })
})

test('every fixture has both its files', () => {
  for (const wire of WIRE_NAMES) {
    const files = new Set(readdirSync(pathOf(wire, '')))
    const pairs = namesOf(wire).flatMap((name) => [`${name}.blocks.json`, `${name}.sse`])
    expect(files).toEqual(new Set(pairs))
  }
})

function pathOf(wire: WireName, file: string): URL {
  return new URL(`fixtures/${wire}/${file}`, import.meta.url)
}

function namesOf(wire: WireName): string[] {
  const files = readdirSync(pathOf(wire, ''))
  return files
    .filter((file) => file.endsWith('.sse'))
    .map((file) => file.slice(0, -'.sse'.length))
    .sort()
}

/** What the state says of the things that are named. */
function pick(state: StreamState, expected: Expected): unknown {
  const blocks = state.blocks.map((block, i) =>
    keysOf(block, expected.blocks[i] ?? { type: '', index: 0 }),
  )
  return {
    blocks,
    finishReason: state.finishReason ?? null,
    ...(expected.usage === undefined ? {} : { usage: keysOf(state.usage, expected.usage) }),
    ...(state.error === undefined
      ? {}
      : { error: keysOf(state.error, expected.error ?? { kind: '', message: '' }) }),
  }
}

const keysOf = (value: unknown, named: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.keys(named).map((key) => [key, (value as Record<string, unknown> | undefined)?.[key]]),
  )

/** Starts that come too early and pieces of a block that is not open, choice by choice. */
function disorder(events: readonly StreamEvent[]): string[] {
  const open = new Map<number, unknown>()
  return events.flatMap((event) => {
    const choice = event.choice ?? 0
    const before = open.get(choice)
    if (event.type === 'block-start') {
      open.set(choice, event.block)
      return before === undefined ? [] : [`block ${event.block.index} began too early`]
    }
    if (event.type !== 'block-delta' && event.type !== 'block-stop') return []
    if (event.type === 'block-stop') open.delete(choice)
    return before === event.block ? [] : [`block ${event.block.index} is not open`]
  })
}

const withoutStep = ({ step, ...event }: StreamEvent): object => ({
  ...event,
  number: step?.number,
})
