/**
 * What came of one exchange, as a test wants to look at it. Neighbours: `run.ts` ran it, `frames.ts` writes it on each
 * wire. Plain values where a test compares, and the whole state for the rest.
 */
import type { StreamBlock } from '../event/block.ts'
import type { StreamState } from '../block/state.ts'
import type { StreamEvent, WireName } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import type { FinishReason } from '../event/finish.ts'
import type { Installed, Question, VerdictRecord } from '../policy/policy.ts'
import type { ModelRequest } from '../request/request.ts'
import { createFrames, type WireFinding } from './frames.ts'
import type { Ran } from './run.ts'

/** `ask`: the policy asked a person, whatever they said. `error`: it failed, and its config decided. */
export type TestVerdict = VerdictRecord['type']

interface Decided {
  /** Of several the strictest: error > halt > deny > ask > replace > rewrite > change > pass. */
  readonly verdict: TestVerdict
  /** Its reason; of a question the question. */
  readonly reason: string | undefined
  readonly tags: readonly string[]
  /** All that was decided, in order, as the gateway keeps it. A pass without a word on a request is not among them. */
  readonly verdicts: readonly VerdictRecord[]
  /** Milliseconds, from the first byte to the last, with everything that policies waited for. */
  readonly tookMs: number
}

export interface RequestResult extends Decided {
  /** Whether it was refused: then no model was asked. */
  readonly isRefused: boolean
  readonly isChanged: boolean
  /** What the upstream gets. */
  readonly request: ModelRequest
}

export interface TestResult extends Decided {
  /** Whether the request was refused already, and there is no answer. */
  readonly isRefused: boolean
  /** What the client gets, block by block. */
  readonly blocks: readonly SentBlock[]
  /** All text of it that is no thinking. */
  readonly text: string
  /** The calls that the client will run. */
  readonly calls: readonly SentCall[]
  readonly finish: FinishReason | undefined
  /** How the answer broke off, if it did. */
  readonly error: StreamFault | undefined
  /** Whether the client gets every event as it came, and none beside them. */
  readonly isUntouched: boolean
  /** The same with everything that is known of it. */
  readonly state: StreamState
  /** What a client of that wire gets, as SSE. */
  frames(wire: WireName): string
  /** What the grammars of the three wires find in that: nothing, unless the answer was broken when it came. */
  findings(): readonly WireFinding[]
}

export interface SentCall {
  readonly name: string
  /** An object, or the raw text where that is none. */
  readonly args: Readonly<Record<string, unknown>> | string
}

/** A block as the client gets it. */
export type SentBlock =
  | {
      readonly type: 'text' | 'refusal' | 'thinking' | 'tool-result'
      readonly text: string
    }
  | ({ readonly type: 'tool-call' | 'server-tool' } & SentCall)
  | { readonly type: 'opaque'; readonly vendorType: string }

export interface Outcome {
  readonly records: readonly VerdictRecord[]
  readonly questions: readonly Question[]
  readonly tookMs: number
}

export function toResult(
  ran: Ran,
  outcome: Outcome,
  of: {
    readonly events: readonly StreamEvent[]
    readonly installed: readonly Installed[]
    readonly isRefused: boolean
    readonly now: () => number
  },
): TestResult {
  const { state, sent } = ran
  const blocks = state.blocks.map(toSent)
  const { frames, findings } = createFrames(sent, of)
  return {
    ...decide(outcome),
    isRefused: of.isRefused,
    blocks,
    text: blocks.flatMap((one) => (isText(one) ? [one.text] : [])).join(''),
    calls: blocks.flatMap((one) =>
      one.type === 'tool-call' ? [{ name: one.name, args: one.args }] : [],
    ),
    finish: state.finishReason,
    error: state.error,
    isUntouched:
      sent.length === of.events.length && sent.every((event, at) => event === of.events[at]),
    state,
    frames,
    findings,
  }
}

const isText = (block: SentBlock): block is Extract<SentBlock, { text: string }> =>
  block.type === 'text' || block.type === 'refusal'

function toSent(block: StreamBlock): SentBlock {
  switch (block.type) {
    case 'text':
    case 'refusal':
    case 'thinking':
    case 'tool-result':
      return { type: block.type, text: block.text }
    case 'tool-call':
    case 'server-tool':
      return { type: block.type, name: block.name, args: block.args() ?? block.arguments }
    case 'opaque':
      return { type: 'opaque', vendorType: block.vendorType }
  }
}

const STRICTNESS: Readonly<Record<TestVerdict, number>> = {
  pass: 0,
  change: 1,
  rewrite: 2,
  replace: 3,
  ask: 4,
  deny: 5,
  halt: 6,
  error: 7,
}

export function decide({ records, questions, tookMs }: Outcome): Decided {
  const asked = new Set(questions.map((question) => keyOf(question.policy, question.block.id)))
  const toType = (record: VerdictRecord): TestVerdict =>
    record.type !== 'error' && asked.has(keyOf(record.policy, record.block?.id))
      ? 'ask'
      : record.type
  const strictest = records.reduce<VerdictRecord | undefined>(
    (one, other) =>
      one === undefined || STRICTNESS[toType(other)] > STRICTNESS[toType(one)] ? other : one,
    undefined,
  )
  const verdict = strictest === undefined ? 'pass' : toType(strictest)
  const question = questions.find(
    ({ policy, block }) => policy === strictest?.policy && block.id === strictest.block?.id,
  )
  return {
    verdict,
    reason: verdict === 'ask' ? question?.question : strictest?.reason,
    tags: [...new Set(records.flatMap(({ tags }) => tags))],
    verdicts: records,
    tookMs,
  }
}

const keyOf = (policy: string, id: string | undefined): string => `${policy}\n${id ?? ''}`
