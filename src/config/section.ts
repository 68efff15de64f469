/**
 * A field that is made of fields: a map whose keys are known. Neighbours: `field.ts` has the contract,
 * `collections.ts` has lists and maps of names, `shape.ts` uses them. Knows no setting.
 */
import { refuseKind, takes, type Field, type JsonSchema, type Reading, type Spot } from './field.ts'
import { quote, type Entry } from './node.ts'

/** One key of a section. */
interface Property<T> {
  /** For the editor's tooltip and the reference. */
  readonly says: string
  readonly field: Field<T>
  readonly isRequired?: boolean
}

export type Shape = Readonly<Record<string, Property<unknown>>>

type Values<S extends Shape> = {
  readonly [K in keyof S]?: (S[K] extends Property<infer T> ? T : never) | undefined
}

/** A section as it was read. A key that is there and not right has a spot and no value. */
export interface Section<S extends Shape> {
  readonly spot: Spot
  readonly values: Values<S>
  readonly spots: { readonly [K in keyof S]?: Spot }
}

export interface SectionOptions {
  /** Further rules for editors. */
  readonly schema?: JsonSchema
}

/** A map whose keys are known. */
export function section<const S extends Shape>(
  shape: S,
  { schema = {} }: SectionOptions = {},
): Field<Section<S>> {
  const names = Object.keys(shape)
  const required = names.filter((name) => shape[name]?.isRequired === true)
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(shape).map(([name, { says, field }]) => [
          name,
          { description: says, ...field.schema },
        ]),
      ),
      additionalProperties: false,
      ...(required.length === 0 ? {} : { required }),
      ...schema,
    },
    read(spot, reading) {
      const { node } = spot
      if (node.kind !== 'map') return refuseKind(spot, reading, `a map with ${names.join(', ')}`)
      const values = new Map<string, unknown>()
      const spots = new Map<string, Spot>()
      for (const entry of node.entries) {
        const property = Object.hasOwn(shape, entry.key) ? shape[entry.key] : undefined
        const at = toSpot(spot, entry)
        if (property === undefined) noteUnknown(at, entry.key, { names, reading })
        else {
          spots.set(entry.key, at)
          values.set(entry.key, property.field.read(at, reading))
        }
      }
      for (const name of required)
        if (!spots.has(name)) noteMissing(spot, name, lowerFirst(shape[name]?.says ?? ''), reading)
      return {
        spot,
        values: Object.fromEntries(values) as Values<S>,
        spots: Object.fromEntries(spots) as Section<S>['spots'],
      }
    },
  }
}

/** Notes that a key is missing, with what it is for. */
export function noteMissing(spot: Spot, name: string, says: string, reading: Reading): void {
  reading.notes.mistake(spot.keyPlace, spot.path, `${name} is missing: ${says}`)
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/** One entry of a map as a spot of its own. */
export function toSpot(parent: Spot, { key, keyPlace, value }: Entry): Spot {
  const name = /^[\w-]{1,64}$/.test(key) ? key : quote(key)
  return { node: value, keyPlace, path: parent.path === '' ? name : `${parent.path}.${name}` }
}

function noteUnknown(
  spot: Spot,
  key: string,
  of: { names: readonly string[]; reading: Reading },
): void {
  of.reading.notes.mistake(
    spot.keyPlace,
    spot.path,
    () => `there is no such key: ${takes(of.names, key)}`,
  )
}
