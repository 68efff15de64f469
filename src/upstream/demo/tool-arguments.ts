/**
 * A tool and the words of a prompt to the arguments of a scripted call: valid against the tool's own
 * schema, harmless when run, and about what the prompt was about. Neighbours: `schema-filler.ts`.
 */
import { isObject } from '../../base/json.ts'
import { fillSchema, type NameHint } from './schema-filler.ts'
import { isShell } from './tool-choice.ts'
import type { DemoTool } from './tools.ts'
import type { Words } from './words.ts'

/** What a call is about. */
export interface Matter {
  readonly command: string
  readonly city: string
  readonly path: string
  /** For a text whose name says nothing. */
  readonly text: string
}

/** Deletes nothing, and looks as if it would. */
export const DANGEROUS_COMMAND = 'rm -rf /tmp/sluice-demo-does-not-exist'

const HELLO = 'hello from sluice'
const CITIES = ['Paris', 'Tokyo', 'Lima', 'Oslo', 'Cairo']

/** What the call number `count` of a turn is about: further ones differ, so that no two are the same. */
export function toMatter(words: Words, count: number): Matter {
  const nth = count === 0 ? '' : ` ${count + 1}`
  const quoted = words.commands[count % Math.max(words.commands.length, 1)]
  const city = count === 0 ? words.city : undefined
  return {
    command: quoted ?? `echo ${HELLO}${nth}`,
    city: city ?? CITIES[count % CITIES.length] ?? 'Paris',
    path: words.path ?? '/tmp/sluice-demo.txt',
    text: HELLO + nth,
  }
}

/** The arguments as text: JSON, or what the dialect of the tool takes instead. */
export function toArguments(tool: DemoTool, matter: Matter): string {
  switch (tool.kind) {
    case 'custom':
      return toFreeText(tool, matter)
    case 'local-shell':
      return JSON.stringify({ type: 'exec', command: ['bash', '-lc', matter.command], env: {} })
    case 'shell':
      return JSON.stringify({ commands: [matter.command] })
    case 'function': {
      const value = fillSchema(withArgv(tool.schema), toHint(matter), matter.text)
      return JSON.stringify(isObject(value) ? value : {})
    }
  }
}

function toFreeText(tool: DemoTool, { command, text }: Matter): string {
  // Code mode: the client runs JavaScript in which its tools are functions.
  if (tool.name === 'exec')
    return `const r = await tools.exec_command(${JSON.stringify({ cmd: command })});\ntext(r.output);`
  if (tool.name === 'apply_patch')
    return `*** Begin Patch\n*** Add File: sluice-demo.txt\n+${text}\n*** End Patch\n`
  return isShell(tool) ? command : text
}

/** A command that is a list is one for `execvp`: it has to begin with a program. */
function withArgv(schema: unknown): unknown {
  if (!isObject(schema) || !isObject(schema['properties'])) return schema
  const { command } = schema['properties']
  if (!isObject(command) || command['type'] !== 'array') return schema
  const argv = { prefixItems: [{ const: 'bash' }, { const: '-lc' }, { type: 'string' }] }
  return { ...schema, properties: { ...schema['properties'], command: argv } }
}

const toHint =
  (matter: Matter): NameHint =>
  (name, isRequired) => {
    const known = name.toLowerCase().replace(/[^a-z]/g, '')
    if (!isRequired && !UNASKED.has(known)) return undefined
    return Object.hasOwn(HINTS, known) ? HINTS[known]?.(matter) : undefined
  }

/** What is said even where it may be left out. A folder is not: an agent may forbid the one we name. */
const UNASKED = new Set(['command', 'cmd', 'city', 'location', 'filepath', 'description'])

const command = (matter: Matter): string => matter.command
const city = (matter: Matter): string => matter.city
const path = (matter: Matter): string => matter.path
const text = (matter: Matter): string => matter.text

const HINTS: Readonly<Record<string, (matter: Matter) => string>> = {
  command,
  cmd: command,
  script: command,
  city,
  location: city,
  place: city,
  path,
  file: path,
  filename: path,
  filepath: path,
  absolutepath: path,
  targetfile: path,
  directory: () => '/tmp',
  dirpath: () => '/tmp',
  content: text,
  newstring: text,
  oldstring: () => 'hello',
  description: () => 'Sluice demo',
  title: () => 'Sluice demo',
  query: () => 'sluice',
  pattern: () => 'sluice',
  // Nothing leaves the machine on our account.
  url: () => 'http://127.0.0.1/',
}
