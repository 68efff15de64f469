/**
 * What holds where a config says nothing. Neighbours: `load.ts` and the files that build parts of the
 * settings fill them in; `docs/reference/config.md` tells them.
 */
import type { BreakerSettings, RetrySettings, TimeLimits } from '../upstream/settings.ts'
import type {
  AdminSettings,
  ApprovalSettings,
  LogSettings,
  ServerLimits,
  StoreSettings,
} from './settings.ts'

export const LISTEN = { host: '127.0.0.1', port: 4141 }

/** A reasoning model may think for minutes before its first byte, and between two. */
export const TIMEOUTS: TimeLimits = {
  connect: 10_000,
  firstByte: 600_000,
  idle: 300_000,
  total: 3_600_000,
}

export const RETRY: RetrySettings = {
  attempts: 3,
  backoff: 250,
  maxBackoff: 8000,
  maxRetryAfter: 5000,
}

export const BREAKER: BreakerSettings = { failures: 5, cooldown: 30_000 }

const MB = 1024 ** 2

export const LIMITS: ServerLimits = {
  body: 64 * MB,
  headers: 64 * 1024,
  answer: 64 * MB,
  concurrent: 4096,
  requestTime: 120_000,
}

export const ADMIN: AdminSettings = { token: undefined, url: undefined }

/** Signs of life hold a stream open meanwhile; the official SDKs give up after ten minutes in any case. */
export const APPROVALS: ApprovalSettings = {
  deadline: 300_000,
  max: 1000,
  remember: 'once',
  webhooks: [],
}

/** Of one decision. The official clients wait longer than this for the next byte. */
export const POLICY_TIMEOUT = 30_000

/** An agent at work leaves some hundred megabytes a day. */
export const STORE: StoreSettings = {
  mode: 'bytes',
  location: undefined,
  onFull: 'wait',
  maxWait: 10_000,
  maxAge: 30 * 24 * 3_600_000,
  maxBytes: 10 * 1024 ** 3,
  secret: undefined,
  hasSearch: true,
  isSynced: false,
}

export const LOG: LogSettings = { level: 'info', format: 'auto', redact: true }

export const KEEPALIVE = 10_000
export const COMMIT = 'auto' as const
export const GRACE = 30_000
export const PACE = 10
