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

/** Where a client's own call has its arguments: names in there are the tool's, and nothing is sealed. */
const ARGUMENTS = new Set(['input', 'arguments', 'args', 'parameters'])

/** What is sealed or no text: to change it would break it. */
const SEALED = new Set([
  'signature',
  'encrypted_content',
  'encrypted_index',
  'data',
  'thoughtSignature',
])

export function hideInJson<Value>(value: Value, hiding: Hiding): Value {
  return hide(value, hiding, { depth: 0, isSealed: true }) as Value
}

interface Place {
  readonly depth: number
  /** Whether some names stand for what a vendor sealed. */
  readonly isSealed: boolean
}

function hide(value: unknown, hiding: Hiding, { depth, isSealed }: Place): unknown {
  if (typeof value === 'string') return hiding.text(value)
  if (typeof value !== 'object' || value === null || depth > MAX_NESTING) return value
  const known = hiding.object?.(value)
  if (known !== undefined) return known
  if (Array.isArray(value)) {
    const made = value.map((one: unknown) => hide(one, hiding, { depth: depth + 1, isSealed }))
    return made.every((one, i) => one === value[i]) ? value : made
  }
  if (!isObject(value)) return value
  let isChanged = false
  const entries = Object.entries(value).map(([key, one]): [string, unknown] => {
    const isArguments = ARGUMENTS.has(key) && isObject(one)
    const inside = { depth: depth + 1, isSealed: isSealed && !isArguments }
    const made = isSealed && SEALED.has(key) ? one : hide(one, hiding, inside)
    isChanged ||= made !== one
    return [key, made]
  })
  return isChanged ? Object.fromEntries(entries) : value
}
