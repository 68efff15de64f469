/**
 * The words that both OpenAI wires use for errors, and ours, both ways. Compatible servers use the
 * same envelope with words of their own, a bare string, or a number that is the HTTP status. Neighbours:
 * `fault-words.ts` and `overflow.ts` read what is only said in a sentence.
 */
import { isObject, toText, type JsonObject } from '../base/json.ts'
import type { FaultKind, StreamFault } from '../event/fault.ts'
import { readMessage, toFault } from './fault-words.ts'

const FROM_CODE: Readonly<Record<string, FaultKind>> = {
  context_length_exceeded: 'context-too-long',
  invalid_api_key: 'authentication',
  insufficient_quota: 'billing',
  billing_hard_limit_reached: 'billing',
  billing_not_active: 'billing',
  usage_limit_reached: 'billing',
  model_not_found: 'not-found',
  model_decommissioned: 'not-found',
  invalid_model: 'not-found',
  request_too_large: 'too-large',
  rate_limit_exceeded: 'rate-limit',
  content_policy_violation: 'content-policy',
  content_filter: 'content-policy',
  data_inspection_failed: 'content-policy',
  misalignment_policy_violation: 'content-policy',
  cyber_policy: 'content-policy',
  bio_policy: 'content-policy',
  invalid_prompt: 'invalid-request',
  server_is_overloaded: 'overloaded',
  slow_down: 'overloaded',
  timeout: 'timeout',
  server_error: 'internal',
  upstream_error: 'internal',
}

const FROM_TYPE: Readonly<Record<string, FaultKind>> = {
  invalid_request_error: 'invalid-request',
  authentication_error: 'authentication',
  permission_error: 'permission',
  not_found_error: 'not-found',
  rate_limit_error: 'rate-limit',
  insufficient_quota: 'billing',
  requests: 'rate-limit',
  tokens: 'rate-limit',
  overloaded_error: 'overloaded',
  server_error: 'internal',
  // Anthropic's, from servers that speak both
  billing_error: 'billing',
  request_too_large: 'too-large',
  timeout_error: 'timeout',
  api_error: 'internal',
  // Moonshot
  exceeded_current_quota_error: 'billing',
  engine_overloaded_error: 'overloaded',
  rate_limit_reached_error: 'rate-limit',
  invalid_authentication_error: 'authentication',
  resource_not_found_error: 'not-found',
  content_filter: 'content-policy',
  // vLLM, llama.cpp
  NotFoundError: 'not-found',
  BadRequestError: 'invalid-request',
  unavailable_error: 'overloaded',
}

/** Google's, in `status`, also on its compatible endpoint. */
const FROM_GOOGLE: Readonly<Record<string, FaultKind>> = {
  INVALID_ARGUMENT: 'invalid-request',
  FAILED_PRECONDITION: 'invalid-request',
  UNAUTHENTICATED: 'authentication',
  PERMISSION_DENIED: 'permission',
  NOT_FOUND: 'not-found',
  RESOURCE_EXHAUSTED: 'rate-limit',
  UNAVAILABLE: 'overloaded',
  DEADLINE_EXCEEDED: 'timeout',
  INTERNAL: 'internal',
}

const FROM_STATUS: Readonly<Record<number, FaultKind>> = {
  400: 'invalid-request',
  401: 'authentication',
  402: 'billing',
  403: 'permission',
  404: 'not-found',
  408: 'timeout',
  409: 'conflict',
  413: 'too-large',
  422: 'invalid-request',
  429: 'rate-limit',
  503: 'overloaded',
  504: 'timeout',
  529: 'overloaded',
}

interface ErrorWords {
  readonly type: string
  readonly code: string | null
  /** The code inside a Responses stream: its clients know only these. */
  readonly streamCode: string
}

