/**
 * A typed client of the admin API, for the page and the command line. Neighbours: `call.ts` asks, `listen.ts` listens,
 * `types.ts` says what comes. Everything fails with an `ApiError` that has a status and a sentence.
 */
import type { HaltState } from '../approvals/halt.ts'
import type { BacktestOrder } from '../replay/backtest-jobs.ts'
import type {
  ConversationSummary,
  ExchangeQuery,
  ExchangeSummary,
  Page,
  PageQuery,
  StatsQuery,
  VerdictQuery,
} from '../store/query.ts'
import type { BodyKind, StoredVerdict } from '../store/record.ts'
import type { ChainReport } from '../store/store.ts'
import { call, callJson, type ApiPlace, type Call } from './call.ts'
import { toApiEvent, toLiveEvent } from './heard.ts'
import { listen, listenOnce, type ListenOptions } from './listen.ts'
import type {
  ApiEvent,
  ApiIndex,
  ApprovalAnswer,
  ApprovalsAnswer,
  BacktestAnswer,
  BacktestsAnswer,
  BlocksAnswer,
  ConfigAnswer,
  BodyTimesAnswer,
  ConversationAnswer,
  ConversationPage,
  DecisionOrder,
  ExchangeAnswer,
  ExchangePage,
  HaltOrder,
  HealthAnswer,
  KeyCreated,
  KeyOrder,
  KeyRevoked,
  KeysAnswer,
  LiveEvent,
  ModeAnswer,
  ModeOrder,
  PoliciesAnswer,
  PolicySummaryAnswer,
  RemovedAnswer,
  StatsAnswer,
  VerdictPage,
} from './types.ts'
import type {
  CheckAnswer,
  CheckOrder,
  EditAnswer,
  EditOrder,
  NewPolicyOrder,
  PolicySourceAnswer,
  PolicyVersionsAnswer,
  RollbackOrder,
} from './types-policies.ts'

export interface ApiClient {
  index(): Promise<ApiIndex>
  health(): Promise<HealthAnswer>
  config(): Promise<ConfigAnswer>
  keys(): Promise<KeysAnswer>
  createKey(order: KeyOrder): Promise<KeyCreated>
  revokeKey(name: string, how?: RevokeOptions): Promise<KeyRevoked>
  exchanges(query?: ExchangeQuery & PageQuery): Promise<ExchangePage>
  /** Page after page. */
  eachExchange(query?: ExchangeQuery & PageQuery): AsyncGenerator<ExchangeSummary>
  exchange(id: string): Promise<ExchangeAnswer>
  /** The raw bytes: of `arrayBuffer()`, `text()` or `body` of it. */
  body(id: string, kind: BodyKind, signal?: AbortSignal): Promise<Response>
  /** When its bytes passed. */
  bodyTimes(id: string, kind: BodyKind): Promise<BodyTimesAnswer>
  blocks(id: string): Promise<BlocksAnswer>
  removeExchange(id: string): Promise<RemovedAnswer>
  removeExchanges(
    which: { readonly key: string } | { readonly before: number },
  ): Promise<RemovedAnswer>
  conversations(query?: ExchangeQuery & PageQuery): Promise<ConversationPage>
  eachConversation(query?: ExchangeQuery & PageQuery): AsyncGenerator<ConversationSummary>
  conversation(id: string, page?: Pick<PageQuery, 'cursor' | 'limit'>): Promise<ConversationAnswer>
  verdicts(query?: VerdictQuery & PageQuery): Promise<VerdictPage>
  eachVerdict(query?: VerdictQuery & PageQuery): AsyncGenerator<StoredVerdict>
  verifyVerdicts(): Promise<ChainReport>
  stats(query?: StatsQuery): Promise<StatsAnswer>
  policies(): Promise<PoliciesAnswer>
  policySummary(query?: ExchangeQuery): Promise<PolicySummaryAnswer>
  setPolicyMode(name: string, order: ModeOrder): Promise<ModeAnswer>
  /** What is wrong with a text, while somebody writes it. */
  checkPolicies(order: CheckOrder, signal?: AbortSignal): Promise<CheckAnswer>
  policySource(name: string): Promise<PolicySourceAnswer>
  policyVersions(name: string): Promise<PolicyVersionsAnswer>
  addPolicy(order: NewPolicyOrder): Promise<EditAnswer>
  editPolicy(name: string, order: EditOrder): Promise<EditAnswer>
  rollBackPolicy(name: string, order?: RollbackOrder): Promise<EditAnswer>
  backtests(): Promise<BacktestsAnswer>
  startBacktest(order: BacktestOrder): Promise<BacktestAnswer>
  backtest(id: string): Promise<BacktestAnswer>
  cancelBacktest(id: string): Promise<BacktestAnswer>
  halt(): Promise<HaltState>
  setHalt(order: HaltOrder): Promise<HaltState>
  approvals(query?: {
    readonly status?: 'pending' | 'decided' | 'expired'
  }): Promise<ApprovalsAnswer>
  approval(ticket: string): Promise<ApprovalAnswer>
  decide(ticket: string, order: DecisionOrder): Promise<ApprovalAnswer>
  /** What happens, until it is aborted or left; comes back when the gateway does, and says `state` first each time. */
  events(options?: EventOptions): AsyncGenerator<ApiEvent>
  /** One exchange until it is over. */
  live(id: string, signal?: AbortSignal): AsyncGenerator<LiveEvent>
}

