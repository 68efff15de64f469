/**
 * What is found in a text that comes in pieces. Neighbours: `scanner.ts` finds in plain text, `json-finder.ts` in
 * JSON; `lane.ts` puts something in its place.
 */
export interface Find {
  readonly start: number
  /** Moves on while the match does. */
  end: number
  /** What it is: `github-token`. */
  readonly kind: string
  /** What stands in its place, once that is decided; `undefined`: it stays. */
  becomes: string | undefined
  /** Whether that is decided. */
  isSure: boolean
}

export interface Finder {
  push(piece: string): void
  /** The text is over: everything is decided. */
  end(): void
  /** What lies before this place is decided, in units of the text as it came. */
  readonly settled: number
  /** In order, without overlap. */
  readonly finds: readonly Find[]
  /** Nobody asks for what lies before that any more. */
  forget(before: number): void
}

/**
 * What stands in the place of a find; `undefined`: it stays. `value`: what was found, with its escapes undone, where
 * the finder was asked to find it whole and it is not too long.
 */
export type Decide = (kind: string, value: string | undefined) => string | undefined