const TO_WORDS: Readonly<Record<FaultKind, ErrorWords>> = {
  'invalid-request': { type: 'invalid_request_error', code: null, streamCode: 'invalid_prompt' },
  'context-too-long': {
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    streamCode: 'context_length_exceeded',
  },
  authentication: {
    type: 'invalid_request_error',
    code: 'invalid_api_key',
    streamCode: 'server_error',
  },
  billing: {
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    streamCode: 'insufficient_quota',
  },
  permission: { type: 'permission_error', code: null, streamCode: 'server_error' },
  'not-found': {
    type: 'invalid_request_error',
    code: 'model_not_found',
    streamCode: 'server_error',
  },
  conflict: { type: 'invalid_request_error', code: null, streamCode: 'server_error' },
  'too-large': {
    type: 'invalid_request_error',
    code: 'request_too_large',
    // Codex tries an unknown code five times more; this one it knows what to do about.
    streamCode: 'context_length_exceeded',
  },
  'rate-limit': {
    type: 'requests',
    code: 'rate_limit_exceeded',
    streamCode: 'rate_limit_exceeded',
  },
  'content-policy': {
    type: 'invalid_request_error',
    code: 'content_policy_violation',
    streamCode: 'invalid_prompt',
  },
  internal: { type: 'server_error', code: null, streamCode: 'server_error' },
  overloaded: {
    type: 'server_error',
    code: 'server_is_overloaded',
    // In a stream Codex gives up at `server_is_overloaded`; an overload passes, and this is tried again.
    streamCode: 'server_error',
  },
  timeout: { type: 'server_error', code: 'timeout', streamCode: 'server_error' },
  'bad-stream': { type: 'server_error', code: 'upstream_error', streamCode: 'server_error' },
  cut: { type: 'server_error', code: 'upstream_error', streamCode: 'server_error' },
}

/**
 * Reads the value of `error` in any of the forms that servers give it. `body` is what it stood in: xAI says
 * the error as a string and its code beside it.
 */
export function readErrorValue(error: unknown, body?: JsonObject): StreamFault {
  const fields = isObject(error) ? error : { ...body, message: error }
  const code = toCode(fields['code'])
  return toFault({
    kind: kindOf(fields, code),
    message: readMessage(error),
    code: isObject(error) ? code : undefined,
    vendor: isObject(error) ? error : undefined,
  })
}

const toCode = (code: unknown): string | undefined =>
  toText(code) ?? (typeof code === 'number' ? String(code) : undefined)

function kindOf(error: JsonObject, code: string | undefined): FaultKind | undefined {
  return (
    own(FROM_CODE, code) ??
    own(FROM_TYPE, toText(error['type'])) ??
    own(FROM_GOOGLE, toText(error['status'])) ??
    fromStatus(error['status_code']) ??
    fromStatus(error['status']) ??
    fromStatus(code)
  )
}

const fromStatus = (value: unknown): FaultKind | undefined =>
  typeof value === 'number' || typeof value === 'string' ? FROM_STATUS[Number(value)] : undefined

const own = (
  table: Readonly<Record<string, FaultKind>>,
  word: string | undefined,
): FaultKind | undefined =>
  word !== undefined && Object.hasOwn(table, word) ? table[word] : undefined

/** The value of `error` in a body or a Chat frame. */
export function writeErrorValue(fault: StreamFault): JsonObject {
  const { type, code } = TO_WORDS[fault.kind]
  const own = fault.param === undefined ? code : (fault.code ?? code)
  return { message: writeMessage(fault), type, param: fault.param ?? null, code: own }
}

export const streamCodeOf = (fault: StreamFault): string => TO_WORDS[fault.kind].streamCode

/** Some clients act on the code, some only on OpenAI's own sentence. */
function writeMessage(fault: StreamFault): string {
  if (fault.kind === 'context-too-long') return writeOverflow(fault)
  if (fault.kind !== 'rate-limit' || fault.retryAfterMs === undefined) return fault.message
  // Codex reads how long to wait out of these words.
  if (/try again in \d/i.test(fault.message)) return fault.message
  const seconds = Math.max(1, Math.ceil(fault.retryAfterMs / 1000))
  return `${endSentence(fault.message)} Please try again in ${seconds}s.`
}

function writeOverflow({ message, limits = {} }: StreamFault): string {
  if (/maximum context length is \d+ tokens|exceeds the context window/i.test(message))
    return message
  const { prompt, max, output } = limits
  if (prompt === undefined || max === undefined)
    return `Your input exceeds the context window of this model. Please adjust your input and try again. The upstream said: ${message}`
  const limit = `This model's maximum context length is ${max} tokens.`
  return output === undefined
    ? `${limit} However, your messages resulted in ${prompt} tokens. Please reduce the length of the messages.`
    : `${limit} However, you requested ${prompt + output} tokens (${prompt} in the messages, ${output} in the completion). Please reduce the length of the messages or completion.`
}

const endSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
