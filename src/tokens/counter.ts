/**
 * Answers "how many tokens is this request" without asking anybody: the estimate, corrected by what was
 * observed for that model, remembered for a while. An editor asks the same fifty times in a second.
 * Neighbours: `estimate.ts` counts, `calibration.ts` corrects; `exchange/` makes the keys.
 */
import type { JsonObject } from '../base/json.ts'
import { createCalibration, type Observation } from './calibration.ts'
import { estimateTokens } from './estimate.ts'

interface TokenCount {
  readonly tokens: number
  /** The estimate before the correction: what `observe` wants to hear again. */
  readonly estimated: number
  readonly isEstimate: true
}

export interface Counter {
  /**
   * How many tokens of input the request is for that model. With a `key` that stands for the body it is
   * remembered; without one it is remembered for as long as the object itself lives.
   */
  count(model: string, body: JsonObject, key?: string): TokenCount
  /** Tells what an upstream counted. */
  observe(observation: Observation): void
}

export interface CounterOptions {
  readonly maxModels?: number
  /** How many bodies are remembered: a number and a key each. */
  readonly maxRemembered?: number
}

export function createCounter(options: CounterOptions = {}): Counter {
  const { maxModels = 200, maxRemembered = 1000 } = options
  const calibration = createCalibration(maxModels)
  const byKey = new Map<string, number>()
  const byBody = new WeakMap<JsonObject, number>()

  const correct = (model: string, estimated: number): TokenCount => ({
    tokens: Math.max(1, Math.round(estimated * calibration.factorOf(model))),
    estimated,
    isEstimate: true,
  })

  function recall(key: string): number | undefined {
    const estimated = byKey.get(key)
    if (estimated !== undefined) remember(key, estimated)
    return estimated
  }

  /** The newest is last, so that the first is the one to go. */
  function remember(key: string, estimated: number): void {
    byKey.delete(key)
    byKey.set(key, estimated)
    const [oldest] = byKey.keys()
    if (byKey.size > maxRemembered && oldest !== undefined) byKey.delete(oldest)
  }

  return {
    count(model, body, key) {
      const known = key === undefined ? byBody.get(body) : recall(key)
      const estimated = known ?? estimateTokens(body)
      if (known === undefined) {
        byBody.set(body, estimated)
        if (key !== undefined) remember(key, estimated)
      }
      return correct(model, estimated)
    },
    observe: calibration.observe,
  }
}
