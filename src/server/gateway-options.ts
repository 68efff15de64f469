/**
 * What a gateway is given beside its settings, and what whoever starts one gets. Neighbours: `gateway.ts` is it;
 * `others.ts` and `own-records.ts` fill in what the settings ask for.
 */
import type { HaltSwitch } from '../approvals/halt.ts'
import type { Settings } from '../config/settings.ts'
import type { Origins } from '../exchange/origins.ts'
import type { ExchangeReport } from '../exchange/report.ts'
import type { Installed } from '../policy/policy.ts'
import type { Records } from '../records/records.ts'
import type { Sessions } from '../session/sessions.ts'
import type { Circle } from '../shared/circle.ts'
import type { Ledger } from '../shared/ledger.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Tracer } from '../telemetry/trace.ts'
import type { ConfigOrigin } from './config-origin.ts'
import type { SharedOffice } from './office.ts'
import type { ReplayOptions } from './replays.ts'

export interface GatewayOptions {
  readonly log?: Log
  readonly metrics?: Metrics
  readonly ledger?: Ledger
  /** Which upstream keeps which answer, where other processes tell too. */
  readonly origins?: Origins
  /** What was said before, for clients that name it, where other processes tell too. */
  readonly sessions?: Sessions
  readonly tracer?: Tracer
  /** What `/metrics` says, where this process is not the only one. */
  readonly metricsText?: () => Promise<string>
  /** Calls that wait for a person, the kill switch and the admin token, where other processes have them too. */
  readonly office?: SharedOffice
  /** Other processes and gateways, where there are some. */
  readonly circle?: Circle
  /** When what these know is known here. */
  readonly ready?: Promise<void>
  /** The kill switch, where it was on before. */
  readonly halt?: HaltSwitch
  /** Policies of a library user's own: they stand before those of the settings, on every route. */
  readonly policies?: readonly Installed[]
  /** Where exchanges are recorded. */
  readonly records?: Records
  /** For upstreams that answer from recordings. */
  readonly replay?: ReplayOptions
  /** Where the settings come from, for people who look; without it, from a program. */
  origin?(): ConfigOrigin
  /** The folder of the built page, where it is not the one that comes along. */
  readonly page?: URL
  /** Told of each exchange when it is over. */
  onReport?(report: ExchangeReport): void
}

export interface Gateway {
  /** `http://127.0.0.1:4141` */
  readonly url: string
  readonly port: number
  /** What `/api` asks for: the one of the settings, or one that was made. */
  adminToken(): string
  /**
   * Takes new settings for what begins from now on. What is listened on stays; settings that would leave it
   * open to others are refused with an error, and the old ones stay in force.
   */
  reload(settings: Settings): void
  /** Whether nobody comes in without a key now. */
  needsKey(): boolean
  /** Brings the figures of circuits up to date: time alone changes them. `/metrics` does so by itself. */
  readCircuits(): void
  /** Lets exchanges finish for so long, then ends them. */
  close(graceMs?: number): Promise<void>
}
