/**
 * The shape of one upstream, and of what it shares with the whole file. Neighbours: `shape.ts` has the
 * rest, `upstreams.ts` builds settings from it.
 */
import { VENDORS } from '../request/profile.ts'
import { WIRE_NAMES } from '../wire/wires.ts'
import { mapOf, oneOrMany } from './collections.ts'
import type { Field } from './field.ts'
import { time, whole } from './number.ts'
import { certificates } from './pem.ts'
import { section } from './section.ts'
import { replay } from './shape-replay.ts'
import { choice, mapField, plain, text, url } from './text.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Names go into metrics, logs and headers. */
export const NAME = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'

export const checkName = (name: string): string | undefined =>
  new RegExp(NAME).test(name)
    ? undefined
    : 'it is no name: it takes up to 64 letters, digits, dots, dashes and underscores, a letter or digit first'

export const nameField: Field<string> = text({ takes: 'a name', maxLength: 64 })

export const timeLimits = section({
  connect: {
    says: 'Until the connection stands (default 10s)',
    field: time({ min: 1, max: 10 * MINUTE }),
  },
  firstByte: {
    says: "From the request to the upstream's headers (default 10m)",
    field: time({ min: 1, max: DAY }),
  },
  idle: { says: 'Between two chunks (default 5m)', field: time({ min: 1, max: DAY }) },
  total: { says: 'From the request to its end (default 1h)', field: time({ min: 1, max: DAY }) },
})

export const retry = section({
  attempts: {
    says: 'How often one upstream is asked at most, the first time included (default 3)',
    field: whole({ min: 1, max: 10 }),
  },
  backoff: {
    says: 'The first pause; it doubles each time, with jitter (default 250ms)',
    field: time({ min: 0, max: MINUTE }),
  },
  maxBackoff: { says: 'The longest pause (default 8s)', field: time({ min: 0, max: 10 * MINUTE }) },
  maxRetryAfter: {
    says: 'A longer retry-after is not waited for (default 5s)',
    field: time({ min: 0, max: 10 * MINUTE }),
  },
})

export const breaker = section({
  failures: {
    says: 'So many failures in a row open the circuit; 0 switches it off (default 5)',
    field: whole({ min: 0, max: 1000 }),
  },
  cooldown: {
    says: 'How long it stays open before one request is let through as a probe (default 30s)',
    field: time({ min: 1, max: HOUR }),
  },
})

