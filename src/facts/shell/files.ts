/**
 * A command → the files that it reads, writes and deletes, as its words tell. Neighbours: `commands.ts` asks for every
 * command that is put down; `file-rules.ts` is the table. Redirects are read elsewhere. Of a program that is not in
 * the table, words that look like paths count as read.
 */
import type { FileUse } from '../findings.ts'
import { FILE_RULES, type FileRule } from './file-rules.ts'
import type { Call, Field, Machine } from './machine.ts'
import { splitWords, type Split } from './options.ts'
import { below, findRoots } from './runners.ts'

export function readFiles(machine: Machine, call: Call): void {
  const { name, words } = call
  if (words.length === 0) return
  const add = (use: FileUse, { text }: Field): void => {
    if (text === '' || text === '-' || text.startsWith('<(') || text.startsWith('>(')) return
    for (const path of machine.scope.resolve(text)) machine.findings.file(use, path)
  }
  const special = SPECIAL.get(name)
  if (special !== undefined) return special(words, add, machine)
  const rule = FILE_RULES.get(name)
  if (rule === undefined) {
    for (const word of words) if (looksLikePath(word.text)) add('read', word)
    return
  }
  const split = splitWords(words, rule)
  for (const { name: option, value } of split.options) {
    const use = value === undefined ? undefined : rule.options?.[option]
    if (use !== undefined && value !== undefined) add(use, value)
  }
  apply(rule, split, add)
  link(machine, call, split)
  download(machine, call, split)
}

type Add = (use: FileUse, field: Field) => void

/** Not every word with a dot in it: only what is written as a path. */
const looksLikePath = (text: string): boolean =>
  text.length < 4096 &&
  !/\s/.test(text) &&
  (/^(?:\.{0,2}\/|~|\.\w)/.test(text) ||
    (text.includes('/') && !text.startsWith('-') && !text.includes('://')))

function apply(rule: FileRule, split: Split, add: Add): void {
  const { operands } = split
  const last = operands.at(-1)
  switch (rule.use) {
    case 'read':
    case 'written':
    case 'deleted': {
      const isGiven = split.options.some(({ name }) => rule.instead?.includes(name) === true)
      const isAll = rule.isBehindFirst !== true || isGiven
      for (const operand of isAll ? operands : operands.slice(1)) add(rule.use, operand)
      return
    }
    case 'copy':
    case 'move': {
      const isInto = split.options.some(
        ({ name }) => name === '-t' || name === '--target-directory',
      )
      for (const operand of isInto ? operands : operands.slice(0, -1))
        add(rule.use === 'copy' ? 'read' : 'deleted', operand)
      if (!isInto && last !== undefined && operands.length > 1) add('written', last)
      return
    }
    case 'none':
  }
}

const LINKING = new Set(['cp', 'ln', 'mv', 'install'])

/** A program under a new name is still that program. */
function link(machine: Machine, { name }: Call, { operands }: Split): void {
  const [from, to] = operands
  if (!LINKING.has(name) || operands.length !== 2 || from === undefined || to === undefined) return
  const program = /^(?:\/usr)?(?:\/local)?\/s?bin\/([\w.-]+)$/.exec(from.text)?.[1]
  const [path = ''] = machine.scope.resolve(to.text)
  if (program !== undefined) machine.scope.link(path, program)
  const content = machine.scope.contentOf(machine.scope.resolve(from.text)[0] ?? '')
  if (content !== undefined) machine.scope.write(path, content)
}

/** What comes from afar is not known, and whoever runs it runs what the program has fetched. */
function download(machine: Machine, { name }: Call, { options, operands }: Split): void {
  if (name !== 'curl' && name !== 'wget') return
  const said = options.find(({ name: option }) => OUTPUTS.has(option))?.value?.text
  const isNamed =
    name === 'wget' ||
    options.some(({ name: option }) => option === '-O' || option === '--remote-name')
  const last = operands.findLast(({ text }) => text.includes('/'))?.text.split('?')[0] ?? ''
  const file = said ?? (isNamed ? last.slice(last.lastIndexOf('/') + 1) : '')
  if (file === '' || file === '-') return
  for (const path of machine.scope.resolve(file)) {
    machine.scope.write(path, { text: undefined, isKnown: false, from: [name] })
    if (said === undefined) machine.findings.file('written', path)
  }
}

const OUTPUTS = new Set(['-o', '--output', '-O', '--output-document'])

type Special = (words: readonly Field[], add: Add, machine: Machine) => void

const cutTo = (word: Field, text: string): Field => ({ ...word, text })

const dd: Special = (words, add) => {
  for (const word of words) {
    if (word.text.startsWith('of=')) add('written', cutTo(word, word.text.slice(3)))
    if (word.text.startsWith('if=')) add('read', cutTo(word, word.text.slice(3)))
  }
}

/** With `-i` the files are written too. */
const sed: Special = (words, add) => {
  const { options, operands } = splitWords(words, {
    short: 'efl',
    long: ['expression', 'file', 'line-length'],
  })
  const isGiven = options.some(
    ({ name }) => name === '-e' || name === '-f' || name === '--expression' || name === '--file',
  )
  const isChanged = options.some(
    ({ name }) => name === '-i' || name === '--in-place' || name === '-I',
  )
  for (const operand of isGiven ? operands : operands.slice(1))
    add(isChanged ? 'written' : 'read', operand)
}

