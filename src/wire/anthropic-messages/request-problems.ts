/**
 * What is wrong with a request, found while it is read or written. The first one is told: the others are
 * often only its shadow. Neighbours: every `request-*.ts` of this folder. Knows no field.
 */
import type { RequestProblem } from '../../request/request.ts'

/** What is found on the way, beside the parts. */
export interface Findings {
  readonly problems: Problems
  readonly lost: Set<string>
  readonly needed: RequestProblem[]
}

export interface Problems {
  add(path: string, message: string): void
  /** Right in itself, but not possible at this upstream. */
  refuse(path: string, message: string): void
  readonly first: RequestProblem | undefined
}

type Mutable = { -readonly [Key in keyof Problems]: Problems[Key] }

export function createProblems(): Problems {
  // A field that is set, and no getter: see `base/bag.ts`.
  const problems: Mutable = {
    first: undefined,
    add(path, message) {
      problems.first ??= { path, message }
    },
    refuse(path, message) {
      problems.first ??= { path, message, code: 'unsupported' }
    },
  }
  return problems
}
