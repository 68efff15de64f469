/**
 * What the API says of keys, of the config and of upstreams, for machines. Neighbours: `types-settings.ts` has the types,
 * `schemas.ts` the rest.
 */
import {
  anyOf,
  flag,
  list,
  map,
  maybe,
  object,
  oneOf,
  ref,
  says,
  text,
  time,
  whole,
  type JsonSchema,
} from './schema.ts'
import type {
  ConfigAnswer,
  ConfigRoute,
  ConfigValue,
  KeyBudget,
  KeyCreated,
  KeyOrder,
  KeyRevoked,
  KeysAnswer,
  KeyView,
  UpstreamView,
} from './types-settings.ts'
import { WIRE_NAMES } from './words.ts'

const plain: JsonSchema = { type: ['string', 'number', 'boolean', 'null'] }
const budget = object<KeyBudget>({ tokens: whole, per: oneOf(['day', 'month', 'ever']) })

export const SETTINGS_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Key: object<KeyView>({
    name: text,
    from: oneOf(['config', 'page']),
    where: maybe(text),
    models: maybe(list(text)),
    rate: maybe(says('Such as `60/minute`', text)),
    budget: maybe(budget),
    concurrent: maybe(whole),
    usedTokens: says('What counts against its budget now; without a budget, all of them', whole),
    lastUsedAt: maybe(says('In the process that answers, since it began', time)),
    createdAt: maybe(time),
    createdBy: maybe(text),
    revokedAt: maybe(time),
    revokedBy: maybe(text),
    note: maybe(text),
  }),
  Keys: object<KeysAnswer>({ keys: list(ref('Key')), needsKey: flag, canCreate: flag }),
  KeyOrder: object<KeyOrder>({
    name: text,
    models: maybe(list(text)),
    rate: maybe(
      anyOf(
        text,
        object<{ requests: number; per: string }>({
          requests: whole,
          per: oneOf(['second', 'minute', 'hour']),
        }),
      ),
    ),
    budget: maybe(budget),
    concurrent: maybe(whole),
    by: maybe(text),
    closes: maybe(flag),
  }),
  KeyCreated: object<KeyCreated>({ key: ref('Key'), secret: text, note: maybe(text) }),
  KeyRevoked: object<KeyRevoked>({ key: ref('Key'), note: maybe(text) }),
  ConfigValue: object<ConfigValue>({
    path: text,
    value: maybe(anyOf(plain, list(plain))),
    isSecret: maybe(flag),
    from: oneOf(['file', 'default', 'env', 'flag', 'program']),
    where: maybe(text),
    variable: maybe(text),
  }),
  Config: object<ConfigAnswer>({
    file: maybe(text),
    readAt: maybe(time),
    values: list(ref('ConfigValue')),
    routes: list(
      object<ConfigRoute>({
        model: text,
        wire: maybe(oneOf(WIRE_NAMES)),
        to: list(text),
        as: map(text),
      }),
    ),
    warnings: list(text),
    notes: list(text),
  }),
  Upstream: object<UpstreamView>({
    name: text,
    kind: oneOf(['http', 'demo', 'replay']),
    wires: list(oneOf(WIRE_NAMES)),
    host: maybe(text),
    circuit: oneOf(['closed', 'open', 'half-open']),
    circuitSince: maybe(time),
    circuitWhy: maybe(text),
    open: whole,
    lastSuccessAt: maybe(time),
    lastFailureAt: maybe(time),
    lastFailure: maybe(text),
  }),
}
