/**
 * Settings → what each of them is called in the file and what it would say there: defaults included, and only what can
 * hold no secret (numbers, words to choose from, where to listen). Neighbours: `server/config-view.ts` puts it beside what
 * was written. Knows no file.
 */
import type { UpstreamSettings } from '../upstream/settings.ts'
import * as defaults from './defaults.ts'
import { quote } from './node.ts'
import { toSizeWords, toTimeWords } from './number.ts'
import type { Settings } from './settings.ts'

type PlainValue = string | number | boolean | readonly string[]

export interface EffectiveValue {
  readonly path: string
  readonly value: PlainValue
  /** Where it may be said for all upstreams at once. */
  readonly inherits?: string
}

export function effectiveValues(settings: Settings): readonly EffectiveValue[] {
  const { listen, limits, log, approvals, store } = settings
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host
  return [
    { path: 'listen', value: `${host}:${listen.port}` },
    { path: 'hosts', value: settings.hosts },
    { path: 'origins', value: settings.origins },
    ...settings.upstreams.flatMap(ofUpstream),
    { path: 'approvals.deadline', value: toTimeWords(approvals.deadline) },
    { path: 'approvals.max', value: approvals.max },
    { path: 'approvals.remember', value: approvals.remember },
    { path: 'record', value: store.mode },
    ...(store.location?.type === 'sqlite'
      ? [{ path: 'store.file', value: store.location.file, inherits: 'store' }]
      : []),
    { path: 'store.keep', value: orNone(store.maxAge, toTimeWords) },
    { path: 'store.size', value: orNone(store.maxBytes, toSizeWords) },
    { path: 'store.full', value: store.onFull },
    { path: 'store.wait', value: toTimeWords(store.maxWait) },
    { path: 'store.search', value: store.hasSearch },
    { path: 'store.sync', value: store.isSynced },
    ...ofSection('timeouts', defaults.TIMEOUTS),
    ...ofSection('retry', defaults.RETRY),
    ...ofSection('breaker', defaults.BREAKER),
    { path: 'limits.body', value: toSizeWords(limits.body) },
    { path: 'limits.headers', value: toSizeWords(limits.headers) },
    { path: 'limits.answer', value: toSizeWords(limits.answer) },
    { path: 'limits.concurrent', value: limits.concurrent },
    { path: 'limits.requestTime', value: toTimeWords(limits.requestTime) },
    { path: 'strict', value: settings.isStrict },
    { path: 'keepalive', value: toTimeWords(settings.keepalive) },
    {
      path: 'commit',
      value: typeof settings.commit === 'number' ? toTimeWords(settings.commit) : settings.commit,
    },
    { path: 'log.level', value: log.level },
    { path: 'log.format', value: log.format },
    { path: 'log.redact', value: log.redact },
    { path: 'grace', value: toTimeWords(settings.grace) },
  ]
}

function ofUpstream(upstream: UpstreamSettings): readonly EffectiveValue[] {
  const { name, kind, wires, stream, limits, retry, breaker } = upstream
  const path = `upstreams.${/^[\w-]{1,64}$/.test(name) ? name : quote(name)}`
  // Recordings have retries and a circuit of their own, or none.
  const isOwn = kind === 'replay'
  return [
    { path: `${path}.kind`, value: kind },
    { path: `${path}.wire`, value: wires },
    ...(kind === 'http' ? [{ path: `${path}.auth`, value: upstream.auth }] : []),
    ...(kind === 'demo' ? [{ path: `${path}.pace`, value: toTimeWords(upstream.pace) }] : []),
    ...(kind === 'replay' ? ofReplay(path, upstream) : []),
    { path: `${path}.stream`, value: stream },
    ...ofSection(`${path}.limits`, limits, 'timeouts'),
    ...ofSection(`${path}.retry`, retry, isOwn ? undefined : 'retry'),
    ...ofSection(`${path}.breaker`, breaker, isOwn ? undefined : 'breaker'),
  ]
}

const ofReplay = (
  path: string,
  { match, speed, answers }: Extract<UpstreamSettings, { kind: 'replay' }>,
): readonly EffectiveValue[] => [
  { path: `${path}.match`, value: match },
  { path: `${path}.speed`, value: speed },
  { path: `${path}.answers`, value: answers },
]

/** Those of them that are no times. */
const COUNTS: readonly string[] = ['attempts', 'failures']

const ofSection = (path: string, values: object, from?: string): readonly EffectiveValue[] =>
  Object.entries(values as Readonly<Record<string, number>>).map(([name, value]) => ({
    path: `${path}.${name}`,
    value: COUNTS.includes(name) ? value : toTimeWords(value),
    ...(from === undefined ? undefined : { inherits: `${from}.${name}` }),
  }))

const orNone = (value: number | undefined, toWords: (value: number) => string): string =>
  value === undefined ? 'none' : toWords(value)
