/**
 * The policies that were live then, tried on what they were live on: nothing is different. Every fixture through a real
 * gateway to clients of all wires, before policies without sense, into a real file and back.
 */
import '../support/seed.ts'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { hashHex } from '../../src/base/hash.ts'
import type { StreamBlock } from '../../src/event/block.ts'
import type { WireName } from '../../src/event/event.ts'
import { install } from '../../src/policy/installed.ts'
import { definePolicy, type HeldType, type Installed } from '../../src/policy/policy.ts'
import {
  change,
  deny,
  halt,
  pass,
  replace,
  rewrite,
  type Verdict,
} from '../../src/policy/verdict.ts'
import { codingAgent } from '../../src/stock/coding-agent.ts'
import { loopBreaker } from '../../src/stock/loop-breaker.ts'
import { redact } from '../../src/stock/redact/redact.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { startPast, type Past } from '../support/past.ts'

let past: Past | undefined
afterEach(async () => {
  await past?.close()
  past = undefined
})

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

const NO_FIXTURE = { wire: 'openai-chat', name: '', bytes: new Uint8Array() } as const

const wordsOf = (block: StreamBlock): string =>
  block.type === 'tool-call'
    ? `${block.name} ${block.arguments}`
    : 'text' in block
      ? block.text
      : ''

/** By what it says and by nothing else. */
function judge(block: StreamBlock, salt: string): Verdict {
  const lot = Number.parseInt(hashHex(`${salt} ${wordsOf(block)}`).slice(0, 6), 16) % 12
  const call = { type: 'tool-call', name: 'read', args: { path: 'x' } } as const
  if (lot === 0) return halt('Enough', { details: { rule: 'halts' } })
  if (lot < 3) return deny('Not here', { instead: 'Elsewhere', details: { rule: lot } })
  if (lot === 3) return replace({ type: 'text', text: 'Something else.' })
  if (lot === 4) return replace([call, { ...call, name: 'run' }])
  if (lot === 5 && block.type === 'tool-call' && block.dialect !== 'custom')
    return rewrite({ path: salt })
  if (lot === 6) throw new Error('Broken')
  return pass()
}

interface Plan {
  readonly holds: readonly HeldType[]
  readonly isSlow: boolean
  readonly onError: 'deny' | 'pass'
  readonly isShadow: boolean
  readonly salt: string
}

const plan: fc.Arbitrary<Plan> = fc.record({
  holds: fc.constantFrom<HeldType[][]>(['tool-call'], ['tool-call', 'text'], ['text', 'refusal']),
  isSlow: fc.boolean(),
  onError: fc.constantFrom('deny', 'pass'),
  isShadow: fc.constantFrom(false, false, true),
  salt: fc.string({ minLength: 1, maxLength: 4 }),
})

const toGate = ({ holds, isSlow, onError, isShadow, salt }: Plan, at: number): Installed =>
  install(
    definePolicy<HeldType>({
      name: `gate-${at}`,
      version: salt,
      holds,
      judge: (block) => {
        if (!isSlow) return judge(block, salt)
        return Promise.resolve().then(() => judge(block, salt))
      },
    }),
    { onError, isShadow },
  )

/** Counts over a conversation: each third call is one too many. */
const counting = (): Installed =>
  install(
    definePolicy<'tool-call', undefined, { calls: number }>({
      name: 'counting',
      version: '1',
      memory: () => ({ calls: 0 }),
      judge: (_block, { memory }) =>
        ++memory.calls % 3 === 0 ? deny('Too many', { details: { rule: 'third' } }) : pass(),
    }),
  )

/** Refuses and changes requests by what the user says. */
const asking = (): Installed =>
  install(
    definePolicy({
      name: 'asking',
      version: '1',
      holds: [],
      onRequest(request) {
        const words = JSON.stringify(request.turns)
        if (words.includes('forbidden')) return deny('Not that word')
        if (!words.includes('changed')) return undefined
        return change({ ...request, system: [{ type: 'text', text: 'Be kind.' }] })
      },
    }),
  )

async function serveAll(of: Past, lots: readonly number[]): Promise<void> {
  for (const lot of lots) {
    const { wire, bytes } = fixtures[lot % fixtures.length] ?? fixtures[0] ?? NO_FIXTURE
    // Mostly the client speaks the same; every fourth speaks another.
    const client: WireName = lot % 4 === 0 ? (WIRE_NAMES[lot % 3] ?? wire) : wire
    const said = lot % 17 === 0 ? 'forbidden' : lot % 13 === 0 ? 'changed' : 'Hello'
    const turns = [{ role: 'user', content: `${said} ${lot % 5}` }]
    await of.serve(bytes, {
      wire: client,
      upstreamWire: wire,
      body: client === 'openai-responses' ? { input: turns } : { messages: turns },
    })
  }
  await of.written()
}

const kinds = fc.record({
  plans: fc.array(plan, { minLength: 1, maxLength: 3 }),
  lots: fc.array(fc.nat({ max: 10_000 }), { minLength: 40, maxLength: 50 }),
  hasStock: fc.boolean(),
})

const RUNS = Number(process.env['BACKTEST_RUNS'] ?? 1)

test(
  'policies that were live then find nothing different',
  { timeout: RUNS * 40_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(kinds, async ({ plans, lots, hasStock }) => {
        const create = (): readonly Installed[] => [
          asking(),
          ...plans.map(toGate),
          counting(),
          ...(hasStock
            ? [
                install(codingAgent()),
                install(loopBreaker()),
                install(redact({ in: ['answers'], words: ['the', 'city'] })),
              ]
            : []),
        ]
        past = await startPast(create())
        await serveAll(past, lots)
        // Made anew: what they keep of conversations is not what the live ones have kept.
        const result = await past.try(create(), { examples: 5 })
        expect(result.problems).toEqual([])
        expect(result.rows).toEqual([])
        expect(result.exchanges.seen).toBe(lots.length)
        expect(result.same).toBeGreaterThan(5)
        await past.close()
        past = undefined
      }),
      // To make it smaller would take as many gateways.
      { numRuns: RUNS, endOnFailure: true },
    )
  },
)
