/**
 * What stands in a config file, as plain values that still know their place. Neighbours: `parse.ts`
 * makes nodes from YAML, fields (`field.ts`) read them. Knows no setting and no YAML.
 */

/** Both count from one. */
export interface Place {
  readonly line: number
  readonly column: number
}

export interface Scalar {
  readonly kind: 'scalar'
  readonly place: Place
  readonly size: 1
  readonly value: string | number | boolean | null
  /** As it was written, before variables are filled in. */
  readonly text: string
}

interface List {
  readonly kind: 'list'
  readonly place: Place
  /** How many nodes it is made of, those behind aliases counted each time. */
  readonly size: number
  readonly items: readonly ConfigNode[]
}

export interface Entry {
  readonly key: string
  readonly keyPlace: Place
  readonly value: ConfigNode
}

interface Dictionary {
  readonly kind: 'map'
  readonly place: Place
  readonly size: number
  readonly entries: readonly Entry[]
}

export type ConfigNode = Scalar | List | Dictionary

/** The node in a word, for sentences of the form "it takes a list, not text". */
export function kindOf(node: ConfigNode): string {
  switch (node.kind) {
    case 'list':
      return 'a list'
    case 'map':
      return 'a map'
    case 'scalar':
      if (node.value === null) return 'nothing'
      if (typeof node.value === 'string') return 'text'
      return typeof node.value === 'number' ? 'a number' : 'true or false'
  }
}

const MAX_SHOWN = 60

/** A word of a person's in quotes, on one line and not too long. */
export function quote(text: string): string {
  const short = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  return JSON.stringify(short)
}

/** A scalar as it was written: a variable by its name, never by its value. */
export function show(node: Scalar): string {
  return typeof node.value === 'string' ? quote(node.value) : node.text.slice(0, MAX_SHOWN)
}
