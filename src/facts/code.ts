/**
 * A program → the commands that it runs and the files that it touches, as far as they stand in it as strings:
 * `os.system("…")`, `execSync('…')`, and the script of Codex's `exec`, which calls other tools. A reading of words and
 * strings, not of the language: what is put together when it runs is marked as not known. Neighbours:
 * `code-calls.ts` has the functions; `read-facts.ts` and `shell/shells.ts` ask.
 */
import { CODE_CALLS, FILE_CALLS, type CodeCall } from './code-calls.ts'
import { toTokens, type Language, type Token } from './code-tokens.ts'
import {
  isSign,
  readAtom,
  readConstants,
  readValue,
  type Constants,
  type Value,
} from './code-values.ts'
import type { FileUse } from './findings.ts'

export type CodeFinding =
  | {
      readonly type: 'shell'
      readonly text: string
      readonly isKnown: boolean
      readonly folder?: string
    }
  | { readonly type: 'words'; readonly words: readonly string[]; readonly isKnown: boolean }
  | { readonly type: 'patch'; readonly text: string }
  | { readonly type: 'file'; readonly use: FileUse; readonly path: string }
  /** Runs something that is not in it as a string. */
  | { readonly type: 'opaque' }
  /** Too much to read. */
  | { readonly type: 'unread' }

const MAX_FINDINGS = 500

export function readCode(code: string, language: Language, depth = 0): readonly CodeFinding[] {
  const tokens = depth > 4 ? undefined : toTokens(code, language)
  if (tokens === undefined) return [{ type: 'unread' }]
  const constants = readConstants(tokens)
  const found: CodeFinding[] = []
  for (let at = 0; at < tokens.length && found.length < MAX_FINDINGS; at++) {
    const token = tokens[at]
    if (token?.type === 'string' && token.isCommand)
      found.push({ type: 'shell', text: token.text, isKnown: token.isKnown })
    if (token?.type === 'sign') continue
    if (token?.type === 'word' && token.text === '$' && tokens[at + 1]?.type === 'string')
      found.push(...readTagged(tokens[at + 1]))
    if (token !== undefined)
      found.push(
        ...readCall({ tokens, constants, language, depth }, at, token.text),
        ...readKey(tokens, constants, at, token.text),
      )
  }
  return found
}

/** `$`rm -rf`` of zx and Bun. */
function readTagged(token: Token | undefined): readonly CodeFinding[] {
  return token?.type === 'string'
    ? [{ type: 'shell', text: token.text, isKnown: token.isKnown }]
    : []
}

interface Program {
  readonly tokens: readonly Token[]
  readonly constants: Constants
  readonly language: Language
  readonly depth: number
}

/** `name(…)`, and `name "…"` where the language leaves the brackets away. */
function readCall(program: Program, at: number, name: string): readonly CodeFinding[] {
  const { tokens, language } = program
  const isOpen = isSign(tokens[at + 1], '(')
  const isBare = (language === 'perl' || language === 'ruby') && tokens[at + 1]?.type === 'string'
  if (!isOpen && !isBare) return []
  const values = readArguments(program, isOpen ? at + 2 : at + 1)
  const file = FILE_CALLS.get(name)
  if (file !== undefined && values.length > 0)
    return file.flatMap(({ use, index, mode }) => {
      const path = values[index]
      if (path === undefined || !path.isKnown || path.list !== undefined) return []
      if (mode === undefined) return [{ type: 'file', use, path: path.text }]
      return [
        {
          type: 'file',
          use: /[wax+>]/.test(values[mode]?.text ?? '') ? 'written' : 'read',
          path: path.text,
        },
      ]
    })
  const call =
    language === 'python' && name === 'exec' ? CODE_CALLS.get('eval') : CODE_CALLS.get(name)
  if (call === undefined) return readPathCall(program, at, name)
  if (call.owners !== undefined && !isOwned(tokens, at, call.owners)) return []
  // The object of a tool's call is read by its keys; without one nothing is known of it.
  if (call.type === 'tool' && values[0] === undefined)
    return isSign(tokens[at + 2], '{') ? [] : [{ type: 'opaque' }]
  return readRun(program, call, values)
}

/** Whether it is called on one of these: `subprocess.run`, `require('child_process').exec`. */
function isOwned(tokens: readonly Token[], at: number, owners: readonly string[]): boolean {
  if (!isSign(tokens[at - 1], '.')) return owners.includes('')
  const owner = tokens[at - 2]
  if (owner?.type === 'word') return owners.includes(owner.text)
  return isSign(owner, ')') && owners.includes(tokens[at - 3]?.text ?? '')
}

const MAX_ARGUMENTS = 64

