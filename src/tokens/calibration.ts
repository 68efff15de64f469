/**
 * How far the estimate is off for each model, learned from what upstreams say they counted. Neighbours:
 * `counter.ts` multiplies by it. Knows no request. Bounded: the model that was asked for longest ago goes.
 */

export interface Observation {
  /** The model that answered, by the name the upstream was asked with. */
  readonly model: string
  /** The estimate before any correction: `estimated` of a `TokenCount`. */
  readonly estimated: number
  /** All input that the upstream counted, what was read from a cache included (`totalInput`). */
  readonly actual: number
}

export interface Calibration {
  observe(observation: Observation): void
  factorOf(model: string): number
}

/** Below this the frame around a request weighs more than what is in it. */
const MIN_TOKENS = 100
/** An answer outside of these is about something else: an image, a server tool, a truncated history. */
const MIN_RATIO = 0.4
const MAX_RATIO = 2.5
const MIN_FACTOR = 0.5
const MAX_FACTOR = 2
/** How much the newest observation counts once there are many. */
const NEWEST = 0.1

/** Claude counts 12 to 15 % more than the vocabulary that the weights were fitted to, the others 1 to 8 %. */
const CLAUDE = 1.15
const OTHERS = 1.03

export function createCalibration(maxModels: number): Calibration {
  const models = new Map<string, { factor: number; seen: number }>()
  return {
    observe({ model, estimated, actual }) {
      const ratio = actual / estimated
      if (!(estimated >= MIN_TOKENS && ratio >= MIN_RATIO && ratio <= MAX_RATIO)) return
      const { factor, seen } = models.get(model) ?? { factor: priorOf(model), seen: 0 }
      // A plain mean at first, the prior being the first value in it.
      const share = Math.max(NEWEST, 1 / (seen + 2))
      const next = factor + share * (ratio - factor)
      models.delete(model)
      models.set(model, {
        factor: Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, next)),
        seen: seen + 1,
      })
      const [oldest] = models.keys()
      if (models.size > maxModels && oldest !== undefined) models.delete(oldest)
    },
    factorOf: (model) => models.get(model)?.factor ?? priorOf(model),
  }
}

const priorOf = (model: string): number => (/claude/i.test(model) ? CLAUDE : OTHERS)
