/**
 * Every fixture under a policy without sense: whatever it does to the blocks, the stream that leaves
 * has no fault that its upstream did not have, and nothing of a block that was dropped.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { WIRE_NAMES, type WireName } from '../../src/index.ts'
import { createRandom } from '../fuzz/mutate.ts'
import { meddle } from '../support/meddle.ts'
import { encode, lint, readEvents } from '../support/pipeline.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures')

const fixtures = WIRE_NAMES.flatMap((wire) =>
  readdirSync(join(FIXTURES, wire))
    .filter((name) => name.endsWith('.sse'))
    .map((name) => ({
      wire,
      name,
      bytes: new Uint8Array(readFileSync(join(FIXTURES, wire, name))),
    })),
)

/** Faults that an upstream had stay in what left before the first change; these are ours alone to avoid. */
const rulesOf = (wire: WireName, bytes: Uint8Array): Set<string> =>
  new Set(lint(wire, bytes).map(({ rule }) => rule))

describe.each(WIRE_NAMES)('to %s', (to) => {
  test.each(fixtures)('$wire/$name', ({ wire, name, bytes }) => {
    const before = wire === to ? rulesOf(wire, bytes) : new Set<string>()
    for (const rule of FOLLOWS[name] ?? []) before.add(rule)
    for (let seed = 0; seed < 40; seed++) {
      const random = createRandom(seed)
      const moves = Array.from({ length: 1 + Math.floor(random() * 6) }, () =>
        Math.floor(random() * 7),
      )
      const out = encode(to, meddle(readEvents(wire, [bytes]), moves))
      const after = lint(to, out.bytes).filter(({ rule }) => !before.has(rule) && !THEIRS.has(rule))
      expect({ moves, after }).toEqual({ moves, after: [] })
    }
  })
})

/** What must follow from an upstream's own way, when it is taken over in the middle. */
const FOLLOWS: Readonly<Record<string, readonly string[]>> = {
  // Its messages beside the deltas mislead the SDK by one piece, until the last one sets it right.
  'message-beside-delta.sse': ['B22'],
  // It never adds its items, so ours cannot be the first to be added.
  'items-only-done.sse': ['C5'],
}

/** The model's own arguments, and tools that the client asked for. */
const THEIRS = new Set(['B11-json', 'B23'])