/** Those that belong to the connection and not to the message. */
const OF_THE_CONNECTION = [
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** A line break would begin a header of somebody else's; other characters make the client library throw. */
export const checkHeaderValue = (value: string): string | undefined =>
  /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    ? undefined
    : 'it holds a line break or another character that a header cannot carry'

export const headers = mapField(
  mapOf(plain({ takes: 'text', check: checkHeaderValue, isEmptyAllowed: true }), {
    max: 64,
    takes: 'a map from header to value',
    checkName: (name) => {
      if (!/^[\w!#$%&'*+.^`|~-]{1,128}$/.test(name)) return 'it is no name of a header'
      return OF_THE_CONNECTION.includes(name.toLowerCase())
        ? 'this header is made by the gateway: remove it'
        : undefined
    },
  }),
  (named) => Object.fromEntries(named.map(({ name, value }) => [name.toLowerCase(), value])),
)

const query = mapField(
  mapOf(plain({ takes: 'text', isEmptyAllowed: true }), {
    max: 64,
    takes: 'a map from name to value',
    checkName: (name) => (name === '' ? 'it is empty' : undefined),
  }),
  (named) => Object.fromEntries(named.map(({ name, value }) => [name, value])),
)

const baseUrl = mapField(
  url({
    like: 'https://api.example.com/v1',
    check({ username, password, search, hash, href }) {
      if (username !== '' || password !== '') return 'it has a credential in it: put it into apiKey'
      if (search !== '' || href.includes('?')) return 'it has a query: put it into query'
      return hash !== '' || href.includes('#') ? 'it has a # in it: remove that part' : undefined
    },
  }),
  ({ origin, pathname }) => origin + pathname.replace(/\/+$/, ''),
)

/** A URL or the word `none`; `''` then. */
function urlOrNone(field: Field<URL>): Field<URL | ''> {
  return {
    schema: { anyOf: [{ enum: ['none', ''] }, field.schema] },
    read(spot, reading) {
      const { node } = spot
      const isNone = node.kind === 'scalar' && (node.value === 'none' || node.value === '')
      return isNone ? '' : field.read(spot, reading)
    },
  }
}

const proxy = mapField(urlOrNone(url({ like: 'http://proxy.example:3128' })), (found) =>
  found === '' ? '' : found.href,
)

/** Where spans go; `''`: nowhere. */
export const endpoint = mapField(urlOrNone(url({ like: 'http://127.0.0.1:4318' })), (found) =>
  found === '' ? '' : toTracesUrl(found),
)

/** A collector's address alone means its usual path. */
export function toTracesUrl(of: URL): string {
  if (of.pathname !== '/') return of.href
  return new URL(`/v1/traces${of.search}`, of).href
}

/** The other keys of an upstream go with one kind only. */
export const OF_KIND = {
  http: ['baseUrl', 'apiKey', 'auth', 'headers', 'query', 'proxy', 'ca'],
  demo: ['pace'],
  replay: ['from', 'conversation', 'since', 'match', 'speed', 'answers'],
} as const

export const upstream = section(
  {
    kind: {
      says: 'http is a provider over the network, demo the embedded one, replay answers from recordings (default http)',
      field: choice(['http', 'demo', 'replay'], 'kind'),
    },
    wire: {
      says: `The wire that it speaks, or a list, the first by preference: ${WIRE_NAMES.join(', ')}`,
      field: oneOrMany(choice(WIRE_NAMES, 'wire'), {
        min: 1,
        max: WIRE_NAMES.length,
        takes: `a wire or a list of them: ${WIRE_NAMES.join(', ')}`,
      }),
    },
    baseUrl: {
      says: "What the provider's SDK would be given, such as https://api.openai.com/v1",
      field: baseUrl,
    },
    apiKey: {
      says: "The credential; without it, the client's own is passed on",
      field: text({
        check: (value) =>
          value === value.trim() ? checkHeaderValue(value) : 'it begins or ends with white space',
        remedy: "remove apiKey to pass the client's own credential on",
        whenEmpty:
          "it is empty: give it a value, or remove apiKey to pass the client's own credential on",
      }),
    },
    auth: {
      says: 'Which header carries the credential; auto is x-api-key on anthropic-messages and a bearer token elsewhere (default auto)',
      field: choice(['auto', 'bearer', 'x-api-key', 'api-key', 'none'], 'way to send a credential'),
    },
    headers: { says: 'Headers that are sent along', field: headers },
    query: { says: 'Added to the query of every request, such as api-version', field: query },
    proxy: {
      says: "An HTTP proxy's URL, or none; without it, as HTTPS_PROXY, HTTP_PROXY and NO_PROXY say",
      field: proxy,
    },
    ca: {
      says: 'Path of further certificate authorities as PEM, relative to this file',
      field: certificates,
    },
    stream: {
      says: 'client is as the client asked; always or never when the upstream only streams, or cannot (default client)',
      field: choice(['client', 'always', 'never'], 'way to stream'),
    },
    vendor: {
      says: 'Whose server it is, where the address does not tell: what it takes of a translated request depends on that',
      field: choice(VENDORS, 'vendor'),
    },
    pace: {
      says: 'The pause between two chunks of a scripted answer (default 10ms)',
      field: time({ min: 0, max: MINUTE }),
    },
    ...replay,
    limits: { says: 'Time limits', field: timeLimits },
    retry: { says: 'Retries before the answer is committed', field: retry },
    breaker: { says: 'Circuit breaker', field: breaker },
  },
  {
    schema: {
      if: { properties: { kind: { enum: ['demo', 'replay'] } }, required: ['kind'] },
      else: { required: ['wire', 'baseUrl'] },
    },
  },
)
