/**
 * `${VAR}` in a text → the text with values. Neighbours: the fields of text (`text.ts`). Works on one
 * scalar after YAML has been read, so that a value can never add a line or a key.
 */
export type Environment = Readonly<Record<string, string | undefined>>

export interface Expanded {
  readonly text: string
  /** Variables that are not set and have no default. */
  readonly missing: readonly string[]
  /** Whether a value came from outside: such a text is never shown. */
  readonly hasVariables: boolean
  /** A `${` that begins no variable. */
  readonly isBroken: boolean
}

/** `$${` is a plain `${`. A default goes up to the first closing brace. */
const REFERENCE = /\$\$\{|\$\{(?:([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\})?/g

/** As in a shell, `:-` also serves for a variable that is set to nothing. */
export function expand(source: string, env: Environment): Expanded {
  const missing: string[] = []
  let hasVariables = false
  let isBroken = false
  const fill = (match: string, name: string | undefined, fallback: string | undefined): string => {
    if (match === '$${') return '${'
    if (name === undefined) {
      isBroken = true
      return ''
    }
    hasVariables = true
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (fallback !== undefined) return value === undefined || value === '' ? fallback : value
    if (value === undefined) missing.push(name)
    return value ?? ''
  }
  const text = source.replace(REFERENCE, fill)
  return { text, missing: [...new Set(missing)], hasVariables, isBroken }
}

/** The names of the variables in a text. */
export const variablesIn = (source: string): readonly string[] =>
  [...source.matchAll(REFERENCE)].flatMap(([, name]) => name ?? [])

/** Whether the text is one variable and nothing else, so that it may stand for a number. */
export const isOneVariable = (source: string): boolean =>
  /^\$\{[A-Za-z_][A-Za-z0-9_]*(?::-[^}]*)?\}$/.test(source)
