/**
 * Finds in the strings of a JSON text that comes in pieces, with their escapes undone: `\u0041` is an A, and `\n` ends
 * a line. Neighbours: `scanner.ts` looks at what the strings say, `lane.ts` sends. Places are those of the raw text,
 * and a find never has half an escape in it nor the end of a string, so that JSON stays JSON.
 *
 * Each string is a text of its own. Before a value the scanner is told its name, so that `"password": "…"` is known
 * for what it is. A number that is found stands outside of strings: what takes its place is in quotes.
 * Takes whatever comes: broken JSON is looked over as far as it goes.
 */
import type { Automaton } from './automaton.ts'
import type { Decide, Find, Finder } from './find.ts'
import { Scanner, type ScannerOptions } from './scanner.ts'

/** A place in what the strings say, and the same place in the raw text: behind each escape and each quote. */
interface Anchor {
  readonly said: number
  readonly raw: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** A shorter number is nobody's card or phone. */
const MIN_NUMBER = 7
/** Longer ones are no numbers that anybody uses. */
const MAX_NUMBER = 64
const MAX_NAME = 64
const SHORT: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

export class JsonFinder implements Finder {
  readonly finds: Find[] = []
  settled = 0
  private readonly automaton: Automaton
  private readonly scanner: Scanner
  private readonly decide: Decide
  private at = 0
  private said = 0
  private isInString = false
  /** Of an escape that is not whole: what has come of it. */
  private escape = ''
  private number = ''
  private numberFrom = 0
  /** The last string, and whether a colon followed: then it is a name. */
  private name = ''
  private hasColon = false
  private anchors: Anchor[] = []
  /** The finds of this string that have a place here already. */
  private readonly placed = new Map<Find, Find>()

  constructor(automaton: Automaton, options: ScannerOptions) {
    this.automaton = automaton
    this.decide = options.decide
    this.scanner = new Scanner(automaton, {
      ...options,
      decide: (kind, value) => {
        const becomes = options.decide(kind, value)
        return becomes === undefined ? undefined : JSON.stringify(becomes).slice(1, -1)
      },
    })
  }

  push(piece: string): void {
    let i = 0
    while (i < piece.length) i = this.isInString ? this.inString(piece, i) : this.outside(piece, i)
    this.at += piece.length
    this.settle()
  }

  end(): void {
    this.endNumber(this.at)
    if (this.isInString) this.endString(this.at)
    this.settle()
  }

  forget(before: number): void {
    const open = new Set(this.placed.values())
    let done = 0
    for (const find of this.finds) {
      if (find.end > before || open.has(find)) break
      done += 1
    }
    if (done > 0) this.finds.splice(0, done)
  }

  /** Reads to the end of the string or of the piece; gives back where to go on. */
  private inString(piece: string, from: number): number {
    if (this.escape !== '') return this.inEscape(piece, from)
    let to = from
    while (to < piece.length) {
      const unit = piece.charCodeAt(to)
      if (unit === QUOTE || unit === BACKSLASH) break
      to += 1
    }
    if (to > from) this.say(piece.slice(from, to))
    if (to === piece.length) return to
    if (piece.charCodeAt(to) === BACKSLASH) this.escape = '\\'
    else this.endString(this.at + to)
    return to + 1
  }

  private inEscape(piece: string, from: number): number {
    const escape = this.escape + piece.charAt(from)
    const letter = escape.charAt(1)
    const isWhole = letter === 'u' ? escape.length === 6 : true
    const isBroken = letter === 'u' && escape.length > 2 && !isHex(piece.charCodeAt(from))
    this.escape = isWhole || isBroken ? '' : escape
    if (isBroken) {
      // No escape after all: its characters are what they are, and the last one is read again.
      this.say(escape.slice(0, -1))
      return from
    }
    if (isWhole) {
      this.say(unescape(escape))
      this.anchors.push({ said: this.said, raw: this.at + from + 1 })
    }
    return from + 1
  }

  private outside(piece: string, from: number): number {
    const unit = piece.charCodeAt(from)
    const at = this.at + from
    if (isOfNumber(unit)) {
      if (this.number === '') this.numberFrom = at
      // One more than the most shows that there is more.
      if (this.number.length <= MAX_NUMBER) this.number += piece.charAt(from)
      return from + 1
    }
    this.endNumber(at)
    if (unit === QUOTE) this.beginString(at + 1)
    else if (unit === 0x3a) this.hasColon = true
    else if (unit > 0x20) {
      this.name = ''
      this.hasColon = false
    }
    return from + 1
  }

  private beginString(raw: number): void {
    this.isInString = true
    this.anchors.push({ said: this.said, raw })
    this.scanner.restart(this.hasColon && this.name !== '' ? `"${this.name}":"` : '')
    this.hasColon = false
    this.name = ''
  }

  private endString(raw: number): void {
    if (this.escape !== '') this.say(this.escape)
    this.escape = ''
    this.isInString = false
    this.scanner.end()
    this.place()
    this.scanner.forget(this.said)
    this.placed.clear()
    this.anchors = [{ said: this.said, raw }]
  }

  private say(text: string): void {
    this.scanner.push(text)
    this.said += text.length
    if (this.name.length < MAX_NAME) this.name += text.slice(0, MAX_NAME - this.name.length)
  }

  private endNumber(raw: number): void {
    const { number } = this
    this.number = ''
    if (number.length < MIN_NUMBER || number.length > MAX_NUMBER) return
    const scanner = new Scanner(this.automaton, { decide: this.decide, isWhole: true })
    scanner.push(number)
    scanner.end()
    const [found] = scanner.finds
    if (found?.becomes === undefined) return
    const becomes = JSON.stringify(found.becomes)
    this.finds.push({ ...found, start: this.numberFrom, end: raw, becomes })
  }

  /** Gives finds of the scanner their places in the raw text. */
  private place(): void {
    for (const own of this.scanner.finds) {
      const known = this.placed.get(own)
      if (known !== undefined) known.end = this.rawOf(own.end)
      else if (own.isSure) {
        const find = { ...own, start: this.rawOf(own.start), end: this.rawOf(own.end) }
        this.placed.set(own, find)
        this.finds.push(find)
      }
    }
  }

  private settle(): void {
    if (!this.isInString) {
      this.settled = this.number === '' ? this.at : this.numberFrom
      return
    }
    this.place()
    this.scanner.forget(this.scanner.settled)
    this.settled = this.rawOf(this.scanner.settled)
    const first = this.anchorOf(this.scanner.settled)
    if (first > 0) this.anchors = this.anchors.slice(first)
  }

  /** Behind what is said there may be an escape that is not whole: it counts as not read. */
  private rawOf(said: number): number {
    const anchor = this.anchors[this.anchorOf(said)]
    return anchor === undefined ? this.at : anchor.raw + said - anchor.said
  }

  /** The last one up to that place. */
  private anchorOf(said: number): number {
    let low = 0
    let high = this.anchors.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.anchors[middle]?.said ?? 0) <= said) low = middle
      else high = middle - 1
    }
    return low
  }
}

const isHex = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66)

/** Digits, sign, point, exponent. */
const isOfNumber = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) ||
  unit === 0x2d ||
  unit === 0x2e ||
  unit === 0x2b ||
  unit === 0x65 ||
  unit === 0x45

function unescape(escape: string): string {
  const letter = escape.charAt(1)
  if (letter === 'u') return String.fromCharCode(Number.parseInt(escape.slice(2), 16))
  return SHORT[letter] ?? letter
}
