/**
 * Fields that hold several of another: lists, maps by name, one or many. Neighbours: `field.ts` has the
 * contract, `section.ts` has maps whose keys are known, `shape.ts` uses them. Knows no setting.
 */
import { refuse, refuseKind, type Field, type Reading, type Spot } from './field.ts'
import { toSpot } from './section.ts'

export interface Named<T> {
  readonly name: string
  readonly spot: Spot
  readonly value: T
}

/** A map whose keys are names that a person chose. `checkName` gives a sentence for a name that cannot be. */
export function mapOf<T>(
  field: Field<T>,
  of: {
    readonly max: number
    readonly takes: string
    readonly min?: number
    readonly checkName?: (name: string) => string | undefined
    readonly names?: string
  },
): Field<readonly Named<T>[]> {
  const { max, min = 0, checkName = () => undefined, names } = of
  return {
    schema: {
      type: 'object',
      additionalProperties: field.schema,
      ...(min > 0 ? { minProperties: min } : {}),
      ...(names === undefined ? {} : { propertyNames: { pattern: names } }),
      maxProperties: max,
    },
    read(spot, reading) {
      const { node } = spot
      if (node.kind !== 'map') return refuseKind(spot, reading, of.takes)
      if (!checkLength(node.entries.length, { min, max }, spot, reading)) return undefined
      return node.entries.flatMap((entry) => {
        const at = toSpot(spot, entry)
        const wrong = checkName(entry.key)
        if (wrong !== undefined) reading.notes.mistake(at.keyPlace, at.path, wrong)
        const value = field.read(at, reading)
        return value === undefined || wrong !== undefined
          ? []
          : [{ name: entry.key, spot: at, value }]
      })
    },
  }
}

export interface Placed<T> {
  readonly spot: Spot
  readonly value: T
}

/** Each value with its place, for what is checked later against other settings. */
export function listOf<T>(
  field: Field<T>,
  of: { readonly max: number; readonly takes: string; readonly min?: number },
): Field<readonly Placed<T>[]> {
  const { max, min = 0 } = of
  return {
    schema: {
      type: 'array',
      items: field.schema,
      ...(min > 0 ? { minItems: min } : {}),
      maxItems: max,
    },
    read(spot, reading) {
      const { node } = spot
      if (node.kind !== 'list') return refuseKind(spot, reading, of.takes)
      if (!checkLength(node.items.length, { min, max }, spot, reading)) return undefined
      return node.items.flatMap((item, index) => {
        const at = { node: item, path: `${spot.path}[${index}]`, keyPlace: item.place }
        const value = field.read(at, reading)
        return value === undefined ? [] : [{ spot: at, value }]
      })
    },
  }
}

/** One value, or a list of them. */
export function oneOrMany<T>(
  field: Field<T>,
  of: { readonly max: number; readonly takes: string; readonly min?: number },
): Field<readonly Placed<T>[]> {
  const list = listOf(field, of)
  return {
    schema: { anyOf: [field.schema, list.schema] },
    read(spot, reading) {
      if (spot.node.kind === 'list') return list.read(spot, reading)
      if (spot.node.kind === 'map' || spot.node.value === null)
        return refuseKind(spot, reading, of.takes)
      const value = field.read(spot, reading)
      return value === undefined ? undefined : [{ spot, value }]
    },
  }
}

/** A map in one form, anything else in another. */
export function mapOr<M, T>(map: Field<M>, other: Field<T>): Field<M | T> {
  return {
    schema: { anyOf: [other.schema, map.schema] },
    read: (spot, reading) => (spot.node.kind === 'map' ? map : other).read(spot, reading),
  }
}

function checkLength(
  length: number,
  { min, max }: { readonly min: number; readonly max: number },
  spot: Spot,
  reading: Reading,
): boolean {
  if (length >= min && length <= max) return true
  refuse(
    spot,
    reading,
    length < min
      ? 'it is empty: it takes at least one, or remove it'
      : `it takes ${max} at most, not ${length}`,
  )
  return false
}
