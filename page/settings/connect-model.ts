/**
 * The config and how the gateway is → what a client has to know of it: a model that some route takes, and which credential
 * to show. Neighbours: `connect-clients.ts` writes the lines. Knows no component.
 */
import type { ConfigAnswer, HealthAnswer } from '../../src/api/types.ts'
import type { WireName } from '../../src/event/event.ts'

/**
 * `none`: any word will do. `key`: the gateway's. `own`: the client's for the provider, which is passed on. `both`: its own,
 * and the gateway's in a header beside it.
 */
export type Credential = 'none' | 'key' | 'own' | 'both'

export interface Target {
  readonly model: string
  readonly credential: Credential
}

type Upstreams = HealthAnswer['upstreams']

/** Well known, for routes that take many. */
const USUAL: Readonly<Record<WireName, readonly string[]>> = {
  'anthropic-messages': ['claude-sonnet-4-5', 'gpt-5'],
  'openai-chat': ['gpt-5', 'claude-sonnet-4-5'],
  'openai-responses': ['gpt-5', 'claude-sonnet-4-5'],
}
const DEMO = 'demo-text'

/** For a client that speaks this wire. */
export function toTarget(
  wire: WireName,
  { routes, values }: Pick<ConfigAnswer, 'routes' | 'values'>,
  { gateway, upstreams }: Pick<HealthAnswer, 'gateway' | 'upstreams'>,
): Target {
  const open = routes.filter((route) => route.wire === undefined || route.wire === wire)
  const speaks = (name: string | undefined): boolean =>
    upstreams.some((one) => one.name === name && one.wires.includes(wire))
  // One that takes everything is the least surprising, then one without a translation.
  const route =
    open.find(({ model, to }) => model === '*' && speaks(to[0])) ??
    open.find(({ to }) => speaks(to[0])) ??
    open[0]
  const upstream = upstreams.find(({ name }) => name === route?.to[0])
  return {
    model: toModel(route?.model ?? '*', wire, upstream),
    credential: toCredential(upstream, values, gateway.needsKey),
  }
}

function toModel(pattern: string, wire: WireName, upstream: Upstreams[number] | undefined): string {
  if (!pattern.includes('*')) return pattern
  if (upstream?.kind === 'demo') return pattern.replace('*', DEMO).replaceAll('*', '')
  const fits = USUAL[upstream?.wires[0] ?? wire].find((name) => matches(pattern, name))
  return fits ?? pattern.replaceAll('*', 'MODEL')
}

/** `*` stands for any characters. */
function matches(pattern: string, name: string): boolean {
  const source = pattern.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*')
  return new RegExp(`^${source}$`).test(name)
}

function toCredential(
  upstream: Upstreams[number] | undefined,
  values: ConfigAnswer['values'],
  needsKey: boolean,
): Credential {
  const path = `upstreams.${upstream?.name ?? ''}.`
  const find = (name: string): ConfigAnswer['values'][number] | undefined =>
    values.find((value) => value.path === `${path}${name}`)
  const isPassedOn =
    upstream?.kind === 'http' &&
    find('apiKey') === undefined &&
    find('auth')?.value !== 'none' &&
    // Only a file tells whether there is one.
    values.some(({ from }) => from === 'file')
  if (isPassedOn) return needsKey ? 'both' : 'own'
  return needsKey ? 'key' : 'none'
}
