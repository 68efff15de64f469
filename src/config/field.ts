/**
 * The contract of a field: how one setting is read from its node, and how an editor is told of it. Both
 * stand in one place, so that the JSON Schema cannot part ways with the checks. Neighbours: `text.ts`,
 * `number.ts` and `section.ts` make fields, `shape.ts` puts them together.
 */
import { nearest } from '../base/nearest.ts'
import { kindOf, type ConfigNode, type Place, type Scalar } from './node.ts'
import type { Notes, Sentence } from './notes.ts'
import { expand, type Environment } from './variables.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

/** A node and where it stands in the settings: `upstreams.openai.wire`. */
export interface Spot {
  readonly node: ConfigNode
  readonly path: string
  /** What to point at when something is missing in it: its key. */
  readonly keyPlace: Place
}

/** What a field needs of the world. */
export interface Reading {
  readonly env: Environment
  readonly notes: Notes
  /** The file that a setting names, as text; a mistake is noted when it cannot be read. */
  readFile(path: string, spot: Spot): string | undefined
}

export interface Field<T> {
  /** JSON Schema, draft 7. */
  readonly schema: JsonSchema
  /** The value; `undefined` when it was not right, which is noted. */
  read(spot: Spot, reading: Reading): T | undefined
}

/** Notes a mistake at that spot. */
export function refuse(spot: Spot, reading: Reading, sentence: Sentence): undefined {
  reading.notes.mistake(spot.node.place, spot.path, sentence)
  return undefined
}

/** Notes that the spot holds something of another kind. Says the kind and not the value: it may be a secret. */
export function refuseKind(spot: Spot, reading: Reading, takes: string): undefined {
  const isEmpty = spot.node.kind === 'scalar' && spot.node.value === null
  return refuse(
    spot,
    reading,
    isEmpty
      ? `it is empty: give it a value or remove it; it takes ${takes}`
      : `it takes ${takes}, not ${kindOf(spot.node)}`,
  )
}

/** A text with its variables filled in. */
export interface FilledText {
  readonly text: string
  /** Whether part of it came from the environment: then it is shown nowhere. */
  readonly hasVariables: boolean
}

/** Fills in the variables of a text; `remedy` says what else a person could do about a missing one. */
export function fill(
  spot: Spot & { readonly node: Scalar },
  reading: Reading,
  remedy?: string,
): FilledText | undefined {
  const source = String(spot.node.value)
  const { text, missing, hasVariables, isBroken } = expand(source, reading.env)
  if (isBroken)
    return refuse(
      spot,
      reading,
      '"${" begins no variable here: write ${NAME} or ${NAME:-default}, or $${ for the characters',
    )
  for (const name of missing)
    refuse(
      spot,
      reading,
      `the variable ${name} is not set: set it, or ${remedy ?? `give it a default as in \${${name}:-value}`}`,
    )
  return missing.length > 0 ? undefined : { text, hasVariables }
}

/** As many as the file has keys. */
const MAX_LISTED = 23
const MAX_COMPARED = 200

/** `: it takes a, b, c; did you mean b?` What came from a variable is not compared: the hint would tell of it. */
export function takes(words: readonly string[], typed?: string): string {
  const listed = words.slice(0, MAX_LISTED).join(', ')
  const rest = words.length > MAX_LISTED ? ` and ${words.length - MAX_LISTED} more` : ''
  const near = typed === undefined ? undefined : nearest(typed, words.slice(0, MAX_COMPARED))
  return `it takes ${listed}${rest}${near === undefined ? '' : `; did you mean ${near}?`}`
}

/** In any text of the file a variable may stand, and an editor should not mind. */
export const HAS_VARIABLE = '\\$\\{'

/** The schema, or a text with a variable in it. */
export const orVariable = (schema: JsonSchema): JsonSchema => ({
  anyOf: [schema, { type: 'string', pattern: HAS_VARIABLE }],
})
