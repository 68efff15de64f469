/**
 * What the questions of one verdict used and cost. Neighbours: `ask.ts` adds, `judge.ts` puts it on the verdict.
 */
import { totalInput, type Usage } from '../../event/usage.ts'
import type { JudgeSettings } from './options.ts'

export interface Bill {
  /** One question more; `undefined` where the upstream did not say what it used. */
  add(usage: Usage | undefined): void
  toDetails(): Readonly<Record<string, number>>
}

const MILLION = 1_000_000

export function createBill(price: JudgeSettings['price']): Bill {
  let calls = 0
  let inputTokens = 0
  let outputTokens = 0
  return {
    add(usage) {
      calls += 1
      inputTokens += usage === undefined ? 0 : totalInput(usage)
      outputTokens += usage?.outputTokens ?? 0
    },
    toDetails() {
      const details = { calls, inputTokens, outputTokens }
      if (price === undefined) return details
      const cost = (inputTokens * price.input + outputTokens * price.output) / MILLION
      return { ...details, cost: Number(cost.toPrecision(6)) }
    },
  }
}
