/**
 * JSON whose numbers stay what they were. `JSON.parse` rounds an id of 64 bits to the next number that a machine
 * reckons with, and nobody would see it. A number that would not survive is kept as its text and written as that;
 * all others are plain numbers. Neighbours: `wire/`, where the arguments of a call are text on one wire and an object
 * on another.
 *
 * Where nothing would be lost, which is nearly always, a look at the text is all that it costs.
 */
import { parseObject, toObject, type JsonObject } from './json.ts'

/** A number by its digits. Written by anybody else than `stringifyExact`, it is rounded as ever. */
class ExactNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toJSON(): unknown {
    if (!isMarking) return Number(this.text)
    marked += 1
    return MARK + this.text
  }
}

/** Stands before the digits while they pass through the engine as a string. No text of others has it by chance. */
const MARK = `exact-${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}-`
const MARKED = new RegExp(`"${MARK}([^"]+)"`, 'g')
let isMarking = false
let marked = 0

/** Sixteen digits, or an exponent of three: with less, no number is lost. Strings have such too. */
const MAY_LOSE = /[\d.]{16}|\d[eE][-+]?\d{3}/

/** Whether a number in that JSON would come out as another one. */
export const losesDigits = (text: string): boolean =>
  mayLose(text) && !text.includes(MARK) && markNumbers(text) !== text

/** What is that long is mostly strings, often without a word in them: they are leapt over, and not looked through. */
const LONG = 4096
const SHORTEST = '1e300'.length

function mayLose(text: string): boolean {
  if (text.length < LONG) return MAY_LOSE.test(text)
  for (let at = 0; ;) {
    const quote = text.indexOf('"', at)
    const end = quote === -1 ? text.length : quote
    if (end - at >= SHORTEST && MAY_LOSE.test(text.slice(at, end))) return true
    if (quote === -1) return false
    at = behindString(text, quote)
  }
}

/** As `parseObject`, with the numbers that would not survive as they are written. */
export function parseExactObject(text: string): JsonObject | undefined {
  const rounded = parseObject(text)
  if (rounded === undefined || !losesDigits(text)) return rounded
  try {
    return toObject(JSON.parse(markNumbers(text), toExact))
  } catch {
    // Nested so deep that it cannot be walked: then as the engine reads it.
    return rounded
  }
}

/** As `JSON.stringify`, with each digit of what `parseExactObject` kept. */
export function stringifyExact(value: unknown): string {
  const before = marked
  isMarking = true
  let text: string
  try {
    text = JSON.stringify(value)
  } finally {
    isMarking = false
  }
  return marked === before ? text : text.replace(MARKED, '$1')
}

const toExact = (_key: string, value: unknown): unknown =>
  typeof value === 'string' && value.startsWith(MARK)
    ? new ExactNumber(value.slice(MARK.length))
    : value

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y

/** The text with those numbers as marked strings. Leaps over strings. */
function markNumbers(text: string): string {
  let out = ''
  let from = 0
  for (let at = 0; at < text.length;) {
    const char = text.charCodeAt(at)
    if (char === 0x22 /* " */) at = behindString(text, at)
    else if (char === 0x2d /* - */ || (char >= 0x30 && char <= 0x39)) {
      NUMBER.lastIndex = at
      const number = NUMBER.exec(text)?.[0] ?? text.charAt(at)
      if (isLossy(number)) {
        out += `${text.slice(from, at)}"${MARK}${number}"`
        from = at + number.length
      }
      at += number.length
    } else at += 1
  }
  return out + text.slice(from)
}

/** How many strings a JSON text has, names and values. */
export function countStrings(text: string): number {
  let count = 0
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', behindString(text, at)))
    count += 1
  return count
}

function behindString(text: string, from: number): number {
  for (let at = from + 1; ;) {
    const quote = text.indexOf('"', at)
    if (quote === -1) return text.length
    let slashes = 0
    while (text.charCodeAt(quote - 1 - slashes) === 0x5c /* \ */) slashes += 1
    if (slashes % 2 === 0) return quote + 1
    at = quote + 1
  }
}

/** Whether the engine would write it as another number. `1.0` and `1` are the same. */
function isLossy(number: string): boolean {
  if (number.length < 16 && !/[eE]/.test(number)) return false
  const value = Number(number)
  if (Number.isNaN(value)) return false
  return !Number.isFinite(value) || plain(number) !== plain(String(value))
}

/** Sign, digits and exponent, in one way for each value. */
function plain(number: string): string {
  const [base = '', exponent = '0'] = number.toLowerCase().split('e')
  const [whole = '', part = ''] = base.replace('-', '').split('.')
  const digits = whole + part
  let first = 0
  while (digits[first] === '0') first += 1
  let last = digits.length
  while (last > first && digits[last - 1] === '0') last -= 1
  if (first === last) return '0'
  const power = Number(exponent) - part.length + digits.length - last
  return `${base.startsWith('-') ? '-' : ''}${digits.slice(first, last)}e${power}`
}
