/**
 * Fields of a client's request, one at a time: a value of the right type, nothing, or a problem with its path
 * and what to do about it. Neighbours: the `request-read*.ts` files. Knows no field by name. `null` is
 * nothing: SDKs send it for whatever was not set.
 */
import { isObject, type JsonObject } from '../../base/json.ts'
import type { RequestProblem } from '../../request/request.ts'

export interface Problems {
  add(path: string, message: string, code?: RequestProblem['code']): void
  /** The one that is told: clients show a single sentence. */
  readonly first: RequestProblem | undefined
}

type Mutable = { -readonly [Key in keyof Problems]: Problems[Key] }

export function createProblems(): Problems {
  // A field that is set, and no getter: see `base/bag.ts`.
  const problems: Mutable = {
    first: undefined,
    add(path, message, code) {
      problems.first ??= { path, message, ...(code === undefined ? {} : { code }) }
    },
  }
  return problems
}

export function takeNumber(body: JsonObject, key: string, problems: Problems): number | undefined {
  const value = body[key] ?? undefined
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isFinite(value)) return value
  problems.add(key, `Send a number, or leave the field out: got ${describe(value)}`)
  return undefined
}

/** Whole, and not less than `least`. */
export function takeWhole(
  body: JsonObject,
  key: string,
  problems: Problems,
  least = Number.NEGATIVE_INFINITY,
): number | undefined {
  const value = takeNumber(body, key, problems)
  if (value === undefined || (Number.isInteger(value) && value >= least)) return value
  const limit = Number.isFinite(least) ? ` of at least ${least}` : ''
  problems.add(key, `Send a whole number${limit}: got ${value}`)
  return undefined
}

export function takeFlag(body: JsonObject, key: string, problems: Problems): boolean | undefined {
  const value = body[key] ?? undefined
  if (value === undefined || typeof value === 'boolean') return value
  problems.add(key, `Send true or false, or leave the field out: got ${describe(value)}`)
  return undefined
}

export function takeText(body: JsonObject, key: string, problems: Problems): string | undefined {
  const value = body[key] ?? undefined
  if (typeof value === 'string') return value === '' ? undefined : value
  if (value !== undefined)
    problems.add(key, `Send a string, or leave the field out: got ${describe(value)}`)
  return undefined
}

export function takeObject(
  body: JsonObject,
  key: string,
  problems: Problems,
): JsonObject | undefined {
  const value = body[key] ?? undefined
  if (value === undefined || isObject(value)) return value
  problems.add(key, `Send an object, or leave the field out: got ${describe(value)}`)
  return undefined
}

export function takeList(
  body: JsonObject,
  key: string,
  problems: Problems,
  path: string = key,
): readonly unknown[] {
  const value = body[key] ?? undefined
  if (Array.isArray(value)) return value
  if (value !== undefined)
    problems.add(path, `Send a list, or leave the field out: got ${describe(value)}`)
  return []
}

const SHOWN_CHARS = 40

/** What somebody sent, in few words. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (isObject(value)) return 'an object'
  if (typeof value === 'string')
    return JSON.stringify(value.length > SHOWN_CHARS ? `${value.slice(0, SHOWN_CHARS)}…` : value)
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : 'null'
}

/** `undefined` for what is nested so deep that it cannot be written: whoever sent it may have meant harm. */
export function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** The same object without the fields that have no value: what is not said is not written. */
export function withoutUndefined<T extends object>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as never
}
