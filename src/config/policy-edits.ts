/**
 * Configured policies and what was written in their place since → the policies as they hold. Neighbours: the store keeps
 * edits, `server/policy-edits.ts` follows them, `policy-modes.ts` says which act. An edit is for one entry of the config as
 * it is written (its base): once that is another, or gone, the config holds again.
 */
import type { PolicyEdit } from '../store/store.ts'
import type { Mistaken } from './notes.ts'
import { readPolicies, surroundingsOf } from './policy-check.ts'
import { rename } from './policy-members.ts'
import type { PolicySettings, Settings } from './settings.ts'

export interface EditedPolicies {
  /** The same list where no edit holds. */
  readonly policies: readonly PolicySettings[]
  readonly fallen: readonly FallenEdit[]
}

/** One that was the last word on its policy and does not hold here. */
export interface FallenEdit {
  readonly edit: PolicyEdit
  /** `changed`: the config says something else than when it was written. `unfit`: this program cannot read it. */
  readonly why: 'changed' | 'unfit'
}

/** What an edit comes to; `undefined`: it cannot be made here. */
export type MakeEdited = (edit: PolicyEdit, settings: Settings) => PolicySettings | undefined

export function withEdits(
  settings: Settings,
  edits: readonly PolicyEdit[],
  make: MakeEdited = makeEdited,
): EditedPolicies {
  const { policies } = settings
  if (edits.length === 0) return { policies, fallen: [] }
  const fallen: FallenEdit[] = []
  const held = new Map<string, PolicySettings>()
  for (const edit of lastWords(edits, policies)) {
    if (edit.yaml === undefined) continue
    const isMeant = edit.base === baseOf(policies, edit.policy)
    const made = isMeant ? make(edit, settings) : undefined
    if (made === undefined) fallen.push({ edit, why: isMeant ? 'unfit' : 'changed' })
    else held.set(edit.policy, made)
  }
  if (held.size === 0) return { policies, fallen }
  const names = new Set(policies.map(({ name }) => name))
  const added = [...held.values()].filter(({ name }) => !names.has(name)).toSorted(byTime)
  const list = policies.map((one) => {
    const made = held.get(one.name)
    return made === undefined ? one : { ...made, route: one.route, key: one.key }
  })
  return { policies: [...list, ...added], fallen }
}

const byTime = (one: PolicySettings, other: PolicySettings): number =>
  (one.edit?.at ?? 0) - (other.edit?.at ?? 0)

/** Which entry an edit of that name would replace: the digest of what is written, empty where nothing is. */
export const baseOf = (policies: readonly PolicySettings[], name: string): string =>
  sourceOf(policies, name)?.digest ?? ''

const sourceOf = (policies: readonly PolicySettings[], name: string): PolicySettings['source'] =>
  policies.find((one) => one.name === name)?.source

/** Of each policy the one on what the config says now; where there is none, the newest. */
function lastWords(
  edits: readonly PolicyEdit[],
  policies: readonly PolicySettings[],
): readonly PolicyEdit[] {
  const last = new Map<string, PolicyEdit>()
  for (const edit of edits.toSorted((one, other) => one.seq - other.seq)) {
    const before = last.get(edit.policy)
    const base = baseOf(policies, edit.policy)
    if (before === undefined || before.base !== base || edit.base === base)
      last.set(edit.policy, edit)
  }
  return [...last.values()]
}

/** A policy from its text, or what is wrong with that, with the places. */
export type ReadEdit =
  | { readonly type: 'policy'; readonly policy: PolicySettings }
  | { readonly type: 'wrong'; readonly mistakes: readonly Mistaken[] }

/** One entry in the place of the one of that name; without a name it is new and says its own. */
export function readEdit(
  yaml: string,
  name: string | undefined,
  settings: Settings,
  isKnown = false,
): ReadEdit {
  const base = name === undefined ? undefined : sourceOf(settings.policies, name)
  const around = surroundingsOf(settings, { base, only: { name }, isKnown })
  const { policies, mistakes } = readPolicies(yaml, around)
  const [only] = policies
  if (only === undefined) return { type: 'wrong', mistakes }
  // By what is written and not by what its author calls it: two edits are never the same version.
  return { type: 'policy', policy: renamed(only, name ?? only.name, only.source?.digest ?? '') }
}

const renamed = (one: PolicySettings, name: string, version: string): PolicySettings => ({
  ...one,
  name,
  version,
  installed: { ...one.installed, policy: rename(one.installed.policy, name, version) },
})

export function makeEdited(edit: PolicyEdit, settings: Settings): PolicySettings | undefined {
  const read = readEdit(edit.yaml ?? '', edit.policy, settings, true)
  if (read.type === 'wrong') return undefined
  const made = renamed(read.policy, edit.policy, edit.version)
  const { at, by, note, base, yaml = '' } = edit
  return {
    ...made,
    installed: { ...made.installed, isShadow: edit.mode === 'shadow' },
    edit: { at, by, note, base, yaml },
  }
}
