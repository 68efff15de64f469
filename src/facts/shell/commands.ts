/**
 * A simple command with its words → a `ShellCommand` in the findings, the files that it touches, and whatever it runs
 * in turn. Neighbours: `simple.ts` and the wrappers come here; `handlers.ts` knows what names do, `to-command.ts` what
 * is written down, `files.ts` the files.
 */
import { readFiles } from './files.ts'
import { HANDLERS } from './handlers.ts'
import {
  SILENCE,
  UNKNOWN,
  toField,
  type Call,
  type Field,
  type Machine,
  type Stream,
  type Surroundings,
} from './machine.ts'
import { namesLike, toName } from './names.ts'
import { toCommand } from './to-command.ts'

export function runCall(machine: Machine, row: readonly Field[], around: Surroundings): Stream {
  const [first, ...words] = row
  if (first === undefined) return SILENCE
  const letters = row.reduce((sum, { text }) => sum + text.length, 0)
  if (!machine.findings.spendWords(row.length, letters)) return UNKNOWN
  if (!first.isKnown) {
    machine.findings.markOpaque()
    return note(machine, first, toCall(around, '', words))
  }
  if (first.isGlob) return runLike(machine, first, words, around)
  const { name, isStrange } = toName(first.text)
  if (isStrange) machine.findings.markOpaque()
  const real = machine.scope.linkOf(first.text) ?? name
  return runNamed(machine, first, toCall(around, real, words))
}

/** Written out: what is around has many shapes, and a spread of each is slow. */
const toCall = (around: Surroundings, name: string, words: readonly Field[]): Call => ({
  stdin: around.stdin,
  isElevated: around.isElevated,
  redirects: around.redirects,
  name,
  words,
})

function runNamed(machine: Machine, first: Field, call: Call): Stream {
  const said = note(machine, first, call)
  const own = machine.runFunction(call.name, call.words, call)
  const script =
    own ?? runScriptFile(machine, first, call) ?? HANDLERS.get(call.name)?.(machine, call)
  return script === undefined ? said : { ...script, from: [...said.from, ...script.from] }
}

/** Puts it down. What it puts out is not known from here. */
function note(machine: Machine, first: Field, call: Call): Stream {
  machine.findings.command(toCommand(machine, first, call))
  if (!machine.scope.isRemote()) readFiles(machine, call)
  return { text: undefined, isKnown: false, from: [call.name] }
}

/** A name with a pattern in it: every program that we know and that fits. */
function runLike(
  machine: Machine,
  first: Field,
  words: readonly Field[],
  around: Surroundings,
): Stream {
  machine.findings.markOpaque()
  const names = namesLike(first.text)
  if (names.length === 0) return note(machine, first, toCall(around, '', words))
  const said = machine.perhaps(() =>
    names.map((name) => runNamed(machine, first, toCall(around, name, words))),
  )
  return { ...UNKNOWN, from: said.flatMap(({ from }) => from) }
}

/** A file that the same script has written, run by its path. */
function runScriptFile(machine: Machine, first: Field, call: Call): Stream | undefined {
  if (!first.text.includes('/')) return undefined
  const path = machine.scope.resolve(first.text)[0] ?? ''
  const content = machine.scope.contentOf(path)
  if (content === undefined) return undefined
  const { text = '', isKnown, from } = content
  const outer = machine.scope.positional()
  machine.scope.setPositional(call.words)
  const said = machine.runText(
    { ...toField(text), isKnown, from: isKnown ? [] : from },
    call.name,
    call,
  )
  machine.scope.setPositional(outer)
  return said
}
