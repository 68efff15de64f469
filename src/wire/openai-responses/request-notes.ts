/**
 * What is found out on the way through a request: the first thing that is wrong, and what only this wire
 * can do. Neighbours: every `request-*.ts` of this folder notes into one, `request-read.ts` and
 * `request-write.ts` look at it when they are through. Nothing is thrown: a bad request is expected.
 */
import type { RequestProblem } from '../../request/request.ts'

export interface Notes {
  /** A problem that ends the request. The first one counts: the others may only follow from it. */
  fail(path: string, message: string, code?: RequestProblem['code']): void
  /** A field that another wire leaves out, and says so. */
  lose(what: string): void
  /** A field that another wire must refuse. */
  need(path: string, message: string): void
  readonly problem: RequestProblem | undefined
  readonly lost: readonly string[]
  readonly needed: readonly RequestProblem[]
}

/** As many as a person would read; a request of a million bad items must not make a million of them. */
const MAX_NEEDED = 20

type Mutable = { -readonly [Key in keyof Notes]: Notes[Key] }

export function createNotes(): Notes {
  const known = new Set<string>()
  const lost: string[] = []
  const needed: RequestProblem[] = []
  // Fields that are set, and no getters: see `base/bag.ts`.
  const notes: Mutable = {
    problem: undefined,
    lost,
    needed,
    fail(path, message, code) {
      notes.problem ??= { path, message, ...(code === undefined ? {} : { code }) }
    },
    lose(what) {
      if (known.has(what)) return
      known.add(what)
      lost.push(what)
    },
    need(path, message) {
      if (needed.length < MAX_NEEDED) needed.push({ path, message, code: 'unsupported' })
    },
  }
  return notes
}
