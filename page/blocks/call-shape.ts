/**
 * A tool call → what a person sees in it: a command, an edit, a file, a patch, a lookup. By the tool's name where that is
 * known, by the names of its arguments otherwise. Neighbours: `tool-arguments.tsx` draws it, `src/facts/tool-names.ts`
 * knows the tools of agents, `partial-json.ts` reads what is still coming. Nothing is left out: what a shape has no place
 * for stands in its `rest`.
 */
import { isObject, type JsonObject } from '../../src/base/json.ts'
import { guessKind, kindOf } from '../../src/facts/tool-names.ts'
import { createPicker, type Picker } from './argument-picker.ts'
import { readCommands, type Command } from './call-commands.ts'
import { readPartialJson } from './partial-json.ts'

export type CallShape = (
  | {
      readonly type: 'command'
      readonly commands: readonly Command[]
      readonly folder: string | undefined
      /** What the model says it is for. */
      readonly says: string | undefined
    }
  | { readonly type: 'edit'; readonly path: string; readonly edits: readonly Edit[] }
  | { readonly type: 'write'; readonly path: string; readonly text: string }
  | { readonly type: 'patch'; readonly path: string | undefined; readonly text: string }
  | { readonly type: 'lookup'; readonly facts: readonly Fact[] }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'json'; readonly value: unknown }
  /** Free text, or what cannot be read otherwise. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'none' }
) & {
  /** Arguments that stand nowhere else in it. */
  readonly rest: JsonObject
}

export interface Edit {
  readonly before: string
  readonly after: string
  readonly note?: string | undefined
}

export interface Fact {
  readonly name: string
  readonly value: string
}

const NOTHING: JsonObject = {}

