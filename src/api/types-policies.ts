/**
 * What the admin API says of policies that are written by it: checks, sources, versions. Neighbours: `types.ts` has the
 * rest, `server/api-policy-edits.ts` answers by them, `schemas-policies.ts` says the same to machines.
 */
import type { PolicyView } from './types.ts'

export interface CheckOrder {
  /** A list of policies, one entry alone, or a config whose `policies` are looked at. */
  readonly yaml: string
  /** The installed policy that it is an edit of: then it must be that one alone, and its variables may stay. */
  readonly name?: string
}

/** A mistake in the text that was sent. */
export interface PolicyMistake {
  /** Both count from one. */
  readonly line: number
  readonly column: number
  /** Behind what is to be underlined, where that is known and ends on the same line. */
  readonly endColumn?: number | undefined
  readonly message: string
  /** The word that was probably meant. */
  readonly hint?: string | undefined
}

export interface CheckedPolicy {
  readonly name: string
  readonly use: string
  readonly version: string
  readonly holds: readonly string[]
  readonly isShadow: boolean
  /** In words; missing where it applies to everything. */
  readonly appliesTo?: string | undefined
}

export interface CheckAnswer {
  /** In the order of the text, up to a hundred. */
  readonly mistakes: readonly PolicyMistake[]
  /** What it comes to, where nothing is wrong. */
  readonly policies: readonly CheckedPolicy[]
}

/** Who wrote a policy while the gateway ran, and when. */
export interface EditView {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly by?: string | undefined
  readonly note?: string | undefined
  /** It takes the place of no entry of the config. */
  readonly isNew: boolean
}

export interface PolicySourceAnswer {
  readonly name: string
  readonly version?: string | undefined
  readonly use?: string | undefined
  /** Its entry as it holds now; variables by their names. */
  readonly yaml?: string | undefined
  /** The config, and the place in it that an edit replaces. */
  readonly file?: string | undefined
  readonly where?: string | undefined
  /** Where it is edited. */
  readonly edit?: EditView | undefined
  readonly editable: boolean
  /** Why not, and what to do instead. */
  readonly why?: string | undefined
}

export interface NewPolicyOrder {
  /** One entry, which says its `name`. */
  readonly yaml: string
  readonly mode: 'acts' | 'shadow'
  readonly by?: string
  readonly note?: string
}

export interface EditOrder extends NewPolicyOrder {
  /** The version that was edited: refused where another holds by now. */
  readonly over?: string
}

export interface RollbackOrder {
  /** One that was written by the API; without it: what the config says. */
  readonly version?: string
  readonly by?: string
}

export interface EditAnswer {
  /** As it holds now; missing where it is gone. */
  readonly policy?: PolicyView | undefined
}

/** One version that was ever installed. */
export interface PolicyVersionView {
  readonly version: string
  /** `config`: a file says it. `api`: it was written while the gateway ran. */
  readonly from: 'config' | 'api'
  readonly use?: string | undefined
  readonly yaml?: string | undefined
  /** Whether it began in shadow. */
  readonly isShadow: boolean
  /** When it was written or first seen, in milliseconds since 1970. */
  readonly at: number
  readonly by?: string | undefined
  readonly note?: string | undefined
  /** Whether this gateway asks it now. */
  readonly isHeld: boolean
  /** What it decided, by kind of verdict, those that acted and those in shadow together. */
  readonly verdicts: Readonly<Record<string, number>>
}

export interface PolicyVersionsAnswer {
  readonly name: string
  /** The newest first. */
  readonly versions: readonly PolicyVersionView[]
}

/** An edit that was the last word on its policy and does not hold in this gateway. */
export interface FallenView {
  readonly policy: string
  readonly version: string
  readonly at: number
  readonly by?: string | undefined
  /** `changed`: the config says something else since. `unfit`: this program cannot read it. */
  readonly why: 'changed' | 'unfit'
}

/** How many blocks of a kind a policy has judged: the m of "would have denied n of m". */
export interface JudgedCount {
  readonly policy: string
  readonly version?: string | undefined
  readonly isShadow: boolean
  readonly block: string
  /** All that waited for it or were shown to it, those that pass included. */
  readonly count: number
  /** Of these, those that it would not let pass as they are, or did not. */
  readonly acted: number
}