export interface RevokeOptions {
  readonly by?: string | undefined
  /** Whether everybody comes in again where it was the last. */
  readonly opens?: boolean | undefined
}

export interface EventOptions extends ListenOptions {
  /** `all`: also the raw bytes of all exchanges. */
  readonly frames?: 'all' | undefined
}

/** `place`: asked before each call, for gateways that may come back elsewhere or with another token. */
export function createApiClient(place: ApiPlace | (() => ApiPlace)): ApiClient {
  const where = typeof place === 'function' ? place : (): ApiPlace => place
  const ask = <T>(one: Call): Promise<T> => callJson<T>(where(), one)
  const get = <T>(path: string, query?: object): Promise<T> => ask<T>({ path, query })
  const post = <T>(path: string, body: object): Promise<T> => ask<T>({ method: 'POST', path, body })
  const remove = (path: string, query?: object): Promise<RemovedAnswer> =>
    ask<RemovedAnswer>({ method: 'DELETE', path, query })
  const each = <T>(path: string, query: PageQuery = {}): AsyncGenerator<T> =>
    eachOf((cursor) => get<Page<T>>(path, cursor === undefined ? query : { ...query, cursor }))

  return {
    index: () => get('/api'),
    health: () => get('/api/health'),
    config: () => get('/api/config'),
    keys: () => get('/api/keys'),
    createKey: (order) => post('/api/keys', order),
    revokeKey: (name, how) =>
      ask({ method: 'DELETE', path: `/api/keys/${encodeURIComponent(name)}`, query: how }),
    exchanges: (query) => get('/api/exchanges', query),
    eachExchange: (query) => each('/api/exchanges', query),
    exchange: (id) => get(`/api/exchanges/${encodeURIComponent(id)}`),
    body: (id, kind, signal) =>
      call(where(), { path: `/api/exchanges/${encodeURIComponent(id)}/bodies/${kind}`, signal }),
    bodyTimes: (id, kind) => get(`/api/exchanges/${encodeURIComponent(id)}/bodies/${kind}/times`),
    blocks: (id) => get(`/api/exchanges/${encodeURIComponent(id)}/blocks`),
    removeExchange: (id) => remove(`/api/exchanges/${encodeURIComponent(id)}`),
    removeExchanges: (which) => remove('/api/exchanges', which),
    conversations: (query) => get('/api/conversations', query),
    eachConversation: (query) => each('/api/conversations', query),
    conversation: (id, page) => get(`/api/conversations/${encodeURIComponent(id)}`, page),
    verdicts: (query) => get('/api/verdicts', query),
    eachVerdict: (query) => each('/api/verdicts', query),
    verifyVerdicts: () => get('/api/verdicts/verify'),
    stats: (query) => get('/api/stats', query),
    policies: () => get('/api/policies'),
    policySummary: (query) => get('/api/policies/summary', query),
    setPolicyMode: (name, order) => post(`/api/policies/${encodeURIComponent(name)}/mode`, order),
    checkPolicies: (order, signal) =>
      ask({ method: 'POST', path: '/api/policies/check', body: order, signal }),
    policySource: (name) => get(`/api/policies/${encodeURIComponent(name)}/source`),
    policyVersions: (name) => get(`/api/policies/${encodeURIComponent(name)}/versions`),
    addPolicy: (order) => post('/api/policies', order),
    editPolicy: (name, order) => post(`/api/policies/${encodeURIComponent(name)}/versions`, order),
    rollBackPolicy: (name, order = {}) =>
      post(`/api/policies/${encodeURIComponent(name)}/rollback`, order),
    backtests: () => get('/api/backtests'),
    startBacktest: (order) => post('/api/backtests', order),
    backtest: (id) => get(`/api/backtests/${encodeURIComponent(id)}`),
    cancelBacktest: (id) =>
      ask({ method: 'DELETE', path: `/api/backtests/${encodeURIComponent(id)}` }),
    halt: () => get('/api/policies/halt'),
    setHalt: (order) => post('/api/policies/halt', order),
    approvals: (query) => get('/api/approvals', query),
    approval: (ticket) => get(`/api/approvals/${encodeURIComponent(ticket)}`),
    decide: (ticket, order) => post(`/api/approvals/${encodeURIComponent(ticket)}`, order),
    async *events({ frames, ...options } = {}) {
      for await (const heard of listen(
        where,
        { path: '/api/events', query: { frames } },
        options,
      )) {
        const event = toApiEvent(heard)
        if (event !== undefined) yield event
      }
    },
    async *live(id, signal) {
      const path = `/api/exchanges/${encodeURIComponent(id)}/live`
      for await (const heard of listenOnce(where, { path }, signal)) {
        const event = toLiveEvent(heard)
        if (event !== undefined) yield event
        if (event?.type === 'end') return
      }
    },
  }
}

async function* eachOf<T>(
  get: (cursor: string | undefined) => Promise<Page<T>>,
): AsyncGenerator<T> {
  let cursor: string | undefined
  do {
    const { items, next } = await get(cursor)
    yield* items
    cursor = next
  } while (cursor !== undefined)
}
