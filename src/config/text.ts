/**
 * Fields of text: free text, one of several words, true or false, URLs. Neighbours: `field.ts` has the
 * contract, `shape.ts` uses them.
 */
import {
  fill,
  HAS_VARIABLE,
  orVariable,
  refuse,
  refuseKind,
  takes,
  type Field,
  type FilledText,
  type Reading,
  type Spot,
} from './field.ts'
import { nearest } from '../base/nearest.ts'
import { show, type Scalar } from './node.ts'
import { isOneVariable } from './variables.ts'

const MAX_LENGTH = 8192

export interface TextOptions {
  /** What it takes, for sentences: `text`, `the name of an upstream`. */
  readonly takes?: string
  readonly maxLength?: number
  /** A sentence when the text is not right. It must not repeat the text, which may be a secret. */
  readonly check?: (text: string) => string | undefined
  /** What else could be done about a variable that is not set. */
  readonly remedy?: string
  /** What is said of an empty text; without, that it is empty. */
  readonly whenEmpty?: string
  readonly isEmptyAllowed?: boolean
  /** A pattern for editors. */
  readonly pattern?: string
}

/** Text, with whether any of it came from a variable. */
export function filledText(options: TextOptions = {}): Field<FilledText> {
  const { takes: kind = 'text', maxLength = MAX_LENGTH, check, pattern } = options
  return {
    schema: {
      type: 'string',
      ...(options.isEmptyAllowed === true ? {} : { minLength: 1 }),
      ...(pattern === undefined ? {} : { pattern: `${pattern}|${HAS_VARIABLE}` }),
    },
    read(spot, reading) {
      if (!isText(spot)) return refuseText(spot, reading, kind)
      const filled = fill(spot, reading, options.remedy)
      if (filled === undefined) return undefined
      const { text } = filled
      if (text === '' && options.isEmptyAllowed !== true)
        return refuse(spot, reading, options.whenEmpty ?? `it is empty: it takes ${kind}`)
      if (text.length > maxLength)
        return refuse(spot, reading, `it takes ${maxLength} characters at most, not ${text.length}`)
      const wrong = check?.(text)
      return wrong === undefined ? filled : refuse(spot, reading, wrong)
    },
  }
}

export function text(options: TextOptions = {}): Field<string> {
  const field = filledText(options)
  return mapField(field, ({ text: value }) => value)
}

/** Another value from the same field. */
export function mapField<A, B>(field: Field<A>, change: (value: A) => B): Field<B> {
  return {
    schema: field.schema,
    read(spot, reading) {
      const value = field.read(spot, reading)
      return value === undefined ? undefined : change(value)
    },
  }
}

/** A text, a number or true or false, as it was written: a header's value, or that of a query. */
export function plain(options: TextOptions = {}): Field<string> {
  const field = text(options)
  return {
    schema: { type: ['string', 'number', 'boolean'] },
    read(spot, reading) {
      const { node } = spot
      if (node.kind !== 'scalar' || node.value === null || typeof node.value === 'string')
        return field.read(spot, reading)
      return field.read({ ...spot, node: { ...node, value: node.text } }, reading)
    },
  }
}

/** One of these words. `noun` names them: `"x" is no wire`. */
export function choice<const Word extends string>(
  words: readonly Word[],
  noun: string,
): Field<Word> {
  return {
    schema: orVariable({ enum: words }),
    read(spot, reading) {
      if (!isText(spot)) return refuseKind(spot, reading, `one of ${words.join(', ')}`)
      const filled = fill(spot, reading)
      if (filled === undefined) return undefined
      const found = words.find((word) => word === filled.text)
      const typed = filled.hasVariables ? undefined : filled.text
      return found ?? refuse(spot, reading, () => isNo(spot.node, noun, takes(words, typed)))
    },
  }
}

/** That word, which stands for `value`, or what the field takes. */
export const orWord = <T, V>(word: string, value: V, field: Field<T>): Field<T | V> => ({
  schema: { anyOf: [{ const: word }, field.schema] },
  read(spot, reading) {
    if (!isText(spot)) return field.read(spot, reading)
    const typed = spot.node.value
    if (typed === word) return value
    return nearest(typed, [word]) === undefined || /\d/.test(typed)
      ? field.read(spot, reading)
      : refuse(spot, reading, () => isNo(spot.node, 'word here', `did you mean ${word}?`))
  },
})

/** `"x" is no wire: it takes …` */
export const isNo = (node: Scalar, noun: string, rest: string): string =>
  `${show(node)} is no ${noun}: ${rest}`

/** True or false. */
export const flag: Field<boolean> = {
  schema: orVariable({ type: 'boolean' }),
  read(spot, reading) {
    const { node } = spot
    if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value
    if (!isText(spot) || !isOneVariable(spot.node.value))
      return refuseKind(spot, reading, 'true or false')
    const filled = fill(spot, reading)
    if (filled === undefined) return undefined
    if (filled.text === 'true' || filled.text === 'false') return filled.text === 'true'
    return refuse(spot, reading, `${show(spot.node)} must be true or false`)
  },
}

/** An http or https URL. It is never shown: people put passwords into URLs. */
export function url(of: {
  readonly like: string
  readonly check?: (url: URL) => string | undefined
}): Field<URL> {
  const toUrl = (value: string): URL | undefined => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined
    const isHttp = parsed?.protocol === 'http:' || parsed?.protocol === 'https:'
    return isHttp ? parsed : undefined
  }
  const field = text({
    takes: `a URL such as ${of.like}`,
    maxLength: 2048,
    pattern: '^https?://',
    check(value) {
      const parsed = toUrl(value)
      if (parsed === undefined) return `it is no http or https URL: write it like ${of.like}`
      return of.check?.(parsed)
    },
  })
  return mapField(field, (value) => new URL(value))
}

type TextSpot = Spot & { readonly node: Scalar & { readonly value: string } }

export function isText(spot: Spot): spot is TextSpot {
  return spot.node.kind === 'scalar' && typeof spot.node.value === 'string'
}

function refuseText(spot: Spot, reading: Reading, kind: string): undefined {
  const { node } = spot
  if (node.kind !== 'scalar' || node.value === null) return refuseKind(spot, reading, kind)
  return refuse(spot, reading, `it takes ${kind}: put it in quotes`)
}
