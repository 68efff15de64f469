/**
 * Upstreams as they were read → settings with all defaults. Neighbours: `shape-upstream.ts` reads them,
 * `load.ts` puts the whole together, `upstream/` is built from it.
 */
import { resolve } from 'node:path'
import { WIRE_NAMES } from '../wire/wires.ts'
import type { HttpUpstreamSettings, UpstreamSettings } from '../upstream/settings.ts'
import type { Named } from './collections.ts'
import { BREAKER, PACE, RETRY, TIMEOUTS } from './defaults.ts'
import { takes, type Reading } from './field.ts'
import { noteMissing } from './section.ts'
import { OF_KIND } from './shape-upstream.ts'
import type { RawConfig, RawUpstream } from './shape.ts'

/** Without any, the embedded demo answers. */
export function toUpstreams(
  config: RawConfig,
  folder: string,
  reading: Reading,
): readonly UpstreamSettings[] {
  if (config.spots.upstreams === undefined) return [toDemo()]
  const named = config.values.upstreams ?? []
  return named.flatMap((one) => toUpstream(one, config, { folder, reading }) ?? [])
}

/** The demo on all wires. */
export function toDemo(): UpstreamSettings {
  return {
    kind: 'demo',
    name: 'demo',
    wires: WIRE_NAMES,
    limits: TIMEOUTS,
    retry: RETRY,
    breaker: BREAKER,
    stream: 'client',
    pace: PACE,
  }
}

function toUpstream(
  { name, value: raw }: Named<RawUpstream>,
  config: RawConfig,
  { folder, reading }: { readonly folder: string; readonly reading: Reading },
): UpstreamSettings | undefined {
  const { values, spots } = raw
  const kind = spots.kind === undefined ? 'http' : values.kind
  if (kind === undefined) return undefined
  noteKeysOfOther(raw, kind, reading)
  const common = {
    name,
    wires: [...new Set((values.wire ?? []).map(({ value }) => value))],
    limits: merge(TIMEOUTS, config.values.timeouts?.values, values.limits?.values),
    retry: merge(RETRY, config.values.retry?.values, values.retry?.values),
    breaker: merge(BREAKER, config.values.breaker?.values, values.breaker?.values),
    stream: values.stream ?? 'client',
    vendor: values.vendor,
  }
  if (kind === 'demo') {
    const wires = spots.wire === undefined ? WIRE_NAMES : common.wires
    return { ...common, kind, wires, pace: values.pace ?? PACE }
  }
  if (kind === 'replay') return toReplay(raw, common, { folder, reading })
  if (spots.wire === undefined) noteMissing(raw.spot, 'wire', takes(WIRE_NAMES), reading)
  if (spots.baseUrl === undefined)
    noteMissing(raw.spot, 'baseUrl', 'it takes a URL such as https://api.example.com/v1', reading)
  if (values.baseUrl === undefined) return undefined
  const settings: HttpUpstreamSettings = {
    ...common,
    kind,
    baseUrl: values.baseUrl,
    apiKey: values.apiKey,
    auth: values.auth ?? 'auto',
    headers: values.headers ?? {},
    query: values.query ?? {},
    proxy: values.proxy,
    ca: values.ca,
  }
  noteOddBase(raw, settings, reading)
  return settings
}

/** What was an error then is one now: it is not asked for again, and no circuit opens. */
const AS_IT_WAS = { retry: { ...RETRY, attempts: 1 }, breaker: { ...BREAKER, failures: 0 } }

function toReplay(
  { values, spots, spot }: RawUpstream,
  common: Pick<UpstreamSettings, 'name' | 'wires' | 'limits' | 'stream' | 'vendor'>,
  { folder, reading }: { readonly folder: string; readonly reading: Reading },
): UpstreamSettings | undefined {
  const { from } = values
  if (spots.from === undefined)
    noteMissing(spot, 'from', 'it takes the path of recordings, or store', reading)
  if (from === undefined) return undefined
  for (const key of ['conversation', 'since'] as const) {
    const other = spots[key]
    if (from !== 'store' && other !== undefined)
      reading.notes.mistake(other.keyPlace, other.path, 'only with from: store is there a choice')
  }
  const { conversation, since: maxAge } = values
  return {
    ...common,
    kind: 'replay',
    wires: spots.wire === undefined ? WIRE_NAMES : common.wires,
    retry: merge(AS_IT_WAS.retry, values.retry?.values),
    breaker: merge(AS_IT_WAS.breaker, values.breaker?.values),
    from:
      from === 'store'
        ? { type: 'store', conversation, maxAge }
        : { type: 'path', path: resolve(folder, from) },
    match: values.match ?? 'auto',
    speed: values.speed ?? 1,
    answers: values.answers ?? 'delivered',
  }
}

/** A key that does nothing would be a promise that is not kept. */
function noteKeysOfOther(raw: RawUpstream, kind: keyof typeof OF_KIND, reading: Reading): void {
  for (const other of ['http', 'demo', 'replay'] as const)
    for (const key of other === kind ? [] : OF_KIND[other]) {
      const spot = raw.spots[key]
      const sentence = `only an upstream of kind ${other} has this`
      if (spot !== undefined) reading.notes.mistake(spot.keyPlace, spot.path, sentence)
    }
}

/** The two ways to get a base URL wrong: what we add is in it already, or what it needs is not. */
function noteOddBase(raw: RawUpstream, settings: HttpUpstreamSettings, reading: Reading): void {
  const spot = raw.spots.baseUrl
  if (spot === undefined) return
  const warn = (sentence: string): void =>
    reading.notes.warning(spot.node.place, spot.path, sentence)
  const end = /\/(?:v1\/messages|chat\/completions|responses)$/.exec(settings.baseUrl)?.[0]
  if (end !== undefined) warn(`${end} is added to it by itself: remove it here`)
  else if (settings.wires[0] === 'anthropic-messages' && settings.baseUrl.endsWith('/v1'))
    warn('/v1/messages is added to it by itself: remove /v1 here')
}

/** Each value from the last that says it. */
function merge<T extends object>(
  defaults: T,
  ...others: readonly ({ readonly [K in keyof T]?: T[K] | undefined } | undefined)[]
): T {
  const merged = { ...defaults }
  for (const other of others)
    for (const key of Object.keys(defaults) as (keyof T)[]) {
      const value = other?.[key]
      if (value !== undefined) merged[key] = value
    }
  return merged
}
