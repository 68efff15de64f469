/**
 * Where spans go: as the config says, else as the usual variables of OpenTelemetry say. Neighbours:
 * `load.ts`. Values of variables are not shown: headers are credentials.
 */
import { checkHeaderValue, toTracesUrl } from './shape-upstream.ts'
import type { Settings } from './settings.ts'
import type { RawConfig } from './shape.ts'
import type { Environment } from './variables.ts'

export interface Otlp {
  readonly otlp: Settings['otlp']
  readonly warnings: readonly string[]
}

/** What the config says wins as a whole: headers of the environment are for the endpoint of the environment. */
export function toOtlp(config: RawConfig | undefined, env: Environment): Otlp {
  const section = config?.values.telemetry
  const said = section?.values.otlp
  if (section?.spots.otlp === undefined) return fromEnvironment(env)
  if (said === undefined || said === '') return { otlp: undefined, warnings: [] }
  if (typeof said === 'string') return { otlp: { endpoint: said, headers: {} }, warnings: [] }
  const { endpoint = '', headers = {} } = said.values
  return { otlp: endpoint === '' ? undefined : { endpoint, headers }, warnings: [] }
}

/** https://opentelemetry.io/docs/specs/otel/protocol/exporter/ */
function fromEnvironment(env: Environment): Otlp {
  const isOff = env['OTEL_SDK_DISABLED'] === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none'
  const own = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? ''
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? ''
  if (isOff || (own === '' && base === '')) return { otlp: undefined, warnings: [] }
  const name = own === '' ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
  const typed = own === '' ? `${base.replace(/\/+$/, '')}/v1/traces` : own
  const url = URL.canParse(typed) ? new URL(typed) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    return {
      otlp: undefined,
      warnings: [`${name}: it is no http or https URL, so no spans are sent`],
    }
  const endpoint = own === '' ? url.href : toTracesUrl(url)
  const { headers, warnings } = readHeaders(env)
  return { otlp: { endpoint, headers }, warnings }
}

/** `name=value,name=value`, the values percent-encoded. */
function readHeaders(env: Environment) {
  const isOwn = (env['OTEL_EXPORTER_OTLP_TRACES_HEADERS'] ?? '') !== ''
  const variable = isOwn ? 'OTEL_EXPORTER_OTLP_TRACES_HEADERS' : 'OTEL_EXPORTER_OTLP_HEADERS'
  const pairs = (env[variable] ?? '').split(',').filter((pair) => pair.trim() !== '')
  const read = pairs.map((pair): readonly [string, string] | undefined => {
    const [, name = '', value = ''] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=(.*)$/s.exec(pair) ?? []
    const plain = decode(value.trim())
    return name === '' || checkHeaderValue(plain) !== undefined
      ? undefined
      : [name.toLowerCase(), plain]
  })
  const headers = Object.fromEntries(read.flatMap((pair) => (pair === undefined ? [] : [pair])))
  const warnings = read.includes(undefined)
    ? [`${variable}: part of it is not of the form name=value, and is left out`]
    : []
  return { headers, warnings }
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
