/**
 * The shape of `sluice.yaml`: every key, what it says and what it takes. Neighbours: `load.ts` reads a
 * file by it, `json-schema.ts` tells editors of it; the parts are in `shape-upstream.ts` and
 * `shape-key.ts`. Knows no default but in words: `defaults.ts` has them.
 */
import { WIRE_NAMES } from '../wire/wires.ts'
import { address, hostName, origin } from './address.ts'
import { listOf, mapOf, mapOr, oneOrMany } from './collections.ts'
import type { Field } from './field.ts'
import { size, time, whole } from './number.ts'
import { certificates, privateKey } from './pem.ts'
import { section } from './section.ts'
import { admin, approvals } from './shape-approvals.ts'
import { key, keyName } from './shape-key.ts'
import { policyList } from './shape-policy.ts'
import { prices, record, store } from './shape-records.ts'
import {
  breaker,
  endpoint,
  headers,
  HOUR,
  MINUTE,
  nameField,
  NAME,
  checkName,
  retry,
  timeLimits,
  upstream,
} from './shape-upstream.ts'
import { choice, flag, orWord, text } from './text.ts'

const KB = 1024
const GB = 1024 ** 3

const tls = section({
  cert: {
    says: 'Path of the certificate and its chain as PEM, relative to this file',
    field: certificates,
    isRequired: true,
  },
  key: {
    says: 'Path of the private key as PEM, relative to this file',
    field: privateKey,
    isRequired: true,
  },
})

const model = text({ takes: 'the name of a model', maxLength: 256 })

const route = section({
  model: {
    says: 'The model that a client asks for; * stands for any characters',
    field: model,
    isRequired: true,
  },
  wire: {
    says: 'Only for clients that speak this wire; without it, for all',
    field: choice(WIRE_NAMES, 'wire'),
  },
  to: {
    says: 'The upstream that serves it, or a list: the next is asked when one fails before the answer is committed',
    field: oneOrMany(nameField, { min: 1, max: 16, takes: 'the name of an upstream, or a list' }),
    isRequired: true,
  },
  as: {
    says: 'What the model is called there: one name, or a map from upstream to name; without it, as the client said',
    field: mapOr(mapOf(model, { max: 16, takes: 'a map from upstream to model' }), model),
  },
  strict: {
    says: 'Whether a request that another wire cannot carry whole is refused (default: as strict of the file)',
    field: flag,
  },
  policies: {
    says: 'Policies for what this route serves, behind those of the file',
    field: policyList,
  },
})

const limits = section({
  body: {
    says: 'The largest request body, decompressed (default 64mb)',
    field: size({ min: KB, max: GB }),
  },
  headers: {
    says: "All of a request's headers together (default 64kb)",
    field: size({ min: KB, max: KB ** 2 }),
  },
  answer: {
    says: 'The largest JSON answer or error body that is read from an upstream (default 64mb)',
    field: size({ min: KB, max: GB }),
  },
  concurrent: {
    says: 'Exchanges at once (default 4096)',
    field: whole({ min: 1, max: 1_000_000 }),
  },
  requestTime: {
    says: 'How long a client may take to send its request (default 2m)',
    field: time({ min: 100, max: HOUR }),
  },
})

const log = section({
  level: {
    says: 'The least that is logged (default info)',
    field: choice(['silent', 'error', 'warn', 'info', 'debug'], 'level'),
  },
  format: {
    says: 'auto is text on a terminal and JSON lines elsewhere (default auto)',
    field: choice(['auto', 'json', 'text'], 'format'),
  },
  redact: {
    says: 'Whether keys, addresses, phone and card numbers are masked in texts (default true)',
    field: flag,
  },
})

const otlp = mapOr(
  section({
    endpoint: {
      says: 'Where spans are sent; /v1/traces is added to a URL without a path',
      field: endpoint,
      isRequired: true,
    },
    headers: { says: 'Headers that are sent along, such as a credential', field: headers },
  }),
  endpoint,
)

