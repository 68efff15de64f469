/**
 * The shape of `record`, `store` and `prices`. Neighbours: `shape.ts` has the rest, `records.ts` builds settings from
 * it. A URL of a store is never shown: it has a password in it.
 */
import { mapOf, mapOr } from './collections.ts'
import { refuse, type Field } from './field.ts'
import { age, decimal, space, time } from './number.ts'
import { section } from './section.ts'
import { secret } from './shape-approvals.ts'
import { HOUR } from './shape-upstream.ts'
import { choice, flag, orWord, text } from './text.ts'

const MB = 1024 ** 2
const TB = 1024 ** 4
const DAY = 24 * HOUR

const POSTGRES = 'postgres://user:password@host:5432/database'

export const record = choice(['bytes', 'redacted', 'metadata', 'off'], 'way to record')

/** Where records are: a path, or a server. */
export interface StoreText {
  readonly type: 'file' | 'url'
  readonly text: string
}

const path = text({ takes: 'the path of a file', maxLength: 4096, check: checkPath })

/** The URL of a Postgres server, or a file as `sqlite:` says it. */
const url: Field<StoreText> = toStoreText(
  text({
    takes: `a URL such as ${POSTGRES}`,
    maxLength: 4096,
    check: (value) => (isUrl(value) ? checkUrl(value) : `it is no URL: write it like ${POSTGRES}`),
  }),
)

const pathOrUrl: Field<StoreText> = toStoreText(
  text({
    takes: `the path of a file, or a URL such as ${POSTGRES}`,
    maxLength: 4096,
    check: (value) => (isUrl(value) ? checkUrl(value) : checkPath(value)),
  }),
)

/** `none` where nothing is ever taken away. */
const orNone = (field: Field<number>): Field<number> =>
  orWord('none', Number.POSITIVE_INFINITY, field)

const place = section({
  file: { says: 'The file of an embedded SQLite store, relative to this file', field: path },
  url: { says: `A Postgres server that several gateways share: ${POSTGRES}`, field: url },
  keep: {
    says: 'Older exchanges are taken away: 12h, 30d, or none (default 30d)',
    field: orNone(age({ min: 60_000, max: 3650 * DAY })),
  },
  size: {
    says: 'The oldest exchanges are taken away beyond it, or none (default 10gb)',
    field: orNone(space({ min: MB, max: 1024 * TB })),
  },
  full: {
    says: 'What happens to a new exchange while the store cannot take more: it waits, or is refused (default wait)',
    field: choice(['wait', 'refuse'], 'way to go on'),
  },
  wait: {
    says: 'How long an exchange waits before it is refused (default 10s)',
    field: time({ min: 0, max: 10 * 60_000 }),
  },
  key: {
    says: 'Encrypts bodies and what verdicts quote of them, from a variable as in ${SLUICE_STORE_KEY}; who loses it cannot read them again',
    field: secret('a key'),
  },
  search: {
    says: 'Whether words of requests and answers can be searched for (default true)',
    field: flag,
  },
  sync: {
    says: 'Whether a commit waits for the disk itself: then not even a power cut loses one (default false)',
    field: flag,
  },
})

export const store = mapOr(place, pathOrUrl)

const dollars = decimal({ min: 0, max: 1_000_000 })

const price = section({
  input: { says: 'A million tokens of input, in US dollars', field: dollars, isRequired: true },
  output: { says: 'A million tokens of output', field: dollars, isRequired: true },
  cacheRead: { says: 'A million tokens read from the cache (default: as input)', field: dollars },
  cacheWrite: { says: 'A million tokens written to the cache (default: as input)', field: dollars },
})

export const prices = mapOf(price, {
  max: 1000,
  takes: 'a map from model to price',
  checkName: (name) =>
    name.length > 0 && name.length <= 256
      ? undefined
      : 'it is no model: it takes 1 to 256 characters',
})

function toStoreText(field: Field<string>): Field<StoreText> {
  return {
    schema: field.schema,
    read(spot, reading) {
      const value = field.read(spot, reading)
      const read = value === undefined ? undefined : toPlace(value)
      return read !== undefined && 'wrong' in read ? refuse(spot, reading, read.wrong) : read
    },
  }
}

/** A path or a URL → the place, or a sentence that says what is wrong with it. */
export function readStoreWords(value: string): StoreText | { readonly wrong: string } {
  const wrong = value === '' ? 'it is empty' : isUrl(value) ? checkUrl(value) : checkPath(value)
  return wrong === undefined ? toPlace(value) : { wrong }
}

function toPlace(value: string): StoreText | { readonly wrong: string } {
  if (isPostgres(value)) return { type: 'url', text: value }
  const file = value.replace(/^(?:sqlite|file):(?:\/\/(?=\/))?/i, '')
  const wrong = checkPath(file)
  return wrong === undefined ? { type: 'file', text: file } : { wrong }
}

const isPostgres = (value: string): boolean => /^postgres(?:ql)?:\/\//i.test(value)

/** One letter is a drive of Windows. */
const isUrl = (value: string): boolean => /^[a-z][a-z0-9+.-]+:/i.test(value)

/** The value is in no sentence: people put passwords into URLs. */
function checkUrl(value: string): string | undefined {
  if (/^(?:sqlite|file):/i.test(value)) return undefined
  if (!isPostgres(value))
    return `records are kept in a file or in Postgres: write a path, or ${POSTGRES}`
  if (!URL.canParse(value)) return `it is no URL: write it like ${POSTGRES}`
  const { hostname, pathname, hash } = new URL(value)
  if (hash !== '') return 'it has a # in it: write that as %23'
  if (hostname === '' && !/[?&]host=/.test(value)) return 'it names no host'
  return pathname.length > 1 ? undefined : `it names no database: write it like ${POSTGRES}`
}

function checkPath(value: string): string | undefined {
  if (value === '') return 'it names no file'
  if (value.includes('\0')) return 'it is no path'
  if (value === ':memory:') return 'records are kept in a file: name one'
  return /[/\\]$/.test(value) ? 'it is a folder: name a file in it' : undefined
}
