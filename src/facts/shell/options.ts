/**
 * Words of a command → its options and its operands, given which options take a value. Neighbours: wrappers, shells
 * and `files.ts`. Follows the usual way of reading options; a program that has its own is read as far as that fits.
 */
import type { Field } from './machine.ts'

export interface OptionNames {
  /** Letters of short options that take a value: `-u root`, `-uroot`. */
  readonly short?: string
  /** Long options that take one: `--user root`, `--user=root`. Also `-name` of programs that write them so. */
  readonly long?: readonly string[]
}

export interface Split {
  /** Each option as `-u` or `--user`, with its value where it takes one. */
  readonly options: readonly { readonly name: string; readonly value: Field | undefined }[]
  readonly operands: readonly Field[]
}

/** All options, wherever they stand; behind `--` there are none. */
export const splitWords = (words: readonly Field[], names: OptionNames): Split =>
  read(words, names, false)

/** Options up to the first operand: that and all behind it are the operands, as for a command that runs another. */
export const splitLeading = (words: readonly Field[], names: OptionNames): Split =>
  read(words, names, true)

function read(words: readonly Field[], names: OptionNames, isLeading: boolean): Split {
  const options: { name: string; value: Field | undefined }[] = []
  const operands: Field[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    if (word === undefined) break
    const { text } = word
    if (text === '--') return { options, operands: [...operands, ...words.slice(at + 1)] }
    if (!text.startsWith('-') || text === '-') {
      if (isLeading) return { options, operands: words.slice(at) }
      operands.push(word)
    } else if (isLong(text, names)) {
      const sign = text.indexOf('=')
      const name = sign === -1 ? text : text.slice(0, sign)
      const takes = sign === -1 && names.long?.includes(name.replace(/^-+/, '')) === true
      options.push({
        name,
        value: sign === -1 ? (takes ? words[++at] : undefined) : cut(word, sign + 1),
      })
    } else if (readShort(word, names, words[at + 1], options)) at++
  }
  return { options, operands }
}

const isLong = (text: string, { long }: OptionNames): boolean =>
  text.startsWith('--') ||
  (text.length > 2 && long?.includes(text.slice(1).split('=')[0] ?? '') === true)

/** Says whether the next word was the value. */
function readShort(
  word: Field,
  { short = '' }: OptionNames,
  next: Field | undefined,
  options: { name: string; value: Field | undefined }[],
): boolean {
  const { text } = word
  const end = Math.min(text.length, 64)
  for (let at = 1; at < end; at++) {
    const letter = text[at] ?? ''
    const takes = short.includes(letter)
    const isLast = at === text.length - 1
    options.push({
      name: `-${letter}`,
      value: takes ? (isLast ? next : cut(word, at + 1)) : undefined,
    })
    if (takes) return isLast
  }
  return false
}

export const cut = (field: Field, from: number): Field => ({
  ...field,
  text: field.text.slice(from),
  startsKnown: true,
})

export const valueOf = (split: Split, ...names: readonly string[]): Field | undefined =>
  split.options.findLast(({ name, value }) => value !== undefined && names.includes(name))?.value

export const hasOption = (split: Split, ...names: readonly string[]): boolean =>
  split.options.some(({ name }) => names.includes(name))
