/**
 * Looks for policies that can never apply because a name in them is wrong: such a policy would be missing without a
 * word. Neighbours: `policies.ts` asks.
 */
import { matches } from '../base/star-pattern.ts'
import type { Route } from '../exchange/route.ts'
import type { Placed } from './collections.ts'
import { refuse, takes, type Reading } from './field.ts'
import { quote } from './node.ts'
import type { RawPolicy } from './shape-policy.ts'

/** What a policy may name. */
export interface Nameable {
  /** By their names. */
  readonly keys: readonly string[]
  readonly routes: readonly Route[]
}

export function noteUnmatched(
  { keys, routes }: Nameable,
  policies: readonly { readonly raw: RawPolicy }[],
  reading: Reading,
): void {
  const routeNames = [...new Set(routes.map(({ model }) => model))]
  for (const { raw } of policies) {
    for (const one of raw.common.keys ?? []) check(one, keys, 'key', reading)
    for (const one of raw.common.routes ?? []) check(one, routeNames, 'route', reading)
  }
}

function check(
  { spot, value }: Placed<string>,
  names: readonly string[],
  noun: string,
  reading: Reading,
): void {
  if (names.some((name) => matches(value, name))) return
  const { node } = spot
  if (value.includes('*')) {
    reading.notes.warning(node.place, spot.path, `no ${noun} fits, so the policy applies to none`)
    return
  }
  const typed = node.kind === 'scalar' && node.value === value ? value : undefined
  const there = names.length === 0 ? 'there are none' : takes(names, typed)
  refuse(
    spot,
    reading,
    () => `${typed === undefined ? 'it' : quote(typed)} is no ${noun}: ${there}`,
  )
}
