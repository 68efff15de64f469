/**
 * The way of one request to one upstream, and of its answer back: as it came where both speak the client's
 * wire, else through the canonical request. Neighbours: `plan.ts` says who is asked, `to-request.ts` sends
 * what stands here, `deliver.ts` reads the answer by it.
 */
import { stringifyExact } from '../base/json-exact.ts'
import type { JsonObject } from '../base/json.ts'
import type { AnswerStage } from '../translate/answer-stage.ts'
import type { WireName } from '../event/event.ts'
import type { Loss } from '../event/loss.ts'
import { toProfile, type Profile } from '../request/profile.ts'
import type { ModelRequest, RequestProblem } from '../request/request.ts'
import { createAnswerStages, translateRequest } from '../translate/translate.ts'
import { randomId } from '../wire/ids.ts'
import type { EncoderOptions, Wire } from '../wire/wire.ts'
import { WIRES } from '../wire/wires.ts'
import { withExactInputs } from './exact-inputs.ts'
import type { ExchangeInput } from './exchange.ts'
import { mergeLosses } from './losses.ts'
import { withoutOrphans } from './orphaned-reasoning.ts'
import { toOwnBytes } from './own-bytes.ts'
import { ownerOf } from './owner.ts'
import type { Plan } from './plan.ts'
import type { RequestBody } from '../upstream/upstream.ts'
import { changeRequest } from './request.ts'
import type { Body } from './request-bytes.ts'
import type { Target } from './target.ts'

export interface Way {
  /** What this upstream speaks. */
  readonly wire: Wire
  /** Whether the answer is read and written anew; else its bytes pass. */
  readonly isTranslated: boolean
  /** Until it is answered: see `drop` in `exchange.ts`. */
  body: RequestBody | undefined
  /** How the body is packed, if it is as it came. */
  readonly encoding: string | undefined
  /** Headers that belong to what a translated body says. */
  readonly headers: Readonly<Record<string, string>>
  readonly losses: readonly Loss[]
  readonly encoder: EncoderOptions
  createStages(): readonly AnswerStage[]
  /** Our own count of the input, where it was made. */
  readonly count: { readonly model: string; readonly estimated: number } | undefined
}

/** Why this upstream cannot be asked at all. */
export interface NoWay {
  readonly problem: RequestProblem
}

/** What an upstream speaks to this client: the client's own wire if it can. */
export const wireAt = ({ upstream }: Target, wire: WireName): WireName =>
  upstream.wires.includes(wire) ? wire : (upstream.wires[0] ?? wire)

/**
 * Thinking that crossed wires comes back in such an envelope, in one of these fields and nowhere else. The end of its mark is
 * looked for first: a search goes by its first character, and a digit is rarer than any letter (1 µs for 100 KB, where one that
 * begins with a quote takes 43).
 */
const END_OF_MARK = Buffer.from('1.')
const MARK = 'sluice1.'
const IN_FIELD = /(?<!\\)"(?:signature|data|encrypted_content)"\s*:\s*"sluice1\./
/** In a request that is full of numbers. */
const MAX_LOOKS = 500

/** Two looks: the first is cheap, and mostly the last. */
const hasEnvelope = (body: Body): boolean => {
  const bytes = body.look()
  return hasMark(bytes) && IN_FIELD.test(bytes.toString('latin1'))
}

export function hasMark(bytes: Buffer): boolean {
  let end = 0
  for (let look = 0; look < MAX_LOOKS; look++) {
    const at = bytes.indexOf(END_OF_MARK, end)
    if (at === -1) return false
    end = at + END_OF_MARK.length
    if (bytes.toString('latin1', end - MARK.length, end) === MARK) return true
  }
  return bytes.includes(MARK, end - MARK.length)
}

/** `isUnsealed`: without thinking, after an upstream refused what was sealed. */
export function findWay(
  input: ExchangeInput,
  plan: Plan,
  target: Target,
  isUnsealed = false,
): Way | NoWay {
  const { endpoint } = input
  const { body, facts, route } = plan
  const { settings } = target
  const name = wireAt(target, endpoint.wire)
  const isStream = settings.stream === 'client' ? plan.wantsStream : settings.stream === 'always'
  const model = route?.as[settings.name]
  const isOwnWire = name === endpoint.wire
  if (body === undefined || facts === undefined)
    return asItCame(WIRES[name], body?.raw, body?.encoding)
  const isForeign = plan.expanded?.isForAll === true || isUnsealed || hasEnvelope(body)
  if (isOwnWire && !isForeign) {
    const changed = changeRequest(endpoint.wire, facts, {
      model,
      isStream: endpoint.kind === 'answer' ? isStream : undefined,
    })
    return changed === undefined
      ? asItCame(WIRES[name], body.raw, body.encoding)
      : asItCame(WIRES[name], changed, undefined)
  }
  return translate(input, plan, target, { isUnsealed, isStream, model: model ?? facts.model })
}

const NONE = {}
const NO_LOSSES: readonly Loss[] = []
const NO_STAGES: ReturnType<Way['createStages']> = []

const asItCame = (
  wire: Wire,
  body: RequestBody | undefined,
  encoding: string | undefined,
): Way => ({
  wire,
  isTranslated: false,
  body,
  encoding,
  headers: NONE,
  losses: NO_LOSSES,
  encoder: NONE,
  createStages: () => NO_STAGES,
  count: undefined,
})

