/**
 * Every fixture and every recording, on its own wire: what passes leaves as it came, byte for byte, and of what is denied
 * nothing leaves, in whatever places a server repeats it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { StreamState } from '../../src/block/state.ts'
import type { WireName } from '../../src/event/event.ts'
import { install } from '../../src/policy/installed.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { deny, pass } from '../../src/policy/verdict.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { createRandom } from '../fuzz/mutate.ts'
import { runGated, type Gated } from '../support/gated.ts'
import { lint } from '../support/pipeline.ts'
import { readRecordings } from '../support/recordings.ts'
import { stateOf } from '../support/streams.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures')

interface Given {
  readonly wire: WireName
  readonly name: string
  readonly bytes: Uint8Array
}

const fixtures: Given[] = WIRE_NAMES.flatMap((wire) =>
  readdirSync(join(FIXTURES, wire))
    .filter((name) => name.endsWith('.sse'))
    .map((name) => ({
      wire,
      name,
      bytes: new Uint8Array(readFileSync(join(FIXTURES, wire, name))),
    })),
)

const recordings: Given[] = readRecordings().map(({ wire, name, sse }) => ({
  wire,
  name,
  bytes: sse,
}))

/** Cut at some places, the same for everybody. */
function cutsOf({ name, bytes }: Given): number[] {
  const random = createRandom(name.length)
  return Array.from({ length: 12 }, () => Math.floor(random() * bytes.length))
}

const run = (given: Given, client: WireName, ...policies: readonly Policy[]): Promise<Gated> =>
  runGated({
    upstream: given.wire,
    client,
    how: 'live',
    bytes: given.bytes,
    cuts: cutsOf(given),
    installed: policies.map((policy) => install(policy)),
    step: () => true,
  })

const passing: Policy = {
  name: 'passing',
  holds: ['tool-call', 'text', 'refusal'],
  judge: () => pass(),
}
const later: Policy = {
  name: 'later',
  isEager: true,
  async judge() {
    await Promise.resolve()
    return pass()
  },
}
const shadow: Policy = {
  name: 'shadow',
  judge: () => deny('No'),
  onChunk: () => 'hold',
}
const denying: Policy = { name: 'denying', judge: () => deny('Not allowed') }

/** What must follow from an upstream's own way, when it is taken over in the middle. */
const FOLLOWS: Readonly<Record<string, string>> = {
  // It never adds its items, so ours cannot be the first to be added.
  'items-only-done.sse': 'C5',
}

/** What is said behind the end is no part of the answer, and does not leave where somebody judges answers. */
const SPEAKS_LATE: ReadonlySet<string> = new Set(['frames-after-done.sse'])

const isCut = (state: StreamState): boolean =>
  state.blocks.some((block) => {
    if (block.type !== 'tool-call') return false
    const parsed = block.parseArguments()
    return !parsed.ok && parsed.reason === 'cut'
  })

/** Words that stand in calls and nowhere else. */
function wordsOfCalls(state: StreamState): string[] {
  const calls = state.blocks.filter((block) => block.type === 'tool-call')
  const others = state.blocks
    .filter((block) => block.type !== 'tool-call')
    .map((block) => JSON.stringify([block, 'text' in block && block.text, block.vendor]))
    .join('')
  const names = new Set(calls.map(({ name }) => name))
  const words = calls.flatMap((call) => valuesIn(call.args() ?? call.arguments))
  return [...new Set(words)].filter(
    (word) => !others.includes(word) && !names.has(word) && !FIELDS.has(word),
  )
}

/** Words that answers are made of on every wire. */
const FIELDS: ReadonlySet<string> = new Set(['summary', 'instructions'])

/** The longer words of all strings in there; keys stand in the schemas too, which answers repeat. */
function valuesIn(value: unknown): string[] {
  if (typeof value === 'string') return value.match(/[\p{L}\d_/.-]{7,}/gu) ?? []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(valuesIn)
}

describe.each([
  ['fixture', fixtures],
  ['recording', recordings],
] as const)('each %s', (_kind, all) => {
  test.each(all)('passes as it came: $wire/$name', async (given) => {
    const state = stateOf(given.wire, given.bytes)
    if (state.error !== undefined || isCut(state) || SPEAKS_LATE.has(given.name)) return
    const out = await run(given, given.wire, passing, later)
    expect(out.text).toBe(Buffer.from(given.bytes).toString())
    expect(out.isUntouched).toBe(true)
  })

  test.each(all)('gives nothing of denied calls to any wire: $wire/$name', async (given) => {
    const state = stateOf(given.wire, given.bytes)
    const before = new Set(lint(given.wire, given.bytes).map(({ rule }) => rule))
    const words = wordsOfCalls(state)
    // Each recording on its own wire and one other, in turn.
    const at = WIRE_NAMES.indexOf(given.wire)
    const other = WIRE_NAMES[(at + 1 + (given.bytes.length % 2)) % WIRE_NAMES.length] ?? given.wire
    for (const client of all === fixtures ? WIRE_NAMES : [given.wire, other]) {
      const out = await run(given, client, denying)
      expect(words.filter((word) => out.text.includes(word))).toEqual([])
      const read = stateOf(client, new Uint8Array(out.bytes))
      expect(read.blocks.filter(({ type }) => type === 'tool-call')).toEqual([])
      if (state.error !== undefined) continue
      const ours = lint(client, new Uint8Array(out.bytes)).filter(
        ({ rule }) => client !== given.wire || !(before.has(rule) || FOLLOWS[given.name] === rule),
      )
      expect(ours).toEqual([])
    }
  })
})

test('a policy in shadow changes no byte', async () => {
  for (const given of fixtures) {
    if (stateOf(given.wire, given.bytes).error !== undefined) continue
    if (SPEAKS_LATE.has(given.name)) continue
    const out = await runGated({
      upstream: given.wire,
      client: given.wire,
      how: 'live',
      bytes: given.bytes,
      cuts: cutsOf(given),
      installed: [install(shadow, { isShadow: true })],
      step: () => true,
    })
    expect({ name: given.name, text: out.text }).toEqual({
      name: given.name,
      text: Buffer.from(given.bytes).toString(),
    })
  }
})
