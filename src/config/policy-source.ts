/**
 * An entry of a list of policies → what is known of how it is written: a digest, its text by itself, its variables.
 * Neighbours: `policies.ts` keeps it beside each policy; the API shows it to whoever edits, and `policy-edits.ts` holds
 * edits to it. Runs nothing.
 */
import { createHash } from 'node:crypto'
import { stringify } from 'yaml'
import type { ConfigNode, Extent } from './node.ts'
import { createNotes } from './notes.ts'
import { parseYaml } from './parse.ts'
import type { PolicySource } from './settings.ts'
import type { RawPolicy } from './shape-policy.ts'
import { variablesIn, type Environment } from './variables.ts'

/** The text that entries stand in, and what it is called. */
export interface PolicyText {
  readonly text: string
  readonly file: string
}

export function toPolicySource(
  { given, source }: RawPolicy,
  { text, file }: PolicyText,
  env: Environment,
): Omit<PolicySource, 'isPart'> {
  const digest = digestOf(given.node)
  const found = variableTextsIn(given.node)
  const names = [...new Set(found.flatMap(({ value }) => variablesIn(value)))]
  return {
    digest,
    file,
    line: given.node.place.line,
    isStock: source.type === 'stock',
    yaml: () =>
      source.type === 'stock'
        ? toEntryText(given.node, text, digest)
        : toOutline(given.node, Object.keys(source.options ?? {})),
    variableTexts: found.map(({ path, value }) => toVariableText(path, value)),
    env: () => Object.fromEntries(names.map((name) => [name, env[name]])),
  }
}

/** Variables go in by name: a digest of a secret would be one that can be guessed at. */
export function digestOf(node: ConfigNode, files = ''): string {
  const hash = createHash('sha256')
    .update(JSON.stringify(toWritten(node)))
    .update(files)
  return hash.digest('hex').slice(0, 12)
}

function toWritten(node: ConfigNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return node.value
    case 'list':
      return node.items.map(toWritten)
    case 'map':
      return node.entries.map(({ key, value }) => [key, toWritten(value)])
  }
}

export interface VariableText {
  readonly node: ConfigNode
  /** The keys that lead to it; places in lists are left out, so that a rule may be moved. */
  readonly path: string
  readonly value: string
}

export const toVariableText = (path: string, value: string): string => `${path}\n${value}`

/** All texts of a node in which a variable stands. */
export function variableTextsIn(node: ConfigNode, path = ''): readonly VariableText[] {
  switch (node.kind) {
    case 'scalar':
      return typeof node.value === 'string' && variablesIn(node.value).length > 0
        ? [{ node, path, value: node.value }]
        : []
    case 'list':
      return node.items.flatMap((item) => variableTextsIn(item, path))
    case 'map':
      return node.entries.flatMap(({ key, value }) => variableTextsIn(value, `${path}.${key}`))
  }
}

/** As it is written where that can stand alone; else (it leans on anchors elsewhere) the same in our own lines. */
function toEntryText(node: ConfigNode, text: string, digest: string): string {
  const cut = node.extent === undefined ? undefined : cutOut(text, node.extent)
  if (cut !== undefined && isSame(cut, digest)) return cut
  return stringify([toPlain(node)], { lineWidth: 0 })
}

/** What a function of a person's own is handed may be secret, and nobody can write it elsewhere: it stays in the file. */
function toOutline(node: ConfigNode, own: readonly string[]): string {
  const plain =
    node.kind === 'map'
      ? Object.fromEntries(
          node.entries.map(({ key, value }) => [key, own.includes(key) ? '…' : toPlain(value)]),
        )
      : toPlain(node)
  return stringify([plain], { lineWidth: 0 })
}

function isSame(cut: string, digest: string): boolean {
  const read = parseYaml(cut, createNotes(''))
  const only = read?.kind === 'list' && read.items.length === 1 ? read.items[0] : undefined
  return only !== undefined && digestOf(only) === digest
}

function toPlain(node: ConfigNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return node.value
    case 'list':
      return node.items.map(toPlain)
    case 'map':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, toPlain(value)]))
  }
}

/** The lines of an entry moved to the left edge, with the comments right above it. */
function cutOut(text: string, [start, end]: Extent): string {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const lineEnd = text.indexOf('\n', end)
  const isWholeLine = /^[ ]*- [ ]*$/.test(text.slice(lineStart, start))
  // A remark behind the last line belongs to it; between brackets other entries may follow there.
  const rest = isWholeLine ? text.slice(end, lineEnd === -1 ? text.length : lineEnd) : ''
  const behind = /^[ ]+#/.test(rest) ? rest : ''
  const [first = '', ...others] = `${text.slice(start, end).trimEnd()}${behind}`.split('\n')
  const column = start - lineStart
  const moved = others.map((line) => `  ${line.replace(new RegExp(`^ {0,${column}}`), '')}`)
  const above = isWholeLine ? commentsAbove(text.slice(0, lineStart)) : []
  return [...above, `- ${first}`, ...moved].map((line) => `${line.trimEnd()}\n`).join('')
}

const MAX_COMMENTS = 50

function commentsAbove(before: string): readonly string[] {
  const lines = before.split('\n').slice(-MAX_COMMENTS - 1, -1)
  const from = lines.findLastIndex((line) => !/^[ ]*#/.test(line)) + 1
  return lines.slice(from).map((line) => line.trimStart())
}