const perl: Special = (words, add) => {
  const { options, operands } = splitWords(words, { short: 'eEIMm' })
  const isChanged = options.some(({ name }) => name === '-i')
  const isGiven = options.some(({ name }) => name === '-e' || name === '-E')
  for (const operand of isGiven || !isChanged ? operands : operands.slice(1))
    add(isChanged ? 'written' : 'read', operand)
}

const find: Special = (words, add) => {
  const isDeleting = words.some(({ text }) => text === '-delete')
  for (const root of findRoots(words)) {
    add('read', root)
    if (isDeleting) add('deleted', below(root))
  }
  for (const [index, { text }] of words.entries()) {
    const value = words[index + 1]
    if (value !== undefined && /^-f(?:print|printf|ls)0?$/.test(text)) add('written', value)
  }
}

const tar: Special = (words, add) => {
  const [first, ...rest] = words
  // `tar xzf a.tgz`: the first word needs no dash.
  const isOld = first !== undefined && /^[a-zA-Z]+$/.test(first.text)
  const all = isOld ? [cutTo(first, `-${first.text}`), ...rest] : words
  const { options, operands } = splitWords(all, {
    short: 'fCTXI',
    long: [
      'file',
      'directory',
      'files-from',
      'exclude',
      'exclude-from',
      'to-command',
      'strip-components',
      'transform',
    ],
  })
  const has = (...names: readonly string[]): boolean =>
    options.some(({ name }) => names.includes(name))
  const isOut = has('-x', '--extract', '--get')
  const isNew = has('-c', '-r', '-u', '--create', '--append', '--update')
  for (const { name, value } of options) {
    if (value === undefined) continue
    if (name === '-f' || name === '--file') add(isNew ? 'written' : 'read', value)
    if (name === '-C' || name === '--directory') add(isOut ? 'written' : 'read', value)
  }
  if (isNew) {
    for (const operand of operands) add('read', operand)
    if (has('--remove-files')) for (const operand of operands) add('deleted', operand)
  }
  if (isOut && !has('-C', '--directory') && operands[0] !== undefined)
    for (const operand of operands) add('written', operand)
}

/** Verbs of git that change or drop files of the working tree. */
const git: Special = (words, add) => {
  const { operands } = splitWords(words, {
    short: 'cCmFbB',
    long: ['git-dir', 'work-tree', 'message', 'file'],
  })
  const [verb, ...rest] = operands
  const at = words.findIndex(({ text }) => text === '--')
  const named = at === -1 ? [] : words.slice(at + 1)
  switch (verb?.text) {
    case 'checkout':
      // Without a `--` a word may be a branch as well as a path.
      for (const path of at === -1
        ? rest.filter(({ text }) => text === '.' || looksLikePath(text))
        : named)
        add('written', path)
      return
    case 'restore':
      for (const path of at === -1 ? rest : named) add('written', path)
      return
    case 'clean':
      for (const path of rest.length > 0 ? rest : [cutTo(verb, '.')]) add('deleted', path)
      return
    case 'rm':
      for (const path of rest) add('deleted', path)
      return
    case 'mv':
      for (const path of rest.slice(0, -1)) add('deleted', path)
      if (rest.length > 1) add('written', cutTo(verb, rest.at(-1)?.text ?? ''))
      return
    case 'add':
    case 'apply':
      for (const path of rest) add('read', path)
      return
    case 'clone':
      if (rest[1] !== undefined) add('written', rest[1])
      return
    case undefined:
    default:
  }
}

const unzip: Special = (words, add) => {
  const { options, operands } = splitWords(words, { short: 'dxP' })
  const [archive] = operands
  if (archive !== undefined) add('read', archive)
  const folder = options.find(({ name }) => name === '-d')?.value
  if (folder !== undefined) add('written', folder)
}

const rsync: Special = (words, add) => {
  const { options, operands } = splitWords(words, {
    short: 'efTB',
    long: [
      'rsh',
      'exclude',
      'include',
      'files-from',
      'filter',
      'log-file',
      'bwlimit',
      'partial-dir',
      'exclude-from',
    ],
  })
  const isLocal = ({ text }: Field): boolean => !/^[^/]+:/.test(text)
  const last = operands.at(-1)
  for (const operand of operands.slice(0, -1)) if (isLocal(operand)) add('read', operand)
  if (last === undefined || operands.length < 2 || !isLocal(last)) return
  add('written', last)
  if (options.some(({ name }) => name.startsWith('--delete'))) add('deleted', last)
}

const SPECIAL: ReadonlyMap<string, Special> = new Map<string, Special>([
  ['dd', dd],
  ['sed', sed],
  ['gsed', sed],
  ['perl', perl],
  ['find', find],
  ['tar', tar],
  ['bsdtar', tar],
  ['git', git],
  ['unzip', unzip],
  ['rsync', rsync],
  ['scp', rsync],
])
