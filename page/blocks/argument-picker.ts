/**
 * Takes arguments by their names, whatever their spelling, and knows which were taken: so that nothing a model said is
 * left unseen. Neighbours: `call-shape.ts`, `call-commands.ts`.
 */
import type { JsonObject } from '../../src/base/json.ts'
import { toKey } from '../../src/facts/tool-names.ts'

export interface Picker {
  /** The first of these that is a text. */
  text(...keys: readonly string[]): string | undefined
  list(...keys: readonly string[]): readonly unknown[] | undefined
  scalar(...keys: readonly string[]): string | undefined
  /** Takes a yes or a no; a missing one is no. */
  flag(...keys: readonly string[]): boolean
  /** As the model spelt that key. */
  spelling(key: string): string
  /** What nobody has taken. */
  rest(): JsonObject
}

export function createPicker(args: JsonObject): Picker {
  const spellings = new Map(Object.keys(args).map((name) => [toKey(name), name]))
  const taken = new Set<string>()

  function take<T>(
    keys: readonly string[],
    isRight: (value: unknown) => value is T,
  ): T | undefined {
    for (const key of keys) {
      const name = spellings.get(key)
      const value = name === undefined ? undefined : args[name]
      if (name === undefined || !isRight(value)) continue
      taken.add(name)
      return value
    }
    return undefined
  }

  return {
    text: (...keys) => take(keys, (value): value is string => typeof value === 'string'),
    list: (...keys) => take(keys, (value): value is readonly unknown[] => Array.isArray(value)),
    scalar: (...keys) => {
      const value = take(keys, isScalar)
      return value === undefined ? undefined : String(value)
    },
    flag: (...keys) => take(keys, (value): value is boolean => typeof value === 'boolean') ?? false,
    spelling: (key) => spellings.get(key) ?? key,
    rest: () => Object.fromEntries(Object.entries(args).filter(([name]) => !taken.has(name))),
  }
}

const isScalar = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number'