function translate(
  input: ExchangeInput,
  plan: Plan,
  target: Target,
  how: { readonly isUnsealed: boolean; readonly isStream: boolean; readonly model: string },
): Way | NoWay {
  const { endpoint, room } = input
  const { settings } = target
  const from = WIRES[endpoint.wire]
  const to = WIRES[wireAt(target, endpoint.wire)]
  const json = exactBodyOf(plan, from.name)
  const owner = (): string => (plan.owner ??= ownerOf(input))
  const translated = translateRequest({
    from,
    to,
    body: json,
    model: how.model,
    isStream: how.isStream,
    profile: profileOf(target, to.name, how.model),
    issuer: settings.name,
    recall: (callId) => room.sessions.recallThinking(owner(), callId),
    recallExtra: (callId) => room.sessions.recallExtra(owner(), callId, settings.name),
    isStrict: plan.route?.isStrict ?? room.isStrict,
    isUnsealed: how.isUnsealed,
  })
  if (!translated.ok) return { problem: translated.problem }
  const written = toBytes(withoutOrphans(translated.body) ?? translated.body)
  if (written === undefined) return { problem: TOO_DEEP }
  const { names, stop, losses, headers, request } = translated
  // Messages says the input's size first, and clients draw their meters by it; others say it at the end.
  const isEstimated = endpoint.wire === 'anthropic-messages' && to.name !== 'anthropic-messages'
  const count = isEstimated ? room.counter.count(how.model, json) : undefined
  const estimate = count?.tokens
  const createStages: Way['createStages'] = () => createAnswerStages({ names, stop, estimate })
  return {
    wire: to,
    // On the client's own wire only the request was changed, unless something of it must be undone.
    isTranslated: to.name !== from.name || createStages().length > 0,
    body: written,
    encoding: undefined,
    headers: to.name === 'anthropic-messages' ? { ...VERSION, ...headers } : headers,
    losses: how.isUnsealed ? mergeLosses(losses, UNSEALED) : losses,
    encoder: {
      // As the client said it: an answer repeats the id that it goes on from.
      ...from.toEncoderOptions(plan.asked ?? plan.facts?.json() ?? json),
      issuer: settings.name,
      createId: once(randomId),
      usedIds: to.name === from.name ? undefined : callIds(request),
    },
    createStages,
    count: count === undefined ? undefined : { model: how.model, estimated: count.estimated },
  }
}

/** One answer has one id, however often it is written: as a stream, and once more for our books. */
function once(create: () => string): () => string {
  let id: string | undefined
  return () => (id ??= create())
}

const TOO_DEEP: RequestProblem = {
  path: '',
  message: 'The body cannot be written again: it is nested too deep, or too long',
  code: 'invalid',
}

/** The engine throws at what it has no stack or no room for. That is the request's fault, and no failure of ours. */
function toBytes(body: JsonObject): Buffer | undefined {
  try {
    return toOwnBytes(stringifyExact(body))
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function callIds({ turns }: ModelRequest): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const { parts } of turns)
    for (const part of parts) if (part.type === 'tool-call') ids.add(part.id)
  return ids
}

const UNSEALED: readonly Loss[] = [{ kind: 'dropped', what: 'thinking', count: 1 }]

function exactBodyOf(plan: Plan, wire: WireName): JsonObject {
  const { body, expanded } = plan
  const json = bodyOf(plan)
  return wire === 'anthropic-messages' && expanded === undefined && body !== undefined
    ? withExactInputs(json, body.plain)
    : json
}

/** Without it Anthropic answers nothing. */
const VERSION = { 'anthropic-version': '2023-06-01' }

/** What that upstream's model takes. */
export function profileOf(target: Target, wire: WireName, model: string): Profile {
  const known = profiles.get(target) ?? new Map<string, Profile>()
  profiles.set(target, known)
  const key = `${wire} ${model}`
  let profile = known.get(key)
  if (profile === undefined) {
    const { settings } = target
    const host = settings.kind === 'http' ? new URL(settings.baseUrl).hostname : undefined
    profile = toProfile({ wire, host, vendor: settings.vendor, model })
    if (known.size >= MAX_PROFILES) known.clear()
    known.set(key, profile)
  }
  return profile
}

/** To find one out costs as much as reading a small request, and nearly all are for the same few models. */
const profiles = new WeakMap<Target, Map<string, Profile>>()
const MAX_PROFILES = 100

/** Where an answer of that wire is asked for, below a base URL. */
export const PATHS: Readonly<Record<WireName, string>> = {
  'anthropic-messages': '/v1/messages',
  'openai-chat': '/chat/completions',
  'openai-responses': '/responses',
}

/** Where tokens are counted, on wires that count. */
export const COUNT_PATHS: Readonly<Partial<Record<WireName, string>>> = {
  'anthropic-messages': '/v1/messages/count_tokens',
  'openai-responses': '/responses/input_tokens',
}

/** The body of a request, with what it names of the conversation put in. */
export const bodyOf = (plan: Plan): JsonObject => plan.expanded?.body ?? plan.facts?.json() ?? {}
