/**
 * What a JSON Schema says of texts and numbers, and whether two values are the same. Neighbour: `validate.ts`.
 */
import { isObject, type JsonObject } from '../../base/json.ts'
import { report, spend, type Walk } from './walk.ts'

export function checkText(schema: JsonObject, text: string, walk: Walk): void {
  const { minLength, maxLength, pattern } = schema
  if (typeof minLength === 'number' || typeof maxLength === 'number') {
    const length = countCharacters(text)
    if (typeof minLength === 'number' && length < minLength)
      bounds(schema, walk, `expected at least ${minLength} characters, got ${length}`)
    if (typeof maxLength === 'number' && length > maxLength)
      bounds(schema, walk, `expected at most ${maxLength} characters, got ${length}`)
  }
  if (typeof pattern !== 'string') return
  const fits = walk.patterns.test(pattern, text, (looks) => spend(walk, looks))
  if (fits === undefined) walk.unsure += 1
  if (fits === false) bounds(schema, walk, `expected text that matches ${pattern.slice(0, 100)}`)
}

/** As JSON Schema counts: a pair of surrogates is one. */
function countCharacters(text: string): number {
  let count = text.length
  for (let at = 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0xdc00 && code <= 0xdfff && isHigh(text.charCodeAt(at - 1))) count -= 1
  }
  return count
}

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

export function checkNumber(schema: JsonObject, value: number, walk: Walk): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const say = (words: string): void => bounds(schema, walk, `expected ${words}, got ${value}`)
  if (typeof minimum === 'number') {
    // Draft 4: a flag beside the bound.
    if (exclusiveMinimum === true && value <= minimum) say(`more than ${minimum}`)
    else if (value < minimum) say(`at least ${minimum}`)
  }
  if (typeof maximum === 'number') {
    if (exclusiveMaximum === true && value >= maximum) say(`less than ${maximum}`)
    else if (value > maximum) say(`at most ${maximum}`)
  }
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
    say(`more than ${exclusiveMinimum}`)
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
    say(`less than ${exclusiveMaximum}`)
  if (typeof multipleOf === 'number' && multipleOf > 0 && !isMultiple(value, multipleOf))
    say(`a multiple of ${multipleOf}`)
}

/** `0.3` is a multiple of `0.1`, whatever the machine thinks of it. */
function isMultiple(value: number, of: number): boolean {
  const times = value / of
  const whole = Math.round(times)
  return Math.abs(times - whole) <= Number.EPSILON * Math.max(1, Math.abs(times)) * 2
}

export function bounds(schema: JsonObject, walk: Walk, message: string): void {
  report(walk, { kind: 'bounds', message: () => message, schema })
}

/** Whether two values are the same JSON; the order of keys means nothing. */
export function isSame(a: unknown, b: unknown, walk: Walk): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      spend(walk, a.length + 1) &&
      a.every((one, i) => isSame(one, b[i], walk))
    )
  if (!isObject(a) || !isObject(b)) return false
  const names = Object.keys(a)
  return (
    spend(walk, names.length + 1) &&
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name], walk))
  )
}
