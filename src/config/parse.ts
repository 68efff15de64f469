/**
 * YAML text → nodes that know their place. Neighbours: `load.ts` hands in the text, fields read the
 * nodes. Knows no setting. Aliases, duplicate keys and depth are looked at here and not by the YAML
 * package: its own checks compare each with all, which takes minutes on a hostile megabyte.
 */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type ErrorCode,
  type ParsedNode,
  type YAMLError,
} from 'yaml'
import type { ConfigNode, Entry, Extent, Place } from './node.ts'
import { quote } from './node.ts'
import type { Notes, Sentence } from './notes.ts'
import { offsetAt } from './scalar-place.ts'

/** With aliases a small file may stand for a huge one. */
const MAX_NODES = 100_000

/** Deeper than any setting. */
const MAX_DEPTH = 32

/** The root of the document; `undefined` when it is empty or something was wrong, which is noted. */
export function parseYaml(text: string, notes: Notes): ConfigNode | undefined {
  const counter = new LineCounter()
  const toPlace = (offset: number): Place => {
    const { line, col } = counter.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const document = parseDocument(text, {
    lineCounter: counter,
    prettyErrors: false,
    uniqueKeys: false,
    resolveKnownTags: false,
    logLevel: 'error',
  })
  const [first, ...others] = [...document.errors, ...document.warnings]
  if (first !== undefined) {
    noteErrors([first, ...others], toPlace, notes)
    return undefined
  }
  const root = document.contents
  const isEmpty = root === null || (isScalar(root) && root.value === null)
  return isEmpty ? undefined : toNode(root, { text, toPlace }, notes)
}

interface Source {
  readonly text: string
  toPlace(offset: number): Place
}

/** One mistake makes several errors in a row: the first of a line is the one to mend. */
function noteErrors(
  errors: readonly YAMLError[],
  toPlace: (offset: number) => Place,
  notes: Notes,
): void {
  const lines = new Set<number>()
  for (const error of errors.toSorted((a, b) => a.pos[0] - b.pos[0])) {
    const place = toPlace(error.pos[0])
    if (lines.has(place.line)) continue
    lines.add(place.line)
    notes.mistake(place, '', SENTENCES[error.code])
  }
}

/** In our own words: those of the YAML package repeat the text, which may be a secret. */
const SENTENCES: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias (*name) can have no tag and no anchor',
  BAD_ALIAS: 'text that begins with * or & must be in quotes, as in "*"',
  BAD_COLLECTION_TYPE: 'a tag (!name) does not fit what follows: remove the tag',
  BAD_DIRECTIVE: 'there is a directive (%) that nobody knows: remove the line',
  BAD_DQ_ESCAPE: 'a backslash in double quotes begins an escape: write \\\\, or use single quotes',
  BAD_INDENT: 'the lines from here on are not indented as they must be, or a bracket is not closed',
  BAD_PROP_ORDER: 'a tag or an anchor must stand right before its value',
  BAD_SCALAR_START: 'text that begins with this character must be in quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'there is a second key in this value: put text with a colon in quotes, or mend the indentation',
  BLOCK_IN_FLOW: 'between brackets, write lists as [a, b] and maps as { a: b }',
  DUPLICATE_KEY: 'the key is there twice',
  IMPOSSIBLE: 'this cannot be read as YAML',
  KEY_OVER_1024_CHARS: 'a key cannot be longer than 1024 characters',
  MISSING_CHAR: 'a closing quote, a bracket, a comma or a space is missing here',
  MULTILINE_IMPLICIT_KEY: 'a key must be on one line: is a colon, or the space after it, missing?',
  MULTIPLE_ANCHORS: 'a value can have only one anchor',
  MULTIPLE_DOCS: 'there is a second document (---) in the file: one config is one document',
  MULTIPLE_TAGS: 'a value can have only one tag',
  NON_STRING_KEY: 'a key must be text',
  RESOURCE_EXHAUSTION: 'this is nested too deep',
  TAB_AS_INDENT: 'the line is indented with a tab: use spaces',
  TAG_RESOLVE_FAILED: 'there is a tag (!name) that nobody knows: remove it',
  UNEXPECTED_TOKEN:
    'this cannot stand here: put text with any of { } [ ] , # : in quotes, ${…} included',
}

