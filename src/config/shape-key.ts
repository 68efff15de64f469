/**
 * The shape of a key that clients show. Neighbours: `shape.ts` has the rest, `keys.ts` builds settings
 * from it. A key is never shown, nor is its hash.
 */
import { mapOr, oneOrMany } from './collections.ts'
import { fill, refuse, type Field } from './field.ts'
import { whole } from './number.ts'
import { section } from './section.ts'
import { policyList } from './shape-policy.ts'
import { checkHeaderValue, checkName, HOUR, MINUTE } from './shape-upstream.ts'
import { choice, filledText, isText, mapField, text } from './text.ts'

const HASH = '^(sha256:)?[0-9A-Fa-f]{64}$'

const hash = mapField(
  text({
    takes: 'the hash of a key',
    pattern: HASH,
    check: (value) =>
      new RegExp(HASH).test(value)
        ? undefined
        : 'it is no hash: it takes sha256: and 64 hex digits, as "sluice keys new NAME" prints them',
  }),
  (value) => value.replace(/^sha256:/, '').toLowerCase(),
)

/** Fewer can be guessed. */
const MIN_KEY = 16

const secret = filledText({
  takes: 'a key',
  remedy: 'give the hash of the key instead',
  check(value) {
    if (value.length < MIN_KEY)
      return `it takes ${MIN_KEY} characters at least: make one with "sluice keys new NAME"`
    return value === value.trim() ? checkHeaderValue(value) : 'it begins or ends with white space'
  },
})

const PERIODS = { second: 1000, minute: MINUTE, hour: HOUR }
const PERIOD_NAMES = ['second', 'minute', 'hour'] as const

/** @public The compiler must be able to name it in what this file exports. */
export interface Rate {
  readonly requests: number
  /** In milliseconds. */
  readonly per: number
}

const requests = whole({ min: 1, max: 1_000_000 })
const period = choice(PERIOD_NAMES, 'period')

/** `60/minute` */
const shortRate: Field<Rate> = {
  schema: { type: 'string', pattern: '^\\d+/(second|minute|hour)$|\\$\\{' },
  read(spot, reading) {
    const form = 'write it like 60/minute, with second, minute or hour'
    if (!isText(spot)) return refuse(spot, reading, `it is no rate: ${form}`)
    const filled = fill(spot, reading)
    if (filled === undefined) return undefined
    const [, count, word] = /^(\d{1,7})\/(\w{1,20})$/.exec(filled.text) ?? []
    const per = PERIOD_NAMES.find((name) => name === word)
    const number = Number(count)
    if (per === undefined || !(number >= 1 && number <= 1_000_000))
      return refuse(spot, reading, `it is no rate: ${form}`)
    return { requests: number, per: PERIODS[per] }
  },
}

const longRate = section({
  requests: { says: 'How many requests', field: requests, isRequired: true },
  per: { says: 'In a second, a minute or an hour', field: period, isRequired: true },
})

const rate: Field<Rate> = (() => {
  const either = mapOr(longRate, shortRate)
  return {
    schema: either.schema,
    read(spot, reading) {
      const read = either.read(spot, reading)
      if (read === undefined || !('values' in read)) return read
      const { requests: count, per } = read.values
      return count === undefined || per === undefined
        ? undefined
        : { requests: count, per: PERIODS[per] }
    },
  }
})()

const budget = section({
  tokens: {
    says: 'How many tokens, in and out together',
    field: whole({ min: 1, max: 1_000_000_000_000 }),
    isRequired: true,
  },
  per: {
    says: 'In a day, in a month, or ever',
    field: choice(['day', 'month', 'ever'], 'period'),
    isRequired: true,
  },
})

const shape = {
  hash: {
    says: 'SHA-256 of the key: sha256: and 64 hex digits, as "sluice keys new NAME" prints them',
    field: hash,
  },
  key: {
    says: 'The key itself, from a variable as in ${TEAM_KEY}; it is hashed when the file is read',
    field: secret,
  },
  models: {
    says: 'The models that it may ask for; * stands for any characters; without it, all',
    field: oneOrMany(text({ takes: 'the name of a model', maxLength: 256 }), {
      min: 1,
      max: 100,
      takes: 'a list of models',
    }),
  },
  rate: { says: 'How often it may ask, such as 60/minute; without it, any number', field: rate },
  budget: { says: 'How many tokens it may use; without it, any number', field: budget },
  concurrent: {
    says: 'How many exchanges at once; without it, any number',
    field: whole({ min: 1, max: 1_000_000 }),
  },
  policies: {
    says: 'Policies for clients with this key, behind those of the file and of the route',
    field: policyList,
  },
} as const

/** A key in a map, where its name is outside. */
export const key = section(shape)

/** A key in a list, with its name. */
export const keyName = section({
  name: {
    says: 'A name for logs and metrics',
    field: text({ takes: 'a name', maxLength: 64, check: checkName }),
    isRequired: true,
  },
  ...shape,
})
