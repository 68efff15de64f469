/**
 * Which upstream serves a model. Neighbours: `config/` makes the list, `exchange.ts` asks. Routes stand
 * in order and the first match wins.
 */
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

/** Whether a pattern with stars takes that name. Linear: no pattern of a person's becomes a regex. */
export function matches(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return pattern === name
  if (!name.startsWith(first)) return false
  const last = rest.pop() ?? ''
  let at = first.length
  for (const piece of rest) {
    const found = name.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}
