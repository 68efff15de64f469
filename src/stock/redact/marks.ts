/**
 * What stands in the place of a secret: a mark by a template, `[redacted:{kind}]`, and where marks are numbered, which
 * number is whose. Neighbours: `redact.ts` keeps one book per conversation. Marks are the same for the same value, so
 * that a model can speak of it; with the book they can be turned back.
 */
import { RE2JS } from 're2js'
import type { PatternSpec } from './pattern.ts'

export const PLAIN_MARK = '[redacted:{kind}]'
export const NUMBERED_MARK = '[redacted:{kind}:{number}]'

/** The kind that a mark of ours is found as, when it is to be turned back. */
export const MARK_KIND = 'mark'

/** Of one conversation, of which there may be thousands. */
const MAX_VALUES = 500
const MAX_CHARS = 64 * 1024

export interface MarkBook {
  /** The mark of a value; of one that is not known or too much to remember, one with the number 0. */
  markOf(kind: string, value: string | undefined): string
  /** The value of a mark that this book has given out. */
  valueOf(mark: string): string | undefined
}

export function createMarkBook(template: string): MarkBook {
  const numbers = new Map<string, number>()
  const marks = new Map<string, string>()
  const values = new Map<string, string>()
  let chars = 0
  return {
    markOf(kind, value) {
      if (value === undefined) return toMark(template, kind, 0)
      const key = `${kind} ${value}`
      const known = marks.get(key)
      if (known !== undefined) return known
      if (values.size >= MAX_VALUES || chars + value.length > MAX_CHARS)
        return toMark(template, kind, 0)
      const number = (numbers.get(kind) ?? 0) + 1
      const mark = toMark(template, kind, number)
      numbers.set(kind, number)
      marks.set(key, mark)
      values.set(mark, value)
      chars += value.length
      return mark
    },
    valueOf: (mark) => values.get(mark),
  }
}

export const toMark = (template: string, kind: string, number: number): string =>
  template.replaceAll('{kind}', kind).replaceAll('{number}', `${number}`)

/** Finds the marks of a template. */
export function markSpec(template: string): PatternSpec {
  const pattern = template
    .split(/(\{kind\}|\{number\})/)
    .map((piece) =>
      piece === '{kind}' ? '[a-z0-9-]+' : piece === '{number}' ? '[0-9]+' : RE2JS.quote(piece),
    )
    .join('')
  return { kind: MARK_KIND, pattern }
}

/** What every mark of a template begins with: whoever finds it in a value has found a mark and no secret. */
export const beginningOf = (template: string): string => template.split('{', 1)[0] ?? ''

/** A sentence when marks cannot be made so. */
export function checkTemplate(template: string, isNumbered: boolean): string | undefined {
  if (!template.includes('{kind}') && isNumbered)
    return 'marks that are told apart need {kind} in them: write it like [redacted:{kind}:{number}]'
  if (isNumbered !== template.includes('{number}'))
    return isNumbered
      ? 'marks that are told apart need {number} in them: write it like [redacted:{kind}:{number}]'
      : '{number} is for marks that are told apart: set pseudonyms: true, or leave it out'
  if (isNumbered && beginningOf(template).length < 3)
    return 'marks that are turned back must begin with three characters of their own before {kind}'
  return undefined
}
