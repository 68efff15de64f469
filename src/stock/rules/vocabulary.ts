/**
 * The variables, types and functions of rules, by name: what CEL is told, what hints choose from, and what the
 * documentation lists. Neighbours: `language.ts` declares them, `views.ts` has a class for each type.
 */
import type { RuleSubject } from './rule.ts'

export type TypeName =
  | 'Tool'
  | 'Text'
  | 'Request'
  | 'Client'
  | 'Counters'
  | 'Shell'
  | 'Command'
  | 'Redirect'
  | 'Files'

export interface Variable {
  readonly name: string
  readonly type: TypeName
  readonly subjects: readonly RuleSubject[]
}

const BOTH: readonly RuleSubject[] = ['tool-call', 'text']

export const VARIABLES: readonly Variable[] = [
  { name: 'tool', type: 'Tool', subjects: ['tool-call'] },
  { name: 'shell', type: 'Shell', subjects: ['tool-call'] },
  { name: 'files', type: 'Files', subjects: ['tool-call'] },
  { name: 'text', type: 'Text', subjects: ['text'] },
  { name: 'request', type: 'Request', subjects: BOTH },
  { name: 'client', type: 'Client', subjects: BOTH },
  { name: 'counters', type: 'Counters', subjects: BOTH },
]

/** The fields of each type, with CEL's types. */
export const FIELDS: Readonly<Record<TypeName, Readonly<Record<string, string>>>> = {
  Tool: {
    name: 'string',
    namespace: 'string',
    dialect: 'string',
    args: 'map<string, dyn>',
    text: 'string',
  },
  Text: { type: 'string', content: 'string' },
  Request: {
    model: 'string',
    route: 'string',
    upstream: 'string',
    isStream: 'bool',
    conversation: 'string',
    turns: 'int',
    tools: 'list<string>',
  },
  Client: { key: 'string', agent: 'string' },
  Counters: {},
  Shell: {
    isUsed: 'bool',
    text: 'string',
    commands: 'list<Command>',
    pipes: 'list<list<string>>',
    isParsed: 'bool',
    isOpaque: 'bool',
  },
  Command: {
    name: 'string',
    path: 'string',
    args: 'list<string>',
    flags: 'list<string>',
    paths: 'list<string>',
    redirects: 'list<Redirect>',
    isElevated: 'bool',
    text: 'string',
  },
  Redirect: { op: 'string', path: 'string' },
  Files: {
    read: 'list<string>',
    written: 'list<string>',
    deleted: 'list<string>',
    outside: 'list<string>',
    workspace: 'string',
  },
}

/** What can be called, for hints; CEL has some more. */
export const FUNCTIONS = [
  're',
  'glob',
  'isUnder',
  'contains',
  'startsWith',
  'endsWith',
  'size',
  'has',
  'exists',
  'exists_one',
  'all',
  'filter',
  'map',
  'lowerAscii',
  'upperAscii',
  'trim',
  'split',
  'join',
  'indexOf',
  'lastIndexOf',
  'substring',
  'string',
  'int',
  'double',
  'bool',
  'type',
] as const
