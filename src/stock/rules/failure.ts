/**
 * Why an expression gave nothing. Neighbours: `language.ts` makes them, `judge.ts` acts on them: a missing field means
 * no match, anything else fails closed. Says no content: it goes into records and to the model.
 */
import { EvaluationError } from '@marcbachmann/cel-js'

export class Failure {
  /** A word for it, of CEL's or of ours. */
  readonly code: string

  constructor(code: string) {
    this.code = code
  }
}

/** Not there: of an object, of a list. */
export const MISSING = new Failure('missing')

const MISSING_CODES = new Set(['no_such_key', 'index_out_of_bounds', 'index_out_of_range'])

export function toFailure(error: unknown): Failure {
  if (!(error instanceof EvaluationError)) return new Failure('error')
  return MISSING_CODES.has(error.code) ? MISSING : new Failure(error.code)
}
