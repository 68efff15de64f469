/**
 * A tool call of whatever client → what it asks for: commands to read, files to touch, patches, programs. By the name
 * where the name is known, else by the shape of its arguments. Neighbours: `tool-names.ts` has the names,
 * `read-facts.ts` carries it on. Knows no wire.
 */
import { isObject, toList, type JsonObject } from '../base/json.ts'
import type { ToolDialect } from '../event/block.ts'
import type { Language } from './code-tokens.ts'
import type { FileUse } from './findings.ts'
import {
  MAX_LIST,
  firstText,
  folderOf,
  pathsIn,
  readMove,
  toBag,
  type Ask,
  type Bag,
} from './tool-arguments.ts'
import { guessKind, kindOf, toKey, type ToolKind } from './tool-names.ts'

export interface FactCall {
  readonly name: string
  readonly namespace?: string | undefined
  readonly dialect: ToolDialect
  /** The arguments as an object, where they are one. */
  readonly args: JsonObject | undefined
  /** As they came. */
  readonly arguments: string
}

export function readTool(call: FactCall): readonly Ask[] {
  const { args, dialect } = call
  if (dialect === 'computer') return []
  if (args === undefined || dialect === 'custom') return readFree(call)
  const bag = toBag(unwrap(args))
  if (dialect === 'shell' || dialect === 'local-shell') return readShellTool(bag, undefined)
  if (dialect === 'apply-patch') return readOperation(bag)
  const kind = kindOf(call.name)
  return kind === undefined ? readUnknown(call, bag) : readKnown(call, kind, bag)
}

/** Models and servers that put all arguments into one field. */
function unwrap(args: JsonObject): JsonObject {
  const [key, ...others] = Object.keys(args)
  const inner = key === undefined ? undefined : args[key]
  return others.length === 0 &&
    isObject(inner) &&
    /^(?:action|operation|input|args|arguments|params|parameters)$/.test(key ?? '')
    ? inner
    : args
}

/** Free text: a patch, a script of Codex's, or what the tool's name says. */
function readFree(call: FactCall): readonly Ask[] {
  const text = call.arguments
  if (text.trim() === '') return []
  if (/^\s*\*\*\* Begin Patch/.test(text) || kindOf(call.name) === 'patch')
    return [{ type: 'patch', text, folder: '' }]
  // Arguments that should be JSON and are not: a client may still mend and run them.
  if (call.dialect !== 'custom') return isRunner(call) ? [{ type: 'unread' }] : []
  const kind = kindOf(call.name)
  if (isScript(call, text)) return [{ type: 'code', text, language: 'js', folder: '' }]
  if (kind === 'shell' || kind === 'powershell') return [toText(text, '', kind)]
  return kind === 'code'
    ? [{ type: 'code', text, language: languageOf(call.name, undefined), folder: '' }]
    : []
}

const isRunner = (call: FactCall): boolean => {
  const kind = kindOf(call.name)
  return (
    kind === 'shell' ||
    kind === 'powershell' ||
    kind === 'code' ||
    call.dialect === 'shell' ||
    call.dialect === 'local-shell'
  )
}

