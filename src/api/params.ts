/**
 * Parameters of a query: what each may say, read from an address and written into one. Neighbours: `filters.ts` has the
 * ones of records, `routes.ts` says which path takes which, the server reads them. What is wrong becomes a sentence that
 * says what is allowed.
 */
import { nearest } from '../base/nearest.ts'
import { readTime } from './times.ts'
import type { JsonSchema } from './schema.ts'

export type Param = { readonly says: string } & (
  | { readonly type: 'text'; readonly max: number }
  /** Milliseconds since 1970, a date, or how long ago: `7d`. */
  | { readonly type: 'time' }
  | { readonly type: 'whole'; readonly min: number; readonly max: number }
  | { readonly type: 'flag' }
  | { readonly type: 'choice'; readonly values: readonly string[] }
  /** A status of HTTP, or `error`. */
  | { readonly type: 'status' }
)

export type Params = Readonly<Record<string, Param>>
export type ParamValue = string | number | boolean
export type ParamValues = Readonly<Record<string, ParamValue>>

/** So long a query is no question of ours. */
const MAX_QUERY_CHARS = 8192

/** The values, or what is wrong with the first that is not right. */
export function readParams(params: Params, query: string, now: number): ParamValues | Error {
  if (query.length > MAX_QUERY_CHARS)
    return new Error(`The query is too long: it takes up to ${MAX_QUERY_CHARS} characters`)
  const values: Record<string, ParamValue> = {}
  for (const [name, typed] of new URLSearchParams(query)) {
    const param = Object.hasOwn(params, name) ? params[name] : undefined
    if (param === undefined) return unknownParam(name, Object.keys(params))
    if (Object.hasOwn(values, name)) return new Error(`"${name}" is said twice: say it once`)
    const value = readValue(param, typed, now)
    if (value === undefined)
      return new Error(`"${name}" cannot be ${show(typed)}: it takes ${whatItTakes(param)}`)
    values[name] = value
  }
  return values
}

function readValue(param: Param, typed: string, now: number): ParamValue | undefined {
  switch (param.type) {
    case 'text':
      return typed !== '' && typed.length <= param.max ? typed : undefined
    case 'time':
      return readTime(typed, now)
    case 'whole':
      return readWhole(typed, param.min, param.max)
    case 'flag':
      return typed === 'true' ? true : typed === 'false' ? false : undefined
    case 'choice':
      return param.values.includes(typed) ? typed : undefined
    case 'status':
      return typed === 'error' ? typed : readWhole(typed, 100, 599)
  }
}

function readWhole(typed: string, min: number, max: number): number | undefined {
  if (!/^\d{1,15}$/.test(typed)) return undefined
  const value = Number(typed)
  return value >= min && value <= max ? value : undefined
}

function unknownParam(name: string, known: readonly string[]): Error {
  const near = nearest(name, known)
  const hint = near === undefined ? '' : `; did you mean "${near}"?`
  const list = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`
  return new Error(`There is no parameter ${show(name)} here: ${list}${hint}`)
}

const MAX_SHOWN = 60

const show = (typed: string): string =>
  JSON.stringify(typed.length > MAX_SHOWN ? `${typed.slice(0, MAX_SHOWN)}…` : typed)

function whatItTakes(param: Param): string {
  switch (param.type) {
    case 'text':
      return `1 to ${param.max} characters`
    case 'time':
      return 'milliseconds since 1970, a date such as 2026-11-15T10:00:00Z, or how long ago, such as 30m, 12h or 7d'
    case 'whole':
      return `a number from ${param.min} to ${param.max}`
    case 'flag':
      return 'true or false'
    case 'choice':
      return param.values.join(', ')
    case 'status':
      return 'a status from 100 to 599, or error'
  }
}

/** The same for machines. */
export function toParamSchema(param: Param): JsonSchema {
  switch (param.type) {
    case 'text':
      return { type: 'string', minLength: 1, maxLength: param.max }
    case 'time':
      return { anyOf: [{ type: 'integer' }, { type: 'string' }] }
    case 'whole':
      return { type: 'integer', minimum: param.min, maximum: param.max }
    case 'flag':
      return { type: 'boolean' }
    case 'choice':
      return { type: 'string', enum: param.values }
    case 'status':
      return {
        anyOf: [
          { type: 'integer', minimum: 100, maximum: 599 },
          { type: 'string', enum: ['error'] },
        ],
      }
  }
}

/** With its question mark, or nothing. */
export function writeQuery(values: object): string {
  const said = new URLSearchParams()
  for (const [name, value] of Object.entries(values) as [string, unknown][])
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      said.append(name, String(value))
  const text = said.toString()
  return text === '' ? '' : `?${text}`
}
