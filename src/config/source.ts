/**
 * A config file as it was written → its single values, each with its path, its line and the variables in it. Neighbours:
 * `load.ts` keeps the nodes, `server/` shows them to who has the admin token. Values are as they stand in the file:
 * variables by their name, never by what they hold; what is a secret is for others to know.
 */
import type { ConfigNode, Place } from './node.ts'
import { toSpot } from './section.ts'
import { variablesIn } from './variables.ts'

export interface ConfigSource {
  /** The file as messages name it. */
  readonly name: string
  readonly root: ConfigNode
}

type Plain = string | number | boolean | null

/** One value, or a list of such. */
export interface WrittenValue {
  /** `upstreams.main.timeout`, `policies[0].use`. */
  readonly path: string
  readonly value: Plain | readonly Plain[]
  readonly place: Place
  /** Names of variables, each once. */
  readonly variables: readonly string[]
}

/** Up to `max` of them, in the order of the file. */
export function writtenValues({ root }: ConfigSource, max: number): readonly WrittenValue[] {
  const found: WrittenValue[] = []
  walk(root, '', { found, max })
  return found
}

interface Walk {
  readonly found: WrittenValue[]
  readonly max: number
}

function walk(node: ConfigNode, path: string, to: Walk): void {
  if (to.found.length >= to.max) return
  const { place } = node
  switch (node.kind) {
    case 'scalar':
      to.found.push({ path, value: node.value, place, variables: variablesOf([node.value]) })
      return
    case 'list': {
      const plain = node.items.flatMap((item) => (item.kind === 'scalar' ? [item.value] : []))
      if (plain.length === node.items.length)
        to.found.push({ path, value: plain, place, variables: variablesOf(plain) })
      else for (const [index, item] of node.items.entries()) walk(item, `${path}[${index}]`, to)
      return
    }
    case 'map':
      for (const entry of node.entries) {
        const spot = toSpot({ node, path, keyPlace: place }, entry)
        walk(entry.value, spot.path, to)
      }
  }
}

const variablesOf = (values: readonly Plain[]): readonly string[] => [
  ...new Set(values.flatMap((value) => (typeof value === 'string' ? variablesIn(value) : []))),
]

/** Where a key of that name stands: `sluice.yaml:12`; `undefined` where it does not. */
export function whereKeyStands(source: ConfigSource | undefined, name: string): string | undefined {
  if (source?.root.kind !== 'map') return undefined
  const keys = source.root.entries.find(({ key }) => key === 'keys')?.value
  const place = keys === undefined ? undefined : placeOfKey(keys, name)
  return place === undefined ? undefined : `${source.name}:${place.line}`
}

function placeOfKey(keys: ConfigNode, name: string): Place | undefined {
  if (keys.kind === 'map') return keys.entries.find(({ key }) => key === name)?.keyPlace
  if (keys.kind === 'scalar') return undefined
  for (const item of keys.items) {
    if (item.kind !== 'map') continue
    const named = item.entries.find(({ key }) => key === 'name')?.value
    if (named?.kind === 'scalar' && named.value === name) return named.place
  }
  return undefined
}
