/**
 * What a policy may decide. Neighbours: `policy.ts` says who decides, `gate.ts` carries it out. Plain values, so
 * that a verdict can be cached, stored and sent.
 */

/** What stands on every verdict for the record; no client sees it. */
interface Remarks {
  /** Why, in words for model and person. */
  readonly reason?: string
  readonly tags?: readonly string[]
  /** Figures and names for the record: the rule, a probability, what it cost. Plain JSON, no content. */
  readonly details?: Readonly<Record<string, string | number | boolean>>
}

export type Verdict = Remarks &
  (
    | { readonly type: 'pass' }
    /** The block becomes a text that tells why. `instead`: what is allowed. */
    | { readonly type: 'deny'; readonly reason: string; readonly instead?: string }
    | { readonly type: 'replace'; readonly blocks: readonly NewBlock[] }
    /** The same call with other arguments: an object, or the text of a free-text call. */
    | { readonly type: 'rewrite'; readonly args: Readonly<Record<string, unknown>> | string }
    /** A person decides. */
    | { readonly type: 'ask'; readonly question: string }
    /** The answer ends here, well-formed. */
    | { readonly type: 'halt'; readonly reason: string }
  )

/** A block that a policy makes. */
export type NewBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool-call'
      readonly name: string
      /** An object, or the text of a free-text call. */
      readonly args: Readonly<Record<string, unknown>> | string
    }

/** What a policy may say of a request. `change`: the same request with something in it changed. */
export type RequestVerdict<Request> = Remarks &
  (
    | { readonly type: 'pass' }
    | { readonly type: 'deny'; readonly reason: string; readonly instead?: string }
    | { readonly type: 'change'; readonly request: Request }
  )

type Passed = Remarks & { readonly type: 'pass' }
type Denied = Remarks & {
  readonly type: 'deny'
  readonly reason: string
  readonly instead?: string
}

const PASS: Passed = { type: 'pass' }

export const pass = (remarks?: Remarks): Passed =>
  remarks === undefined ? PASS : { ...remarks, type: 'pass' }

export const deny = (
  reason: string,
  more: Remarks & { readonly instead?: string } = {},
): Denied => ({
  ...more,
  type: 'deny',
  reason,
})

export const replace = (
  blocks: NewBlock | readonly NewBlock[],
  remarks: Remarks = {},
): Verdict => ({
  ...remarks,
  type: 'replace',
  blocks: 'type' in blocks ? [blocks] : blocks,
})

export const rewrite = (
  args: Readonly<Record<string, unknown>> | string,
  remarks: Remarks = {},
): Verdict => ({ ...remarks, type: 'rewrite', args })

export const ask = (question: string, remarks: Remarks = {}): Verdict => ({
  ...remarks,
  type: 'ask',
  question,
})

export const halt = (reason: string, remarks: Remarks = {}): Verdict => ({
  ...remarks,
  type: 'halt',
  reason,
})

/** The same request with something in it changed. */
export const change = <Request>(
  request: Request,
  remarks: Remarks = {},
): RequestVerdict<Request> => ({ ...remarks, type: 'change', request })

const STRICTNESS: Readonly<Record<Verdict['type'], number>> = {
  halt: 5,
  deny: 4,
  ask: 3,
  replace: 2,
  rewrite: 1,
  pass: 0,
}

/** Of several, the strictest: halt > deny > ask > replace > rewrite > pass; of two alike the first. */
export const strictest = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.reduce(
    (one, other) => (STRICTNESS[other.type] > STRICTNESS[one.type] ? other : one),
    PASS,
  )
