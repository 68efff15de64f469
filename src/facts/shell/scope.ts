/**
 * What a script has said so far: variables, aliases, functions, the folder it stands in, files that it wrote itself.
 * Where it is not known whether a line runs, the old value stays possible beside the new one. Neighbours:
 * `walk.ts` makes one per call, `words.ts` and `builtins.ts` ask and tell.
 */
import { isRooted, isUnplaced, resolvePath } from '../paths.ts'
import { toUnknown, type Field, type Stream } from './machine.ts'

/** What a variable may hold: one list of fields for each possibility; a scalar is a list of one. */
export type Possible = readonly (readonly Field[])[]

/** More possibilities than this are not followed. */
export const MAX_POSSIBLE = 16
const MAX_NAMES = 2000
const MAX_FOLDERS = 4
/** Of texts that the script keeps: what is longer is not kept, and so not known. */
const MAX_KEPT = 64 * 1024

export interface Scope {
  lookUp(name: string): Possible | undefined
  assign(name: string, possible: Possible): void
  /** Adds a possibility, whatever was there. */
  suggest(name: string, possible: Possible): void
  /** `$1`, `$2`, … */
  positional(): readonly Field[]
  setPositional(fields: readonly Field[]): void
  readonly aliases: Map<string, string>
  /** Programs under another name: `ln -s /bin/rm x`. */
  link(path: string, program: string): void
  /** The program that a name stands for, as it was written. */
  linkOf(written: string): string | undefined
  write(path: string, content: Stream): void
  contentOf(path: string): Stream | undefined
  /** Where it may stand; an empty one is not known. */
  folders(): readonly string[]
  setFolders(folders: readonly string[]): void
  /** A path seen from where it stands. */
  resolve(path: string): readonly string[]
  /** Whether lines run for sure, once and in order. */
  isCertain(): boolean
  setCertain(isCertain: boolean): void
  /** Whether commands run on another machine, whose files are not ours. */
  isRemote(): boolean
  setRemote(isRemote: boolean): void
}

export function createScope(folder: string): Scope {
  const variables = new Map<string, Possible>()
  const contents = new Map<string, Stream>()
  const links = new Map<string, string>()
  let positional: readonly Field[] = []
  let folders: readonly string[] = [folder]
  let certain = true
  let remote = false

  function assign(name: string, possible: Possible, isAdded: boolean): void {
    const before = isAdded ? variables.get(name) : undefined
    const kept = possible.map((fields) => fields.map(shorten))
    if (variables.size < MAX_NAMES || variables.has(name))
      variables.set(name, before === undefined ? kept : unite(before, kept))
  }

  function resolve(path: string): readonly string[] {
    const [first = ''] = folders
    if (folders.length === 1 || isRooted(path) || isUnplaced(path))
      return [resolvePath(first, path)]
    return folders.map((one) => resolvePath(one, path))
  }

  return {
    lookUp: (name) => variables.get(name),
    assign(name, possible) {
      assign(name, possible, !certain)
    },
    suggest(name, possible) {
      assign(name, possible, true)
    },
    positional: () => positional,
    setPositional(fields) {
      positional = fields
    },
    aliases: new Map(),
    link(path, program) {
      if (links.size < MAX_NAMES) links.set(toPlace(path), program)
    },
    linkOf: (written) =>
      links.size === 0 ? undefined : links.get(toPlace(resolve(written)[0] ?? '')),
    write(path, content) {
      const text = content.text ?? ''
      if (contents.size < MAX_NAMES)
        contents.set(
          toPlace(path),
          text.length > MAX_KEPT ? { ...content, text: undefined } : content,
        )
    },
    contentOf: (path) => contents.get(toPlace(path)),
    folders: () => folders,
    setFolders(those) {
      folders = [...new Set(those)].slice(0, MAX_FOLDERS)
    },
    resolve,
    isCertain: () => certain,
    setCertain(isCertain) {
      certain = isCertain
    },
    isRemote: () => remote,
    setRemote(isRemote) {
      remote = isRemote
    },
  }
}

/** `./x` is `x`, also where the folder is not known. */
const toPlace = (path: string): string => (path.startsWith('./') ? path.slice(2) : path)

const shorten = (field: Field): Field =>
  field.text.length <= MAX_KEPT ? field : toUnknown('$…', field.from)

/** The last possibilities win when there are too many: that some are gone is an unknown one. */
function unite(before: Possible, after: Possible): Possible {
  const all = [...before, ...after]
  const seen = new Set<string>()
  const kept = all.filter((fields) => {
    const key = JSON.stringify(fields.map(({ text }) => text))
    return !seen.has(key) && seen.add(key)
  })
  if (kept.length <= MAX_POSSIBLE) return kept
  return [...kept.slice(1 - MAX_POSSIBLE), [toUnknown('$…')]]
}
