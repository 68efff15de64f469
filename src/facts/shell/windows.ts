/**
 * PowerShell and cmd → commands, as far as a small reader gets: words, quotes, `;`, `|`, `&`. What deletes is put down
 * as `rm` with `-r` and `-f`, so that one rule covers it. Neighbours: `shells.ts`, `read-shell.ts`. Anything that
 * needs more than words (blocks, variables, sub-expressions) marks the text as not read.
 */
import {
  UNKNOWN,
  toField,
  type Field,
  type Machine,
  type Stream,
  type Surroundings,
} from './machine.ts'

/** Whether a text looks like one of theirs rather than like a shell's. */
export const isPowerShell = (text: string): boolean =>
  /(?:^|[;|&{(\n]\s*)(?:Remove|Get|Set|New|Copy|Move|Start|Stop|Invoke|Write|Out|Select|Where|ForEach|Add|Clear|Test|Import|Export|Convert|Expand|Compress|Rename|Join|Split|Measure|Sort|Format)-[A-Z][A-Za-z]{2,}\b/.test(
    text.slice(0, 4000),
  ) || /\$env:|\$PSVersionTable|-ErrorAction\b/i.test(text.slice(0, 4000))

export const isCmd = (text: string): boolean =>
  /^\s*(?:@?echo off|del|erase|rd|rmdir|copy|move|ren|dir|type|xcopy|robocopy|format|attrib)\b[^\n]*\s\/[a-z]\b/i.test(
    text.slice(0, 2000),
  ) || /%(?:USERPROFILE|SYSTEMROOT|WINDIR|TEMP|APPDATA)%/i.test(text.slice(0, 2000))

export const readPowerShell = (machine: Machine, code: Field, around: Surroundings): Stream =>
  read(machine, code, around, '`')

export const readCmd = (machine: Machine, code: Field, around: Surroundings): Stream =>
  read(machine, code, around, '^')

function read(machine: Machine, code: Field, around: Surroundings, escape: '`' | '^'): Stream {
  const { findings } = machine
  if (code.from.length > 0) findings.pipe([...code.from, escape === '`' ? 'powershell' : 'cmd'])
  if (!code.isKnown) findings.markOpaque()
  if (!findings.spendText(code.text.length)) return UNKNOWN
  const { pipelines, isPlain } = split(code.text, escape)
  if (!isPlain) findings.markUnread()
  for (const pipeline of pipelines) {
    const names = pipeline.flatMap((words) => runOne(machine, words, around))
    if (names.length > 1) findings.pipe(names)
  }
  return UNKNOWN
}

const ALIASES: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  'remove-item': 'rm',
  ri: 'rm',
  rm: 'rm',
  del: 'rm',
  erase: 'rm',
  rd: 'rm',
  rmdir: 'rm',
  'copy-item': 'cp',
  copy: 'cp',
  cpi: 'cp',
  'move-item': 'mv',
  move: 'mv',
  mi: 'mv',
  'get-content': 'cat',
  gc: 'cat',
  type: 'cat',
  'set-content': 'tee',
  'add-content': 'tee',
  'out-file': 'tee',
  'new-item': 'touch',
  'invoke-webrequest': 'curl',
  iwr: 'curl',
  'invoke-restmethod': 'curl',
  irm: 'curl',
  'invoke-expression': 'eval',
  iex: 'eval',
}

function runOne(
  machine: Machine,
  words: readonly Field[],
  around: Surroundings,
): readonly string[] {
  const [first, ...rest] = words
  if (first === undefined || !machine.findings.spendWords(words.length)) return []
  const base = first.text
    .slice(Math.max(first.text.lastIndexOf('/'), first.text.lastIndexOf('\\')) + 1)
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat)$/, '')
  const name = ALIASES[base] ?? base
  if (ALIASES[base] === undefined) return machine.runWords(words, around).from
  const args = rest.map(({ text }) => text)
  const paths = args.filter((text) => !isFlag(text)).flatMap((text) => machine.scope.resolve(text))
  if (name === 'eval') machine.findings.markOpaque()
  machine.findings.command({
    name,
    path: first.text,
    args,
    flags: [...new Set(args.filter(isFlag).flatMap((flag) => [flag, ...toShort(name, flag)]))],
    paths,
    redirects: [],
    isElevated: around.isElevated,
    text: [name, ...args].join(' '),
  })
  if (!machine.scope.isRemote()) addFiles(machine, name, paths)
  return [name]
}

const isFlag = (text: string): boolean => text.startsWith('-') || /^\/[A-Za-z?](?::.*)?$/.test(text)

/** Their flags may be shortened as long as they are clear: `-rec`, `-fo`. */
function toShort(name: string, flag: string): readonly string[] {
  if (name !== 'rm' && name !== 'cp') return []
  const word = flag.slice(1).toLowerCase()
  if (flag.startsWith('/'))
    return word === 's' ? ['-r'] : word === 'q' || word === 'f' ? ['-f'] : []
  if (word === 'rf' || word === 'fr') return ['-r', '-f']
  if ('recurse'.startsWith(word)) return ['-r']
  return word.length > 0 && 'force'.startsWith(word) ? ['-f'] : []
}

function addFiles(machine: Machine, name: string, paths: readonly string[]): void {
  const { findings } = machine
  if (name === 'rm') for (const path of paths) findings.file('deleted', path)
  else if (name === 'tee' || name === 'touch')
    for (const path of paths.slice(0, 1)) findings.file('written', path)
  else if (name === 'cat') for (const path of paths) findings.file('read', path)
  else if (name === 'cp' || name === 'mv') {
    for (const path of paths.slice(0, -1)) findings.file(name === 'cp' ? 'read' : 'deleted', path)
    const last = paths.at(-1)
    if (last !== undefined && paths.length > 1) findings.file('written', last)
  }
}

interface Read {
  /** Commands that are joined by pipes, each as its words. */
  readonly pipelines: readonly (readonly (readonly Field[])[])[]
  readonly isPlain: boolean
}

function split(text: string, escape: '`' | '^'): Read {
  const pipelines: Field[][][] = [[[]]]
  let isPlain = true
  let word: string | undefined
  const endWord = (): void => {
    if (word !== undefined) pipelines.at(-1)?.at(-1)?.push(toField(word))
    word = undefined
  }
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? ''
    if (letter === escape && at + 1 < text.length) word = (word ?? '') + (text[++at] ?? '')
    else if (letter === '"' || (letter === "'" && escape === '`')) {
      const end = text.indexOf(letter, at + 1)
      const inside = text.slice(at + 1, end === -1 ? undefined : end)
      if (end === -1 || (letter === '"' && /[$%]/.test(inside))) isPlain = false
      word = (word ?? '') + inside
      at = end === -1 ? text.length : end
    } else if (letter === ';' || letter === '\n' || letter === '&') {
      endWord()
      pipelines.push([[]])
    } else if (letter === '|') {
      endWord()
      if (text[at + 1] === '|') pipelines.push([[]])
      else pipelines.at(-1)?.push([])
      if (text[at + 1] === '|') at++
    } else if (/\s/.test(letter)) endWord()
    else {
      if (/[$%{}()@]/.test(letter)) isPlain = false
      if (letter === '{' || letter === '}' || letter === '(' || letter === ')') {
        endWord()
        pipelines.push([[]])
      } else word = (word ?? '') + letter
    }
  }
  endWord()
  return { pipelines, isPlain }
}
