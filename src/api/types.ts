/**
 * Everything that the admin API says, as types. Neighbours: `server/api*.ts` answers by them, `client.ts` hands them to
 * the page and to the command line, `schemas.ts` says the same to machines. Plain values, as JSON carries them: a field
 * that is `undefined` is absent.
 */
import type { HaltState } from '../approvals/halt.ts'
import type { ApprovalNews, Ticket, TicketSummary } from '../approvals/ticket.ts'
import type { BlockType } from '../event/block.ts'
import type { WireName } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import type { FinishReason } from '../event/finish.ts'
import type { Usage } from '../event/usage.ts'
import type { BacktestJob } from '../replay/backtest-jobs.ts'
import type { FeedEvent, OpenExchange } from '../store/feed.ts'
import type {
  ConversationSummary,
  ExchangeRecord,
  ExchangeSummary,
  Page,
  PolicySummary,
  StatsBucket,
} from '../store/query.ts'
import type { BodyKind, StoredVerdict } from '../store/record.ts'
import type { PolicyMode, PolicyVersion, StoreSize } from '../store/store.ts'
import type { EditView, FallenView, JudgedCount } from './types-policies.ts'
import type { UpstreamView } from './types-settings.ts'

export type {
  ConfigAnswer,
  ConfigValue,
  KeyCreated,
  KeyOrder,
  KeyRevoked,
  KeysAnswer,
  KeyView,
  UpstreamView,
} from './types-settings.ts'

/** What every answer that is not 200 says. */
export interface ApiErrorBody {
  readonly error: { readonly message: string }
}

export interface ApiIndex {
  readonly name: string
  readonly version: string
  /** Such as `GET, POST /api/policies/halt`. */
  readonly paths: readonly string[]
}

export type ExchangePage = Page<ExchangeSummary>
export type VerdictPage = Page<StoredVerdict>
export type ConversationPage = Page<ConversationSummary>

export interface ExchangeAnswer {
  readonly exchange: ExchangeRecord
  /** What was decided in it, in order; up to 1000. */
  readonly verdicts: readonly StoredVerdict[]
}

/** When the bytes of a body passed. */
export interface BodyTimesAnswer {
  /** For each arrival how many bytes it brought, and the microseconds since the exchange began: `[bytes, at, bytes, at, …]`. */
  readonly times: readonly number[]
}

/** A block as it was read from the recorded bytes. */
export interface BlockView {
  readonly type: BlockType
  readonly id: string
  readonly index: number
  readonly choice?: number | undefined
  /** Of a tool call, a server tool or a tool result. */
  readonly name?: string | undefined
  readonly namespace?: string | undefined
  /** The text, or the raw arguments; of an opaque block what the vendor calls it. */
  readonly content: string
  readonly isComplete: boolean
  /** Microseconds since the exchange began: its first and its last byte. */
  readonly startedAt?: number | undefined
  readonly endedAt?: number | undefined
}

/** What an answer was, as the stream core reads it. */
export interface AnswerView {
  readonly wire: WireName
  /** `other`: nothing that a client of this wire can read. */
  readonly form: 'stream' | 'json' | 'error' | 'other'
  readonly id?: string | undefined
  readonly model?: string | undefined
  readonly blocks: readonly BlockView[]
  readonly finishReason?: FinishReason | undefined
  readonly usage?: Usage | undefined
  readonly fault?: Pick<StreamFault, 'kind' | 'message' | 'code'> | undefined
  /** What is not as the wire's grammar has it; up to a hundred. */
  readonly findings: readonly FindingView[]
}

export interface FindingView {
  readonly frame: number
  readonly rule: string
  readonly severity: string
  readonly message: string
}

/** Of a block: places in the lists of blocks. */
export interface ChangeView {
  readonly type: 'same' | 'changed' | 'removed' | 'added'
  readonly original?: number
  readonly delivered?: number
}

export interface BlocksAnswer {
  readonly id: string
  /** As it came; absent where its bytes are not kept. */
  readonly upstream?: AnswerView | undefined
  /** As it left; absent where that is what came, or is not kept. */
  readonly delivered?: AnswerView | undefined
  /** Whether what left is what came. */
  readonly isSame: boolean
  /** Block by block, where both are here and differ. */
  readonly changes: readonly ChangeView[]
  /** Why something is not here, a sentence each. */
  readonly notes: readonly string[]
  readonly verdicts: readonly StoredVerdict[]
}

export interface RemovedAnswer {
  /** How many exchanges are gone. */
  readonly removed: number
}

export interface ConversationAnswer {
  readonly conversation: ConversationSummary
  /** Its exchanges, the oldest first. */
  readonly exchanges: ExchangePage
}

export interface StatsAnswer {
  readonly buckets: readonly StatsBucket[]
}

