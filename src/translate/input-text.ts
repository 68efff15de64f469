/**
 * The free text in `{"input": "…"}`, while it streams: how a model without free-text tools is asked for one.
 * Neighbours: `restore-calls.ts`. What comes out does not depend on where the text was cut.
 *
 * - Anything that does not begin so is taken as it is: the text is the JSON itself.
 * - What follows the closing quote is left out: the text before it has been said already.
 * - An escape that JSON does not know stays as it was written.
 */
import { createJsonScanner } from '../base/json-scanner.ts'

export interface InputText {
  /** Takes the next piece of JSON and gives back the text that is certain by now, often nothing. */
  push(piece: string): string
  /** The JSON is over: gives back what was held. */
  end(): string
  /** After the end: whether the text stops in the middle. */
  readonly isCut: boolean
}

const OPENING = '{"input":"'
/** Where in it space may stand: before each of its four signs. */
const SPACED: ReadonlySet<number> = new Set([0, 1, 8, 9])
const SPACE = ' \t\r\n'
/** Nobody writes so much space; what waits must have an end. */
const MAX_OPENING = 1000
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

export function createInputText(): InputText {
  let place: 'opening' | 'string' | 'behind' | 'raw' = 'opening'
  /** How much of the opening has come. */
  let opened = 0
  /** Of the JSON, what cannot be read yet: an opening or an escape. */
  let waiting = ''
  /** Of the text, half a character. */
  let half = ''
  const scanner = createJsonScanner()
  let isWhole = false

  function open(piece: string): string {
    for (let at = 0; at < piece.length; at++) {
      const char = piece.charAt(at)
      if (char === OPENING[opened]) opened += 1
      else if (!SPACED.has(opened) || !SPACE.includes(char)) place = 'raw'
      if (waiting.length + at >= MAX_OPENING) place = 'raw'
      if (place === 'raw') break
      if (opened < OPENING.length) continue
      place = 'string'
      waiting = ''
      return read(piece.slice(at + 1))
    }
    waiting += piece
    return place === 'raw' ? release() : ''
  }

  function release(): string {
    const text = waiting
    waiting = ''
    return pass(text)
  }

  /** As it is. Where it is JSON, it is whole when its brackets are. */
  function pass(json: string): string {
    if (opened === 0) isWhole = true
    if (!isWhole) isWhole = scanner.feed(json)
    return json
  }

  /** Inside the string. */
  function read(piece: string): string {
    const json = waiting + piece
    waiting = ''
    let text = half
    half = ''
    let at = 0
    while (at < json.length) {
      const next = nextMark(json, at)
      text += json.slice(at, next)
      at = next
      if (json[at] === '"') {
        place = 'behind'
        return text
      }
      if (at === json.length) break
      const escape = readEscape(json, at)
      if (escape === undefined) {
        waiting = json.slice(at)
        break
      }
      text += escape.text
      at += escape.length
    }
    return holdHalf(text)
  }

  function holdHalf(text: string): string {
    const last = text.charCodeAt(text.length - 1)
    if (!(last >= 0xd800 && last < 0xdc00)) return text
    half = text.slice(-1)
    return text.slice(0, -1)
  }

  // A field and not a getter: what a getter in a literal costs stands in `base/bag.ts`.
  const input: { -readonly [Key in keyof InputText]: InputText[Key] } = {
    isCut: false,
    push(piece) {
      if (place === 'raw') return pass(piece)
      if (place === 'behind') return ''
      return place === 'opening' ? open(piece) : read(piece)
    },
    end() {
      if (place === 'string') {
        input.isCut = true
        return half
      }
      const last = place === 'opening' ? release() : ''
      input.isCut = place !== 'behind' && !isWhole
      return last
    },
  }
  return input
}

function nextMark(json: string, from: number): number {
  for (let at = from; at < json.length; at++) {
    const char = json.charCodeAt(at)
    if (char === 0x22 /* " */ || char === 0x5c /* \ */) return at
  }
  return json.length
}

/** The escape at that place and its length; `undefined` where it is not all there. */
function readEscape(json: string, at: number): { text: string; length: number } | undefined {
  const kind = json[at + 1]
  if (kind === undefined) return undefined
  if (kind !== 'u') return { text: ESCAPES[kind] ?? `\\${kind}`, length: 2 }
  const digits = json.slice(at + 2, at + 6)
  if (!/^[0-9a-fA-F]*$/.test(digits)) return { text: '\\u', length: 2 }
  if (digits.length < 4) return undefined
  return { text: String.fromCharCode(Number.parseInt(digits, 16)), length: 6 }
}
