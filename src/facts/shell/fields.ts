/**
 * Pieces of a word → the fields that a command gets: what stands side by side is one, blanks in what was put in end
 * one. Several possibilities are carried along. Neighbours: `words.ts` reads the pieces, `simple.ts` puts words in a
 * row. All of it is counted, so that a few variables cannot grow into more than a machine can hold.
 */
import { MAX_TEXT } from '../findings.ts'
import type { Field, Machine } from './machine.ts'
import { MAX_POSSIBLE, type Possible } from './scope.ts'

/** One possibility for a piece. `isSplit`: it stands outside of quotes, where blanks end a word. */
export interface Value {
  readonly fields: readonly Field[]
  readonly isSplit: boolean
}

export interface FieldBuilder {
  add(values: readonly Value[]): void
  finish(): Possible
}

interface State {
  /** Owned by this state: it grows. */
  readonly done: Field[]
  /** The field that is being written; `undefined`: none has begun. */
  open: Field | undefined
}

export function createBuilder(machine: Machine, begin?: Field): FieldBuilder {
  let states: State[] = [{ done: [], open: begin }]
  return {
    add(values) {
      const [value] = values
      if (values.length === 1 && value !== undefined) {
        for (const state of states) append(machine, state, value)
        return
      }
      if (states.length * values.length > MAX_POSSIBLE) machine.findings.markOpaque()
      const forks = states.flatMap((state) =>
        values.map((other) => ({ other, state: { done: [...state.done], open: state.open } })),
      )
      states = forks.slice(0, MAX_POSSIBLE).map(({ other, state }) => {
        append(machine, state, other)
        return state
      })
    },
    finish: () =>
      states.map(({ done, open }) => {
        if (open !== undefined) done.push(open)
        return done
      }),
  }
}

function append(machine: Machine, state: State, value: Value): void {
  if (!value.isSplit) return put(machine, state, value.fields)
  const { isCutBefore, pieces, isCutAfter } = split(machine, value.fields)
  if (isCutBefore) close(state)
  put(machine, state, pieces)
  if (isCutAfter) close(state)
}

function close(state: State): void {
  if (state.open !== undefined) state.done.push(state.open)
  state.open = undefined
}

/** The first goes on with the field that is open, the last stays open. */
function put(machine: Machine, state: State, fields: readonly Field[]): void {
  if (fields.length > 1 && !machine.findings.spendWords(fields.length)) return
  for (const [index, field] of fields.entries()) {
    if (index > 0) close(state)
    state.open = state.open === undefined ? field : glue(state.open, field)
  }
}

/** Names of commands that are remembered with an output. */
const MAX_FROM = 16

/** A field that has grown too long is not known any more. */
const glue = (one: Field, other: Field): Field => {
  const isShort = one.text.length + other.text.length <= MAX_TEXT
  return {
    text: isShort ? one.text + other.text : one.text,
    isKnown: isShort && one.isKnown && other.isKnown,
    startsKnown: one.text === '' ? one.startsKnown && other.startsKnown : one.startsKnown,
    isGlob: one.isGlob || other.isGlob,
    from: other.from.length === 0 ? one.from : [...one.from, ...other.from].slice(0, MAX_FROM),
  }
}

interface Cut {
  readonly isCutBefore: boolean
  readonly pieces: readonly Field[]
  readonly isCutAfter: boolean
}

/** Blanks, or what `IFS` says, end a field. */
function split(machine: Machine, fields: readonly Field[]): Cut {
  const marks = machine.scope.lookUp('IFS')?.at(-1)?.[0]?.text ?? ' \t\n'
  const isMark = (letter: string | undefined): boolean =>
    letter !== undefined && marks.includes(letter)
  const pieces: Field[] = []
  for (const field of fields) {
    if (!field.isKnown) pieces.push(field)
    else for (const text of splitText(field.text, isMark)) pieces.push({ ...field, text })
  }
  const first = fields[0]
  const last = fields.at(-1)
  return {
    isCutBefore: first?.isKnown === true && isMark(first.text[0]),
    pieces,
    isCutAfter: last?.isKnown === true && isMark(last.text.at(-1)),
  }
}

function splitText(
  text: string,
  isMark: (letter: string | undefined) => boolean,
): readonly string[] {
  const pieces: string[] = []
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && !isMark(text[at])) continue
    if (at > start) pieces.push(text.slice(start, at))
    start = at + 1
  }
  return pieces
}

export const joinFields = (fields: readonly Field[]): Field =>
  fields.length === 1 && fields[0] !== undefined
    ? fields[0]
    : {
        text: fields.map(({ text }) => text).join(' '),
        isKnown: fields.every(({ isKnown }) => isKnown),
        startsKnown: fields[0]?.startsKnown ?? true,
        isGlob: fields.some(({ isGlob }) => isGlob),
        from: fields.flatMap(({ from }) => from).slice(0, MAX_FROM),
      }

/** All ways to put the possibilities of several words into one row of words. */
export function combine(machine: Machine, words: readonly Possible[]): Possible {
  let rows: Field[][] = [[]]
  for (const possible of words) {
    const [fields] = possible
    if (possible.length === 1 && fields !== undefined) for (const row of rows) row.push(...fields)
    else rows = fork(machine, rows, possible)
  }
  return rows
}

function fork(machine: Machine, rows: readonly Field[][], possible: Possible): Field[][] {
  const length = rows[0]?.length ?? 0
  if (rows.length * possible.length > MAX_POSSIBLE) machine.findings.markOpaque()
  if (!machine.findings.spendWords(length * possible.length)) return [...rows]
  return rows.flatMap((row) => possible.map((fields) => [...row, ...fields])).slice(0, MAX_POSSIBLE)
}
