/**
 * What stands in a config file, as plain values that still know their place. Neighbours: `parse.ts`
 * makes nodes from YAML, fields (`field.ts`) read them. Knows no setting and no YAML.
 */

/** Both count from one. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** Where a node stands in the text: offsets, the second behind its last sign. */
export type Extent = readonly [start: number, end: number]

export interface Scalar {
  readonly kind: 'scalar'
  readonly place: Place
  readonly extent?: Extent
  /** Where a sign of its value stands in the text, whatever quotes, escapes and folded lines are before it. */
  placeAt?(index: number): Place
  readonly size: 1
  readonly value: string | number | boolean | null
  /** As it was written, before variables are filled in. */
  readonly text: string
}

interface List {
  readonly kind: 'list'
  readonly place: Place
  readonly extent?: Extent
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
  readonly extent?: Extent
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
