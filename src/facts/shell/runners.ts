/**
 * Commands that run another once for each of many things: `find -exec`, `xargs`, `parallel`; and programs that take
 * a command in one of their options: `git -c alias.x=!…`, `tar --to-command`. Neighbours: `handlers.ts` lists them.
 */
import {
  toField,
  toUnknown,
  type Call,
  type Field,
  type Handler,
  type Machine,
  type Stream,
} from './machine.ts'
import { cut, splitLeading, splitWords, valueOf } from './options.ts'
import { joinFields } from './fields.ts'

/** Things from a known input that are put in as words. */
const MAX_ITEMS = 256
/** Longer words are not filled in. */
const MAX_FILLED = 4096

const EXECS = new Set(['-exec', '-execdir', '-ok', '-okdir'])

/** `{}` becomes something below the folder that is searched. */
const find: Handler = (machine, call) => {
  const { words } = call
  const found = below(findRoots(words)[0] ?? toField('.'))
  for (let at = 0; at < words.length; at++) {
    if (!EXECS.has(words[at]?.text ?? '')) continue
    const end = words.findIndex(({ text }, place) => place > at && (text === ';' || text === '+'))
    const inner = words.slice(at + 1, end === -1 ? words.length : end)
    machine.runWords(
      inner.map((word) => fill(word, '{}', found)),
      { ...call, stdin: undefined, redirects: [] },
    )
    if (end === -1) break
    at = end
  }
  return undefined
}

/** Where `find` begins: the words before the first test. */
export function findRoots(words: readonly Field[]): readonly Field[] {
  const rest = splitLeading(words, { short: 'D' }).operands
  const end = rest.findIndex(({ text }) => text.startsWith('-') || text === '(' || text === '!')
  const roots = end === -1 ? rest : rest.slice(0, end)
  return roots.length === 0 ? [toField('.')] : roots
}

/** Something below a folder. */
export const below = (root: Field): Field => ({
  ...root,
  text: root.text.endsWith('/') ? `${root.text}{}` : `${root.text}/{}`,
})

function fill(word: Field, mark: string, by: Field): Field {
  if (!word.text.includes(mark)) return word
  if (word.text.length > MAX_FILLED || by.text.length > MAX_FILLED) return toUnknown(word.text)
  const startsKnown = word.text.startsWith(mark) ? by.startsKnown : word.startsKnown
  return {
    ...word,
    text: word.text.replaceAll(mark, () => by.text),
    isKnown: word.isKnown && by.isKnown,
    startsKnown,
  }
}

const xargs: Handler = (machine, call) => {
  const split = splitLeading(call.words, {
    short: 'aEdIJLnPRsS',
    long: ['arg-file', 'delimiter', 'max-lines', 'max-args', 'max-procs', 'replace', 'max-chars'],
  })
  const mark =
    valueOf(split, '-I', '-J', '--replace')?.text ??
    (split.options.some(({ name }) => name === '-i') ? '{}' : undefined)
  const items = toItems(
    machine,
    call,
    mark !== undefined ||
      split.options.some(({ name }) => name === '-0' || name === '--null' || name === '-d'),
  )
  const words = split.operands
  const around = { ...call, stdin: undefined, redirects: [] }
  if (mark === undefined || items.length === 0)
    return machine.runWords([...words, ...items], around)
  const said = items.map((item) =>
    machine.runWords(
      words.map((word) => fill(word, mark, item)),
      around,
    ),
  )
  return said[0]
}

/** Words that are only known when it runs. */
const ANYTHING: Field = { ...toField('{}'), isKnown: false, startsKnown: false }