/** The values of a call up to its end; what is no string is a hole. */
function readArguments(
  { tokens, constants }: Program,
  start: number,
): readonly (Value | undefined)[] {
  const values: (Value | undefined)[] = []
  let at = start
  while (at < tokens.length && values.length < MAX_ARGUMENTS) {
    if (isSign(tokens[at], ')') || isSign(tokens[at], ';')) break
    const value = readValue(tokens, constants, at)
    values.push(value)
    at = skipTo(tokens, value?.end ?? at)
    if (!isSign(tokens[at], ',')) break
    at++
  }
  return values
}

/** The next comma or end of the call, with brackets in between skipped; a few tokens ahead at most. */
function skipTo(tokens: readonly Token[], start: number): number {
  let depth = 0
  const end = Math.min(tokens.length, start + 200)
  for (let at = start; at < end; at++) {
    const token = tokens[at]
    if (token?.type !== 'sign') continue
    if (depth === 0 && (token.text === ',' || token.text === ')' || token.text === ';')) return at
    if ('([{'.includes(token.text)) depth++
    if (')]}'.includes(token.text)) depth--
  }
  return end
}

function readRun(
  program: Program,
  call: CodeCall,
  values: readonly (Value | undefined)[],
): readonly CodeFinding[] {
  const [first, second] = values
  if (call.type === 'code')
    return first?.isKnown === true && first.list === undefined
      ? readCode(first.text, program.language, program.depth + 1)
      : [{ type: 'opaque' }]
  if (call.type === 'patch') return first === undefined ? [] : [{ type: 'patch', text: first.text }]
  if (first === undefined) return [{ type: 'opaque' }]
  if (first.list !== undefined)
    return [{ type: 'words', words: first.list, isKnown: first.isKnown }]
  if (second?.list !== undefined && call.isProgram === true) {
    const rest = call.hasName === true ? second.list.slice(1) : second.list
    return [
      { type: 'words', words: [first.text, ...rest], isKnown: first.isKnown && second.isKnown },
    ]
  }
  if (second !== undefined && call.isSpread === true) {
    const words = values.map((value) => value?.text ?? '$…').slice(call.hasName === true ? 1 : 0)
    return [{ type: 'words', words, isKnown: values.every((value) => value?.isKnown === true) }]
  }
  if (call.isProgram === true && second === undefined && !/\s/.test(first.text))
    return [{ type: 'words', words: [first.text], isKnown: first.isKnown && values.length < 2 }]
  return [{ type: 'shell', text: first.text, isKnown: first.isKnown }]
}

const PATH_CALLS: Readonly<Record<string, FileUse | undefined>> = {
  unlink: 'deleted',
  rmdir: 'deleted',
  write_text: 'written',
  write_bytes: 'written',
  touch: 'written',
  read_text: 'read',
  read_bytes: 'read',
}

/** `Path("x").unlink()`. */
function readPathCall(
  { tokens, constants }: Program,
  at: number,
  name: string,
): readonly CodeFinding[] {
  const use = Object.hasOwn(PATH_CALLS, name) ? PATH_CALLS[name] : undefined
  if (use === undefined || !isSign(tokens[at - 1], '.') || !isSign(tokens[at - 2], ')')) return []
  const path = readAtom(tokens[at - 3], constants)
  return path === undefined ? [] : [{ type: 'file', use, path: path.text }]
}

const KEYS = new Set(['cmd', 'command', 'chars', 'patch'])

/** `{ cmd: "…" }` and `{ cmd }`: what a script hands to a tool. */
function readKey(
  tokens: readonly Token[],
  constants: Constants,
  at: number,
  key: string,
): readonly CodeFinding[] {
  if (!KEYS.has(key)) return []
  const isShort =
    (isSign(tokens[at - 1], '{') || isSign(tokens[at - 1], ',')) &&
    (isSign(tokens[at + 1], '}') || isSign(tokens[at + 1], ','))
  const isKey = isSign(tokens[at + 1], ':')
  if (!isKey && !(isShort && tokens[at]?.type === 'word')) return []
  const value = isKey ? readValue(tokens, constants, at + 2) : constants.get(key)
  if (value === undefined) return [{ type: 'opaque' }]
  if (value.list !== undefined)
    return [{ type: 'words', words: value.list, isKnown: value.isKnown }]
  if (key === 'patch') return [{ type: 'patch', text: value.text }]
  const folder = readFolder(tokens, constants, value.end)
  return [
    {
      type: 'shell',
      text: value.text,
      isKnown: value.isKnown,
      ...(folder === undefined ? {} : { folder }),
    },
  ]
}

/** A folder that stands in the same object, behind the command. */
function readFolder(
  tokens: readonly Token[],
  constants: Constants,
  start: number,
): string | undefined {
  const end = Math.min(tokens.length, start + 60)
  for (let at = start; at < end && !isSign(tokens[at], '}'); at++) {
    const key = tokens[at]
    if ((key?.text === 'workdir' || key?.text === 'cwd') && isSign(tokens[at + 1], ':'))
      return readValue(tokens, constants, at + 2)?.text
  }
  return undefined
}
