/**
 * The arguments of a tool call, whatever their spelling: texts, folders and paths in them. Neighbours: `tools.ts`
 * knows which tool means what by them. Keys are compared without case and joints; all lists are bounded.
 */
import { isObject, toList, type JsonObject } from '../base/json.ts'
import type { Language } from './code-tokens.ts'
import type { FileUse } from './findings.ts'
import { toKey } from './tool-names.ts'

/** What a call asks for. */
export type Ask =
  | {
      readonly type: 'text'
      readonly text: string
      readonly folder: string
      readonly kind?: 'powershell' | 'cmd'
    }
  | { readonly type: 'words'; readonly words: readonly string[]; readonly folder: string }
  | {
      readonly type: 'code'
      readonly text: string
      readonly language: Language
      readonly folder: string
    }
  | { readonly type: 'patch'; readonly text: string; readonly folder: string }
  | { readonly type: 'file'; readonly use: FileUse; readonly path: string }
  /** It runs something that could not be found in it. */
  | { readonly type: 'unread' }

const MAX_KEYS = 100
export const MAX_LIST = 500

export type Bag = ReadonlyMap<string, unknown>

export const toBag = (args: JsonObject): Bag =>
  new Map(
    Object.entries(args)
      .slice(0, MAX_KEYS)
      .map(([key, value]) => [toKey(key), value]),
  )

export function firstText(bag: Bag, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = bag.get(key)
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

const FOLDER_KEYS = ['workdir', 'cwd', 'workingdirectory', 'directory', 'dir', 'folder']

export const folderOf = (bag: Bag): string => firstText(bag, FOLDER_KEYS) ?? ''

const PATH_KEYS = [
  'filepath',
  'path',
  'filename',
  'file',
  'absolutepath',
  'targetfile',
  'notebookpath',
  'dirpath',
  'directory',
  'directorypath',
  'uri',
  'relativepath',
  'relativeworkspacepath',
  'targetpath',
  'paths',
  'files',
  'filepaths',
  'edits',
  'searchpath',
  'searchdirectory',
]

/** All paths in the arguments, also those of lists of edits. */
export function pathsIn(bag: Bag, use: FileUse, depth = 0): readonly Ask[] {
  return PATH_KEYS.flatMap((key): readonly Ask[] => {
    const value = bag.get(key)
    if (typeof value === 'string') return value === '' ? [] : [{ type: 'file', use, path: value }]
    return toList(value)
      .slice(0, MAX_LIST)
      .flatMap((item): readonly Ask[] => {
        if (typeof item === 'string') return [{ type: 'file', use, path: item }]
        return isObject(item) && depth < 2 ? pathsIn(toBag(item), use, depth + 1) : []
      })
  })
}

export function readMove(bag: Bag, kind: 'move' | 'copy'): readonly Ask[] {
  const from = firstText(bag, [
    'source',
    'sourcepath',
    'src',
    'from',
    'oldpath',
    'frompath',
    'sourcefile',
    'path',
    'filepath',
  ])
  const to = firstText(bag, [
    'destination',
    'destinationpath',
    'dest',
    'dst',
    'to',
    'newpath',
    'topath',
    'targetpath',
    'newname',
    'target',
  ])
  return [
    ...(from === undefined
      ? []
      : [{ type: 'file', use: kind === 'move' ? 'deleted' : 'read', path: from } as const]),
    ...(to === undefined ? [] : [{ type: 'file', use: 'written', path: to } as const]),
  ]
}
