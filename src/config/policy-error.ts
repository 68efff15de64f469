/**
 * An error of somebody's policy file → a sentence with its place, and the line with a caret where it cannot be read.
 * Neighbours: `policy-file.ts` runs such files. Errors come from jiti's parser, from V8 and from the file itself.
 */
import { readText } from './files.ts'

/** A path, short where it is near. */
export type Namer = (path: string) => string

interface At {
  readonly file: string
  readonly line: number
  /** From one; where a line could be read, only that is known. */
  readonly column: number | undefined
}

/** `files` are those that may be to blame: other lines of a stack are ours, or Node's. */
export function toSentence(error: unknown, files: readonly string[], toName: Namer): string {
  if (!(error instanceof Error)) return `it threw ${typeof error}, and no error`
  const parsed = toParsed(error)
  if (parsed !== undefined) return withSource(parsed.message, parsed.at, toName)
  if (error instanceof SyntaxError) return toSyntaxSentence(error, toName)
  const message = firstLine(error.message)
  const at = findAt(error, files)
  const [, missing] = MISSING.exec(message) ?? []
  if (missing === undefined) return withPlace(`${error.name}: ${message}`, at, toName)
  const words = `there is no module "${missing}" to import`
  return withPlace(words, at === undefined ? undefined : atImport(at, missing), toName)
}

const withPlace = (words: string, at: At | undefined, toName: Namer): string =>
  at === undefined ? words : `${place(at, toName)}: ${words}`

/** Node tells the file and not the line. */
function atImport(at: At, missing: string): At {
  const read = readText(at.file)
  const lines = read.type === 'text' ? read.text.split('\n') : []
  const index = lines.findIndex((line) => line.includes(missing))
  return index === -1 ? at : { ...at, line: index + 1 }
}

const MISSING = /^Cannot find (?:module|package) '([^']+)'/

/** The parser's sentence stands in the first line, and the place in the last, with columns from zero. */
function toParsed({ message }: Error): { readonly message: string; readonly at: At } | undefined {
  const lines = message.trimEnd().split('\n')
  const [, words] = /^\w*Error: (.*)$/.exec(lines[0] ?? '') ?? []
  const [, file, line, column] = /^\s*(.+):(\d+):(\d+)$/.exec(lines.at(-1) ?? '') ?? []
  if (words === undefined || file === undefined || lines.length < 2) return undefined
  const sentence = words.replace(/\(\d+:\d+\):?\s*$/, '').trimEnd()
  return {
    message: sentence.slice(0, MAX_MESSAGE),
    at: { file, line: Number(line), column: Number(column) + 1 },
  }
}

const MAX_MESSAGE = 500

const firstLine = (text: string): string => (text.split('\n', 1)[0] ?? '').slice(0, MAX_MESSAGE)

/** V8 puts the place before everything else: `file:line`, the line, a caret. */
function toSyntaxSentence(error: SyntaxError, toName: Namer): string {
  const [, file, line] = /^(.+):(\d+)\n/.exec(error.stack ?? '') ?? []
  const message = error.message.startsWith('await is only valid')
    ? 'a policy file cannot await at its top level: export an async function that makes the policy'
    : firstLine(error.message)
  return file === undefined
    ? message
    : withSource(message, { file, line: Number(line), column: undefined }, toName)
}

/** The topmost line of the stack that is theirs; a module that is not there has no such line, but tells who asked. */
function findAt(error: Error, files: readonly string[]): At | undefined {
  const known = new Set(files)
  for (const line of (error.stack ?? '').split('\n', MAX_STACK)) {
    const [, file = '', number] =
      /(?:\(|at |- )(?:file:\/\/)?([^()]+?)(?::(\d+):\d+)?\)?$/.exec(line) ?? []
    if (known.has(file)) return { file, line: Number(number ?? 1), column: undefined }
  }
  return undefined
}

const MAX_STACK = 50

const place = ({ file, line, column }: At, toName: Namer): string =>
  `${toName(file)}:${line}${column === undefined ? '' : `:${column}`}`

/** The sentence, and below it the line of the file with a caret. */
function withSource(message: string, at: At, toName: Namer): string {
  const read = readText(at.file)
  const source = read.type === 'text' ? read.text.split('\n')[at.line - 1] : undefined
  const sentence = `${place(at, toName)}: ${message}`
  return source === undefined ? sentence : sentence + excerpt(source, at)
}

/** How much of a line is shown before and behind the caret. */
const AROUND = 60

function excerpt(source: string, { line, column }: At): string {
  const from = Math.max(0, (column ?? 1) - 1 - AROUND)
  const shown = source
    .slice(from, from + 2 * AROUND)
    .replaceAll('\t', ' ')
    .trimEnd()
  const margin = ' '.repeat(String(line).length)
  const caret = column === undefined ? '' : `\n    ${margin} | ${' '.repeat(column - 1 - from)}^`
  return `\n    ${line} | ${shown}${caret}`
}