const keys = {
  says: 'Keys that clients must show. Needed when listening beyond loopback; "sluice keys new NAME" makes one',
  map: mapOf(key, { max: 10_000, takes: 'a list of keys', checkName, names: NAME }),
  list: listOf(keyName, { max: 10_000, takes: 'a list of keys' }),
}

/** All of `sluice.yaml`. */
export const config = section({
  listen: {
    says: 'Where to listen: host:port, or a port on loopback (default 127.0.0.1:4141)',
    field: address,
  },
  tls: { says: 'Listen with TLS', field: tls },
  hosts: {
    says: 'Names that a Host header may carry besides those of loopback and of listen',
    field: oneOrMany(hostName, { max: 100, takes: 'a list of host names' }),
  },
  origins: {
    says: 'Web pages that may use the gateway, such as https://tools.example',
    field: oneOrMany(origin, { max: 100, takes: 'a list of origins' }),
  },
  upstreams: {
    says: 'The providers, by a name of your own; without it, the embedded demo',
    field: mapOf(upstream, {
      min: 1,
      max: 1000,
      takes: 'a map from name to upstream',
      checkName,
      names: NAME,
    }),
  },
  routes: {
    says: 'Which upstream serves which model; the first match wins. Without it, every model goes to the only upstream, or to the first that speaks the wire of the client',
    field: listOf(route, { min: 1, max: 1000, takes: 'a list of routes' }),
  },
  keys: { says: keys.says, field: mapOr(keys.map, keys.list) },
  policies: {
    says: 'Policies for everything, in the order in which they are asked; no route and no key can switch them off',
    field: policyList,
  },
  admin: { says: 'Who may decide and halt, by /api and by "sluice approvals"', field: admin },
  approvals: {
    says: 'Calls that wait for a person, as the policy approve asks',
    field: approvals,
  },
  record: {
    says: 'What is kept of exchanges: bytes as they passed, redacted (without secrets, addresses and card numbers), metadata (no content), or off (default bytes)',
    field: record,
  },
  store: {
    says: 'Where records are kept: a path, or postgres://… for several gateways, or a section (default: records.db in the state folder of the user who runs "sluice serve")',
    field: store,
  },
  prices: {
    says: 'What models cost, in front of the prices that come along; the first that fits wins, and * stands for any characters',
    field: prices,
  },
  timeouts: {
    says: 'Time limits of all upstreams that have none of their own',
    field: timeLimits,
  },
  retry: { says: 'Retries of all upstreams that say nothing of their own', field: retry },
  breaker: {
    says: 'Circuit breaker of all upstreams that say nothing of their own',
    field: breaker,
  },
  limits: { says: 'What the gateway takes from clients and holds in memory', field: limits },
  strict: {
    says: 'Whether a request that another wire cannot carry whole is refused, instead of served with x-sluice-losses (default false)',
    field: flag,
  },
  keepalive: {
    says: 'Silence after which a waiting client gets a sign of life (default 10s)',
    field: time({ min: 100, max: 10 * MINUTE }),
  },
  commit: {
    says: 'How long a stream may be held back for its first content, while retry and fallback are still possible; 0: it leaves with its first frame, unless that is an error; auto: 8s, and with its first frame where no other upstream could be asked and this one has always come to its content of late (default auto)',
    field: orWord('auto', 'auto' as const, time({ min: 0, max: MINUTE })),
  },
  log: { says: 'What is logged, and how', field: log },
  telemetry: {
    says: 'Where spans go',
    field: section({
      otlp: {
        says: 'An OTLP endpoint over HTTP, or none; without it, as the OTEL_EXPORTER_OTLP_* variables say',
        field: otlp,
      },
    }),
  },
  grace: {
    says: 'How long streams may go on after the order to stop (default 30s)',
    field: time({ min: 0, max: HOUR }),
  },
})

type Read<F> = F extends Field<infer T> ? T : never

export type RawConfig = Read<typeof config>
export type RawRoute = Read<typeof route>
export type RawUpstream = Read<typeof upstream>
/** A key of a list has a name besides. */
export type RawKey = Read<typeof key>
