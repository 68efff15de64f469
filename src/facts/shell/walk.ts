/**
 * The machine: a script → its commands, one after the other, as a shell would come to them: every branch, every loop
 * once, every function that is called. Neighbours: `nodes.ts` takes the script apart, `commands.ts` the simple
 * commands. Its limits are here: how deep it goes, and what it does not begin to read.
 */
import { parse } from 'unbash'
import type { Findings } from '../findings.ts'
import { runCall } from './commands.ts'
import { UNKNOWN, type Field, type FunctionBody, type Machine } from './machine.ts'
import { runBody, runList } from './nodes.ts'
import { createScope } from './scope.ts'

const MAX_DEPTH = 40
/** Brackets that are open at once, and substitutions in all: more is no honest script, and slow to parse. */
const MAX_OPEN = 100
const MAX_SUBSTITUTIONS = 4000
/** Here-documents that are begun at once: the parser looks at all of them for each. */
const MAX_HEREDOCS = 2000

export function createMachine(findings: Findings, folder: string): Machine {
  const scope = createScope(folder)
  const functions = new Map<string, FunctionBody>()
  const uncalled = new Set<string>()
  const active = new Set<string>()
  let depth = 0

  /** One level further in, if that is still allowed. */
  function deeper<Value>(otherwise: Value, run: () => Value): Value {
    if (depth >= MAX_DEPTH) {
      findings.markUnread()
      return otherwise
    }
    depth++
    try {
      return run()
    } finally {
      depth--
    }
  }

  const machine: Machine = {
    findings,
    scope,
    runText(code, by, around) {
      if (code.from.length > 0) findings.pipe([...code.from, by])
      if (!code.isKnown) findings.markOpaque()
      if (code.text === '' || isOnlyUnknown(code)) return UNKNOWN
      if (!findings.spendText(code.text.length) || !isReadable(code.text)) {
        findings.markUnread()
        return UNKNOWN
      }
      return deeper(UNKNOWN, () => machine.runScript(parse(code.text), around))
    },
    runScript(script, around) {
      if (script.errors !== undefined && script.errors.length > 0) findings.markUnread()
      return deeper(UNKNOWN, () => runList(machine, script.commands, around))
    },
    runWords: (words, around) => deeper(UNKNOWN, () => runCall(machine, words, around)),
    runFunction(name, words, around) {
      const body = functions.get(name)
      // One that calls itself says nothing new the second time.
      if (body === undefined || active.has(name)) return undefined
      uncalled.delete(name)
      active.add(name)
      const outer = scope.positional()
      scope.setPositional(words)
      const said = deeper(UNKNOWN, () => machine.perhaps(() => runBody(machine, body, around)))
      scope.setPositional(outer)
      active.delete(name)
      return said
    },
    runUncalled() {
      for (const name of uncalled) machine.runFunction(name, [], PLAIN_CALL)
    },
    define(name, body) {
      if (uncalled.has(name)) machine.runFunction(name, [], PLAIN_CALL)
      functions.set(name, body)
      uncalled.add(name)
    },
    perhaps(run) {
      const wasCertain = scope.isCertain()
      const folders = scope.folders()
      scope.setCertain(false)
      const value = run()
      scope.setCertain(wasCertain)
      if (scope.folders() !== folders) scope.setFolders([...scope.folders(), ...folders])
      return value
    },
    apart(run) {
      const wasCertain = scope.isCertain()
      const folders = scope.folders()
      scope.setCertain(false)
      const value = run()
      scope.setCertain(wasCertain)
      if (scope.folders() !== folders) scope.setFolders(folders)
      return value
    },
  }
  return machine
}

/** Nothing but the output of a command, which was read where it stands. */
const isOnlyUnknown = ({ isKnown, text }: Field): boolean =>
  !isKnown && /^(?:\$\([^()]*\)|`[^`]*`|\$\w+)$/.test(text)

const PLAIN_CALL = { stdin: undefined, isElevated: false, redirects: [] }

/** Counts what opens and closes, quoted or not: enough to tell a script from a trap for parsers. */
function isReadable(text: string): boolean {
  if (text.length < MAX_OPEN) return true
  let round = 0
  let curly = 0
  let substitutions = 0
  let heredocs = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 40: // (
        if (++round > MAX_OPEN) return false
        break
      case 41: // )
        if (round > 0) round--
        break
      case 123: // {
        if (++curly > MAX_OPEN) return false
        break
      case 125: // }
        if (curly > 0) curly--
        break
      case 60: // <
        if (text.charCodeAt(at + 1) === 60 && ++heredocs > MAX_HEREDOCS) return false
        break
      case 10: // Their texts begin here.
        heredocs = 0
        break
      case 36: // $
      case 96: // `
        if (++substitutions > MAX_SUBSTITUTIONS) return false
    }
  }
  return true
}
