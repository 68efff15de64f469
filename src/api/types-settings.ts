/**
 * What the admin API says of keys, of the config and of upstreams, as types. Neighbours: `types.ts` has the rest and hands
 * these on, `schemas-settings.ts` says the same to machines.
 */
import type { WireName } from '../event/event.ts'

/** A key that clients show; never the key itself, nor its hash. */
export interface KeyView {
  readonly name: string
  /** `config`: it stands in the file, and is changed there. `page`: it was made while the gateway ran. */
  readonly from: 'config' | 'page'
  /** `sluice.yaml:12`, of one in the config. */
  readonly where?: string | undefined
  /** Patterns of models that it may ask for; without, all. */
  readonly models?: readonly string[] | undefined
  /** `60/minute` */
  readonly rate?: string | undefined
  readonly budget?: KeyBudget | undefined
  /** Exchanges at once. */
  readonly concurrent?: number | undefined
  /** Tokens that count against its budget now; without a budget, all since they are counted. */
  readonly usedTokens: number
  /** In the process that answers, since it began; other gateways and workers may have seen it later. */
  readonly lastUsedAt?: number | undefined
  readonly createdAt?: number | undefined
  readonly createdBy?: string | undefined
  /** Nobody comes in with it any more. */
  readonly revokedAt?: number | undefined
  readonly revokedBy?: string | undefined
  /** Why it does not count though it is there. */
  readonly note?: string | undefined
}

export interface KeyBudget {
  readonly tokens: number
  readonly per: 'day' | 'month' | 'ever'
}

export interface KeysAnswer {
  /** Those of the config, then those that were made, the newest first, then those that are revoked. */
  readonly keys: readonly KeyView[]
  /** Whether nobody comes in without a key. */
  readonly needsKey: boolean
  /** Whether keys can be made here: it takes a store. */
  readonly canCreate: boolean
}

export interface KeyOrder {
  readonly name: string
  readonly models?: readonly string[]
  /** `60/minute`, or the same in parts. */
  readonly rate?: string | { readonly requests: number; readonly per: 'second' | 'minute' | 'hour' }
  readonly budget?: KeyBudget
  readonly concurrent?: number
  readonly by?: string
  /** The gateway lets everybody in, and may be closed by this key for those without one. */
  readonly closes?: boolean
}

export interface KeyCreated {
  readonly key: KeyView
  /** The key itself: it is shown this once. */
  readonly secret: string
  readonly note?: string | undefined
}

export interface KeyRevoked {
  readonly key: KeyView
  readonly note?: string | undefined
}

/** One setting and where it comes from. */
export interface ConfigValue {
  /** `upstreams.main.limits.connect`, `policies[0].use`. */
  readonly path: string
  /** As the file says it. Missing of a secret: it is set, and not shown. */
  readonly value?: ConfigPlain | readonly ConfigPlain[]
  readonly isSecret?: true | undefined
  /** `env`: from a variable. `flag`: from the command line. `program`: of whoever started the gateway as a library. */
  readonly from: 'file' | 'default' | 'env' | 'flag' | 'program'
  /** `sluice.yaml:12` */
  readonly where?: string | undefined
  readonly variable?: string | undefined
}

type ConfigPlain = string | number | boolean | null

export interface ConfigRoute {
  /** A model, or a pattern of models. */
  readonly model: string
  /** Missing: for all. */
  readonly wire?: WireName | undefined
  /** Upstreams, in order. */
  readonly to: readonly string[]
  /** What the model is called there, by upstream. */
  readonly as: Readonly<Record<string, string>>
}

export interface ConfigAnswer {
  /** Missing: there is none. */
  readonly file?: string | undefined
  readonly readAt?: number | undefined
  readonly values: readonly ConfigValue[]
  readonly routes: readonly ConfigRoute[]
  /** What is legal and probably not meant. */
  readonly warnings: readonly string[]
  /** What was read and does not hold yet. */
  readonly notes: readonly string[]
}

/** An upstream, and how it does. Of the process that answers, since it began or since its settings changed. */
export interface UpstreamView {
  readonly name: string
  readonly kind: 'http' | 'demo' | 'replay'
  /** The first by preference. */
  readonly wires: readonly WireName[]
  /** Of one over the network, with its port. */
  readonly host?: string | undefined
  readonly circuit: 'closed' | 'open' | 'half-open'
  /** Since when it is so; missing where it was never otherwise. */
  readonly circuitSince?: number | undefined
  /** Why it is not closed. */
  readonly circuitWhy?: string | undefined
  /** Requests that it answers now. */
  readonly open: number
  readonly lastSuccessAt?: number | undefined
  readonly lastFailureAt?: number | undefined
  /** In words of ours, without content. */
  readonly lastFailure?: string | undefined
}
