/**
 * The contract of the records: one, whatever keeps them. Neighbours: `sqlite.ts` and `postgres.ts` are the engines;
 * `records/` has one in a worker thread and hands its calls through, so that everything here can be cloned.
 */
import type {
  ConversationSummary,
  ExchangeQuery,
  ExchangeRecord,
  ExchangeSummary,
  Page,
  PageQuery,
  PolicySummary,
  StatsBucket,
  StatsQuery,
  VerdictQuery,
} from './query.ts'
import type { Body, BodyKind, ExchangeRow, StoredVerdict, WriteItem } from './record.ts'

export interface RecordReader {
  list(query: ExchangeQuery & PageQuery): Promise<Page<ExchangeSummary>>
  /** How many there are; counts no further than `max`. */
  count(query: ExchangeQuery, max: number): Promise<number>
  /** By the id of the record, or by a request id: then the newest. */
  find(id: string): Promise<ExchangeRecord | undefined>
  body(id: string, kind: BodyKind): Promise<Body | undefined>
  /** Of many at once, in the order asked: for whoever walks over the past. */
  bodies(ids: readonly string[], kinds: readonly BodyKind[]): Promise<readonly KeptBodies[]>
  verdicts(query: VerdictQuery & PageQuery): Promise<Page<StoredVerdict>>
  conversations(query: ExchangeQuery & PageQuery): Promise<Page<ConversationSummary>>
  stats(query: StatsQuery): Promise<readonly StatsBucket[]>
  policies(query: ExchangeQuery): Promise<readonly PolicySummary[]>
  /** Walks over the chain of verdicts. */
  verify(): Promise<ChainReport>
  /** What `setNote` was told last under that name. */
  note(name: string): Promise<string | undefined>
  policyModes(): Promise<readonly PolicyMode[]>
  policyVersions(): Promise<readonly PolicyVersion[]>
  /** Another text as soon as there are other edits: cheap, for those who look again and again. */
  policyEditMark(): Promise<string>
  /** The last word on each policy and base; or all that was said of one policy, the newest first. */
  policyEdits(policy?: string): Promise<readonly PolicyEdit[]>
  /** What each version of a policy decided, by kind of verdict: of its newest hundred thousand verdicts. */
  versionVerdicts(policy: string): Promise<readonly VersionVerdicts[]>
  /** Keys that were made while a gateway ran, the newest first, with those that were revoked lately. */
  gatewayKeys(): Promise<readonly GatewayKey[]>
  size(): Promise<StoreSize>
}

export interface KeptBodies {
  readonly id: string
  readonly bodies: Partial<Readonly<Record<BodyKind, Body>>>
}

export interface RecordStore extends RecordReader {
  /** Resolves when all of it is committed; nothing of it is there when it throws. Written twice, it is there once. */
  write(items: readonly WriteItem[]): Promise<void>
  /** Gives back how many exchanges are gone. Verdicts keep their place in the chain and lose their content. */
  remove(
    which: { readonly id: string } | { readonly key: string } | { readonly before: number },
  ): Promise<number>
  /** Takes the oldest away until both hold, and what crashes have left behind; in small steps, so that others get their turn. */
  enforce(limits: { readonly maxAgeMs?: number; readonly maxBytes?: number }): Promise<number>
  /**
   * Exchanges whose text is still to be taken (written with `isTextDue`), the newest first. Whoever writes takes it
   * when there is nothing else to do: its own, and those of others that have not done it for long.
   */
  textDue(which: TextDueQuery): Promise<readonly TextDue[]>
  /** Makes them findable by it; an empty text just says that nothing is due any more. Unknown ids are passed over. */
  setTexts(texts: readonly { readonly id: string; readonly text: string }[]): Promise<void>
  /** A policy is told to act or to stay in shadow, whatever its config says, as long as its version is this. */
  setPolicyMode(mode: PolicyMode): Promise<void>
  /**
   * A policy is edited, or (without a text) is again as the config says. Gives it back with its number. `after`: only if
   * that is still the number of the last word on this policy and base (0: there is none); `undefined` where it is not.
   */
  addPolicyEdit(edit: NewPolicyEdit, after?: number): Promise<PolicyEdit | undefined>
  /** Versions that were not known before are kept. */
  notePolicyVersions(versions: readonly PolicyVersion[]): Promise<void>
  /** `taken`: one of that name holds. `full`: there are a thousand. A revoked one gives its name to the new. */
  addGatewayKey(key: GatewayKey): Promise<'added' | 'taken' | 'full'>
  /** `false`: there is none of that name. */
  revokeGatewayKey(which: {
    readonly name: string
    readonly by?: string | undefined
    readonly at: number
  }): Promise<boolean>
  /** Forgets those that are revoked, unless one still holds; `false` then. */
  forgetGatewayKeys(): Promise<boolean>
  /** Small things that must outlive the process, by name: what keys have spent, the kill switch. */
  setNote(name: string, text: string): Promise<void>
  close(): Promise<void>
}

