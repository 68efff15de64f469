/**
 * What the API says of records, for machines. Neighbours: `schemas.ts` has the rest; the types are those of `store/`.
 */
import type { StreamFault } from '../event/fault.ts'
import type { Loss } from '../event/loss.ts'
import type { Usage } from '../event/usage.ts'
import type { OpenExchange } from '../store/feed.ts'
import type {
  ConversationSummary,
  ExchangeRecord,
  ExchangeSummary,
  Page,
  PolicySummary,
  StatsBucket,
} from '../store/query.ts'
import type { AttemptRow, ExchangeRow, StoredVerdict, ToolUse } from '../store/record.ts'
import { BODY_KINDS } from '../store/record.ts'
import type { ChainReport, PolicyMode, PolicyVersion, StoreSize } from '../store/store.ts'
import {
  anyOf,
  counts,
  flag,
  list,
  map,
  maybe,
  number,
  object,
  oneOf,
  ref,
  says,
  text,
  time,
  whole,
  type JsonSchema,
} from './schema.ts'
import {
  BLOCK_TYPES,
  FINISH_REASONS,
  OUTCOMES,
  RECORD_MODES,
  VERDICT_TYPES,
  WIRE_NAMES,
} from './words.ts'

const wire = oneOf(WIRE_NAMES)
const fault = object<Pick<StreamFault, 'kind' | 'message' | 'code'>>({
  kind: text,
  message: text,
  code: maybe(text),
})

const ROW = {
  id: says('Of the record: sorts by time', text),
  requestId: says('As in logs and in `x-request-id`; may be there twice', text),
  traceId: text,
  gateway: text,
  startedAt: time,
  durationMs: number,
  firstByteMs: maybe(number),
  method: text,
  endpoint: text,
  wire,
  upstreamWire: maybe(wire),
  key: maybe(text),
  client: maybe(text),
  route: maybe(text),
  upstream: maybe(text),
  model: maybe(text),
  upstreamModel: maybe(text),
  answerModel: maybe(text),
  answerId: maybe(text),
  conversation: maybe(text),
  isStream: flag,
  status: whole,
  outcome: oneOf(OUTCOMES),
  fault: maybe(fault),
  finishReason: maybe(oneOf(FINISH_REASONS)),
  usage: maybe(ref('Usage')),
  isUsageEstimated: flag,
  cost: maybe(says('In millionths of a US dollar', number)),
  violations: whole,
  bytesIn: whole,
  bytesOut: whole,
  upstreamStatus: maybe(whole),
  record: oneOf(RECORD_MODES),
  dropped: says('Bodies that should be here and are not', list(oneOf(BODY_KINDS))),
} as const

const FULL_ROW = {
  ...ROW,
  attempts: list(
    object<AttemptRow>({
      upstream: text,
      startedAt: number,
      durationMs: number,
      firstByteMs: maybe(number),
      status: maybe(whole),
      fault: maybe(fault),
    }),
  ),
  losses: list(
    object<Loss>({ kind: oneOf(['dropped', 'approximated']), what: text, count: whole }),
  ),
  requestHeaders: map(text),
  upstreamHeaders: map(text),
  query: text,
} as const

const tools = list(object<ToolUse>({ name: text, count: whole }))

const VERDICT = {
  policy: text,
  version: maybe(text),
  type: oneOf(VERDICT_TYPES),
  reason: maybe(text),
  tags: list(text),
  details: map(anyOf(text, number, flag)),
  by: maybe(says('Who decided, where a person did', text)),
  block: maybe(
    object<NonNullable<StoredVerdict['block']>>({
      type: oneOf(BLOCK_TYPES),
      id: text,
      index: whole,
      name: maybe(text),
    }),
  ),
  isShadow: flag,
  tookMs: number,
} as const

const percentiles = object<NonNullable<StatsBucket['durationMs']>>({ p50: number, p99: number })

export const RECORD_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Usage: object<Usage>({
    inputTokens: maybe(whole),
    cacheReadTokens: maybe(whole),
    cacheWriteTokens: maybe(whole),
    outputTokens: maybe(whole),
    reasoningTokens: maybe(whole),
  }),
  ExchangeSummary: object<ExchangeSummary>({
    ...ROW,
    attemptCount: whole,
    lossCount: whole,
    tools,
    verdicts: counts,
    shadowVerdicts: counts,
  }),
  ExchangeRecord: object<ExchangeRecord>({
    ...FULL_ROW,
    tools,
    bodies: says('Which bodies are there, with their size as they passed', map(whole)),
  }),
  ExchangePage: page('ExchangeSummary'),
  StoredVerdict: object<StoredVerdict>({
    ...VERDICT,
    original: maybe(text),
    delivered: maybe(text),
    seq: whole,
    exchangeId: text,
    at: whole,
    decidedAt: time,
    previous: text,
    hash: text,
  }),
  VerdictPage: page('StoredVerdict'),
  LiveVerdict: object<Omit<StoredVerdict, keyof Chained>>(VERDICT),
  ConversationSummary: object<ConversationSummary>({
    id: text,
    startedAt: time,
    lastAt: time,
    firstId: text,
    exchanges: whole,
    toolCalls: whole,
    clients: list(text),
    models: list(text),
    keys: list(text),
    inputTokens: whole,
    outputTokens: whole,
    cost: number,
    verdicts: counts,
  }),
  ConversationPage: page('ConversationSummary'),
  StatsBucket: object<StatsBucket>({
    at: time,
    of: maybe(text),
    exchanges: whole,
    errors: whole,
    inputTokens: whole,
    outputTokens: whole,
    cost: number,
    meanOpen: says(
      'Open at once on average: durations of those that began in the step, over its length',
      number,
    ),
    firstByteMs: maybe(percentiles),
    durationMs: maybe(percentiles),
    verdicts: counts,
  }),
  PolicySummary: object<PolicySummary>({
    policy: text,
    version: maybe(text),
    isShadow: flag,
    type: text,
    block: oneOf([...BLOCK_TYPES, 'request']),
    tool: maybe(text),
    count: whole,
    examples: list(
      object<PolicySummary['examples'][number]>({ exchangeId: text, reason: maybe(text) }),
    ),
  }),
  PolicyMode: object<PolicyMode>({
    policy: text,
    version: text,
    mode: oneOf(['acts', 'shadow']),
    by: maybe(text),
    at: time,
  }),
  PolicyVersion: object<PolicyVersion>({
    policy: text,
    version: text,
    use: text,
    isShadow: flag,
    firstSeenAt: time,
  }),
  ChainReport: object<ChainReport>({
    links: whole,
    broken: maybe(object<NonNullable<ChainReport['broken']>>({ seq: whole, why: text })),
    head: text,
  }),
  StoreSize: object<StoreSize>({ exchanges: whole, bytes: whole, oldestAt: maybe(time) }),
  OpenExchange: object<OpenExchange>({
    id: text,
    requestId: text,
    gateway: text,
    startedAt: time,
    endpoint: text,
    wire: text,
    key: maybe(text),
    client: maybe(text),
    model: maybe(text),
    conversation: maybe(text),
  }),
}

type Chained = Pick<
  StoredVerdict,
  'original' | 'delivered' | 'seq' | 'exchangeId' | 'at' | 'decidedAt' | 'previous' | 'hash'
>

function page(of: string): JsonSchema {
  return object<Page<ExchangeRow>>({
    items: list(ref(of)),
    next: maybe(says('The `cursor` of the next page', text)),
  })
}
