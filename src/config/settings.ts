/**
 * Everything a person can say in `sluice.yaml`, checked and with all defaults filled in. Neighbours:
 * `load.ts` makes it; `server/` is built from it. Times are in milliseconds, sizes in bytes.
 */
import type { Route } from '../exchange/route.ts'
import type { Installed } from '../policy/policy.ts'
import type { Price, RecordSettings } from '../store/settings.ts'
import type { RecordMode } from '../store/record.ts'
import type { StoreLocation } from '../store/store.ts'
import type { UpstreamSettings } from '../upstream/settings.ts'

export interface Settings {
  readonly listen: { readonly host: string; readonly port: number }
  /** PEM texts. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  /** Names that a `Host` header may carry besides loopback's and the one that is listened on. */
  readonly hosts: readonly string[]
  /** Web pages that may use the gateway: `https://tools.example`. */
  readonly origins: readonly string[]
  readonly upstreams: readonly UpstreamSettings[]
  readonly routes: readonly Route[]
  readonly keys: readonly KeySettings[]
  /** All that are configured, in the order in which they are asked; `select-policies.ts` says which apply. */
  readonly policies: readonly PolicySettings[]
  readonly admin: AdminSettings
  readonly approvals: ApprovalSettings
  /** What the file says of recording, with its defaults: `records.ts` fills in a place where there is none. */
  readonly store: StoreSettings
  /** `undefined`: nothing is recorded, because the file says so, or nobody has named a place. */
  readonly records: RecordSettings | undefined
  /** In front of those that come along. */
  readonly prices: readonly Price[]
  readonly limits: ServerLimits
  /** Whether a request that another wire cannot carry whole is refused. */
  readonly isStrict: boolean
  /** Silence after which a client that waits gets a sign of life. */
  readonly keepalive: number
  /** How long a stream may be held back for its first content once the upstream has answered. */
  readonly commit: number | 'auto'
  readonly log: LogSettings
  /** Where spans are sent; `undefined`: nowhere. */
  readonly otlp:
    | { readonly endpoint: string; readonly headers: Readonly<Record<string, string>> }
    | undefined
  /** How long streams may go on after the order to stop. */
  readonly grace: number
}

export interface KeySettings {
  readonly name: string
  /** SHA-256 of the key, in hex. */
  readonly hash: string
  /** Patterns of models that it may ask for; `undefined`: all. */
  readonly models: readonly string[] | undefined
  readonly rate: { readonly requests: number; readonly per: number } | undefined
  readonly budget: { readonly tokens: number; readonly per: 'day' | 'month' | 'ever' } | undefined
  /** How many exchanges at once. */
  readonly concurrent: number | undefined
}

/** One policy, and what it applies to. Where several say so, all must hold. */
export interface PolicySettings {
  /** As in records and logs. */
  readonly name: string
  /** A stock policy, or a path or package as the config says it. */
  readonly use: string
  /** What its author says, or a digest of its settings and files. */
  readonly version: string
  readonly installed: Installed
  /** Patterns of models as clients say them; `undefined`: all. */
  readonly models: readonly string[] | undefined
  /** Patterns of names of keys. */
  readonly keys: readonly string[] | undefined
  /** Patterns of what routes say of their model. */
  readonly routes: readonly string[] | undefined
  /** The route that it stands under. */
  readonly route: Route | undefined
  /** The key that it stands under. */
  readonly key: string | undefined
  /** Its entry as it is written; missing for one that no text says. */
  readonly source?: PolicySource | undefined
  /** Who wrote it while the gateway ran: it stands in the place of what the config says, or is new. */
  readonly edit?: EditOf | undefined
}

/** An entry of a list of policies, as it is written. */
export interface PolicySource {
  /** Of what is written, variables by their names: another text, another digest. */
  readonly digest: string
  /** The file as it is called for people. */
  readonly file: string
  readonly line: number
  /** It comes along; others are code. */
  readonly isStock: boolean
  /** One of several that the entry stands for. */
  readonly isPart: boolean
  /** As a list of this one entry, comments included where they belong to it alone; of code without what it is handed. */
  yaml(): string
  /** Texts with variables, each with the keys that lead to it: an edit may keep them, and write no others. */
  readonly variableTexts: readonly string[]
  /** The values of the variables that it names; as a function, so that nothing shows them by accident. */
  env(): Readonly<Record<string, string | undefined>>
}

/** What is known of an edit beside its text. */
export interface EditOf {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly by: string | undefined
  readonly note: string | undefined
  readonly yaml: string
  /** The digest of the config's entry that it replaces; empty: there is none, and it is new. */
  readonly base: string
}

/** Who may decide and halt, by `/api` and by the command line. */
export interface AdminSettings {
  /** `undefined`: one is made at the start. */
  readonly token: string | undefined
  /** Where the gateway is reached from outside, for links in webhooks; `undefined`: where it listens. */
  readonly url: string | undefined
}

/** Calls that wait for a person. */
export interface ApprovalSettings {
  /** How long a person has. */
  readonly deadline: number
  /** How many may wait at once. */
  readonly max: number
  /** How long a decision holds where the person says nothing of it. */
  readonly remember: 'once' | 'conversation' | 'always'
  readonly webhooks: readonly {
    readonly url: string
    /** Signs what is sent. */
    readonly secret: string | undefined
    /** Whether what it answers may decide. */
    readonly decides: boolean
  }[]
}

/** What is recorded and where. Also with `off` the place is known: there may be records of earlier days. */
export interface StoreSettings extends Omit<RecordSettings, 'mode' | 'location'> {
  readonly mode: RecordMode | 'off'
  readonly location: StoreLocation | undefined
}

export interface ServerLimits {
  /** The largest request body, decompressed. */
  readonly body: number
  readonly headers: number
  /** The largest JSON answer or error body that is read from an upstream. */
  readonly answer: number
  /** Exchanges at once. */
  readonly concurrent: number
  /** How long a client may take to send its request. */
  readonly requestTime: number
}

export interface LogSettings {
  readonly level: 'silent' | 'error' | 'warn' | 'info' | 'debug'
  /** `auto`: text on a terminal, else JSON lines. */
  readonly format: 'auto' | 'json' | 'text'
  /** Whether keys, addresses, phone and card numbers are masked in texts. */
  readonly redact: boolean
}
