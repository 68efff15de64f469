/**
 * Which exchanges are recorded, and the beginning and the end of it. Neighbours: `exchange.ts` says when; `draft.ts` has the
 * tape, so that everybody who writes to the client can hold it to what leaves; `store/tape.ts` is the contract.
 *
 * - What is asked of a model is always recorded, also if the gateway refuses it: `answer`, and `/compact`.
 * - What is asked about a stored answer, where an upstream is asked. What our own books say is in the record of the exchange
 *   that they are from.
 * - A count of tokens, where a policy changed or refused it. Agents ask for one before every turn, with the whole
 *   conversation, which the next request says again, and the answer is a number.
 * - Lists of models: never. They are no exchange.
 */
import type { Recorder, Tape } from '../store/tape.ts'
import type { VerdictRecord } from '../policy/policy.ts'
import { bytesOf } from '../upstream/upstream.ts'
import { conversationOf, toldBy } from './conversation.ts'
import type { Draft } from './draft.ts'
import { isCount } from './endpoint.ts'
import type { ExchangeInput } from './exchange.ts'
import { toStatus } from './fault-status.ts'
import type { Plan, Refusal } from './plan.ts'
import { toTapeEnd } from './record-row.ts'
import type { Body } from './request-bytes.ts'
import type { Way } from './way.ts'

/** Whether there is a tape for it before policies have had their say. */
export const isRecorded = ({ endpoint }: ExchangeInput, made: Plan | Refusal): boolean =>
  endpoint.kind === 'answer' || (!isCount(endpoint) && !('fault' in made))

/**
 * Begins the tape of an exchange; false where the store has no room for it. A refusal is then just not recorded. A promise
 * only while the store is behind: this is on everybody's way.
 */
export function beginTape(
  input: ExchangeInput,
  draft: Draft,
  made: Plan | Refusal,
): boolean | Promise<boolean> {
  const { recorder } = input.room
  if (recorder === undefined || draft.tape !== undefined) return true
  const admitted = recorder.admit()
  if (admitted !== true && 'fault' in made) return true
  const begin = (isAdmitted: boolean): boolean => {
    if (isAdmitted) openTape(recorder, draft, findConversation(input, made))
    return isAdmitted
  }
  return typeof admitted === 'boolean' ? begin(admitted) : admitted.then(begin)
}

/** For what is refused before anybody looks at it: recorded if there is room at once. */
export function openTape(recorder: Recorder, draft: Draft, conversation: string | undefined): void {
  draft.conversation = conversation
  draft.tape = recorder.begin(draft.toTapeStart())
  const { model, isStream } = draft.facts()
  draft.tape.asked(draft.body ?? NOTHING, { model, isStream, conversation })
  draft.body = undefined
}

const NOTHING = new Uint8Array(0)

/** Found once for each exchange, when somebody wants to know. */
function findConversation(
  { request, room, client, answerId }: ExchangeInput,
  plan: Plan | Refusal,
): string | undefined {
  if ('fault' in plan) return undefined
  const ofAnswer = (id: string): string | undefined =>
    room.origins.find(client.key, id)?.conversation
  if (plan.facts === undefined) return answerId === undefined ? undefined : ofAnswer(answerId)
  return (plan.conversation ??= conversationOf(
    request.headers,
    plan.expanded === undefined ? plan.facts : toldBy(plan.expanded.body),
    ofAnswer,
  ))
}

/** What a client is told that has come at a bad time. */
export function noRoom({ room, endpoint: { wire } }: ExchangeInput): Refusal {
  room.onNotRecorded?.()
  return {
    status: toStatus('overloaded', wire),
    fault: {
      kind: 'overloaded',
      message:
        'Nothing can be recorded here at the moment, and nothing is served unrecorded: try again',
    },
    headers: { 'retry-after': '5' },
  }
}

/** Whether a policy changed something or refused it. */
export const hasActed = (verdicts: readonly VerdictRecord[]): boolean =>
  verdicts.some(({ isShadow, type }) => !isShadow && type !== 'pass')

/** All attempts are made: what the upstream got, if that is not what the client sent. */
export function settleTape(tape: Tape, asked: Body | undefined, way: Way | undefined): void {
  const sent = way?.body
  const isSame = sent === undefined || sent === asked?.raw
  tape.settled(isSame ? undefined : bytesOf(sent))
}

/** Gives back how many verdicts are in the record. */
export function endTape(input: ExchangeInput, draft: Draft): number {
  const { tape, conversation } = draft
  const report = draft.report() ?? draft.finish(FAILED)
  tape?.finish(toTapeEnd(report, input, conversation))
  return report.verdicts.length
}

/** An error of ours: whoever called is told by the server. */
const FAILED = {
  outcome: 'refused',
  status: 500,
  fault: { kind: 'internal', message: 'The gateway could not serve this request' },
} as const