/** Never throws. `isComplete: false`: more may come. */
export function readCallShape(name: string, content: string, isComplete = true): CallShape {
  if (content.trim() === '') return { type: 'none', rest: NOTHING }
  if (/^\s*\*\*\* Begin Patch/.test(content)) return toPatch(content)
  const value = parse(content, isComplete)
  if (isObject(value)) return readObject(name, unwrap(value))
  if (value !== undefined) return { type: 'json', value, rest: NOTHING }
  if (/^\s*[{[]/.test(content)) return { type: 'text', text: content, rest: NOTHING }
  const kind = kindOf(name)
  if (kind === 'patch') return toPatch(content)
  return {
    type: kind === 'shell' || kind === 'code' ? 'code' : 'text',
    text: content,
    rest: NOTHING,
  }
}

const toPatch = (text: string): CallShape => ({
  type: 'patch',
  path: undefined,
  text,
  rest: NOTHING,
})

function parse(content: string, isComplete: boolean): unknown {
  try {
    return JSON.parse(content)
  } catch {
    // What should be whole and is not is shown as it stands: nobody should read more into it than is there.
    return isComplete || !/^\s*\{/.test(content) ? undefined : readPartialJson(content)
  }
}

/** Some wires and servers put all arguments into one field. */
function unwrap(args: JsonObject): JsonObject {
  const [key = '', ...others] = Object.keys(args)
  const inner = args[key]
  return others.length === 0 &&
    isObject(inner) &&
    /^(?:action|operation|args|arguments|params|parameters)$/.test(key)
    ? inner
    : args
}

function readObject(name: string, args: JsonObject): CallShape {
  const kind = kindOf(name) ?? guessKind(name)
  const read =
    readPatch(args, kind) ??
    readEdit(args) ??
    readEditorVerb(args) ??
    readWrite(args, kind) ??
    (kind === 'none' ? undefined : readCommand(args)) ??
    (kind === 'code' ? readCode(args) : undefined) ??
    readLookup(args, name, kind)
  if (read !== undefined) return read
  return Object.keys(args).length === 0
    ? { type: 'none', rest: NOTHING }
    : { type: 'json', value: args, rest: NOTHING }
}

const PATHS = ['filepath', 'path', 'filename', 'file', 'absolutepath', 'targetfile', 'notebookpath']
const OLD = ['oldstring', 'oldstr', 'oldtext', 'oldsource', 'search']
const NEW = ['newstring', 'newstr', 'newtext', 'newsource', 'replace', 'replacement']
const CONTENTS = ['content', 'contents', 'filetext', 'text', 'newsource', 'body', 'codeedit']

function readPatch(args: JsonObject, kind: string | undefined): CallShape | undefined {
  const picker = createPicker(args)
  const text = picker.text('patch', 'patchtext', 'diff', 'input')
  if (text === undefined) return undefined
  const isPatch = kind === 'patch' || /^\s*(?:\*\*\* Begin Patch|--- |diff --git |@@ )/.test(text)
  if (!isPatch) return undefined
  return { type: 'patch', path: picker.text(...PATHS), text, rest: picker.rest() }
}

function readEdit(args: JsonObject): CallShape | undefined {
  const picker = createPicker(args)
  const list = picker.list('edits')
  const edits =
    list === undefined
      ? toEdit(picker)
      : list.flatMap((one) => (isObject(one) ? toEdit(createPicker(one)) : []))
  // An edit that could not be read must not be hidden behind those that could.
  if (edits.length === 0 || (list !== undefined && edits.length < list.length)) return undefined
  const path = picker.text(...PATHS)
  return path === undefined ? undefined : { type: 'edit', path, edits, rest: picker.rest() }
}

function toEdit(picker: Picker): readonly Edit[] {
  const before = picker.text(...OLD)
  const after = picker.text(...NEW)
  if (before === undefined) return []
  const isAll = picker.flag('replaceall', 'allowmultiple')
  return [{ before, after: after ?? '', note: isAll ? 'everywhere in the file' : undefined }]
}

/** `command: view | create | str_replace | insert` of Anthropic's editor. */
function readEditorVerb(args: JsonObject): CallShape | undefined {
  const picker = createPicker(args)
  const verb = picker.text('command')
  const path = picker.text(...PATHS)
  if (verb === undefined || path === undefined || !/^[a-z]+(?:_[a-z]+)*$/.test(verb))
    return undefined
  if (verb === 'create') {
    const text = picker.text('filetext')
    return text === undefined ? undefined : { type: 'write', path, text, rest: picker.rest() }
  }
  if (verb === 'insert') {
    const after = picker.text('inserttext', 'newstr')
    const line = picker.scalar('insertline')
    if (after === undefined) return undefined
    const note = line === undefined ? undefined : `after line ${line}`
    return { type: 'edit', path, edits: [{ before: '', after, note }], rest: picker.rest() }
  }
  if (!/^(?:view|undo_edit|delete|rename)$/.test(verb)) return undefined
  return { type: 'lookup', facts: [{ name: verb, value: path }], rest: picker.rest() }
}

function readWrite(args: JsonObject, kind: string | undefined): CallShape | undefined {
  if (kind !== 'write') return undefined
  const picker = createPicker(args)
  const path = picker.text(...PATHS)
  const text = path === undefined ? undefined : picker.text(...CONTENTS)
  return path === undefined || text === undefined
    ? undefined
    : { type: 'write', path, text, rest: picker.rest() }
}

function readCommand(args: JsonObject): CallShape | undefined {
  const picker = createPicker(args)
  const commands = readCommands(picker)
  if (commands === undefined) return undefined
  const [first] = commands
  if (commands.length === 1 && first?.patch !== undefined)
    return { type: 'patch', path: undefined, text: first.patch, rest: picker.rest() }
  return {
    type: 'command',
    commands,
    folder: picker.text('workdir', 'cwd', 'workingdirectory'),
    says: picker.text('description', 'justification'),
    rest: picker.rest(),
  }
}

function readCode(args: JsonObject): CallShape | undefined {
  const picker = createPicker(args)
  const text = picker.text('code', 'script', 'source', 'program', 'input')
  return text === undefined ? undefined : { type: 'code', text, rest: picker.rest() }
}

const LOOKUPS = ['pattern', 'query', 'url', ...PATHS, 'directory', 'dirpath', 'glob']

/** Reads and searches say what they look for in one line. */
function readLookup(
  args: JsonObject,
  name: string,
  kind: string | undefined,
): CallShape | undefined {
  const isLooking = kind === 'read' || /search|fetch|grep|glob|find|read|open/i.test(name)
  if (!isLooking) return undefined
  const picker = createPicker(args)
  const facts = LOOKUPS.flatMap((key) => {
    const value = picker.text(key)
    return value === undefined || value.includes('\n')
      ? []
      : [{ name: picker.spelling(key), value }]
  })
  const left = picker.rest()
  const small = Object.entries(left).filter(([, value]) => isSmall(value))
  if (facts.length === 0) return undefined
  return {
    type: 'lookup',
    facts: [...facts, ...small.map(([key, value]) => ({ name: key, value: String(value) }))],
    rest: Object.fromEntries(Object.entries(left).filter(([, value]) => !isSmall(value))),
  }
}

/** Short enough for a line that has others in it. */
export const isSmall = (value: unknown): boolean =>
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  (typeof value === 'string' && value.length <= 60 && !value.includes('\n'))
