/**
 * What editors are told is what is checked.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isObject, type JsonObject } from '../base/json.ts'
import { configSchema } from './json-schema.ts'
import { loadConfig } from './load.ts'

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

test('the reference tells of every key', () => {
  const page = readFileSync(join(ROOT, 'docs/reference/config.md'), 'utf8')
  const names = properties(schema, '').map(([path]) => path.slice(path.lastIndexOf('.') + 1))
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test('the examples of the reference are right', () => {
  const page = readFileSync(join(ROOT, 'docs/reference/config.md'), 'utf8')
  const examples = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml = '']) => yaml)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-docs-'))
  const env = {
    ANTHROPIC_API_KEY: 'a',
    OPENAI_API_KEY: 'b',
    CI_GATEWAY_KEY: '0123456789abcdef',
  }
  expect(examples).toHaveLength(2)
  for (const [index, yaml] of examples.entries()) {
    const file = join(folder, `${index}.yaml`)
    writeFileSync(file, yaml)
    expect(() => loadConfig({ file, env, cwd: folder })).not.toThrow()
  }
  rmSync(folder, { recursive: true })
})
