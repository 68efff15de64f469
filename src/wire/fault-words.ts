/**
 * What upstreams say in words only, to the kind of fault it is. A code is believed first; but many servers
 * answer everything with "invalid request" or with a bare sentence, and then the sentence decides.
 * Neighbours: `openai-errors.ts` and `anthropic-messages/terms.ts`; `overflow.ts` has the words for a context
 * that is too long. Knows no wire.
 */
import { isObject, parseObject, toList, toText, type JsonObject } from '../base/json.ts'
import type { FaultKind, StreamFault } from '../event/fault.ts'
import { readOverflow } from './overflow.ts'

const WORDS: readonly (readonly [FaultKind, RegExp])[] = [
  [
    'overloaded',
    /overloaded|over ?capacity|at capacity|capacity exceeded|server (?:is )?busy|no healthy upstream|(?:service|temporarily) unavailable|unable to process your request|loading model|model is not ready/,
  ],
  // Gemini words a rate as OpenAI words a quota, and tells how long to wait.
  [
    'rate-limit',
    /(?:try again|retry) in \d|rate[ _-]?limit|too many requests|throttl|please wait before trying|(?:tokens|requests) per (?:min|minute|day)|resource_exhausted/,
  ],
  [
    'billing',
    /credit balance|insufficient (?:balance|credit|fund|quota)|insufficient_quota|exceeded your current quota|billing details|requires more credits|used all available credits|spending limit|out of credits|payment required|recharge|arrearage|usage limit has been reached|usage_limit_reached/,
  ],
  [
    'authentication',
    /(?:invalid|incorrect|missing|no|wrong|expired) (?:x-)?api[ -]key|api key (?:not valid|is invalid|expired)|invalid authentication|authentication (?:fails|failed)|no auth credentials|unauthenticated|unauthorized|invalid (?:bearer )?token|security token/,
  ],
  [
    'not-found',
    /model\W.{0,120}?(?:not found|not exist|does ?n[o']t exist|decommissioned|is not supported for)|model identifier is invalid|invalid model\b|not a valid model|no endpoints found|unknown model/,
  ],
  [
    'content-policy',
    /content (?:management |filtering |usage )?policy|content filter|usage (?:policy|policies|guidelines)|violat\w+ (?:our|the|usage).{0,30}polic|flagged (?:as|by|for)|input was flagged|content exists risk|inappropriate content|data_inspection|responsible ?ai|prohibited[ _]content|new_sensitive/,
  ],
]

/** Kinds that say little: a server's word for whatever went wrong. */
const VAGUE: ReadonlySet<FaultKind> = new Set<FaultKind>(['invalid-request', 'internal'])

/** Words that no status and no type knows better: both are sent with 400 and with 429. */
const PLAIN: ReadonlySet<FaultKind> = new Set<FaultKind>(['billing', 'overloaded'])

const MAX_CHARACTERS = 4000

/** The kind by code, type or status, or by the words where those say little or nothing. */
function refineKind(kind: FaultKind | undefined, text: string): FaultKind {
  if (kind !== undefined && !VAGUE.has(kind) && kind !== 'rate-limit') return kind
  const sentence = text.slice(0, MAX_CHARACTERS).toLowerCase()
  const [said] = WORDS.find(([, words]) => words.test(sentence)) ?? []
  if (kind === 'rate-limit') return said !== undefined && PLAIN.has(said) ? said : kind
  return said ?? kind ?? 'internal'
}

/** What was read of an error: the overflow and its numbers, or the kind, and how long to wait. */
export function toFault(given: {
  readonly kind: FaultKind | undefined
  readonly message: string
  readonly code: string | undefined
  readonly vendor: JsonObject | undefined
}): StreamFault {
  const { kind, message, code, vendor } = given
  const limits = readOverflow(message, vendor)
  const retryAfterMs = readWait(message)
  return {
    kind: limits === undefined ? refineKind(kind, message) : 'context-too-long',
    message,
    ...(code === undefined ? {} : { code }),
    ...(vendor === undefined ? {} : { vendor }),
    ...(limits === undefined || Object.keys(limits).length === 0 ? {} : { limits }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** "Please try again in 1.5s", "in 6m0s", "Please retry in 34.07s", "retry after 20 seconds". */
export function readWait(message: string): number | undefined {
  const [, minutes, digits, unit] =
    /(?:try again|retry)\w* (?:in|after) (?:(\d{1,4})m(?!s) ?)?(?:(\d{1,6}(?:\.\d{1,12})?) ?(ms|milliseconds?|s|seconds?)\b)?/i.exec(
      message.slice(0, MAX_CHARACTERS),
    ) ?? []
  if (minutes === undefined && digits === undefined) return undefined
  const rest = Number(digits ?? 0) * (/^m/i.test(unit ?? '') ? 1 : 1000)
  return Math.ceil(Number(minutes ?? 0) * 60_000 + rest)
}

const NO_REASON = 'The upstream gave no reason'

/**
 * The sentence in an error, wherever its server put it: `message`, `detail` (also a list of them), `Message`,
 * the bare value; and for one that is only handed on (OpenRouter's "Provider returned error") the one inside.
 */
export function readMessage(error: unknown): string {
  if (!isObject(error)) return toText(error) ?? NO_REASON
  const own = textOf(error['message']) ?? textOf(error['detail']) ?? toText(error['Message'])
  const inner = toText(isObject(error['metadata']) ? error['metadata']['raw'] : undefined)
  if (inner === undefined) return own ?? NO_REASON
  const body = parseObject(inner)
  const said = body === undefined ? inner : readMessage(body['error'] ?? body)
  return own === undefined ? said : `${own}: ${said}`
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return toText(value)
  if (isObject(value)) return toText(value['message']) ?? toText(value['detail'])
  const texts = toList(value).map((item) =>
    isObject(item) ? (toText(item['msg']) ?? toText(item['message'])) : toText(item),
  )
  const said = texts.filter((text) => text !== undefined).join('; ')
  return said === '' ? undefined : said
}
