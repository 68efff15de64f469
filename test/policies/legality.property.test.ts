/**
 * The second promise: after any verdicts the answer is legal on its wire, its finish agrees with what is left, and it is
 * legal as history. Any answer, any verdicts in any order, on every pair of wires. `RUNS=20000` tries for longer.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StreamState } from '../../src/block/state.ts'
import type { WireName } from '../../src/event/event.ts'
import { CUT_SHORT } from '../../src/event/finish.ts'
import { NOTICE } from '../../src/policy/notice.ts'
import { WIRE_NAMES, WIRES } from '../../src/wire/wires.ts'
import { runGated, type Gated, type How } from '../support/gated.ts'
import { openCourt, type Court } from '../support/judges.ts'
import { markedAnswers, toUpstream, type MarkedAnswer } from '../support/marked-answers.ts'
import { refusedNext } from '../support/next-turn.ts'
import { assemble, lint } from '../support/pipeline.ts'
import { createGates, gatePlan, type GatePlan } from '../support/random-gates.ts'
import { stateOf } from '../support/streams.ts'

const numRuns = Number(process.env['RUNS'] ?? 12)

interface Case {
  readonly answer: MarkedAnswer
  readonly plans: readonly GatePlan[]
  readonly lots: readonly number[]
}

const cases = (answer: fc.Arbitrary<MarkedAnswer>): fc.Arbitrary<Case> =>
  fc.record({
    answer,
    plans: fc.array(gatePlan, { minLength: 1, maxLength: 2 }),
    lots: fc.array(fc.nat(), { minLength: 1, maxLength: 8 }),
  })

interface Pair {
  readonly client: WireName
  readonly upstream: WireName
}
const PAIRS = WIRE_NAMES.flatMap((client) =>
  WIRE_NAMES.map((upstream): Pair => ({ client, upstream })),
)

async function run({ client, upstream }: Pair, how: How, given: Case): Promise<Gated> {
  const gates = createGates(given.plans, () => 'tool-call')
  let at = 0
  return await runGated({
    client,
    upstream,
    how,
    bytes: toUpstream(upstream, given.answer, []),
    cuts: given.lots,
    installed: gates.installed,
    ask: () => gates.ask(),
    step: () => gates.resolve(given.lots[at++ % given.lots.length] ?? 0),
  })
}

/** What a client ended up with. */
const read = (wire: WireName, how: How, out: Gated): StreamState =>
  how.endsWith('json')
    ? assemble(WIRES[wire].readAnswer(out.body ?? {}))
    : stateOf(wire, new Uint8Array(out.bytes))

function checkFinish(state: StreamState, answer: MarkedAnswer): void {
  const calls = state.blocks.filter(
    (block) => block.type === 'tool-call' && (block.choice ?? 0) === 0,
  ).length
  const { finishReason: reason = 'other' } = state
  const isCut = CUT_SHORT.has(answer.reason)
  if (CUT_SHORT.has(reason)) expect({ reason, isCut }).toEqual({ reason, isCut: true })
  else expect({ reason, calls }).toEqual({ reason: calls > 0 ? 'tool-calls' : 'stop', calls })
}

/** Words of ours stand before the calls, where none may follow them. */
function checkOrder(state: StreamState): void {
  const first = state.blocks.findIndex(({ type }) => type === 'tool-call')
  const behind = first === -1 ? [] : state.blocks.slice(first)
  const notices = behind.filter((block) => block.type === 'text' && block.text.startsWith(NOTICE))
  expect(notices).toEqual([])
}

const holdsCalls = ({ plans }: Case): boolean =>
  plans.some(({ holds }) => holds.includes('tool-call'))

describe.each(PAIRS)('$client on $upstream', (pair) => {
  const { client, upstream } = pair
  const hasChoices = client === 'openai-chat' && upstream === client

  test.each<How>(['live', 'made', 'json', 'whole-json'])('stays legal: %s', async (how) => {
    const property = fc.asyncProperty(cases(markedAnswers({ hasChoices })), async (given) => {
      const out = await run(pair, how, given)
      const state = read(client, how, out)
      expect(state.error).toBeUndefined()
      expect(state.isStopped).toBe(true)
      if (!how.endsWith('json')) expect(lint(client, new Uint8Array(out.bytes))).toEqual([])
      checkFinish(state, given.answer)
      if (!holdsCalls(given)) return
      if (client === 'anthropic-messages') checkOrder(state)
      const { body: _body, ...untouched } = await run(pair, how, {
        ...given,
        plans: [
          {
            holds: ['tool-call'],
            fates: ['pass'],
            isSync: [true],
            isEager: false,
            onError: 'deny',
          },
        ],
      })
      const next = { client, upstream, isStream: !how.endsWith('json') }
      const before = new Set(refusedNext({ ...next, answer: untouched.bytes }))
      const after = refusedNext({ ...next, answer: out.bytes }).filter((one) => !before.has(one))
      expect({ after, text: after.length > 0 ? out.text : '' }).toEqual({ after: [], text: '' })
    })
    await fc.assert(property, { numRuns })
  })
})

describe('the official SDKs', () => {
  let court: Court
  beforeAll(async () => {
    court = await openCourt()
  })
  afterAll(() => court.close())

  test.each(PAIRS)('take what $client gets from $upstream', async (pair) => {
    const property = fc.asyncProperty(cases(markedAnswers()), async (given) => {
      const out = await run(pair, 'live', given)
      const state = read(pair.client, 'live', out)
      const heard = await court.hear(pair.client, new Uint8Array(out.bytes))
      for (const [name, { error, calls }] of Object.entries(heard)) {
        expect([name, error]).toEqual([name, undefined])
        const own = state.blocks.filter(({ type }) => type === 'tool-call')
        expect(calls.map(({ id }) => id)).toEqual(own.map(({ id }) => id))
      }
    })
    await fc.assert(property, { numRuns: Math.ceil(numRuns / 4) })
  })
})