/** One policy that is installed. */
export interface PolicyView {
  readonly name: string
  readonly version: string | undefined
  /** A stock policy, or a path or package as the config says it; missing for one of a program's own. */
  readonly use?: string | undefined
  readonly holds: readonly string[]
  readonly onError: 'deny' | 'pass'
  readonly timeoutMs: number
  /** As the config says it. */
  readonly isShadow: boolean
  /** What was said of it since, where somebody did: it goes before the config. */
  readonly mode?: PolicyMode | undefined
  /** What it applies to. Where several say so, all must hold; where none does, it applies to everything. */
  readonly models?: readonly string[] | undefined
  readonly keys?: readonly string[] | undefined
  readonly routes?: readonly string[] | undefined
  /** The same in words; missing where it applies to everything. */
  readonly appliesTo?: string | undefined
  /** Who wrote it since, where it is not as the config has it; `isShadow` is then how it began. */
  readonly edit?: EditView | undefined
}

export interface PoliciesAnswer {
  readonly policies: readonly PolicyView[]
  readonly halt: HaltState
  /** All that were ever installed, where exchanges are recorded. */
  readonly versions?: readonly PolicyVersion[] | undefined
  /** Edits that do not hold here any more. */
  readonly fallen: readonly FallenView[]
}

export interface PolicySummaryAnswer {
  readonly policies: readonly PolicySummary[]
  /** For policies that judge blocks (`holds`): of all others only what they did is known. */
  readonly judged: readonly JudgedCount[]
}

export interface ModeOrder {
  readonly mode: 'acts' | 'shadow'
  readonly by?: string
}

export interface ModeAnswer {
  readonly mode: PolicyMode
}

/** One of a list: without what was ordered, and without what came of it. */
export type BacktestSummary = Omit<BacktestJob, 'order' | 'result'>

export interface BacktestsAnswer {
  /** The newest first. */
  readonly backtests: readonly BacktestSummary[]
}

export interface BacktestAnswer {
  readonly backtest: BacktestJob
}

export interface HaltOrder {
  readonly halted: boolean
  readonly by?: string
  readonly reason?: string
}

export interface DecisionOrder {
  readonly decision: 'pass' | 'deny' | 'edit'
  /** Of an edit: what the call is made with instead. */
  readonly args?: Readonly<Record<string, unknown>> | string
  readonly reason?: string
  readonly by?: string
  readonly remember?: 'once' | 'conversation' | 'always'
}

export interface ApprovalsAnswer {
  readonly approvals: readonly TicketSummary[]
}

export interface ApprovalAnswer {
  readonly approval: Ticket
  readonly note?: string | undefined
}

export interface HealthAnswer {
  /** `failing`: nothing can be recorded now. */
  readonly status: 'ok' | 'behind' | 'failing' | 'closing'
  readonly gateway: {
    readonly name: string
    readonly version: string
    /** Exchanges under way. */
    readonly open: number
    readonly uptimeMs: number
    /** Where it listens, or where the config says that it is reached from outside. */
    readonly url: string
    /** Whether nobody comes in without a key. */
    readonly needsKey: boolean
    /** Whether nothing but the embedded demo answers. */
    readonly isDemo: boolean
  }
  readonly records: RecordsView
  /** Missing where nothing is recorded, or where it cannot be read now. */
  readonly store?: StoreSize | undefined
  readonly upstreams: readonly UpstreamView[]
}

export interface RecordsView {
  readonly state: 'off' | 'ok' | 'behind' | 'failing'
  readonly why?: string | undefined
  readonly waitingExchanges: number
  readonly waitingBytes: number
  readonly committed: number
  readonly droppedBodies: number
}

/** What `GET /api/events` says first, and again after each time that the connection was lost. */
export interface StateEvent {
  readonly pending: readonly TicketSummary[]
  readonly halt: HaltState
  /** Exchanges that go on. */
  readonly open: readonly OpenExchange[]
}

/** Bytes of an exchange that goes on, as the API sends them. */
export interface PieceEvent {
  readonly id: string
  readonly kind: BodyKind
  /** Microseconds since the exchange began. */
  readonly at: number
  /** Base64. */
  readonly bytes: string
}

/** What the client makes of server-sent events. */
export type ApiEvent =
  | ({ readonly type: 'state' } & StateEvent)
  | ApprovalNews
  | { readonly type: 'halt'; readonly halt: HaltState }
  | FeedEvent
  | ({ readonly type: 'piece' } & LiveBytes)

/** What one exchange says while it goes on. */
export type LiveEvent =
  | { readonly type: 'exchange'; readonly exchange: OpenExchange }
  | ({ readonly type: 'piece' } & LiveBytes)
  | Extract<FeedEvent, { type: 'verdict' | 'finished' }>
  /** It is over, and nothing follows. */
  | { readonly type: 'end' }

export interface LiveBytes {
  readonly id: string
  readonly kind: BodyKind
  readonly at: number
  readonly bytes: Uint8Array
}