function toNode(
  root: ParsedNode,
  { text: whole, toPlace }: Source,
  notes: Notes,
): ConfigNode | undefined {
  /** An alias means the last anchor of its name before it. */
  const anchors = new Map<string, ConfigNode>()
  /** Something was left out: what is missing then would be noted as a mistake of its own. */
  let isPartial = false

  const refuse = (place: Place, sentence: Sentence): undefined => {
    isPartial = true
    notes.mistake(place, '', sentence)
    return undefined
  }

  const convert = (node: ParsedNode, depth: number): ConfigNode | undefined => {
    const place = toPlace(node.range[0])
    if (depth > MAX_DEPTH) return refuse(place, SENTENCES.RESOURCE_EXHAUSTION)
    if (isAlias(node)) {
      const target = anchors.get(node.source)
      if (target !== undefined) return { ...target, place }
      const name = node.source.slice(0, 60)
      return refuse(place, `there is no anchor &${name} before this: ${SENTENCES.BAD_ALIAS}`)
    }
    const converted = convertPlain(node, place, depth)
    if (converted !== undefined && node.anchor !== undefined) anchors.set(node.anchor, converted)
    return converted
  }

  const convertPlain = (node: ParsedNode, place: Place, depth: number): ConfigNode | undefined => {
    if (isScalar(node)) {
      const { value } = node
      const text = typeof node.source === 'string' ? node.source : String(value)
      const isPlain =
        value === null ||
        typeof value === 'string' ||
        typeof value === 'number' ||
        typeof value === 'boolean'
      const placeAt = (index: number): Place =>
        toPlace(offsetAt({ whole, range: node.range, style: node.type, value: text }, index))
      const extent = toExtent(node)
      return {
        kind: 'scalar',
        place,
        extent,
        placeAt,
        size: 1,
        value: isPlain ? value : text,
        text,
      }
    }
    if (isSeq(node)) {
      const items = node.items.flatMap((item) => convert(item as ParsedNode, depth + 1) ?? [])
      const size = items.reduce((sum, item) => sum + item.size, 1)
      return size > MAX_NODES
        ? refuse(place, TOO_MANY)
        : { kind: 'list', place, extent: toExtent(node), size, items }
    }
    if (!isMap(node)) return undefined
    const entries = convertEntries(node.items as readonly Pair[], depth)
    const size = entries.reduce((sum, { value }) => sum + value.size, 1)
    return size > MAX_NODES
      ? refuse(place, TOO_MANY)
      : { kind: 'map', place, extent: toExtent(node), size, entries }
  }

  const convertEntries = (pairs: readonly Pair[], depth: number): Entry[] => {
    const seen = new Map<string, Place>()
    return pairs.flatMap(({ key, value }) => {
      const keyPlace = toPlace(key?.range[0] ?? value?.range[0] ?? 0)
      const name = toKey(key)
      if (name === undefined) return refuse(keyPlace, SENTENCES.NON_STRING_KEY) ?? []
      const before = seen.get(name)
      if (before !== undefined)
        notes.mistake(
          keyPlace,
          '',
          () => `${quote(name)} is there twice: it is in line ${before.line} already`,
        )
      seen.set(name, keyPlace)
      const nothing = { kind: 'scalar', place: keyPlace, size: 1, value: null, text: '' } as const
      const converted = value === null ? nothing : convert(value, depth + 1)
      return converted === undefined ? [] : [{ key: name, keyPlace, value: converted }]
    })
  }

  const node = convert(root, 0)
  return isPartial ? undefined : node
}

const toExtent = ({ range: [start, end] }: ParsedNode): Extent => [start, end]

const TOO_MANY = `with its aliases this is more than ${MAX_NODES} values: make the file smaller`

interface Pair {
  readonly key: ParsedNode | null
  readonly value: ParsedNode | null
}

/** A number as a key is the text that was written. */
function toKey(key: ParsedNode | null): string | undefined {
  if (!isScalar(key) || key.value === null) return undefined
  return typeof key.value === 'string' ? key.value : key.source
}
