/**
 * What editors are told is what is checked.
 */
import { Validator } from '@cfworker/json-schema'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isObject, type JsonObject } from '../base/json.ts'
import { configSchema } from './json-schema.ts'
import { loadConfig } from './load.ts'
import { STOCK } from './stock.ts'

const ROOT = join(import.meta.dirname, '../..')

const schema = JSON.parse(configSchema()) as JsonObject

/** Every property in it with its path. */
function properties(node: unknown, path: string): readonly (readonly [string, JsonObject])[] {
  if (Array.isArray(node)) return node.flatMap((item) => properties(item, path))
  if (!isObject(node)) return []
  return Object.entries(node).flatMap(([key, value]) => {
    if (key !== 'properties' || !isObject(value)) return key === 'if' ? [] : properties(value, path)
    return Object.entries(value).flatMap(([name, property]) => [
      [`${path}.${name}`, isObject(property) ? property : {}] as const,
      ...properties(property, `${path}.${name}`),
    ])
  })
}

test('the file in schema/ is written from the shape: run "tsx scripts/config-schema.ts"', () => {
  expect(readFileSync(join(ROOT, 'schema/sluice.schema.json'), 'utf8')).toBe(configSchema())
})

test('it is of draft 7, which editors know', () => {
  expect(schema['$schema']).toBe('http://json-schema.org/draft-07/schema#')
})

test('every key is described and takes something', () => {
  const all = properties(schema, '')
  expect(all.length).toBeGreaterThan(60)
  for (const [path, property] of all) {
    expect([path, typeof property['description']]).toEqual([path, 'string'])
    expect([path, Object.keys(property).length > 1]).toEqual([path, true])
  }
})

test('every pattern can be compiled', () => {
  const patterns = [...configSchema().matchAll(/"pattern": ("(?:[^"\\]|\\.)*")/g)]
  expect(patterns.length).toBeGreaterThan(5)
  for (const [, pattern = '""'] of patterns)
    expect(() => new RegExp(String(JSON.parse(pattern)), 'u')).not.toThrow()
})

test('the reference tells of every key, and the page of a stock policy of its own', () => {
  const pages = ['reference/config', ...Object.keys(STOCK).map((name) => `policies/${name}`)]
  const page = pages
    .map((name) => readFileSync(join(ROOT, 'docs', `${name}.md`), 'utf8'))
    .join('\n')
  const names = properties(schema, '').map(([path]) => path.slice(path.lastIndexOf('.') + 1))
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test.each([
  [true, { policies: ['rules', './mine.ts', { use: './mine.ts', anything: { a: 1 } }] }],
  [true, { policies: 'coding-agent' }],
  [true, { policies: [{ use: 'approve', tools: ['Bash'], onError: 'pass', timeout: '10s' }] }],
  [true, { routes: [{ model: '*', to: 'a', policies: [{ use: '${DIR}/mine.ts' }] }] }],
  [false, { policies: ['nothing'] }],
  [false, { policies: [{ use: 'nothing' }] }],
  [false, { policies: [{ tools: 'Bash' }] }],
  [false, { policies: [{ use: 'approve', toools: 'Bash' }] }],
  [false, { policies: [{ use: 'approve', onError: 'allow' }] }],
  [false, { policies: [{ use: './mine.ts', onError: 'allow' }] }],
  [false, { policies: [{ use: 'judge' }] }],
])('an editor says %s to %j', (expected, config) => {
  expect(new Validator(schema, '7').validate(config).valid).toBe(expected)
})

/** Every example of a page, with whatever variables it names set. */
function checkExamples(page: string): number {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8')
  const folder = mkdtempSync(join(tmpdir(), 'sluice-docs-'))
  // A policy file that an example names stands on the same page.
  const files = [...text.matchAll(/```ts\n\/\/ (policies\/\S+)\n(.*?)```/gs)]
  mkdirSync(join(folder, 'policies'))
  for (const [, name = '', code = ''] of files) writeFileSync(join(folder, name), code)
  const examples = [...text.matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml = '']) => yaml)
  for (const yaml of examples) {
    const names = [...yaml.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)
    const env = Object.fromEntries(names.map((name) => [name, '0123456789abcdef']))
    const file = join(folder, 'sluice.yaml')
    writeFileSync(file, yaml)
    expect([page, toMessage(() => loadConfig({ file, env, cwd: folder }))]).toEqual([page, ''])
  }
  rmSync(folder, { recursive: true })
  return examples.length
}

function toMessage(run: () => unknown): string {
  try {
    run()
    return ''
  } catch (error) {
    return String(error)
  }
}

test('the examples of the reference are right', () => {
  expect(checkExamples('reference/config.md')).toBeGreaterThan(2)
})

test.each(['README', ...Object.keys(STOCK)])('the examples of policies/%s.md are right', (name) => {
  expect(checkExamples(`policies/${name}.md`)).toBeGreaterThan(0)
})

test('the page of the policies tells of each stock policy, and what editors are told of it', () => {
  const page = readFileSync(join(ROOT, 'docs/policies/README.md'), 'utf8').replaceAll(/\s+/g, ' ')
  for (const [name, { says }] of Object.entries(STOCK))
    expect(page).toContain(`| [\`${name}\`](${name}.md) | ${says} |`)
})
