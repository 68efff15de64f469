/**
 * What the fuzzer found stays found: its corpus, and a short run from fixed seeds. `npm run fuzz` is
 * the long one.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isWireName, WIRE_NAMES } from '../src/index.ts'
import { createRandom, cutRandomly, mutate, readSeeds } from './fuzz/mutate.ts'
import { torture } from './fuzz/torture.ts'
import { assemble, cut, readEvents } from './support/pipeline.ts'

const CORPUS = join(import.meta.dirname, 'fuzz/corpus')

describe('the corpus', () => {
  test.each(readdirSync(CORPUS))('%s', (name) => {
    const wire = name.split('.')[0] ?? ''
    if (!isWireName(wire)) throw new Error(`${name} names no wire`)
    const bytes = new Uint8Array(readFileSync(join(CORPUS, name)))
    for (const seed of [1, 2, 3]) torture(wire, cutRandomly(bytes, createRandom(seed)))
  })
})

test('a call that is told twice with other arguments ends the answer', () => {
  const bytes = readFileSync(
    join(CORPUS, 'openai-responses.call-told-twice-with-other-arguments.bin'),
  )
  expect(assemble(readEvents('openai-responses', [new Uint8Array(bytes)])).error?.kind).toBe(
    'bad-stream',
  )
})

test('streams that are almost right keep every promise', () => {
  const seeds = readSeeds()
  for (let seed = 0; seed < 400; seed++) {
    const random = createRandom(seed)
    const { wire, bytes } = seeds[seed % seeds.length] ?? {
      wire: 'openai-chat',
      bytes: new Uint8Array(0),
    }
    torture(wire, cutRandomly(mutate(bytes, random), random))
  }
})

test('no bytes at all make anything but an error', () => {
  const junk = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc.string({ unit: 'binary', maxLength: 200 }).map((text) => new TextEncoder().encode(text)),
  )
  fc.assert(
    fc.property(
      fc.constantFrom(...WIRE_NAMES),
      junk,
      fc.array(fc.nat(), { maxLength: 5 }),
      (wire, bytes, places) => {
        torture(wire, cut(bytes, places))
        expect(assemble(readEvents(wire, [bytes])).error).toBeDefined()
      },
    ),
    { numRuns: 500 },
  )
})
