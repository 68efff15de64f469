import { expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import { toArguments, toMatter } from './tool-arguments.ts'
import { readWords } from './words.ts'

const matter = toMatter(readWords('run `ls` on notes.md in Oslo'), 0)

const fill = (properties: JsonObject, required = Object.keys(properties)): unknown =>
  JSON.parse(
    toArguments(
      { name: 'x', kind: 'function', schema: { type: 'object', properties, required } },
      matter,
    ),
  )

const TEXT = { type: 'string' }

test('a name says what an argument is about', () => {
  expect(
    fill({ cmd: TEXT, file_path: TEXT, filePath: TEXT, location: TEXT, old_string: TEXT }),
  ).toEqual({
    cmd: 'ls',
    file_path: 'notes.md',
    filePath: 'notes.md',
    location: 'Oslo',
    old_string: 'hello',
  })
})

test('a command that is a list begins with a program', () => {
  const command = { type: 'array', items: TEXT }
  expect(fill({ command })).toEqual({ command: ['bash', '-lc', 'ls'] })
})

test('nothing leaves the machine on account of an argument', () => {
  expect(fill({ url: TEXT, uri: { type: 'string', format: 'uri' } })).toEqual({
    url: 'http://127.0.0.1/',
    uri: 'http://127.0.0.1/',
  })
})

test('what may be left out is left out, unless it says what the call is about', () => {
  expect(fill({ directory: TEXT, path: TEXT, command: TEXT, description: TEXT }, [])).toEqual({
    command: 'ls',
    description: 'Sluice demo',
  })
})

test('a tool without a schema gets an object', () => {
  const schemas = [undefined, null, true, 'x', [], {}, { type: 'string' }]
  for (const schema of schemas)
    expect(toArguments({ name: 'x', kind: 'function', schema }, matter)).toBe('{}')
})

test('a custom tool gets text', () => {
  const custom = (name: string): string =>
    toArguments({ name, kind: 'custom', schema: undefined }, matter)
  expect(custom('shell')).toBe('ls')
  expect(custom('poem')).toBe('hello from sluice')
})
