/**
 * What somebody asks of a new key → the same checked, or a sentence that says what is wrong. The rules are those of `keys`
 * in the config. Neighbours: `api-keys.ts`. Variables are not filled in: whoever asks may not read them.
 */
import { isObject, type JsonObject } from '../base/json.ts'
import { nearest } from '../base/nearest.ts'
import { checkName } from '../config/shape-upstream.ts'
import type { KeyLimits } from '../store/store.ts'

export interface ReadKeyOrder {
  readonly name: string
  readonly limits: KeyLimits
  readonly by: string
  readonly closes: boolean
}

const FIELDS = ['name', 'models', 'rate', 'budget', 'concurrent', 'by', 'closes']
const PERIODS = { second: 1000, minute: 60_000, hour: 3_600_000 } as const

const MAX_MODELS = 100
const MAX_MODEL_CHARS = 256
const MAX_REQUESTS = 1_000_000
const MAX_TOKENS = 1_000_000_000_000
const MAX_BY = 200

/** An error's message is for whoever asked. */
export function readKeyOrder(body: JsonObject): ReadKeyOrder | Error {
  const unknown = Object.keys(body).find((field) => !FIELDS.includes(field))
  if (unknown !== undefined) return unknownField(unknown)
  const { name, by = 'admin', closes = false } = body
  if (typeof name !== 'string') return new Error('Say "name": what the key is called in logs')
  const wrong = checkName(name)
  if (wrong !== undefined) return new Error(`"name": ${wrong}`)
  if (typeof by !== 'string' || by.length > MAX_BY)
    return new Error(`"by" takes up to ${MAX_BY} characters`)
  if (typeof closes !== 'boolean') return new Error('"closes" takes true or false')
  const limits = readLimits(body)
  return limits instanceof Error ? limits : { name, limits, by, closes }
}

function unknownField(field: string): Error {
  const near = nearest(field, FIELDS)
  const hint = near === undefined ? '' : `; did you mean "${near}"?`
  return new Error(
    `There is no field ${JSON.stringify(field.slice(0, 60))} here: it takes ${FIELDS.join(', ')}${hint}`,
  )
}

function readLimits({ models, rate, budget, concurrent }: JsonObject): KeyLimits | Error {
  const read = {
    models: readModels(models),
    rate: readRate(rate),
    budget: readBudget(budget),
    concurrent: readConcurrent(concurrent),
  }
  const wrong = Object.values(read).find((value) => value instanceof Error)
  if (wrong !== undefined) return wrong
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))
}

function readModels(models: unknown): readonly string[] | Error | undefined {
  if (models === undefined) return undefined
  const isRight =
    Array.isArray(models) &&
    models.length >= 1 &&
    models.length <= MAX_MODELS &&
    models.every((one) => typeof one === 'string' && one !== '' && one.length <= MAX_MODEL_CHARS)
  return isRight
    ? (models as readonly string[])
    : new Error(
        `"models" takes a list of 1 to ${MAX_MODELS} names such as ["claude-*"]; leave it out for all models`,
      )
}

function readRate(rate: unknown): KeyLimits['rate'] | Error {
  if (rate === undefined) return undefined
  const [requests, per] = partsOfRate(rate)
  const isRight = isWhole(requests, MAX_REQUESTS) && typeof per === 'string'
  if (isRight && Object.hasOwn(PERIODS, per))
    return { requests, per: PERIODS[per as keyof typeof PERIODS] }
  return new Error(
    `"rate" takes 1 to ${MAX_REQUESTS} requests in a second, a minute or an hour, such as "60/minute"`,
  )
}

function partsOfRate(rate: unknown): readonly [unknown, unknown] {
  if (isObject(rate)) return [rate['requests'], rate['per']]
  const [, requests, per] = /^(\d{1,7})\/(\w{1,20})$/.exec(String(rate)) ?? []
  return [Number(requests), per]
}

function readBudget(budget: unknown): KeyLimits['budget'] | Error {
  if (budget === undefined) return undefined
  const { tokens, per } = isObject(budget) ? budget : {}
  const isRight = isWhole(tokens, MAX_TOKENS)
  if (isRight && (per === 'day' || per === 'month' || per === 'ever')) return { tokens, per }
  return new Error(
    '"budget" takes tokens and a time, such as { "tokens": 1000000, "per": "day" }; per takes day, month, ever',
  )
}

function readConcurrent(concurrent: unknown): number | Error | undefined {
  if (concurrent === undefined || isWhole(concurrent, MAX_REQUESTS)) return concurrent
  return new Error(`"concurrent" takes a whole number from 1 to ${MAX_REQUESTS}`)
}

const isWhole = (value: unknown, max: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max
