/**
 * The first promise: nothing of a held block leaves before its pass, and nothing of a denied one ever. Any answer, cut
 * anywhere, any verdicts in any order, on every pair of wires, as a stream and as JSON. `RUNS=20000` tries for longer.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HeldType } from '../../src/policy/policy.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { runGated, type How } from '../support/gated.ts'
import { markedAnswers, marksIn, toUpstream, type MarkedAnswer } from '../support/marked-answers.ts'
import { createGates, gatePlan, type GatePlan } from '../support/random-gates.ts'

const numRuns = Number(process.env['RUNS'] ?? 25)
const lots = fc.array(fc.nat(), { minLength: 1, maxLength: 12 })

interface Case {
  readonly answer: MarkedAnswer
  readonly plans: readonly GatePlan[]
  readonly cuts: readonly number[]
  readonly strangers: readonly number[]
  readonly lots: readonly number[]
}

const cases = (answer: fc.Arbitrary<MarkedAnswer>): fc.Arbitrary<Case> =>
  fc.record({
    answer,
    plans: fc.array(gatePlan, { minLength: 1, maxLength: 3 }),
    cuts: fc.array(fc.nat(), { maxLength: 25 }),
    strangers: fc.array(fc.nat(), { maxLength: 3 }),
    lots,
  })

const typeIn =
  ({ events }: MarkedAnswer) =>
  (mark: number): HeldType => {
    const event = events.find((one) => one.type === 'block-start' && one.block.index === mark)
    return event !== undefined && 'block' in event && event.block?.type === 'tool-call'
      ? 'tool-call'
      : 'text'
  }

const PAIRS = WIRE_NAMES.flatMap((client) =>
  WIRE_NAMES.map((upstream) => ({ client, upstream }) as const),
)

describe.each(PAIRS)('$client on $upstream', ({ client, upstream }) => {
  test.each<How>(['live', 'made', 'json', 'whole-json'])('leaks nothing: %s', async (how) => {
    const hasChoices = client === 'openai-chat' && upstream === client
    const property = fc.asyncProperty(cases(markedAnswers({ hasChoices })), async (given) => {
      const gates = createGates(given.plans, typeIn(given.answer))
      let at = 0
      const next = (): number => given.lots[at++ % given.lots.length] ?? 0
      const check = (sent: string): void => {
        const leaked = [...marksIn(sent)].filter((mark) => !gates.mayLeave(mark))
        expect({ leaked, sent: leaked.length > 0 ? sent : '' }).toEqual({ leaked: [], sent: '' })
      }
      const out = await runGated({
        client,
        upstream,
        how,
        bytes: toUpstream(upstream, given.answer, given.strangers),
        cuts: given.cuts,
        installed: gates.installed,
        ask: () => gates.ask(),
        step(sent) {
          check(sent)
          // Now and then nobody decides, and more comes.
          const lot = next()
          return (lot % 3 === 0 && at % 4 !== 0) || gates.resolve(lot)
        },
      })
      check(out.text)
    })
    await fc.assert(property, { numRuns })
  })
})
