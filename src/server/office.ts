/**
 * Everything of a gateway that people turn and decide on: approvals, the kill switch, the admin token, and the API to
 * them. Neighbours: `gateway.ts` has one; with several processes `workers.ts` gives each the same. The engine asks
 * `approvals.ask` and `halt.isOn`.
 */
import { createApprovals, type Approvals } from '../approvals/approvals.ts'
import { createHaltSwitch, type HaltState, type HaltSwitch } from '../approvals/halt.ts'
import { checkEdit } from '../config/check-edit.ts'
import type { Settings } from '../config/settings.ts'
import type { Ticker } from '../exchange/ticker.ts'
import type { Installed } from '../policy/policy.ts'
import type { Log } from '../telemetry/log.ts'
import { createAdminToken } from './admin.ts'
import { createApi, type Api } from './api.ts'
import type { ApiOptions } from './api-handler.ts'
import { toPolicyViews } from './api-policies.ts'

/** What several processes have together. */
export interface SharedOffice {
  readonly approvals: Approvals
  readonly halt: HaltSwitch
  setHalt(halted: boolean, by?: string, reason?: string): Promise<HaltState>
  /** The token that was made; the one of the settings goes before. */
  token(): string
}

export interface OfficeOptions {
  settings(): Settings
  /** Where the gateway listens. */
  url(): string
  readonly log: Log
  readonly ticker: Ticker
  /** A library user's own policies. */
  readonly own: readonly Installed[]
  /** The kill switch, where it was on before. */
  readonly halt?: HaltSwitch | undefined
  /** What the API says of exchanges and of the gateway itself. */
  readonly about?: Pick<
    ApiOptions,
    'records' | 'gateway' | 'setPolicyMode' | 'backtests' | 'policyDesk' | 'keys' | 'config'
  >
}

export interface Office {
  readonly approvals: Approvals
  readonly halt: HaltSwitch
  readonly api: Api
  token(): string
  close(): void
}

export function createOffice(options: OfficeOptions, shared?: SharedOffice): Office {
  const { settings, log, ticker } = options
  const own = shared ?? createOwnOffice(options)
  const token = (): string => settings().admin.token ?? own.token()
  const { approvals, halt, setHalt } = own
  return {
    approvals,
    halt,
    token,
    api: createApi({
      approvals,
      halt,
      setHalt,
      token,
      ticker,
      log,
      policies: () =>
        toPolicyViews(options.own, options.about?.policyDesk?.policies() ?? settings().policies),
      ...options.about,
    }),
    close: approvals.close,
  }
}

function createOwnOffice(options: OfficeOptions): SharedOffice {
  const { halt = createHaltSwitch() } = options
  const made = createAdminToken()
  return {
    approvals: createDeskApprovals(options),
    halt,
    setHalt: (halted, by, reason) => Promise.resolve(halt.set(halted, by, reason)),
    token: () => made,
  }
}

/** Approvals of the process that keeps the tickets. */
const createDeskApprovals = ({
  settings,
  url,
  log,
}: Pick<OfficeOptions, 'settings' | 'url' | 'log'>): ReturnType<typeof createApprovals> =>
  createApprovals({
    settings: () => settings().approvals,
    url: () => settings().admin.url ?? url(),
    checkArguments: checkEdit,
    onWarning: (message, fields) => log.warn(message, fields),
  })
