/**
 * A question of a policy → a model's answer, outside of the conversation and of all policies. Neighbours: policies
 * ask through their context; `model-request.ts` says it in the upstream's wire, `attempts.ts` asks. No client's
 * credential and no client's header goes along, and no policy looks at it: a judge is not judged.
 *
 * Each upstream is asked once: whoever asks knows how long it may take, and asks again.
 */
import { SluiceError } from '../base/sluice-error.ts'
import type { StreamState } from '../block/state.ts'
import type { StreamFault } from '../event/fault.ts'
import type { ModelCall, ModelReply } from '../policy/policy.ts'
import type { UpstreamRequest } from '../upstream/upstream.ts'
import { WIRES } from '../wire/wires.ts'
import type { Failed } from './attempted.ts'
import { askInTurn, type Answered } from './attempts.ts'
import { createDeparture } from './departure.ts'
import { isPassing } from './fault-status.ts'
import { toWay } from './model-request.ts'
import { matches } from '../base/star-pattern.ts'
import type { Route } from './route.ts'
import type { Target } from './target.ts'
import type { Ticker } from './ticker.ts'
import { createSpanId, type RandomHex } from './trace-context.ts'
import { PATHS, type Way } from './way.ts'
import { collect, readWhole } from './whole-events.ts'

/** What of an exchange's room is needed. */
export interface ModelRoom {
  readonly routes: readonly Route[]
  readonly targets: ReadonlyMap<string, Target>
  readonly ticker: Ticker
  readonly random: RandomHex
}

export interface ModelCallLimits {
  /** From the question to the whole answer. Default two minutes. */
  readonly timeoutMs?: number
  /** The largest answer. Default 4 MB. */
  readonly answerBytes?: number
  /** All text of one question together. Default 2,000,000 characters. */
  readonly questionChars?: number
  /** Questions under way at once. Default 256. */
  readonly concurrent?: number
}

/** Rejects with a `SluiceError` that says whether to ask again, or with the signal's own reason. */
export type CallModel = (call: ModelCall, signal?: AbortSignal) => Promise<ModelReply>

const LIMITS: Required<ModelCallLimits> = {
  timeoutMs: 120_000,
  answerBytes: 4 * 1024 * 1024,
  questionChars: 2_000_000,
  concurrent: 256,
}

export function createModelCaller(room: ModelRoom, given: ModelCallLimits = {}): CallModel {
  const limits = { ...LIMITS, ...given }
  let underWay = 0
  return async (call, signal) => {
    signal?.throwIfAborted()
    call.signal?.throwIfAborted()
    checkSize(call, limits.questionChars)
    const asked = findTargets(room, call)
    if (underWay >= limits.concurrent)
      throw new SluiceError(
        'upstream-failed',
        `Cannot ask "${call.model}" now: ${underWay} other questions are under way`,
      )
    underWay += 1
    try {
      return await ask(room, asked, { call, signal, limits })
    } finally {
      underWay -= 1
    }
  }
}

function checkSize({ system = '', messages, model }: ModelCall, max: number): void {
  const chars = messages.reduce((sum, { text }) => sum + text.length, system.length)
  if (chars > max)
    throw new SluiceError(
      'upstream-refused',
      `Cannot ask "${model}" with more than ${max} characters: got ${chars}`,
    )
}

interface AskedTargets {
  readonly targets: readonly Target[]
  readonly as: Readonly<Record<string, string>>
}

/** By the upstream's name, or by the first route that takes the model. */
function findTargets(room: ModelRoom, { model, upstream }: ModelCall): AskedTargets {
  // One for any client, before one for clients of a single wire: we are neither.
  const taking = room.routes.filter((route) => matches(route.model, model))
  const route = taking.find(({ wire }) => wire === undefined) ?? taking[0]
  const names = upstream === undefined ? (route?.to ?? []) : [upstream]
  const targets = names.flatMap((name) => room.targets.get(name) ?? [])
  if (targets.length > 0)
    return { targets: targets.map(onceEach), as: upstream === undefined ? (route?.as ?? {}) : {} }
  const known = [...room.targets.keys()].slice(0, 20).join(', ')
  throw new SluiceError(
    'upstream-refused',
    upstream === undefined
      ? `Cannot ask "${model}": no route takes this model; name one that does, or an upstream (${known})`
      : `Cannot ask upstream "${upstream}": there is none of that name; there is ${known}`,
  )
}

