/**
 * The contract of a path's handler, and what all of them work with. Neighbours: `api.ts` calls them, one for each row of
 * `api/routes.ts`.
 */
import type { ParamValues } from '../api/params.ts'
import type { ConfigAnswer, PolicyView, UpstreamView } from '../api/types.ts'
import type { Approvals } from '../approvals/approvals.ts'
import type { HaltState, HaltSwitch } from '../approvals/halt.ts'
import type { JsonObject } from '../base/json.ts'
import type { Ticker } from '../exchange/ticker.ts'
import type { Records } from '../records/records.ts'
import type { BacktestJobs } from '../replay/backtest-jobs.ts'
import type { PolicyMode } from '../store/store.ts'
import type { Log } from '../telemetry/log.ts'
import type { Reply } from './api-answer.ts'
import type { PolicyDesk } from './policy-desk.ts'
import type { KeyDesk } from './api-keys.ts'
import type { Visit } from './visit.ts'

export interface Ask {
  readonly visit: Visit
  /** What stood in the braces of the path. */
  readonly params: Readonly<Record<string, string>>
  /** Of the query, checked. */
  readonly values: ParamValues
  /** Of a POST. */
  readonly body: JsonObject
  /** What they are called if they do not say. */
  readonly who: 'admin' | 'link'
}

/** Nothing comes back where it has answered by itself. */
export type Handler = (ask: Ask) => Reply | Promise<Reply | undefined> | Promise<void>

export interface ApiOptions {
  readonly approvals: Approvals
  readonly halt: HaltSwitch
  /** Turns the switch, in all processes where there are several. */
  setHalt(halted: boolean, by?: string, reason?: string): Promise<HaltState>
  policies(): readonly PolicyView[]
  token(): string
  readonly ticker: Ticker
  readonly log: Log
  /** Where exchanges are recorded. */
  records?(): Records | undefined
  /** How the gateway itself is. */
  gateway?(): GatewayHealth
  /** Keys that clients show. */
  readonly keys?: KeyDesk
  /** The settings that hold now, and where they come from. */
  config?(): ConfigAnswer
  /** Policies tried on the past. */
  backtests?(): BacktestJobs | undefined
  /** Turns a policy on or into shadow; without it the store is told, and gateways look there. */
  setPolicyMode?(mode: PolicyMode): Promise<void>
  /** Where policies are written while the gateway runs. */
  readonly policyDesk?: PolicyDesk
}

interface GatewayHealth {
  /** Exchanges under way. */
  readonly open: number
  readonly isClosing: boolean
  readonly upstreams: readonly UpstreamView[]
  /** Where it is reached. */
  readonly url: string
  readonly needsKey: boolean
}
