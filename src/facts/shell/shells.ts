/**
 * Programs that are handed a program: `sh -c`, `python -c`, `node -e`, or one that comes in through a pipe → what
 * that runs. Neighbours: `handlers.ts` lists them; `../code.ts` reads what is no shell, `windows.ts` what is
 * PowerShell or cmd.
 */
import { readCode, type CodeFinding } from '../code.ts'
import type { Language } from '../code-tokens.ts'
import { addPatch } from '../patch.ts'
import { readScript, toCode } from './builtins.ts'
import {
  toField,
  type Call,
  type Field,
  type Handler,
  type Machine,
  type Stream,
} from './machine.ts'
import { hasOption, splitLeading, valueOf, type OptionNames } from './options.ts'
import { readCmd, readPowerShell } from './windows.ts'
import { joinFields } from './fields.ts'

const SHELLS = [
  'sh',
  'bash',
  'zsh',
  'dash',
  'ksh',
  'ash',
  'mksh',
  'rbash',
  'fish',
  'hush',
  'yash',
  'posh',
  'csh',
  'tcsh',
]

const shell: Handler = (machine, call) => {
  const { scope } = machine
  const split = splitLeading(call.words, { short: 'oO', long: ['rcfile', 'init-file', 'command'] })
  const long = valueOf(split, '--command')
  const isCode = hasOption(split, '-c')
  const [first, ...rest] = split.operands
  const code = long ?? (isCode ? first : findCode(machine, call, first, hasOption(split, '-s')))
  if (code === undefined) return undefined
  const outer = scope.positional()
  if (isCode && rest[0] !== undefined) scope.suggest('0', [[rest[0]]])
  // Behind `-c code` comes the name of the script, then its words.
  scope.setPositional(isCode ? rest.slice(1) : hasOption(split, '-s') ? split.operands : rest)
  const said = machine.apart(() =>
    machine.runText(code, call.name, isCode ? call : { ...call, stdin: undefined }),
  )
  scope.setPositional(outer)
  return said
}

/** A script that is a file of this very script, or what comes in. */
function findCode(
  machine: Machine,
  call: Call,
  file: Field | undefined,
  isInput: boolean,
): Field | undefined {
  if (file !== undefined && !isInput) {
    if (!file.isKnown) machine.findings.markOpaque()
    return readScript(machine, call, file)
  }
  return call.stdin === undefined ? undefined : toCode(call.stdin)
}

interface Interpreter extends OptionNames {
  readonly language: Language
  /** Options whose value is a program. */
  readonly code: readonly string[]
}

const PYTHON: Interpreter = { language: 'python', short: 'cWXm', code: ['-c'] }
const NODE: Interpreter = {
  language: 'js',
  short: 'epr',
  long: ['eval', 'print', 'require', 'import', 'input-type'],
  code: ['-e', '-p', '--eval', '--print'],
}
const PERL: Interpreter = { language: 'perl', short: 'eEIMm', code: ['-e', '-E'] }
const RUBY: Interpreter = { language: 'ruby', short: 'eIrE', code: ['-e'] }
const PHP: Interpreter = { language: 'php', short: 'rdcf', code: ['-r'] }

const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  python: PYTHON,
  python2: PYTHON,
  python3: PYTHON,
  pypy3: PYTHON,
  ipython: PYTHON,
  node: NODE,
  nodejs: NODE,
  bun: NODE,
  deno: NODE,
  tsx: NODE,
  'ts-node': NODE,
  perl: PERL,
  ruby: RUBY,
  php: PHP,
}

const interpret =
  (interpreter: Interpreter): Handler =>
  (machine, call) => {
    const split = splitLeading(call.words, interpreter)
    const code = valueOf(split, ...interpreter.code)
    const [first, second] = split.operands
    if (code !== undefined) return runCode(machine, call, code, interpreter.language)
    if (first?.text === 'eval' && second !== undefined)
      return runCode(machine, call, second, interpreter.language)
    if (hasOption(split, '-m', '--version', '-V', '-h', '--help')) return undefined
    const script =
      first === undefined
        ? call.stdin === undefined
          ? undefined
          : toCode(call.stdin)
        : readScript(machine, call, first)
    return script === undefined ? undefined : runCode(machine, call, script, interpreter.language)
  }

const awk: Handler = (machine, call) => {
  const split = splitLeading(call.words, {
    short: 'vFf',
    long: ['assign', 'field-separator', 'file'],
  })
  const [first] = split.operands
  return first === undefined || hasOption(split, '-f')
    ? undefined
    : runCode(machine, call, first, 'awk')
}

