import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createCallNames, type CallNamesOptions } from './call-names.ts'
import type { Tool } from './tool.ts'

const tool = (name: string, namespace?: string): Tool => ({
  type: 'function',
  name,
  ...(namespace === undefined ? {} : { namespace }),
  schema: undefined,
  isStrict: undefined,
})
const custom = (name: string): Tool => ({ type: 'custom', name, grammar: undefined })

const namesOf = (tools: readonly Tool[], options: Partial<CallNamesOptions> = {}) =>
  createCallNames({ tools, maxLength: 64, ...options })

test('a name that the target takes stays', () => {
  const names = namesOf([tool('Read')])
  expect(names.toTarget({ name: 'Read' })).toBe('Read')
  expect(names.toSource('Read')).toEqual({ name: 'Read', dialect: 'function' })
  expect(names.isPlain).toBe(true)
})

test('pain 27: a name over 64 is shortened, the same way every time, and found again', () => {
  const long = `mcp__plugin_${'x'.repeat(80)}__search`
  const names = namesOf([tool(long)])
  const short = names.toTarget({ name: long })
  expect(short).toMatch(/^[a-zA-Z0-9_-]{64}$/)
  expect(namesOf([]).toTarget({ name: long })).toBe(short)
  expect(names.toSource(short)?.name).toBe(long)
  expect(names.isPlain).toBe(false)
})

test('long names that begin alike are told apart', () => {
  const names = namesOf([tool(`${'x'.repeat(80)}a`), tool(`${'x'.repeat(80)}b`)])
  expect(names.collision).toBeUndefined()
})

test('signs that no API takes are replaced, and found again', () => {
  const names = namesOf([tool('files.read'), tool('files read')])
  const [dot, space] = [
    names.toTarget({ name: 'files.read' }),
    names.toTarget({ name: 'files read' }),
  ]
  expect(dot).toMatch(/^files_read_[0-9a-f]{8}$/)
  expect(dot).not.toBe(space)
  expect(names.toSource(dot)?.name).toBe('files.read')
})

describe('a namespace', () => {
  test('is put before the name where the target has none', () => {
    const names = namesOf([tool('create', 'issues')])
    expect(names.toTarget({ name: 'create', namespace: 'issues' })).toBe('issues__create')
    expect(names.toSource('issues__create')).toEqual({
      name: 'create',
      namespace: 'issues',
      dialect: 'function',
    })
    expect(names.isPlain).toBe(false)
  })

  test('stays where the target has it, and tells two tools of one name apart', () => {
    const names = namesOf([tool('create', 'issues'), tool('create'), tool('create', 'notes')], {
      hasNamespaces: true,
    })
    expect(names.collision).toBeUndefined()
    expect(names.toSource('create')).toEqual({ name: 'create', dialect: 'function' })
    expect(names.toSource('create', 'notes')).toMatchObject({ namespace: 'notes' })
    expect(names.toSource('create', 'gone')).toBeUndefined()
    expect(names.isPlain).toBe(true)
  })

  test('that makes two tools one is a collision', () => {
    const names = namesOf([tool('create', 'issues'), tool('issues__create')])
    expect(names.collision).toEqual({
      first: { name: 'create', namespace: 'issues', dialect: 'function' },
      second: { name: 'issues__create' },
    })
  })
})

test('a tool of another kind is read back as that kind', () => {
  const shell: Tool = { type: 'vendor', name: 'shell', dialect: 'local-shell', schema: {} }
  const names = namesOf([custom('apply_patch'), shell])
  expect(names.toSource('apply_patch')?.dialect).toBe('custom')
  expect(names.toSource('shell')?.dialect).toBe('local-shell')
  expect(names.isPlain).toBe(false)
})

test('tools of the provider have no name of ours', () => {
  const names = namesOf([{ type: 'server', name: 'web_search', kind: 'web_search_20250305' }])
  expect(names.toSource('web_search')).toBeUndefined()
  expect(names.isPlain).toBe(true)
})

test('a call that nobody declared has a name, and no source', () => {
  const names = namesOf([])
  expect(names.toTarget({ name: 'gone tool' })).toMatch(/^[a-zA-Z0-9_-]+$/)
  expect(names.toTarget({ name: '' })).toMatch(/^[a-zA-Z0-9_-]+$/)
  expect(names.toSource('gone')).toBeUndefined()
})

test('every tool has a legal name and is found by it', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(fc.string(), fc.option(fc.string(), { nil: undefined })), {
        maxLength: 6,
        selector: (ref) => JSON.stringify(ref),
      }),
      fc.boolean(),
      (refs, hasNamespaces) => {
        const names = namesOf(
          refs.map(([name, namespace]) => tool(name, namespace)),
          {
            hasNamespaces,
          },
        )
        if (names.collision !== undefined) return
        for (const [name, namespace] of refs) {
          const ref = namespace === undefined ? { name } : { name, namespace }
          const target = names.toTarget(ref)
          expect(target).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
          expect(names.toSource(target, hasNamespaces ? namespace : undefined)).toMatchObject(ref)
        }
      },
    ),
    { numRuns: 200 },
  )
})
