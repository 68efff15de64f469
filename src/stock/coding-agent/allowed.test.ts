import { expect, test } from 'vitest'
import type { CallFacts, ShellCommand } from '../../facts/facts.ts'
import { toNameGlob } from '../rules/patterns.ts'
import { withoutAllowed, type Allowed } from './allowed.ts'

const make = (name: string): ShellCommand => ({
  name,
  path: name,
  args: [],
  flags: [],
  paths: ['/a', '/b'],
  redirects: [{ op: '>', path: '/a' }],
  isElevated: false,
  text: name,
})

const facts = (isParsed: boolean, ...names: readonly string[]): CallFacts => ({
  shell: {
    isUsed: true,
    text: names.join(' | '),
    commands: names.map(make),
    pipes: [names],
    isParsed,
    isOpaque: true,
  },
  files: { read: ['/a', '/b'], written: ['/a'], deleted: ['/b'], outside: ['/a'], workspace: '/w' },
})

const globs = (...written: readonly string[]) =>
  written.map(toNameGlob).filter((glob) => typeof glob !== 'string')

const allow = (of: Partial<Allowed>): Allowed => ({ paths: [], commands: [], ...of })

test('where nothing is allowed, the facts are the same', () => {
  const all = facts(true, 'a')
  expect(withoutAllowed(all, allow({}))).toBe(all)
})

test('allowed paths are in no list any more', () => {
  const { shell, files } = withoutAllowed(facts(true, 'a'), allow({ paths: globs('/a') }))
  expect(files).toEqual({
    read: ['/b'],
    written: [],
    deleted: ['/b'],
    outside: [],
    workspace: '/w',
  })
  expect(shell.commands[0]).toMatchObject({ paths: ['/b'], redirects: [] })
  expect(shell.isOpaque).toBe(true)
})

test('only where every command is allowed, and the whole could be read, is the rest of no matter', () => {
  const commands = globs('a', 'b')
  const opaque = (all: CallFacts) => withoutAllowed(all, allow({ commands })).shell.isOpaque
  expect(opaque(facts(true, 'a', 'b'))).toBe(false)
  expect(opaque(facts(true, 'a', 'c'))).toBe(true)
  expect(opaque(facts(false, 'a', 'b'))).toBe(true)
  expect(opaque(facts(true))).toBe(true)
})
