/**
 * Looking into JSON that somebody else wrote. Each function looks at one thing and gives back a value
 * of the right type or `undefined`; none throws. Imports nothing.
 */
export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function toObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined
}

const NOTHING: readonly unknown[] = []

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NOTHING
}

/** A string that says something: compatible servers send `""` and `null` where they mean "absent". */
export function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function toCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

/** The object in `text`, or `undefined` when it is no JSON or no object. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    return toObject(JSON.parse(text))
  } catch {
    return undefined
  }
}