const onceEach = (target: Target): Target => ({
  ...target,
  settings: { ...target.settings, retry: { ...target.settings.retry, attempts: 1 } },
})

interface Asking {
  readonly call: ModelCall
  readonly signal: AbortSignal | undefined
  readonly limits: Required<ModelCallLimits>
}

async function ask(
  room: ModelRoom,
  { targets, as }: AskedTargets,
  { call, signal, limits }: Asking,
): Promise<ModelReply> {
  const { ticker, random } = room
  const left = createDeparture()
  const leave = (): void => left.leave()
  const timer = setTimeout(leave, limits.timeoutMs)
  const signals = [signal, call.signal].filter((one) => one !== undefined)
  for (const one of signals) one.addEventListener('abort', leave, { once: true })
  try {
    const answered = await askInTurn({
      // It only chooses the status of a failure, which nobody is told here.
      wire: WIRES['openai-chat'],
      targets,
      wantsStream: false,
      client: left,
      ticker,
      startedAt: ticker.now(),
      commit: 0,
      maxAnswerBytes: limits.answerBytes,
      createSpanId: () => createSpanId(random),
      findWay: (target) => toWay(call, target, as[target.settings.name] ?? call.model),
      toRequest: (_, way) => toRequest(way),
      onAttempt() {},
    })
    for (const one of signals) one.throwIfAborted()
    return toReply(answered, call, limits.timeoutMs)
  } finally {
    clearTimeout(timer)
    for (const one of signals) one.removeEventListener('abort', leave)
  }
}

const toRequest = ({ wire, body, headers }: Way): UpstreamRequest => ({
  method: 'POST',
  wire: wire.name,
  path: PATHS[wire.name],
  query: '',
  headers: {
    'content-type': 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'sluice',
    ...headers,
  },
  body,
})

function toReply({ result, way, target }: Answered, call: ModelCall, timeMs: number): ModelReply {
  const name = target?.settings.name ?? ''
  switch (result.type) {
    case 'failed':
      throw toError(result, way, name)
    case 'left':
      throw new SluiceError(
        'upstream-failed',
        `Cannot get an answer of "${call.model}" within ${timeMs / 1000} s`,
      )
    case 'json':
    case 'whole-stream': {
      if (way === undefined) throw new Error('An answer came by no way')
      const { wire } = way
      const events =
        result.type === 'json' ? wire.readAnswer(result.json) : readWhole(wire, result.body)
      return toText(collect(events), call, name)
    }
    case 'stream':
      result.call.abort()
      throw new Error('A stream came for somebody who wants none')
  }
}

function toText(state: StreamState, call: ModelCall, name: string): ModelReply {
  const { error, blocks, finishReason, usage, model } = state
  if (error !== undefined) throw toFaultError(error, name, isPassing(error.kind))
  if (call.schema !== undefined && finishReason === 'length')
    throw new SluiceError(
      'upstream-refused',
      `Upstream "${name}" could not finish its answer in ${call.maxTokens} tokens: raise maxTokens`,
    )
  // Only what it says to us: what it thinks is no answer, and neither is a refusal.
  const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')
  return { text, model: model ?? call.model, usage }
}

/** Has a `cause` where somebody else said why: those words may quote what was asked. */
function toError({ fault, isRetryable, retryAfter }: Failed, way: Way | undefined, name: string) {
  // Nobody was asked, and the sentence is ours: it says what to change.
  if (way === undefined) return new SluiceError(codeOf(isRetryable), fault.message)
  const waited = retryAfter === undefined ? fault : { retryAfterMs: retryAfter, ...fault }
  return toFaultError(waited, name, isRetryable)
}

const codeOf = (mayPass: boolean): 'upstream-failed' | 'upstream-refused' =>
  mayPass ? 'upstream-failed' : 'upstream-refused'

const MAX_SAID = 300

function toFaultError(fault: StreamFault, name: string, mayPass: boolean): SluiceError {
  const said = fault.message.slice(0, MAX_SAID)
  return new SluiceError(
    codeOf(mayPass),
    said.startsWith('Upstream "')
      ? said
      : `Upstream "${name}" answered with an error (${fault.kind}): ${said}`,
    { cause: fault },
  )
}
