import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { demoSettings, loadConfig, type Config } from './load.ts'
import { withStore } from './records.ts'

const cwd = mkdtempSync(join(tmpdir(), 'sluice-records-config-'))
afterAll(() => rmSync(cwd, { recursive: true }))

const DAY = 86_400_000
const ENV = {
  STORE_KEY: 'a-key-of-some-length',
  STORE_URL: 'postgres://sluice:pa55word@db.example/sluice',
}

function load(yaml: string): Config {
  writeFileSync(join(cwd, 'sluice.yaml'), yaml)
  return loadConfig({ env: ENV, cwd })
}

const recordsOf = (yaml: string) => load(yaml).settings.records

test('a store with all its keys', () => {
  const records = recordsOf(`
record: redacted
store:
  file: data/records.db
  keep: 8w
  size: 2tb
  full: wait
  wait: 2s
  key: \${STORE_KEY}
  search: false
  sync: true
`)
  expect(records).toEqual({
    mode: 'redacted',
    location: { type: 'sqlite', file: join(cwd, 'data/records.db') },
    onFull: 'wait',
    maxWait: 2000,
    maxAge: 56 * DAY,
    maxBytes: 2 * 1024 ** 4,
    secret: 'a-key-of-some-length',
    hasSearch: false,
    isSynced: true,
  })
})

test('a store is a path, a server, or what a variable says', () => {
  const place = (store: string) => recordsOf(`store: ${store}`)?.location
  const file = (name: string) => ({ type: 'sqlite', file: join(cwd, name) })
  const url = ENV.STORE_URL
  expect(place('records.db')).toEqual(file('records.db'))
  expect(place('"sqlite:./a.db"')).toEqual(file('a.db'))
  expect(place('"sqlite:///var/a.db"')).toEqual({ type: 'sqlite', file: '/var/a.db' })
  expect(place('{ url: "sqlite:./a.db" }')).toEqual(file('a.db'))
  expect(place('{ file: /var/a.db }')).toEqual({ type: 'sqlite', file: '/var/a.db' })
  expect(place(url)).toEqual({ type: 'postgres', url })
  expect(place('"${STORE_URL}"')).toEqual({ type: 'postgres', url })
  expect(place(`{ url: "${url}" }`)).toEqual({ type: 'postgres', url })
  expect(place('postgresql:///sluice?host=/var/run')).toMatchObject({ type: 'postgres' })
})

test('thirty days and ten gigabytes are kept where the file says nothing, and all where it says none', () => {
  const kept = { maxAge: 30 * DAY, maxBytes: 10 * 1024 ** 3 }
  expect(recordsOf('store: a.db')).toMatchObject({ mode: 'bytes', ...kept })
  expect(recordsOf('store: { file: a.db }')).toMatchObject(kept)
  const none = recordsOf('store: { file: a.db, keep: none, size: none }')
  expect(none).toMatchObject({ maxAge: undefined, maxBytes: undefined })
})

test('nothing is recorded until somebody names a place, unless the file says off', () => {
  const file = { type: 'sqlite', file: '/state/records.db' } as const
  expect(demoSettings().records).toBeUndefined()
  expect(withStore(demoSettings(), file).records).toMatchObject({ mode: 'bytes', location: file })

  const metadata = load('record: metadata').settings
  expect(metadata.records).toBeUndefined()
  expect(withStore(metadata, file).records).toMatchObject({ mode: 'metadata', location: file })
  const kept = load('store: { keep: 1d }').settings
  expect(withStore(kept, file).records).toMatchObject({ maxAge: DAY, location: file })

  const off = load('record: off').settings
  expect(withStore(off, file).records).toBeUndefined()
  expect(withStore(off, file).store.location).toEqual(file)
  const offThere = load('record: "off"\nstore: a.db').settings
  expect(offThere.records).toBeUndefined()
  expect(withStore(offThere, file).store.location).toEqual({
    type: 'sqlite',
    file: join(cwd, 'a.db'),
  })
})

test('prices in their order', () => {
  const { prices } = load(`
prices:
  claude-opus-*: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }
  "*": { input: 0, output: 0 }
`).settings
  expect(prices).toEqual([
    { model: 'claude-opus-*', input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
    { model: '*', input: 0, output: 0, cacheRead: undefined, cacheWrite: undefined },
  ])
})

test.each([
  ['record: all', '1:9 record: "all" is no way to record: it takes bytes, redacted, metadata, off'],
  ['store: ""', '1:8 store: it is empty'],
  ['store: 5', 'store: it takes the path of a file, or a URL'],
  ['store: ./data/', 'store: it is a folder: name a file in it'],
  ['store: ":memory:"', 'store: records are kept in a file: name one'],
  ['store: "sqlite::memory:"', 'store: records are kept in a file: name one'],
  ['store: "sqlite:"', 'store: it names no file'],
  ['store: mysql://root:pa55word@host/db', 'store: records are kept in a file or in Postgres'],
  ['store: postgres://user:pa55word@host', 'store: it names no database'],
  ['store: "postgres:///sluice"', 'store: it names no host'],
  ['store: "postgres://u:pa55#word@host/db"', 'it is no URL'],
  ['store: { url: ./records.db }', 'store.url: it is no URL'],
  ['store: { file: a.db, url: "postgres://h/d" }', 'store.url: there is a file already'],
  ['store: { fil: a.db }', 'store.fil: there is no such key: it takes file, url, keep'],
  ['store: { keep: 1s }', 'store.keep: "1s" is too little: it takes 1m to 3650d'],
  ['store: { keep: forever }', 'store.keep: "forever" is no time: write 12h, 30d, 8w'],
  ['store: { size: 1kb }', 'store.size: "1kb" is too little: it takes 1mb to 1024tb'],
  ['store: { full: stop }', '"stop" is no way to go on: it takes wait, refuse'],
  ['store: { full: refuse, wait: 1s }', 'store.wait: nothing waits with full: refuse'],
  ['store: { key: short }', 'store.key: it takes 16 characters at least'],
  ['store: { url: "postgres://h/d", sync: true }', 'store.sync: this is for a file'],
  ['prices: { a: 5 }', 'prices.a: it takes a map with input, output, cacheRead, cacheWrite'],
  ['prices: { a: { input: 5 } }', 'prices.a: output is missing'],
  ['prices: { a: { input: -1, output: 1 } }', 'prices.a.input: it takes a number from 0'],
  ['prices: { "": { input: 1, output: 1 } }', 'it is no model'],
])('%s is a mistake at its place, and shows no password', (yaml, words) => {
  expect(() => load(yaml)).toThrow(words)
  expect(() => load(yaml)).toThrow(/^((?!pa55).)*$/s)
})

test('a key in the clear is warned of, and one that only reads', () => {
  const warnings = (yaml: string): string => load(yaml).warnings.join()
  expect(warnings('store: { key: a-key-of-some-length }')).toMatch(/in the clear/)
  expect(warnings('store: { key: "${STORE_KEY}" }')).not.toMatch(/key/)
  expect(warnings('record: off\nstore: { key: "${STORE_KEY}" }')).toMatch(/only for reading/)
})
