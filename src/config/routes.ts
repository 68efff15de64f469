/**
 * Routes as they were read → routes that name upstreams which exist. Neighbours: `shape.ts` reads them,
 * `exchange/route.ts` has the contract and matches.
 */
import { matches } from '../base/star-pattern.ts'
import type { Route } from '../exchange/route.ts'
import type { UpstreamSettings } from '../upstream/settings.ts'
import { WIRE_NAMES } from '../wire/wires.ts'
import { refuse, takes, type Reading, type Spot } from './field.ts'
import { quote } from './node.ts'
import { checkName } from './shape-upstream.ts'
import type { RawConfig, RawRoute } from './shape.ts'
import { isNo } from './text.ts'

/** `upstreams` are those that are right; names of the others are taken from the file. */
export function toRoutes(
  config: RawConfig,
  upstreams: readonly UpstreamSettings[],
  reading: Reading,
): readonly Route[] {
  const names = namesOf(config, upstreams)
  const routes =
    config.spots.routes === undefined
      ? toDefaultRoutes(upstreams)
      : (config.values.routes ?? []).map(({ value }) => toRoute(value, names, reading))
  // Warnings are of use only when there is nothing worse, and these compare each route with each.
  if (reading.notes.hasMistakes) return routes
  for (const [index, { spot }] of (config.values.routes ?? []).entries())
    noteIfDead(spot, routes, index, reading)
  noteUnused(config, routes, reading)
  return routes
}

function namesOf(config: RawConfig, upstreams: readonly UpstreamSettings[]): readonly string[] {
  const node = config.spots.upstreams?.node
  return node?.kind === 'map'
    ? node.entries.map(({ key }) => key).filter((name) => checkName(name) === undefined)
    : upstreams.map(({ name }) => name)
}

/** Every model to the only upstream, or to the first that speaks the wire of the client, or to the first. */
export function toDefaultRoutes(upstreams: readonly UpstreamSettings[]): readonly Route[] {
  const [only, ...others] = upstreams
  if (only !== undefined && others.length === 0)
    return [{ model: '*', wire: undefined, to: [only.name], as: {} }]
  const spoken = upstreams.flatMap(({ name, wires }) => wires.map((wire) => ({ name, wire })))
  const own: readonly Route[] = spoken
    .filter(({ wire }, index) => spoken.findIndex((one) => one.wire === wire) === index)
    .map(({ name, wire }) => ({ model: '*', wire, to: [name], as: {} }))
  return own.length === WIRE_NAMES.length || only === undefined
    ? own
    : [...own, { model: '*', wire: undefined, to: [only.name], as: {} }]
}

function toRoute({ values }: RawRoute, names: readonly string[], reading: Reading): Route {
  const seen = new Set<string>()
  for (const { spot, value } of values.to ?? []) {
    if (!names.includes(value)) refuseName(spot, value, names, reading)
    else if (seen.has(value)) refuse(spot, reading, 'it is in the list already')
    seen.add(value)
  }
  const to = [...seen]
  return {
    model: values.model ?? '',
    wire: values.wire,
    to,
    as: toAs(values.as, { to, names: to.filter((name) => names.includes(name)) }, reading),
    isStrict: values.strict,
  }
}

function refuseName(spot: Spot, name: string, names: readonly string[], reading: Reading): void {
  const { node } = spot
  // Without a name that could be, the mistake is elsewhere.
  if (node.kind !== 'scalar' || names.length === 0) return
  const typed = node.value === name ? name : undefined
  refuse(spot, reading, () => isNo(node, 'upstream', takes(names, typed)))
}

function toAs(
  as: RawRoute['values']['as'],
  { to, names }: { readonly to: readonly string[]; readonly names: readonly string[] },
  reading: Reading,
): Route['as'] {
  if (as === undefined) return {}
  if (typeof as === 'string') return Object.fromEntries(to.map((name) => [name, as]))
  for (const { name, spot } of as)
    if (names.length > 0 && !to.includes(name))
      reading.notes.mistake(
        spot.keyPlace,
        spot.path,
        () => `${quote(name)} is not in "to" of this route: ${takes(names, name)}`,
      )
  return Object.fromEntries(as.map(({ name, value }) => [name, value]))
}

/** A route is dead when, on each wire that it serves, one before it takes every model that it takes. */
function noteIfDead(spot: Spot, routes: readonly Route[], index: number, reading: Reading): void {
  const route = routes[index]
  if (route === undefined) return
  const wires = route.wire === undefined ? WIRE_NAMES : [route.wire]
  const probe = toProbe(route.model)
  const wider = routes
    .slice(0, index)
    .map((one, at) => ({ at, wire: one.wire, model: one.model }))
    .filter(({ model }) => covers(model, probe))
  const takers = wires.map(
    (wire) => wider.find((one) => one.wire === undefined || one.wire === wire)?.at ?? -1,
  )
  if (takers.includes(-1)) return
  const who = [...new Set(takers)].map((taker) => `routes[${taker}]`).join(' and ')
  reading.notes.warning(
    spot.node.place,
    spot.path,
    `no request comes here: ${who} before it ${takers.some((one) => one !== takers[0]) ? 'take' : 'takes'} every model that it takes`,
  )
}

/**
 * A pattern as a name that stands for all its names: each star is a character that no name holds. Only a
 * star can take it, and that star takes anything.
 */
const toProbe = (pattern: string): string => pattern.replaceAll('*', '\0')

/** Looks at the end first: it tells most patterns apart, and a long list has many pairs. */
const covers = (pattern: string, probe: string): boolean =>
  probe.endsWith(pattern.slice(pattern.lastIndexOf('*') + 1)) && matches(pattern, probe)

function noteUnused(config: RawConfig, routes: readonly Route[], reading: Reading): void {
  const used = new Set(routes.flatMap(({ to }) => to))
  for (const { name, spot } of config.values.upstreams ?? [])
    if (!used.has(name))
      reading.notes.warning(spot.keyPlace, spot.path, 'no route leads to this upstream')
}
