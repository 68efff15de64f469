/**
 * What is wrong with the arguments of a call, in words that a model can act on: where, what is expected, what came.
 * Never says a text that came: reasons are kept and shown. Neighbours: `validate.ts` finds problems, `fix.ts` looks
 * whether one can be put right, `check.ts` makes sentences of them.
 */
import type { JsonObject } from '../../base/json.ts'

export type Step = string | number

export interface Problem {
  readonly path: readonly Step[]
  readonly kind:
    | 'type'
    | 'value'
    | 'missing'
    | 'unknown'
    /** Numbers too small or large, texts too long, … */
    | 'bounds'
    /** It could not be found out: too deep, or too much to look at. */
    | 'unchecked'
  /** What is expected and what came. Said on demand: of a thousand problems a few are told. */
  readonly message: () => string
  /** The schema that says so. */
  readonly schema: JsonObject
  /** The types that would do, where `kind` is `type`. */
  readonly types?: readonly string[]
}

/** `edits[0].old_string: expected string, got number` */
export const toSentence = ({ path, message }: Problem): string =>
  path.length === 0 ? message() : `${toPath(path)}: ${message()}`

const MAX_STEPS = 12
const MAX_NAME = 60

export function toPath(path: readonly Step[]): string {
  const shown = path.length > MAX_STEPS ? path.slice(-MAX_STEPS) : path
  const text = shown.map((step, i) => toStep(step, i === 0)).join('')
  return shown === path ? text : `…${text}`
}

function toStep(step: Step, isFirst: boolean): string {
  if (typeof step === 'number') return `[${step}]`
  if (!/^[\w$-]{1,60}$/.test(step)) return `[${quoteName(step)}]`
  return isFirst ? step : `.${step}`
}

/** A name in quotes, on one line and not too long. */
export const quoteName = (name: string): string =>
  JSON.stringify(name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name)

/** The type of a value in JSON Schema's own words. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
