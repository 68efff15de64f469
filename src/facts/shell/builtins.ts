/**
 * What a shell does itself: folders, variables, aliases, `eval`, `source`, `trap`. Neighbours: `handlers.ts` lists
 * them. Assignments in words (`export X=1`) are made by `simple.ts` already.
 */
import { isRooted, isUnplaced, resolvePath } from '../paths.ts'
import {
  SILENCE,
  toField,
  type Call,
  type Field,
  type Handler,
  type Machine,
  type Stream,
} from './machine.ts'
import { cut, hasOption, splitLeading, splitWords, valueOf } from './options.ts'
import { joinFields } from './fields.ts'

const cd: Handler = (machine, call) => {
  const { scope, findings } = machine
  const [target] = splitLeading(call.words, {}).operands
  if (target === undefined) scope.setFolders([call.name === 'cd' ? '~' : ''])
  else if (target.text === '-' || target.text.startsWith('+'))
    scope.setFolders([findings.workspace, ...scope.folders()])
  else if (!target.isKnown || isUnplaced(target.text)) scope.setFolders([''])
  else
    scope.setFolders(
      scope.folders().map((folder) => {
        if (folder !== '' || isRooted(target.text)) return resolvePath(folder, target.text)
        // Where nothing is known of the folder, at least what was said stays.
        return findings.workspace === '' ? target.text : ''
      }),
    )
  return SILENCE
}

/** Leaves for a folder of before: one of those that were. */
const popd: Handler = ({ scope, findings }) => {
  scope.setFolders([findings.workspace, ...scope.folders()])
  return SILENCE
}

const evaluate: Handler = (machine, call) => {
  const words = call.words[0]?.text === '--' ? call.words.slice(1) : call.words
  return words.length === 0 ? SILENCE : machine.runText(joinFields(words), 'eval', call)
}

/** A file that this script has written, or what another command puts out. */
export function readScript(machine: Machine, call: Call, file: Field): Field | undefined {
  const isInput =
    file.text === '-' ||
    file.text === '/dev/stdin' ||
    file.text === '/proc/self/fd/0' ||
    file.text === '/dev/fd/0'
  const content = isInput
    ? call.stdin
    : machine.scope.contentOf(
        file.text.startsWith('<(') ? file.text : (machine.scope.resolve(file.text)[0] ?? ''),
      )
  return content === undefined ? undefined : toCode(content)
}

/** What comes in as code. Who made it is only of interest where it is not known. */
export const toCode = ({ text = '', isKnown, from }: Stream): Field => ({
  ...toField(text),
  isKnown,
  from: isKnown ? [] : from,
})

const source: Handler = (machine, call) => {
  const [file, ...rest] = call.words
  if (file === undefined) return undefined
  const code = readScript(machine, call, file)
  if (!file.isKnown && code === undefined) machine.findings.markOpaque()
  if (code === undefined) return undefined
  if (rest.length > 0) machine.scope.setPositional(rest)
  return machine.runText(code, 'source', { ...call, stdin: undefined })
}

const alias: Handler = (machine, { words }) => {
  for (const { text, isKnown } of words) {
    const sign = text.indexOf('=')
    if (sign > 0 && machine.scope.aliases.size < 200) {
      machine.scope.aliases.set(text.slice(0, sign), text.slice(sign + 1))
      if (!isKnown) machine.findings.markOpaque()
    }
  }
  return SILENCE
}

/** `set -- a b` sets the words of the script. */
const set: Handler = ({ scope }, { words }) => {
  const at = words.findIndex(({ text }) => text === '--')
  const isFlag = words[0]?.text.startsWith('-') === true || words[0]?.text.startsWith('+') === true
  if (at !== -1) scope.setPositional(words.slice(at + 1))
  else if (words.length > 0 && !isFlag) scope.setPositional(words)
  return SILENCE
}

const shift: Handler = ({ scope }, { words }) => {
  scope.setPositional(scope.positional().slice(Number(words[0]?.text ?? 1) || 1))
  return SILENCE
}

