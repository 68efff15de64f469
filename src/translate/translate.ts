/**
 * A client's request on one wire → the request for an upstream on another, and the stages that read its answer
 * back. Neighbours: the wires read and write requests; `restore-calls.ts`, `stop-sequences.ts` and
 * `estimate-start.ts` are the stages; `exchange/` runs both. Knows no wire's fields.
 */
import type { JsonObject } from '../base/json.ts'
import { isNestedDeeper, MAX_NESTING } from '../base/nesting.ts'
import type { WireName } from '../event/event.ts'
import type { Loss } from '../event/loss.ts'
import type { CallNames } from '../request/call-names.ts'
import type { ModelRequest, RequestProblem } from '../request/request.ts'
import type { RequestForm, WriteOptions, WrittenRequest } from '../request/write.ts'
import type { AnswerStage } from './answer-stage.ts'
import { createStartEstimate } from './estimate-start.ts'
import { createCallRestorer, needsRestoring } from './restore-calls.ts'
import { createStopSequences } from './stop-sequences.ts'
import { withWholeThinking } from './whole-thinking.ts'

/** What of a wire is needed here. */
export type RequestWire = RequestForm & { readonly name: WireName }

export interface TranslateOptions extends WriteOptions {
  /** The client's. */
  readonly from: RequestWire
  /** The upstream's. */
  readonly to: RequestWire
  readonly body: JsonObject
  /** Refuse what cannot be carried whole. */
  readonly isStrict?: boolean | undefined
}

export type TranslatedRequest =
  | (Extract<WrittenRequest, { ok: true }> & {
      /** What the client asked for, in our own tongue. */
      readonly request: ModelRequest
    })
  | { readonly ok: false; readonly problem: RequestProblem }

export function translateRequest(options: TranslateOptions): TranslatedRequest {
  const { from, to, body, recall, isStrict = false } = options
  if (isNestedDeeper(body, MAX_NESTING))
    return refuse('', `The body is nested deeper than ${MAX_NESTING} levels: flatten it`, 'invalid')
  const read = from.readRequest(body)
  if (!read.ok) return read
  const request =
    from.name === 'openai-chat' && recall !== undefined
      ? withWholeThinking(read.request, recall)
      : read.request
  const isOther = from.name !== to.name
  const [needed] = request.needed
  if (isOther && needed !== undefined)
    return { ok: false, problem: { code: 'unsupported', ...needed } }

  const written =
    options.isUnsealed === true
      ? to.writeRequest(withoutThinking(request), withoutRecall(options))
      : to.writeRequest(request, options)
  if (!written.ok) return written
  const { collision } = written.names
  if (collision !== undefined) return refuseCollision(collision)
  if (isTooMuch(written.stop)) return refuseStop(request)
  const losses = isOther ? withLost(request.lost, written.losses) : written.losses
  if (isStrict && losses.length > 0) return refuseLosses(losses)
  const { headers, names, stop } = written
  return { ok: true, body: written.body, headers, losses, names, stop, request }
}

/** How the answer to a translated request is read back. */
export interface AnswerPlan {
  readonly names: CallNames
  readonly stop: readonly string[]
  /** Tokens of the input, for clients that want to know them first. */
  readonly estimate?: number | undefined
}

/** Only those that have something to do, in their order; for one answer. */
export function createAnswerStages({ names, stop, estimate }: AnswerPlan): readonly AnswerStage[] {
  return [
    ...(estimate === undefined ? [] : [createStartEstimate(() => estimate)]),
    ...(needsRestoring(names) ? [createCallRestorer(names)] : []),
    ...(stop.some((sequence) => sequence !== '') ? [createStopSequences(stop)] : []),
  ]
}

function withoutRecall(options: WriteOptions): WriteOptions {
  const { recall: _recall, ...others } = options
  return others
}

const withoutThinking = (request: ModelRequest): ModelRequest => ({
  ...request,
  turns: request.turns
    .map((turn) => {
      const parts = turn.parts.filter(({ type }) => type !== 'thinking')
      return parts.length === turn.parts.length ? turn : { ...turn, parts }
    })
    .filter(({ parts }, at) => parts.length > 0 || request.turns[at]?.parts.length === 0),
})

/** As many as anybody reads: a body may be made of nothing else. */
const MAX_LOST = 100

/** Fields that only the client's wire has, before what the other could not say. */
function withLost(lost: readonly string[], losses: readonly Loss[]): readonly Loss[] {
  if (lost.length === 0) return losses
  const known = new Set(losses.flatMap(({ kind, what }) => (kind === 'dropped' ? [what] : [])))
  const fields = [...new Set(lost)].filter((what) => !known.has(what)).slice(0, MAX_LOST)
  return [...fields.map((what): Loss => ({ kind: 'dropped', what, count: 1 })), ...losses]
}

function refuseLosses(losses: readonly Loss[]): TranslatedRequest {
  const list = losses.map(({ kind, what }) => `${what} (${kind})`).join(', ')
  return refuse(
    losses[0]?.what ?? '',
    `Cannot be carried to this upstream without a loss, and strict mode allows none: ${list}`,
  )
}

/** Each is looked for at every character of the answer, and held back for as long as it may be there. */
const MAX_STOPS = 64
const MAX_STOP_CHARS = 1000

const isTooMuch = (stop: readonly string[]): boolean =>
  stop.length > MAX_STOPS || stop.some(({ length }) => length > MAX_STOP_CHARS)

const refuseStop = ({ source }: ModelRequest): TranslatedRequest =>
  refuse(
    source.wire === 'openai-chat' ? 'stop' : 'stop_sequences',
    `Send up to ${MAX_STOPS} stop sequences of up to ${MAX_STOP_CHARS} characters: this upstream knows too few, and more are not looked for`,
  )

function refuseCollision({
  first,
  second,
}: NonNullable<CallNames['collision']>): TranslatedRequest {
  const [one, other] = [first, second].map(({ name, namespace }) =>
    namespace === undefined ? `"${name}"` : `"${name}" of "${namespace}"`,
  )
  return refuse(
    'tools',
    `The tools ${one} and ${other} go by one name at this upstream: rename one`,
  )
}

const refuse = (
  path: string,
  message: string,
  code: RequestProblem['code'] = 'unsupported',
): TranslatedRequest => ({ ok: false, problem: { path, message, code } })
