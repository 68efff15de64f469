/**
 * Which upstream serves a model. Neighbours: `config/` makes the list, `exchange.ts` asks. Routes stand
 * in order and the first match wins.
 */
import { matches } from '../base/star-pattern.ts'
import type { WireName } from '../event/event.ts'

export interface Route {
  /** A model's name; `*` stands for any characters. */
  readonly model: string
  /** Only for clients that speak this wire. */
  readonly wire: WireName | undefined
  /** Names of upstreams: the first is asked, the others when it fails before the answer is committed. */
  readonly to: readonly string[]
  /** What the model is called there, by upstream; where none is given, as the client said. */
  readonly as: Readonly<Record<string, string>>
  /** Whether a request that another wire cannot carry whole is refused; without it, as for all. */
  readonly isStrict?: boolean | undefined
}

/** The first route that takes this model from this wire. */
export function findRoute(
  routes: readonly Route[],
  wire: WireName,
  model: string,
): Route | undefined {
  return routes.find(
    (route) => (route.wire === undefined || route.wire === wire) && matches(route.model, model),
  )
}
