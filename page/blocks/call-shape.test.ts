import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCallShape } from './call-shape.ts'
import { readPartialJson } from './partial-json.ts'

const shape = (name: string, args: unknown): ReturnType<typeof readCallShape> =>
  readCallShape(name, JSON.stringify(args))

describe('A shell call is a command', () => {
  test.each([
    ['Bash', { command: 'ls -l', description: 'List' }, 'ls -l'],
    ['exec_command', { cmd: 'git status', workdir: '/repo' }, 'git status'],
    ['shell', { command: ['bash', '-lc', 'echo hi'] }, 'echo hi'],
    ['local_shell', { action: { command: ['ls', 'a b'] } }, "ls 'a b'"],
    ['run_shell_command', { command: 'pwd' }, 'pwd'],
    ['mcp__server__bash', { command: 'pwd' }, 'pwd'],
    ['whatever', { command: 'pwd' }, 'pwd'],
  ])('%s', (name, args, text) => {
    expect(shape(name, args)).toMatchObject({ type: 'command', commands: [{ text }] })
  })

  test('keeps its folder, what it is for, and everything else that was said', () => {
    expect(
      shape('Bash', { command: 'ls', cwd: '/x', description: 'See', timeout: 5, hidden: true }),
    ).toMatchObject({ folder: '/x', says: 'See', rest: { timeout: 5, hidden: true } })
  })
})

test('edits are a path with what was and what is to be', () => {
  expect(shape('Edit', { file_path: 'a.ts', old_string: 'a', new_string: 'b' })).toMatchObject({
    type: 'edit',
    path: 'a.ts',
    edits: [{ before: 'a', after: 'b' }],
    rest: {},
  })
  expect(
    shape('MultiEdit', {
      file_path: 'a.ts',
      edits: [
        { old_string: 'a', new_string: 'b', replace_all: true },
        { old_string: 'c', new_string: '' },
      ],
    }),
  ).toMatchObject({ type: 'edit', edits: [{ note: 'everywhere in the file' }, { after: '' }] })
  expect(
    shape('str_replace_editor', { command: 'str_replace', path: 'a', old_str: 'x', new_str: 'y' }),
  ).toMatchObject({ type: 'edit', path: 'a' })
})

test('an edit that cannot be read is not hidden behind one that can', () => {
  expect(
    shape('MultiEdit', { file_path: 'a', edits: [{ old_string: 'a', new_string: 'b' }, 7] }).type,
  ).toBe('json')
})

test('files, patches, lookups and free text are told apart', () => {
  expect(shape('Write', { file_path: 'a', content: 'x' })).toMatchObject({
    type: 'write',
    text: 'x',
  })
  expect(shape('str_replace_editor', { command: 'create', path: 'a', file_text: 'x' }).type).toBe(
    'write',
  )
  expect(readCallShape('apply_patch', '*** Begin Patch\n+x').type).toBe('patch')
  expect(shape('apply_patch', { input: '*** Begin Patch\n' }).type).toBe('patch')
  expect(shape('shell', { command: ['apply_patch', '*** Begin Patch\n'] }).type).toBe('patch')
  expect(shape('Read', { file_path: 'a', limit: 10 })).toMatchObject({
    type: 'lookup',
    facts: [
      { name: 'file_path', value: 'a' },
      { name: 'limit', value: '10' },
    ],
  })
  expect(shape('Grep', { pattern: 'x', path: 'src' }).type).toBe('lookup')
  expect(shape('get_weather', { city: 'Paris' }).type).toBe('json')
  expect(readCallShape('exec', 'await tools.x()').type).toBe('code')
  expect(readCallShape('t', '').type).toBe('none')
  expect(readCallShape('t', '{}').type).toBe('none')
  expect(readCallShape('t', '[1]')).toMatchObject({ type: 'json', value: [1] })
})

test('what is still coming is shown as far as it is there', () => {
  expect(readCallShape('Bash', '{"command":"ls -', false)).toMatchObject({
    type: 'command',
    commands: [{ text: 'ls -' }],
  })
  expect(readCallShape('Edit', '{"file_path":"a","old_string":"x\\n', false)).toMatchObject({
    type: 'edit',
    edits: [{ before: 'x\n', after: '' }],
  })
  expect(readCallShape('Bash', '{"comm', false)).toMatchObject({ type: 'none' })
})

test('what is broken and over is shown as it stands', () => {
  expect(readCallShape('Bash', '{"command":"ls', true)).toEqual({
    type: 'text',
    text: '{"command":"ls',
    rest: {},
  })
})

test('every argument is in the shape or in its rest', () => {
  const key = fc.constantFrom(
    'command',
    'path',
    'file_path',
    'content',
    'old_string',
    'new_string',
    'edits',
    'pattern',
    'patch',
    'input',
    'x',
  )
  const everything = fc.property(
    fc.constantFrom(
      'Bash',
      'Edit',
      'Write',
      'Read',
      'Grep',
      'apply_patch',
      'other',
      'python',
      'str_replace_editor',
    ),
    fc.dictionary(key, fc.string({ minLength: 12, unit: fc.constantFrom('a', 'b', 'c', 'd') }), {
      minKeys: 1,
    }),
    (name, args) => {
      const seen = JSON.stringify(shape(name, args))
      for (const value of Object.values(args)) expect(seen).toContain(value)
    },
  )
  fc.assert(everything)
})

test('throws at nothing', () => {
  const anything = fc.property(
    fc.string(),
    fc.oneof(fc.string(), fc.json()),
    fc.boolean(),
    (name, text, isComplete) => {
      expect(readCallShape(name, text, isComplete)).toBeDefined()
      expect(readCallShape(name, text.slice(0, text.length / 2), false)).toBeDefined()
    },
  )
  fc.assert(anything)
})

test('whole JSON is read in part as it is read whole', () => {
  const same = fc.property(fc.jsonValue({ noUnicodeString: false } as never), (value) => {
    const text = JSON.stringify(value)
    fc.pre(!text.includes('__proto__'))
    expect(readPartialJson(text)).toEqual(JSON.parse(text))
  })
  fc.assert(same)
})
