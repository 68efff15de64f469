/**
 * The types of a shell that is only thought: it reads scripts as a shell would run them, without running anything,
 * and keeps what it learns. Neighbours: `walk.ts` makes one, all others of this folder are handed one, so that none
 * of them needs to import another. Only types, and values that have no state.
 */
import type { CompoundCommand, CompoundList, ParsedScript, Redirected } from 'unbash'
import type { Findings } from '../findings.ts'
import type { Scope } from './scope.ts'

/** One word as a command would get it. */
export interface Field {
  /** What is not known stands in it as it was written: `$X/file`. */
  readonly text: string
  /** Whether all of it is known. */
  readonly isKnown: boolean
  /** Whether its beginning is: else it could turn out to be a flag. */
  readonly startsKnown: boolean
  /** Whether it holds an unquoted `*`, `?` or `[…]`. */
  readonly isGlob: boolean
  /** The names of the commands whose output stands in it, where that is not known. */
  readonly from: readonly string[]
}

const NOBODY: readonly string[] = []

export const toField = (text: string): Field => ({
  text,
  isKnown: true,
  startsKnown: true,
  isGlob: false,
  from: NOBODY,
})

/** A word, or a part of one, that is only known when it runs. */
export const toUnknown = (written: string, from: readonly string[] = NOBODY): Field => ({
  text: written,
  isKnown: false,
  startsKnown: false,
  isGlob: false,
  from,
})

/** What comes out of a command or goes into one. */
export interface Stream {
  /** `undefined`: only known when it runs. */
  readonly text: string | undefined
  /** Whether all of the text is known: a part that is not stands in it as it was written. */
  readonly isKnown: boolean
  /** The names of the commands that it comes from. */
  readonly from: readonly string[]
}

export const toStream = (text: string): Stream => ({ text, isKnown: true, from: NOBODY })

export const SILENCE: Stream = toStream('')

export const UNKNOWN: Stream = { text: undefined, isKnown: false, from: NOBODY }

/** What a command is run with. */
export interface Surroundings {
  /** `undefined`: whatever the shell itself has. */
  readonly stdin: Stream | undefined
  readonly isElevated: boolean
  readonly redirects: readonly { readonly op: string; readonly path: string }[]
}

export const PLAIN: Surroundings = { stdin: undefined, isElevated: false, redirects: [] }

/** One simple command, its name known and its words expanded. */
export interface Call extends Surroundings {
  readonly name: string
  /** What follows the name. */
  readonly words: readonly Field[]
}

/** Knows what a command of some name does: runs what it runs, and gives back what it puts out. */
export type Handler = (machine: Machine, call: Call) => Stream | undefined

export type FunctionBody = CompoundCommand | Redirected | CompoundList

export interface Machine {
  readonly findings: Findings
  readonly scope: Scope
  /** Reads a text as a shell would; `by` is who runs it, for the pipes. */
  runText(code: Field, by: string, around: Surroundings): Stream
  runScript(script: ParsedScript, around: Surroundings): Stream
  /** Runs a command that was found in the words of another. */
  runWords(words: readonly Field[], around: Surroundings): Stream
  /** Runs a function of the script, if there is one of that name. */
  runFunction(name: string, words: readonly Field[], around: Surroundings): Stream | undefined
  /** Runs the functions that nobody has called: somebody may yet. */
  runUncalled(): void
  define(name: string, body: FunctionBody): void
  /** Runs something of which it is not known whether it will be, or how often. */
  perhaps<Value>(run: () => Value): Value
  /** Runs something that keeps its variables and its folder to itself. */
  apart<Value>(run: () => Value): Value
}
