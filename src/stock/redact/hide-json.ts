/**
 * All texts in a JSON value, one by one, as copies where something changes: what is unchanged is the same object.
 * Neighbours: `request.ts` and `answer.ts`, for what vendors put beside the texts that we know.
 */
import { isObject } from '../../base/json.ts'
import { MAX_NESTING } from '../../base/nesting.ts'

export interface Hiding {
  /** A text → the text that stands there then. */
  text(text: string): string
  /** An object that is known already → what it becomes. */
  object?(value: object): object | undefined
}

/** What is sealed or no text: to change it would break it. */
const SEALED = new Set([
  'signature',
  'encrypted_content',
  'encrypted_index',
  'data',
  'thoughtSignature',
])

export function hideInJson<Value>(value: Value, hiding: Hiding): Value {
  return hide(value, hiding, 0) as Value
}

function hide(value: unknown, hiding: Hiding, depth: number): unknown {
  if (typeof value === 'string') return hiding.text(value)
  if (typeof value !== 'object' || value === null || depth > MAX_NESTING) return value
  const known = hiding.object?.(value)
  if (known !== undefined) return known
  if (Array.isArray(value)) {
    const made = value.map((one: unknown) => hide(one, hiding, depth + 1))
    return made.every((one, i) => one === value[i]) ? value : made
  }
  if (!isObject(value)) return value
  let isChanged = false
  const entries = Object.entries(value).map(([key, one]): [string, unknown] => {
    const made = SEALED.has(key) ? one : hide(one, hiding, depth + 1)
    isChanged ||= made !== one
    return [key, made]
  })
  return isChanged ? Object.fromEntries(entries) : value
}
