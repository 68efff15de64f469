/**
 * The values in a program that stand in it as they are: strings, several put together, lists of them, and names that
 * were given one. Neighbours: `code.ts` asks for the arguments of calls. Bounded: names that double each other stop
 * growing, and are not known then.
 */
import type { Token } from './code-tokens.ts'

const MAX_VALUE = 64 * 1024

export interface Value {
  readonly text: string
  readonly isKnown: boolean
  /** Where a list of strings stands instead of one. */
  readonly list?: readonly string[]
  /** The place behind it. */
  readonly end: number
}

export type Constants = ReadonlyMap<string, Value>

/** `const x = 'text'`. One that is set twice is not known. */
export function readConstants(tokens: readonly Token[]): Constants {
  const constants = new Map<string, Value>()
  for (let at = 2; at < tokens.length; at++) {
    const name = tokens[at - 2]
    const token = tokens[at]
    if (
      name?.type !== 'word' ||
      !isSign(tokens[at - 1], '=') ||
      (token?.type === 'sign' && token.text !== '[')
    )
      continue
    const value = readValue(tokens, constants, at)
    if (value !== undefined)
      constants.set(name.text, { ...value, isKnown: value.isKnown && !constants.has(name.text) })
  }
  return constants
}

export const isSign = (token: Token | undefined, text: string): boolean =>
  token?.type === 'sign' && token.text === text

/** A string, several put together, a list of them, or a name that stands for one. */
export function readValue(
  tokens: readonly Token[],
  constants: Constants,
  start: number,
): Value | undefined {
  if (isSign(tokens[start], '[')) return readList(tokens, constants, start)
  const first = readAtom(tokens[start], constants)
  if (first === undefined) return undefined
  if (first.list !== undefined) return { ...first, end: start + 1 }
  const pieces = [first.text]
  let { length } = first.text
  let { isKnown } = first
  let at = start + 1
  while (
    isSign(tokens[at], '+') ||
    (isSign(tokens[at], '.') && tokens[at + 1]?.type === 'string') ||
    tokens[at]?.type === 'string'
  ) {
    const isJoined = tokens[at]?.type === 'string'
    const next = readAtom(tokens[isJoined ? at : at + 1], constants)
    length += next?.text.length ?? 0
    const isShort = next !== undefined && length <= MAX_VALUE
    pieces.push(isShort ? next.text : '$…')
    isKnown = isKnown && isShort && next.isKnown
    at += isJoined ? 1 : 2
  }
  // A method or a formatting sign behind it makes another text of it.
  if (isSign(tokens[at], '.') || isSign(tokens[at], '%')) isKnown = false
  return { text: length <= MAX_VALUE ? pieces.join('') : '$…', isKnown, end: at }
}

export function readAtom(
  token: Token | undefined,
  constants: Constants,
): Omit<Value, 'end'> | undefined {
  if (token?.type === 'string') return { text: token.text, isKnown: token.isKnown }
  return token?.type === 'word' ? constants.get(token.text) : undefined
}

function readList(tokens: readonly Token[], constants: Constants, start: number): Value {
  const list: string[] = []
  let isKnown = true
  let at = start + 1
  while (at < tokens.length && !isSign(tokens[at], ']')) {
    const value = isSign(tokens[at], '[') ? undefined : readValue(tokens, constants, at)
    if (value === undefined && !isSign(tokens[at], ',')) isKnown = false
    if (value !== undefined && value.list === undefined) {
      list.push(value.text)
      isKnown = isKnown && value.isKnown
    }
    at = value === undefined ? at + 1 : value.end
  }
  return { text: '', list, isKnown, end: at + 1 }
}
