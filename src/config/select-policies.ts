/**
 * Settings and what a request is about → the policies that apply, in the order in which they are asked. Neighbours:
 * `policies.ts` makes the list, the exchange asks once per request.
 */
import { matches } from '../base/star-pattern.ts'
import type { Route } from '../exchange/route.ts'
import type { Installed } from '../policy/policy.ts'
import type { PolicySettings, Settings } from './settings.ts'

/** What a request is about, as far as policies are chosen by it. */
export interface PolicySubject {
  /** One of the settings' own routes. */
  readonly route: Route | undefined
  /** The name of the client's key. */
  readonly key: string | undefined
  /** As the client said it. */
  readonly model: string
}

const NONE: readonly Installed[] = []

/** Models are whatever clients say: what is kept must not grow with it. */
const MAX_KEPT = 1024

const MAX_LENGTH = 256

interface Kept {
  readonly lists: Map<Route | undefined, Map<string, readonly Installed[]>>
  readonly isByModel: boolean
  count: number
}

const KEPT = new WeakMap<readonly PolicySettings[], Kept>()

/** The policies that apply. Cheap: the same list again for the same subject, and always the same empty one. */
export function selectPolicies(
  { policies }: Pick<Settings, 'policies'>,
  { route, key, model }: PolicySubject,
): readonly Installed[] {
  if (policies.length === 0) return NONE
  const kept = KEPT.get(policies) ?? createKept(policies)
  // No name of a key has a line break in it.
  const id = `${key ?? '\n'}\n${kept.isByModel ? model : ''}`
  const known = kept.lists.get(route)?.get(id)
  if (known !== undefined) return known
  const found = policies.filter((policy) => applies(policy, { route, key, model }))
  const list = found.length === 0 ? NONE : found.map(({ installed }) => installed)
  if (id.length <= MAX_LENGTH) keep(kept, route, [id, list])
  return list
}

function createKept(policies: readonly PolicySettings[]): Kept {
  const isByModel = policies.some(({ models }) => models !== undefined)
  const kept = { lists: new Map(), isByModel, count: 0 }
  KEPT.set(policies, kept)
  return kept
}

function keep(
  kept: Kept,
  route: Route | undefined,
  [id, list]: readonly [string, readonly Installed[]],
): void {
  if (kept.count >= MAX_KEPT) {
    kept.lists.clear()
    kept.count = 0
  }
  const lists = kept.lists.get(route) ?? new Map<string, readonly Installed[]>()
  kept.lists.set(route, lists.set(id, list))
  kept.count += 1
}

function applies(policy: PolicySettings, { route, key, model }: PolicySubject): boolean {
  return (
    (policy.route === undefined || policy.route === route) &&
    (policy.key === undefined || policy.key === key) &&
    fits(policy.models, model) &&
    fits(policy.keys, key) &&
    fits(policy.routes, route?.model)
  )
}

/** Who has no key, or came by no route, is none of those that are named. */
const fits = (patterns: readonly string[] | undefined, name: string | undefined): boolean =>
  patterns === undefined ||
  (name !== undefined && patterns.some((pattern) => matches(pattern, name)))

/** What a policy applies to, in words; `undefined`: everything. */
export function whereItApplies(policy: PolicySettings): string | undefined {
  const only = (noun: string, patterns: readonly string[] | undefined): readonly string[] =>
    patterns === undefined ? [] : [`${noun} ${patterns.join(' or ')}`]
  const words = [
    ...(policy.route === undefined ? [] : [`its route ${policy.route.model}`]),
    ...(policy.key === undefined ? [] : [`its key ${policy.key}`]),
    ...only('models', policy.models),
    ...only('keys', policy.keys),
    ...only('routes', policy.routes),
  ]
  return words.length === 0 ? undefined : words.join(', ')
}