function runCode(
  machine: Machine,
  call: Call,
  code: Field,
  language: Language,
): Stream | undefined {
  const { findings } = machine
  if (code.from.length > 0) findings.pipe([...code.from, call.name])
  if (!code.isKnown) findings.markOpaque()
  if (!findings.spendText(code.text.length)) return undefined
  for (const found of readCode(code.text, language)) runFound(machine, call, found)
  return undefined
}

function runFound(machine: Machine, call: Call, found: CodeFinding): void {
  const { findings, scope } = machine
  const around = { ...call, stdin: undefined, redirects: [] }
  const resolve = (path: string): readonly string[] => (scope.isRemote() ? [] : scope.resolve(path))
  if (found.type === 'opaque') return findings.markOpaque()
  if (found.type === 'unread') return findings.markUnread()
  if (found.type === 'patch') return addPatch(findings, found.text, resolve)
  if (found.type === 'file') {
    for (const path of resolve(found.path)) findings.file(found.use, path)
    return
  }
  if (!found.isKnown) findings.markOpaque()
  if (found.type === 'shell') machine.runText(toField(found.text), call.name, around)
  else machine.runWords(found.words.map(toField), around)
}

const powershell: Handler = (machine, call) => {
  // Its options may be shortened, and have one dash.
  const at = call.words.findIndex(({ text }) =>
    /^[-/]{1,2}(?:c|co|com|comm|comma|comman|command)$/i.test(text),
  )
  const encoded = call.words.findIndex(({ text }) =>
    /^[-/]{1,2}e(?:c|n|nc|nco|ncod|ncode|ncoded|ncodedcommand)?$/i.test(text),
  )
  if (encoded !== -1) {
    const text = Buffer.from(call.words[encoded + 1]?.text ?? '', 'base64').toString('utf16le')
    return readPowerShell(machine, toField(text), call)
  }
  const rest =
    at === -1 ? call.words.filter(({ text }) => !text.startsWith('-')) : call.words.slice(at + 1)
  if (rest[0]?.text === '-' || (rest.length === 0 && call.stdin !== undefined))
    return readPowerShell(
      machine,
      toCode(call.stdin ?? { text: undefined, isKnown: false, from: [] }),
      call,
    )
  return rest.length === 0 ? undefined : readPowerShell(machine, joinFields(rest), call)
}

const cmd: Handler = (machine, call) => {
  const at = call.words.findIndex(({ text }) => /^\/{1,2}[ckr]$/i.test(text))
  return at === -1 ? undefined : readCmd(machine, joinFields(call.words.slice(at + 1)), call)
}

/** `do shell script "…"`. */
const osascript: Handler = (machine, call) => {
  const text = joinFields(call.words).text
  for (const [, inner = ''] of text.matchAll(/do shell script "((?:[^"\\]|\\.){0,4000})"/g))
    machine.runText(toField(inner.replaceAll(/\\(.)/g, '$1')), 'osascript', call)
  return undefined
}

/** Commands for later. */
const at: Handler = (machine, call) =>
  call.stdin === undefined
    ? undefined
    : machine.runText(toCode(call.stdin), call.name, { ...call, stdin: undefined })

/** Each line is a time and a command. */
const crontab: Handler = (machine, call) => {
  const [file] = call.words
  const code =
    file === undefined || file.text === '-'
      ? call.stdin === undefined
        ? undefined
        : toCode(call.stdin)
      : readScript(machine, call, file)
  if (code === undefined || file?.text === '-l') return undefined
  const text = code.text.replaceAll(/^[ \t]*(?:@\w+|[\d*/,-]+(?:[ \t]+[\w*/,-]+){4})[ \t]+/gm, '')
  return machine.runText({ ...code, text }, 'crontab', { ...call, stdin: undefined })
}

/** A patch that comes in, or is the only word: Codex's own program, and two that everybody has. */
const patch: Handler = (machine, call) => {
  if (call.name === 'git') return undefined
  const [first] = call.words
  const text = first !== undefined && /^\*\*\*|\n/.test(first.text) ? first.text : call.stdin?.text
  if (text !== undefined && !machine.scope.isRemote())
    addPatch(machine.findings, text, (path) => machine.scope.resolve(path))
  return undefined
}

export const SHELL_HANDLERS: readonly (readonly [string, Handler])[] = [
  ...SHELLS.map((name): readonly [string, Handler] => [name, shell]),
  ...Object.entries(INTERPRETERS).map(([name, interpreter]): readonly [string, Handler] => [
    name,
    interpret(interpreter),
  ]),
  ...['awk', 'gawk', 'mawk', 'nawk'].map((name): readonly [string, Handler] => [name, awk]),
  ['powershell', powershell],
  ['pwsh', powershell],
  ['cmd', cmd],
  ['osascript', osascript],
  ['at', at],
  ['batch', at],
  ['crontab', crontab],
  ['apply_patch', patch],
  ['applypatch', patch],
  ['patch', patch],
]