/** Lines that come in may each be what is read. */
const read: Handler = (machine, call) => {
  const { operands, options } = splitWords(call.words, { short: 'adinNptu' })
  const names = operands.map(({ text }) => text)
  const array = options.find(({ name }) => name === '-a')?.value?.text
  const { stdin } = call
  const lines =
    stdin?.text === undefined || !stdin.isKnown
      ? undefined
      : stdin.text
          .split('\n')
          .filter((line) => line !== '')
          .slice(0, 8)
  const unknown = (name: string): Field => ({
    ...toField(`$${name}`),
    isKnown: false,
    startsKnown: false,
    from: stdin?.from ?? [],
  })
  if (array !== undefined)
    machine.scope.assign(
      array,
      lines?.map((line) => line.trim().split(/\s+/).map(toField)) ?? [[unknown(array)]],
    )
  for (const [index, name] of (names.length === 0 ? ['REPLY'] : names).entries()) {
    const isLast = index === names.length - 1 || names.length === 0
    const possible = lines?.map((line) => [toField(wordAt(line, index, isLast))])
    machine.scope.assign(
      name,
      possible === undefined || possible.length === 0 ? [[unknown(name)]] : possible,
    )
  }
  return SILENCE
}

function wordAt(line: string, index: number, isLast: boolean): string {
  const words = line.trim().split(/\s+/)
  return isLast ? words.slice(index).join(' ') : (words[index] ?? '')
}

const trap: Handler = (machine, call) => {
  const [code] = splitLeading(call.words, {}).operands
  if (code !== undefined && call.words.length > 1 && code.text !== '-')
    machine.perhaps(() => machine.runText(code, 'trap', call))
  return SILENCE
}

const unset: Handler = ({ scope }, { words }) => {
  for (const { text } of words) if (!text.startsWith('-')) scope.assign(text, [[toField('')]])
  return SILENCE
}

/** `export "X=rm"`, where the parser saw a word and no assignment. */
const declare: Handler = ({ scope }, { words }) => {
  for (const word of words) {
    const name = /^([A-Za-z_]\w*)=/.exec(word.text)
    if (name !== null) scope.assign(name[1] ?? '', [[cut(word, name[0].length)]])
  }
  return SILENCE
}

/** `hash -p /bin/rm x` makes `x` a name of it. */
const hash: Handler = ({ scope }, { words }) => {
  const split = splitWords(words, { short: 'p' })
  const path = valueOf(split, '-p')
  const [name] = split.operands
  if (path !== undefined && name !== undefined) scope.aliases.set(name.text, path.text)
  return SILENCE
}

const silent: Handler = () => SILENCE

/** Where a program is: a name that can be run. */
const which: Handler = (_, { words }) => {
  const [first] = splitWords(words, {}).operands
  return first?.isKnown === true ? { text: `${first.text}\n`, isKnown: true, from: [] } : undefined
}

const type: Handler = (machine, call) =>
  hasOption(splitWords(call.words, {}), '-p', '-P') ? which(machine, call) : undefined

export const BUILTINS: readonly (readonly [string, Handler])[] = [
  ['cd', cd],
  ['pushd', cd],
  ['chdir', cd],
  ['popd', popd],
  ['eval', evaluate],
  ['source', source],
  ['.', source],
  ['alias', alias],
  ['set', set],
  ['shift', shift],
  ['read', read],
  ['trap', trap],
  ['unset', unset],
  ['export', declare],
  ['declare', declare],
  ['typeset', declare],
  ['local', declare],
  ['readonly', declare],
  ['hash', hash],
  ['which', which],
  ['type', type],
  ...[
    'true',
    'false',
    ':',
    'exit',
    'return',
    'test',
    '[',
    'shopt',
    'unalias',
    'sleep',
    'wait',
    'mkdir',
    'chmod',
    'touch',
    'umask',
    'let',
    'break',
    'continue',
  ].map((name): readonly [string, Handler] => [name, silent]),
]