export interface TextDueQuery {
  /** Served by this gateway alone. */
  readonly gateway?: string
  /** Begun before this time. */
  readonly before?: number
  readonly limit: number
}

/** What must be known to read the text of an exchange's bodies. */
export interface TextDue extends Pick<
  ExchangeRow,
  'id' | 'wire' | 'upstreamWire' | 'isStream' | 'record'
> {
  /** What its bodies take in the store. */
  readonly storedBytes: number
}

export interface ChainReport {
  /** Links that were walked over. */
  readonly links: number
  /** The first that does not fit, and why. */
  readonly broken: { readonly seq: number; readonly why: string } | undefined
  /** The hash of the last: kept elsewhere, it shows that none was cut off at the end. */
  readonly head: string
}

export interface PolicyMode {
  readonly policy: string
  readonly version: string
  readonly mode: 'acts' | 'shadow'
  readonly by: string | undefined
  /** Milliseconds since 1970. */
  readonly at: number
}

export interface PolicyVersion {
  readonly policy: string
  readonly version: string
  /** A stock policy, or a path as the config says it. */
  readonly use: string
  readonly isShadow: boolean
  readonly firstSeenAt: number
}

/** A key of clients that was made while a gateway ran. */
export interface GatewayKey {
  readonly name: string
  /** SHA-256 of the key, in hex. */
  readonly hash: string
  readonly limits: KeyLimits
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly createdBy: string | undefined
  /** Nobody comes in with it any more. */
  readonly revokedAt: number | undefined
  readonly revokedBy: string | undefined
}

/** What a key may do; what is missing is not limited. */
export interface KeyLimits {
  /** Patterns of models. */
  readonly models?: readonly string[]
  /** `per` in milliseconds. */
  readonly rate?: { readonly requests: number; readonly per: number }
  readonly budget?: { readonly tokens: number; readonly per: 'day' | 'month' | 'ever' }
  /** Exchanges at once. */
  readonly concurrent?: number
}

/** What somebody wrote in the place of an entry of the config, or beside them. */
export interface PolicyEdit {
  /** Counts up. */
  readonly seq: number
  readonly policy: string
  readonly version: string
  /** The digest of the config's entry that it replaces; empty: there is none, and it is new. */
  readonly base: string
  /** `undefined`: rolled back to what the config says. */
  readonly yaml: string | undefined
  readonly mode: 'acts' | 'shadow'
  readonly by: string | undefined
  /** Milliseconds since 1970. */
  readonly at: number
  readonly note: string | undefined
}

export type NewPolicyEdit = Omit<PolicyEdit, 'seq'>

export interface VersionVerdicts {
  readonly version: string | undefined
  readonly isShadow: boolean
  readonly type: string
  readonly count: number
}

export interface StoreSize {
  readonly exchanges: number
  /** Of the file, or of the tables. */
  readonly bytes: number
  readonly oldestAt: number | undefined
}

/** Packs pieces on their way in and unpacks them: smaller, and encrypted where there is a key. */
export interface PieceCodec {
  /**
   * Called once by `openStore`, after the migrations and before anything is packed, with what it gave back when the
   * store was first opened (kept in `meta` under `codec`), and what is kept there from now on. Throws where the key is
   * not the one of this store.
   */
  open(kept: string | undefined): string | undefined
  pack(bytes: Uint8Array): { readonly codec: number; readonly bytes: Uint8Array }
  unpack(codec: number, bytes: Uint8Array): Uint8Array
}

/** Where the records are. */
export type StoreLocation =
  | { readonly type: 'sqlite'; readonly file: string }
  | { readonly type: 'postgres'; readonly url: string }