/** Codex's `exec` takes JavaScript that calls tools; other free-text tools of that name take a command. */
const isScript = ({ name, namespace }: FactCall, text: string): boolean =>
  toKey(name) === 'exec' &&
  (namespace === 'functions' ||
    /\btools\s*[.[]|\bawait\b|\bconst\b|\blet\b|=>/.test(text.slice(0, 20_000)))

const toText = (text: string, folder: string, kind: ToolKind | undefined): Ask =>
  kind === 'powershell' ? { type: 'text', text, folder, kind } : { type: 'text', text, folder }

function readKnown(call: FactCall, kind: ToolKind, bag: Bag): readonly Ask[] {
  switch (kind) {
    case 'shell':
    case 'powershell': {
      const asks = readShellTool(bag, kind)
      return asks.length > 0 ? asks : readUnknown(call, bag)
    }
    case 'code': {
      const text = firstText(bag, ['code', 'script', 'source', 'input', 'command', 'program'])
      return text === undefined
        ? []
        : [
            {
              type: 'code',
              text,
              language: languageOf(call.name, firstText(bag, ['language', 'lang'])),
              folder: folderOf(bag),
            },
          ]
    }
    case 'editor':
      return readEditor(bag)
    case 'patch': {
      const text = firstText(bag, ['input', 'patch', 'patchtext', 'diff', 'content'])
      if (bag.has('operation') || bag.has('type')) return readOperation(bag)
      return [
        ...(text === undefined ? [] : [{ type: 'patch', text, folder: folderOf(bag) } as const]),
        ...pathsIn(bag, 'written'),
      ]
    }
    case 'read':
      return pathsIn(bag, 'read')
    case 'write':
      return pathsIn(bag, 'written')
    case 'delete':
      return pathsIn(bag, 'deleted')
    case 'move':
    case 'copy':
      return readMove(bag, kind)
    case 'none':
      return []
  }
}

const COMMAND_KEYS = [
  'command',
  'cmd',
  'commands',
  'commandline',
  'shellcommand',
  'bashcommand',
  'script',
  'chars',
  'input',
  'code',
  'action',
]
function readShellTool(bag: Bag, kind: ToolKind | undefined): readonly Ask[] {
  const folder = folderOf(bag)
  for (const key of COMMAND_KEYS) {
    const value = bag.get(key)
    if (isObject(value)) return readShellTool(toBag(value), kind)
    const asks = toAsks(value, key, folder, kind)
    if (asks.length > 0) return asks
  }
  return []
}

/** A text, a program with its words, or several texts. */
function toAsks(
  value: unknown,
  key: string,
  folder: string,
  kind: ToolKind | undefined,
): readonly Ask[] {
  if (typeof value === 'string' && value !== '') return [toText(value, folder, kind)]
  const list = toList(value).slice(0, MAX_LIST)
  const texts = list.filter((item) => typeof item === 'string')
  if (texts.length === 0)
    return list.flatMap((item) => (isObject(item) ? readShellTool(toBag(item), kind) : []))
  return key === 'commands'
    ? texts.map((text) => toText(text, folder, kind))
    : [{ type: 'words', words: texts, folder }]
}

function languageOf(name: string, said: string | undefined): Language {
  const word = toKey(said ?? name)
  if (/^(?:js|ts)$|javascript|typescript|node/.test(word)) return 'js'
  if (word.includes('ruby')) return 'ruby'
  return word.includes('perl') ? 'perl' : 'python'
}

/** Verbs of editors. Their `command` is no shell's. */
const EDITOR_VERBS: Readonly<Record<string, FileUse | 'move' | undefined>> = {
  __proto__: null as never,
  view: 'read',
  create: 'written',
  str_replace: 'written',
  insert: 'written',
  undo_edit: 'written',
  delete: 'deleted',
  rename: 'move',
}

function readEditor(bag: Bag): readonly Ask[] {
  const use = EDITOR_VERBS[firstText(bag, ['command']) ?? ''] ?? 'written'
  return use === 'move' ? readMove(bag, 'move') : pathsIn(bag, use)
}

/** OpenAI's `apply_patch_call`: one operation on one file. */
function readOperation(bag: Bag): readonly Ask[] {
  const inner = bag.get('operation')
  if (isObject(inner)) return readOperation(toBag(inner))
  const use = bag.get('type') === 'delete_file' ? 'deleted' : 'written'
  const text = firstText(bag, ['patch', 'input'])
  return [
    ...pathsIn(bag, use),
    ...(text === undefined ? [] : [{ type: 'patch', text, folder: '' } as const]),
  ]
}

const CONTENT_KEYS = [
  'content',
  'contents',
  'filetext',
  'text',
  'data',
  'newstring',
  'newstr',
  'oldstring',
  'oldstr',
  'replacement',
  'replace',
  'newtext',
  'newsource',
  'codeedit',
  'edits',
  'body',
]

/** A tool nobody told us of: a command runs, a path with a content is written, a path alone is read. */
function readUnknown(call: FactCall, bag: Bag): readonly Ask[] {
  const guess = guessKind(call.name)
  const verb = firstText(bag, ['command'])
  if (
    verb !== undefined &&
    EDITOR_VERBS[verb] !== undefined &&
    firstText(bag, ['path', 'filepath', 'oldpath']) !== undefined
  )
    return readEditor(bag)
  const shell = SHAPES.flatMap((key) => toAsks(bag.get(key), key, folderOf(bag), undefined))
  const patch = firstText(bag, ['patch', 'diff', 'patchtext'])
  const asks: readonly Ask[] =
    patch === undefined ? shell : [...shell, { type: 'patch', text: patch, folder: folderOf(bag) }]
  if (guess === 'move' || guess === 'copy') return [...asks, ...readMove(bag, guess)]
  if (guess === 'delete') return [...asks, ...pathsIn(bag, 'deleted')]
  const isWriting = guess === 'write' || CONTENT_KEYS.some((key) => bag.has(key))
  return [...asks, ...pathsIn(bag, isWriting ? 'written' : 'read')]
}

const SHAPES = ['command', 'cmd', 'commands', 'commandline', 'shellcommand', 'bashcommand']
