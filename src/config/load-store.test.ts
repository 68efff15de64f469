import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadStore } from './load-store.ts'

const cwd = mkdtempSync(join(tmpdir(), 'sluice-load-store-'))
afterAll(() => rmSync(cwd, { recursive: true }))

function load(yaml: string) {
  writeFileSync(join(cwd, 'sluice.yaml'), yaml)
  return loadStore({ env: { KEY: 'a-key-of-some-length' }, cwd })
}

test('reads where the records are and with which key, and minds nothing else', () => {
  expect(
    load(`
upstreams: { a: { wire: nonsense, apiKey: "\${NOT_SET}" } }
policies: [./not-there.ts]
record: metadata
store: { file: a.db, key: "\${KEY}" }
`),
  ).toMatchObject({
    mode: 'metadata',
    location: { type: 'sqlite', file: join(cwd, 'a.db') },
    secret: 'a-key-of-some-length',
  })
  expect(load('record: off').mode).toBe('off')
  expect(load('listen: 1')).toMatchObject({ mode: 'bytes', location: undefined })
})

test('without a file there is no place, and a file that was named must be there', () => {
  expect(loadStore({ env: {}, cwd: tmpdir() }).location).toBeUndefined()
  expect(() => loadStore({ file: 'none.yaml', env: {}, cwd })).toThrow('Cannot read "none.yaml"')
})

test.each([
  ['store: { key: short }', 'sluice.yaml:1:15 store.key: it takes 16 characters at least'],
  ['store: { key: "${NOT_SET}" }', 'the variable NOT_SET is not set'],
  ['record: all', '1:9 record: "all" is no way to record'],
  ['store: [', 'sluice.yaml:1:'],
  ['- a', 'it takes a map with'],
])('%s is a mistake at its place', (yaml, words) => {
  expect(() => load(yaml)).toThrow(words)
})
