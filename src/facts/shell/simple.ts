/**
 * A simple command as written → runs of it with its words expanded, one for each possibility; assignments are kept.
 * Neighbours: `nodes.ts` comes here, `commands.ts` takes the words on.
 */
import type { Assignment, Command, Word } from 'unbash'
import { runCall } from './commands.ts'
import {
  SILENCE,
  UNKNOWN,
  toField,
  type Field,
  type Machine,
  type Stream,
  type Surroundings,
} from './machine.ts'
import { readRedirects } from './redirects.ts'
import type { Possible } from './scope.ts'
import { combine } from './fields.ts'
import { readText, readWord } from './words.ts'

export function runSimple(machine: Machine, command: Command, around: Surroundings): Stream {
  const { name } = command
  const { list, stdin, finish } = readRedirects(machine, command.redirects, around.stdin)
  for (const assignment of command.prefix)
    if (assignment.type === 'Assignment') assign(machine, assignment, name === undefined)
  if (name === undefined) return finish(SILENCE)
  const rows = combine(machine, [
    readName(machine, name),
    ...command.args.map((arg) => readArgument(machine, arg)),
  ])
  const input: Surroundings = { stdin, isElevated: around.isElevated, redirects: list }
  const [only] = rows
  if (rows.length === 1 && only !== undefined) return finish(run(machine, only, input, name))
  const said = machine.perhaps(() => rows.map((row) => run(machine, row, input, name)))
  return finish({ ...UNKNOWN, from: said[0]?.from ?? [] })
}

function run(machine: Machine, row: readonly Field[], input: Surroundings, name: Word): Stream {
  const [first, ...rest] = row
  const alias = name.parts === undefined ? machine.scope.aliases.get(name.value) : undefined
  if (first === undefined || alias === undefined) return runCall(machine, row, input)
  const said = runCall(machine, row, input)
  // While it is opened it is not known, so that `alias rm='rm -i'` ends.
  machine.scope.aliases.delete(name.value)
  const text = [
    alias,
    ...rest.map((field) => (field.isKnown ? quote(field.text) : field.text)),
  ].join(' ')
  const inner = machine.runText(toField(text), name.value, input)
  machine.scope.aliases.set(name.value, alias)
  return { ...inner, from: [...said.from, ...inner.from] }
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A name that is nothing but a variable which nobody has set may also be nothing: then the next word is the name. */
function readName(machine: Machine, name: Word): Possible {
  const bare = name.parts === undefined ? null : /^\$(?:(\w+)|\{(\w+)\})$/.exec(name.text)
  if (bare === null) return readWord(machine, name, true)
  const possible = readWord(machine, name)
  return possible.some(([field]) => field?.isKnown === false) ? [...possible, []] : possible
}

function readArgument(machine: Machine, arg: Word | Assignment): Possible {
  // A flag with a hole in it is most likely one whose hole is empty.
  if (arg.type === 'Word') return readWord(machine, arg, arg.text.startsWith('-'))
  const values = assign(machine, arg, true)
  return values.map((fields) => [
    {
      ...(fields[0] ?? toField('')),
      text: `${arg.name}=${fields.map(({ text }) => text).join(' ')}`,
      startsKnown: true,
    },
  ])
}

/** `isKept`: it holds for what follows; else only for the command that it stands before. */
function assign(machine: Machine, assignment: Assignment, isKept: boolean): Possible {
  const { scope } = machine
  const { name, value, append, index } = assignment
  const possible: Possible =
    value.type === 'ArrayValue'
      ? [value.elements.flatMap((word) => readWord(machine, word)[0] ?? [])]
      : readText(machine, value.parts, value.value).map((field) => [field])
  const before = append === true || index !== undefined ? scope.lookUp(name) : undefined
  const next =
    before === undefined
      ? possible
      : before.flatMap((old) => possible.map((more) => add(old, more, assignment)))
  if (isKept) scope.assign(name, next)
  else scope.suggest(name, next)
  return next
}

function add(
  old: readonly Field[],
  more: readonly Field[],
  { value, index }: Assignment,
): readonly Field[] {
  if (index !== undefined) {
    const at = Number(index.value)
    if (!Number.isInteger(at) || at < 0 || at > 1000) return [...old, ...more]
    return [...old.slice(0, at), ...more, ...old.slice(at + 1)]
  }
  if (value.type === 'ArrayValue') return [...old, ...more]
  const [first = toField(''), ...rest] = old
  const [last = toField('')] = more
  return [
    { ...first, text: first.text + last.text, isKnown: first.isKnown && last.isKnown },
    ...rest,
  ]
}
