/**
 * The words that both OpenAI wires use for errors, and ours, both ways. Compatible servers use the
 * same envelope with words of their own, a bare string, or a number that is the HTTP status.
 */
import { isObject, toText, type JsonObject } from '../base/json.ts'
import type { FaultKind, StreamFault } from '../event/fault.ts'

const FROM_CODE: Readonly<Record<string, FaultKind>> = {
  context_length_exceeded: 'context-too-long',
  invalid_api_key: 'authentication',
  insufficient_quota: 'billing',
  model_not_found: 'not-found',
  request_too_large: 'too-large',
  rate_limit_exceeded: 'rate-limit',
  content_policy_violation: 'content-policy',
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
    streamCode: 'server_error',
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
    streamCode: 'server_is_overloaded',
  },
  timeout: { type: 'server_error', code: 'timeout', streamCode: 'server_error' },
  'bad-stream': { type: 'server_error', code: 'upstream_error', streamCode: 'server_error' },
  cut: { type: 'server_error', code: 'upstream_error', streamCode: 'server_error' },
}

/** Reads the value of `error` in any of the forms that servers give it. */
export function readErrorValue(error: unknown): StreamFault {
  if (!isObject(error)) {
    return { kind: 'internal', message: toText(error) ?? 'The upstream gave no reason' }
  }
  const code =
    toText(error['code']) ?? (typeof error['code'] === 'number' ? String(error['code']) : undefined)
  const message =
    toText(error['message']) ?? toText(error['detail']) ?? 'The upstream gave no reason'
  return {
    kind: kindOf(error, code, message),
    message,
    ...(code === undefined ? {} : { code }),
    vendor: error,
  }
}

function kindOf(error: JsonObject, code: string | undefined, message: string): FaultKind {
  if (/maximum context length|context window|context_length/i.test(message))
    return 'context-too-long'
  const status = error['status_code'] ?? error['status'] ?? error['code']
  return (
    own(FROM_CODE, code) ??
    own(FROM_TYPE, toText(error['type'])) ??
    (typeof status === 'number' ? FROM_STATUS[status] : undefined) ??
    'internal'
  )
}

const own = (
  table: Readonly<Record<string, FaultKind>>,
  word: string | undefined,
): FaultKind | undefined =>
  word !== undefined && Object.hasOwn(table, word) ? table[word] : undefined

/** The value of `error` in a body or a Chat frame. */
export function writeErrorValue(fault: StreamFault): JsonObject {
  const { type, code } = TO_WORDS[fault.kind]
  return { message: fault.message, type, param: null, code }
}

export const streamCodeOf = (fault: StreamFault): string => TO_WORDS[fault.kind].streamCode