/** What comes in, as words. */
function toItems(machine: Machine, { stdin }: Call, isByLine: boolean): readonly Field[] {
  if (stdin?.text === undefined || !stdin.isKnown) return stdin === undefined ? [] : [ANYTHING]
  const pieces = stdin.text.split(isByLine ? /[\n\0]/ : /[\s\0]+/).filter((piece) => piece !== '')
  if (pieces.length > MAX_ITEMS) machine.findings.markOpaque()
  return pieces
    .slice(0, MAX_ITEMS)
    .map((piece) => toField(isByLine ? piece : piece.replaceAll(/["'\\]/g, '')))
}

/** `parallel cmd {} ::: a b`, or with what comes in. Its words are read by a shell. */
const parallel: Handler = (machine, call) => {
  const operands = splitLeading(call.words, {
    short: 'jNnLsSIa',
    long: ['jobs', 'max-args', 'joblog', 'delay', 'timeout', 'colsep', 'tmpdir', 'results'],
  }).operands
  const at = operands.findIndex(({ text }) => text.startsWith(':::'))
  const words = at === -1 ? operands : operands.slice(0, at)
  const items =
    at === -1
      ? toItems(machine, call, true)
      : operands.slice(at + 1).filter(({ text }) => !text.startsWith(':::'))
  const around = { ...call, stdin: undefined, redirects: [] }
  if (items.length === 0)
    return words.length === 0
      ? opaqueInput(machine, call)
      : machine.runText(joinFields(words), 'parallel', around)
  const hasMark = words.some(({ text }) => text.includes('{}'))
  const said = items.slice(0, 32).map((item) => {
    const filled = words.map((word) => fill(word, '{}', item))
    return machine.runText(joinFields(hasMark ? filled : [...filled, item]), 'parallel', around)
  })
  if (items.length > 32) machine.findings.markOpaque()
  return said[0]
}

function opaqueInput(machine: Machine, call: Call): Stream | undefined {
  if (call.stdin !== undefined && !call.stdin.isKnown) machine.findings.markOpaque()
  return undefined
}

const git: Handler = (machine, call) => {
  const split = splitLeading(call.words, {
    short: 'cC',
    long: ['git-dir', 'work-tree', 'exec-path', 'namespace', 'config-env'],
  })
  for (const { name, value } of split.options) {
    const bang = name === '-c' && value !== undefined ? value.text.indexOf('=!') : -1
    if (value !== undefined && bang !== -1) machine.runText(cut(value, bang + 2), 'git', call)
  }
  const [verb, second, ...rest] = split.operands
  if (verb?.text === 'rebase') {
    const text = valueOf(
      splitWords(split.operands.slice(1), { short: 'xsX', long: ['exec', 'onto', 'strategy'] }),
      '-x',
      '--exec',
    )
    if (text !== undefined) machine.runText(text, 'git', call)
  }
  if (verb?.text === 'submodule' && second?.text === 'foreach')
    machine.runText(joinFields(rest.filter(({ text }) => !text.startsWith('--'))), 'git', call)
  if (verb?.text === 'bisect' && second?.text === 'run')
    machine.runWords(rest, { ...call, redirects: [] })
  if (
    verb?.text === 'rev-parse' &&
    second?.text === '--show-toplevel' &&
    machine.findings.workspace !== ''
  )
    return { text: `${machine.findings.workspace}\n`, isKnown: true, from: [] }
  return undefined
}

const tar: Handler = (machine, call) => {
  const split = splitWords(call.words, {
    short: 'CfTXI',
    long: ['directory', 'file', 'to-command', 'checkpoint-action', 'use-compress-program'],
  })
  const action = valueOf(split, '--checkpoint-action')
  if (action?.text.startsWith('exec=') === true) machine.runText(cut(action, 5), 'tar', call)
  const text = valueOf(split, '--to-command', '--use-compress-program', '-I')
  if (text !== undefined) machine.runText(text, 'tar', call)
  return undefined
}

/** Commands that editors and pagers are told to run. */
const editor: Handler = (machine, call) => {
  for (const { text, isKnown } of call.words) {
    const bang = /^(?:\+|-c)?:?\s*!(.+)/s.exec(text)
    if (bang !== null) machine.runText({ ...toField(bang[1] ?? ''), isKnown }, call.name, call)
  }
  return undefined
}

export const RUNNERS: readonly (readonly [string, Handler])[] = [
  ['find', find],
  ['gfind', find],
  ['xargs', xargs],
  ['gxargs', xargs],
  ['parallel', parallel],
  ['git', git],
  ['tar', tar],
  ['vim', editor],
  ['vi', editor],
  ['nvim', editor],
  ['ex', editor],
]
