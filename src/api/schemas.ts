/**
 * Everything that the API says and takes, for machines: a JSON Schema for each type of `types.ts`. Neighbours:
 * `schemas-records.ts` has those of records, `routes.ts` names them, `openapi.ts` writes them down.
 */
import type { HaltState } from '../approvals/halt.ts'
import type { Ticket, TicketDecision, TicketSummary } from '../approvals/ticket.ts'
import type { FeedEvent } from '../store/feed.ts'
import { BODY_KINDS } from '../store/record.ts'
import {
  anyOf,
  anything,
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
import { BACKTEST_SCHEMAS } from './schemas-backtests.ts'
import { POLICY_SCHEMAS } from './schemas-policies.ts'
import { RECORD_SCHEMAS } from './schemas-records.ts'
import { SETTINGS_SCHEMAS } from './schemas-settings.ts'
import type {
  AnswerView,
  ApiErrorBody,
  ApiIndex,
  ApprovalAnswer,
  ApprovalsAnswer,
  BlocksAnswer,
  BlockView,
  BodyTimesAnswer,
  ChangeView,
  ConversationAnswer,
  DecisionOrder,
  ExchangeAnswer,
  FindingView,
  HaltOrder,
  HealthAnswer,
  ModeAnswer,
  ModeOrder,
  PieceEvent,
  PoliciesAnswer,
  PolicySummaryAnswer,
  PolicyView,
  RecordsView,
  RemovedAnswer,
  StateEvent,
  StatsAnswer,
} from './types.ts'
import { BLOCK_TYPES, FINISH_REASONS, WIRE_NAMES } from './words.ts'

const REMEMBER = oneOf(['once', 'conversation', 'always'])
const DECISION = oneOf(['pass', 'deny', 'edit'])
const ARGS = anyOf(map(anything), text)
const MODE = oneOf(['acts', 'shadow'])

const CALL = {
  type: text,
  id: text,
  name: maybe(text),
  namespace: maybe(text),
  preview: text,
} as const

const TICKET = {
  ticket: text,
  status: oneOf(['pending', 'decided', 'expired']),
  policy: text,
  rule: maybe(text),
  question: text,
  reason: maybe(text),
  askedAt: time,
  deadlineAt: time,
  isWaitedFor: flag,
  client: object<TicketSummary['client']>({ key: maybe(text), agent: maybe(text) }),
  exchangeId: text,
  conversationId: text,
  model: text,
  gateway: maybe(text),
  note: maybe(text),
  decision: maybe(
    object<TicketDecision>({
      type: DECISION,
      by: text,
      at: time,
      reason: maybe(text),
      args: maybe(ARGS),
      remember: REMEMBER,
    }),
  ),
} as const

export const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Error: object<ApiErrorBody>({ error: object<ApiErrorBody['error']>({ message: text }) }),
  Index: object<ApiIndex>({ name: text, version: text, paths: list(text) }),
  ...RECORD_SCHEMAS,
  ...BACKTEST_SCHEMAS,
  ...POLICY_SCHEMAS,
  ...SETTINGS_SCHEMAS,
  Exchange: object<ExchangeAnswer>({
    exchange: ref('ExchangeRecord'),
    verdicts: list(ref('StoredVerdict')),
  }),
  BodyTimes: object<BodyTimesAnswer>({
    times: says(
      'For each arrival how many bytes it brought, and the microseconds since the exchange began: `[bytes, at, …]`',
      list(whole),
    ),
  }),
  Block: object<BlockView>({
    type: oneOf(BLOCK_TYPES),
    id: text,
    index: whole,
    choice: maybe(whole),
    name: maybe(text),
    namespace: maybe(text),
    content: text,
    isComplete: flag,
    startedAt: maybe(number),
    endedAt: maybe(number),
  }),
  Answer: object<AnswerView>({
    wire: oneOf(WIRE_NAMES),
    form: oneOf(['stream', 'json', 'error', 'other']),
    id: maybe(text),
    model: maybe(text),
    blocks: list(ref('Block')),
    finishReason: maybe(oneOf(FINISH_REASONS)),
    usage: maybe(ref('Usage')),
    fault: maybe(
      object<NonNullable<AnswerView['fault']>>({ kind: text, message: text, code: maybe(text) }),
    ),
    findings: list(
      object<FindingView>({ frame: whole, rule: text, severity: text, message: text }),
    ),
  }),
  Blocks: object<BlocksAnswer>({
    id: text,
    upstream: maybe(ref('Answer')),
    delivered: maybe(ref('Answer')),
    isSame: flag,
    changes: list(
      object<ChangeView>({
        type: oneOf(['same', 'changed', 'removed', 'added']),
        original: maybe(whole),
        delivered: maybe(whole),
      }),
    ),
    notes: list(text),
    verdicts: list(ref('StoredVerdict')),
  }),
  Removed: object<RemovedAnswer>({ removed: whole }),
  Conversation: object<ConversationAnswer>({
    conversation: ref('ConversationSummary'),
    exchanges: ref('ExchangePage'),
  }),
  Stats: object<StatsAnswer>({ buckets: list(ref('StatsBucket')) }),
  Policy: object<PolicyView>({
    name: text,
    version: maybe(text),
    use: maybe(text),
    holds: list(text),
    onError: oneOf(['deny', 'pass']),
    timeoutMs: number,
    isShadow: flag,
    mode: maybe(ref('PolicyMode')),
    models: maybe(list(text)),
    keys: maybe(list(text)),
    routes: maybe(list(text)),
    appliesTo: maybe(text),
    edit: maybe(ref('PolicyEdit')),
  }),
  Policies: object<PoliciesAnswer>({
    policies: list(ref('Policy')),
    halt: ref('Halt'),
    versions: maybe(list(ref('PolicyVersion'))),
    fallen: list(ref('FallenEdit')),
  }),
  PolicySummaries: object<PolicySummaryAnswer>({
    policies: list(ref('PolicySummary')),
    judged: list(ref('JudgedCount')),
  }),
  ModeOrder: object<ModeOrder>({ mode: MODE, by: maybe(text) }),
  Mode: object<ModeAnswer>({ mode: ref('PolicyMode') }),
  Halt: object<HaltState>({
    halted: flag,
    by: maybe(text),
    reason: maybe(text),
    at: maybe(time),
  }),
  HaltOrder: object<HaltOrder>({ halted: flag, by: maybe(text), reason: maybe(text) }),
  Ticket: object<TicketSummary>({ ...TICKET, call: object<TicketSummary['call']>(CALL) }),
  WholeTicket: object<Ticket>({
    ...TICKET,
    call: object<Ticket['call']>({ ...CALL, content: text, isFreeText: flag }),
  }),
  Approvals: object<ApprovalsAnswer>({ approvals: list(ref('Ticket')) }),
  Approval: object<ApprovalAnswer>({ approval: ref('WholeTicket'), note: maybe(text) }),
  DecisionOrder: object<DecisionOrder>({
    decision: DECISION,
    args: maybe(ARGS),
    reason: maybe(text),
    by: maybe(text),
    remember: maybe(REMEMBER),
  }),
  Health: object<HealthAnswer>({
    status: oneOf(['ok', 'behind', 'failing', 'closing']),
    gateway: object<HealthAnswer['gateway']>({
      name: text,
      version: text,
      open: whole,
      uptimeMs: number,
      url: text,
      needsKey: flag,
      isDemo: flag,
    }),
    records: object<RecordsView>({
      state: oneOf(['off', 'ok', 'behind', 'failing']),
      why: maybe(text),
      waitingExchanges: whole,
      waitingBytes: whole,
      committed: whole,
      droppedBodies: whole,
    }),
    store: maybe(ref('StoreSize')),
    upstreams: list(ref('Upstream')),
  }),
  StateEvent: object<StateEvent>({
    pending: list(ref('Ticket')),
    halt: ref('Halt'),
    open: list(ref('OpenExchange')),
  }),
  BegunEvent: object<EventData<'begun'>>({ exchange: ref('OpenExchange') }),
  LiveVerdictEvent: object<EventData<'verdict'>>({ id: text, verdict: ref('LiveVerdict') }),
  FinishedEvent: object<EventData<'finished'>>({ exchange: ref('ExchangeSummary') }),
  RecordedEvent: object<EventData<'recorded'>>({ id: text }),
  GoneEvent: object<EventData<'gone'>>({ id: text }),
  EndEvent: object<object>({}),
  PieceEvent: object<PieceEvent>({
    id: text,
    kind: oneOf(BODY_KINDS),
    at: number,
    bytes: { type: 'string', contentEncoding: 'base64' },
  }),
}

type EventData<Type extends FeedEvent['type']> = Omit<Extract<FeedEvent, { type: Type }>, 'type'>
