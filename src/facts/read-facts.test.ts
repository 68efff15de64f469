import { expect, test } from 'vitest'
import { readFacts, type FactCall } from './read-facts.ts'

const WORKSPACE = '/home/u/app'

const call = (
  name: string,
  args: Record<string, unknown>,
  more: Partial<FactCall> = {},
): FactCall => ({
  name,
  dialect: 'function',
  args,
  arguments: JSON.stringify(args),
  ...more,
})

const free = (name: string, text: string, namespace?: string): FactCall => ({
  name,
  dialect: 'custom',
  args: undefined,
  arguments: text,
  namespace,
})

test('knows what lies outside of the workspace, and what cannot be shown to lie inside', () => {
  const outside = (command: string): readonly string[] =>
    readFacts(call('Bash', { command }), { workspace: WORKSPACE }).files.outside
  expect(outside('cat a ./b src/../c /home/u/app/d ~/app/e > /dev/null')).toEqual([])
  expect(outside('cat ../x')).toEqual(['/home/u/x'])
  expect(outside('cat /home/u/app/../../etc/passwd')).toEqual(['/home/etc/passwd'])
  expect(outside('cat ~/.ssh/id_rsa')).toEqual(['~/.ssh/id_rsa'])
  expect(outside('cat $HOME/.ssh/id_rsa')).toEqual(['~/.ssh/id_rsa'])
  expect(outside('cat /home/u/application')).toEqual(['/home/u/application'])
  expect(outside('cat $X/y')).toEqual(['$X/y'])
  expect(outside('cd "$X"; touch y')).toEqual(['y'])
  expect(outside('cd /tmp && touch y')).toEqual(['/tmp/y'])
  expect(outside('(cd /tmp); touch y')).toEqual([])
  expect(outside('cd sub; cd ..; touch y')).toEqual([])
  expect(readFacts(call('Bash', { command: 'cat /etc/passwd' })).files.outside).toEqual([])
})

test('says nothing of calls that neither run nor touch anything', () => {
  for (const made of [
    call('TodoWrite', { todos: [] }),
    call('get_weather', { city: 'Rome' }),
    call('computer', { type: 'type', text: 'rm -rf /' }, { dialect: 'computer' }),
  ])
    expect(readFacts(made)).toEqual({
      shell: { isUsed: false, text: '', commands: [], pipes: [], isParsed: true, isOpaque: false },
      files: { read: [], written: [], deleted: [], outside: [], workspace: '' },
    })
})

test('does not trust arguments that could not be read', () => {
  const cut: FactCall = {
    name: 'Bash',
    dialect: 'function',
    args: undefined,
    arguments: '{"command":"rm -rf',
  }
  expect(readFacts(cut).shell).toMatchObject({ isUsed: true, isParsed: false, isOpaque: true })
})

test('says of a script that puts its commands together that it is opaque', () => {
  for (const text of [
    'await tools.exec_command({ cmd: build() })',
    'tools.exec_command({cmd: `rm ${x}`})',
    'await tools.exec_command(args)',
  ])
    expect(readFacts(free('exec', text, 'functions')).shell).toMatchObject({
      isUsed: true,
      isOpaque: true,
    })
})

test('gives each command its redirects and its folder', () => {
  const { shell } = readFacts(call('Bash', { command: 'cd sub && sort < in >> out' }), {
    workspace: WORKSPACE,
  })
  expect(shell.commands[1]).toEqual({
    name: 'sort',
    path: 'sort',
    args: [],
    flags: [],
    paths: [],
    redirects: [
      { op: '<', path: '/home/u/app/sub/in' },
      { op: '>>', path: '/home/u/app/sub/out' },
    ],
    isElevated: false,
    text: 'sort',
  })
})
