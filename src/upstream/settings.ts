/**
 * What a person may say of an upstream, checked and with all defaults filled in. Neighbours: `config/`
 * makes it from YAML. Times are in milliseconds.
 */
import type { WireName } from '../event/event.ts'
import type { Vendor } from '../request/profile.ts'

/** Which header carries the credential. `auto`: `x-api-key` on Anthropic's wire, else a bearer token. */
export type AuthStyle = 'auto' | 'bearer' | 'x-api-key' | 'api-key' | 'none'

export interface TimeLimits {
  /** Until the connection stands. */
  readonly connect: number
  /** From the request to the upstream's headers. */
  readonly firstByte: number
  /** Between two chunks. */
  readonly idle: number
  /** From the request to its end. */
  readonly total: number
}

export interface RetrySettings {
  /** How often one upstream is asked at most, the first time included. */
  readonly attempts: number
  /** The first pause; it doubles each time, with jitter. */
  readonly backoff: number
  readonly maxBackoff: number
  /** A longer `retry-after` is not waited for: the next upstream is asked, or the client is told. */
  readonly maxRetryAfter: number
}

export interface BreakerSettings {
  /** So many failures in a row open the circuit; 0 switches it off. */
  readonly failures: number
  /** How long it stays open before one request is let through as a probe. */
  readonly cooldown: number
}

interface Common {
  readonly name: string
  readonly wires: readonly WireName[]
  readonly limits: TimeLimits
  readonly retry: RetrySettings
  readonly breaker: BreakerSettings
  /** `client`: as the client asked. `always` or `never`: the upstream only streams, or cannot. */
  readonly stream: 'client' | 'always' | 'never'
  /** Whose server it is, where the address does not tell; what it takes depends on that. */
  readonly vendor?: Vendor | undefined
}

export interface HttpUpstreamSettings extends Common {
  readonly kind: 'http'
  /** What the provider's SDK would be given; no trailing slash. */
  readonly baseUrl: string
  /** Without one, the client's own credential is passed on. */
  readonly apiKey: string | undefined
  readonly auth: AuthStyle
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** A proxy's URL; `undefined`: as the environment says; `''`: none. */
  readonly proxy: string | undefined
  /** PEM text of further certificate authorities. */
  readonly ca: string | undefined
}

export interface DemoUpstreamSettings extends Common {
  readonly kind: 'demo'
  /** The pause between two chunks of a scripted answer. */
  readonly pace: number
}

/** Answers from recordings. */
export interface ReplayUpstreamSettings extends Common {
  readonly kind: 'replay'
  readonly from: ReplayFrom
  /** `auto`: by what is asked, and where that was never asked, in order. */
  readonly match: 'auto' | 'request' | 'order'
  /** How many times faster than it was; 0: at once. */
  readonly speed: number
  /** `delivered`: what the client got then. `upstream`: what came before policies and translation. */
  readonly answers: 'delivered' | 'upstream'
}

type ReplayFrom =
  /** A file or a folder. */
  | { readonly type: 'path'; readonly path: string }
  /** The records of this gateway. */
  | {
      readonly type: 'store'
      /** Of one exchange. */
      readonly id?: string | undefined
      readonly conversation?: string | undefined
      /** How old the oldest may be. */
      readonly maxAge?: number | undefined
    }

export type UpstreamSettings = HttpUpstreamSettings | DemoUpstreamSettings | ReplayUpstreamSettings
