/**
 * Runs an automaton over one text that comes in pieces, and says what is to be hidden and how much of the text is
 * decided. Neighbours: `automaton.ts`; `lane.ts` sends what is decided, `json-finder.ts` runs it in the strings of
 * JSON. Knows no event.
 *
 * Everything that is part of a match is hidden, whichever match and however they overlap: each way to match keeps the
 * place where its secret began, places that are accepted become finds, and finds that overlap become one. So what comes
 * out is the same wherever the text is cut. What lies before the earliest place is decided. A match whose end is sure
 * but may still move on is given out at once and goes on as one find, so a long key is not held back.
 */
import { agoOf, type Accept, type Automaton, type Move, type State } from './automaton.ts'
import type { Decide, Find, Finder } from './find.ts'
import { LOOK_BACK, type Pattern } from './pattern.ts'

/** A longer value is hidden all the same, but nobody remembers it. */
const MAX_VALUE = 16_384

export interface ScannerOptions {
  /** Says what stands in the place of a find; asked once for each. */
  readonly decide: Decide
  /** Whether a find is given out only when its end is known: for those who want its value. */
  readonly isWhole?: boolean
}

export class Scanner implements Finder {
  readonly finds: Find[] = []
  settled = 0
  private readonly automaton: Automaton
  private readonly decide: Decide
  private readonly isWhole: boolean
  private state: State
  /** Where the piece that is run over now began. */
  private ran = 0
  /** Where each slot began. */
  private starts: number[] = []
  private spare: number[] = []
  /** How many units have been read; the first half of a pair waits for the other. */
  private at = 0
  private half = ''
  private kept = ''
  private keptFrom = 0
  /** Where the text began for conditions and checks. */
  private textFrom = 0

  constructor(automaton: Automaton, { decide, isWhole = false }: ScannerOptions) {
    this.automaton = automaton
    this.decide = decide
    this.isWhole = isWhole
    this.state = automaton.start()
  }

  push(piece: string): void {
    if (piece === '') return
    const text = this.half === '' ? piece : this.half + piece
    const isCut = isHigh(text.charCodeAt(text.length - 1))
    this.half = isCut ? text.slice(-1) : ''
    const whole = isCut ? text.slice(0, -1) : text
    this.keep(whole)
    this.run(whole)
    this.settle()
  }

  /** The text is over, and the next one begins: places go on counting. */
  end(): void {
    if (this.half !== '') {
      const { half } = this
      this.half = ''
      this.keep(half)
      this.run(half)
    }
    const { state, automaton } = this
    this.apply(automaton.move(state, automaton.endClass), 0)
    this.restart('')
    this.settle()
  }

  /** Begins a new text. `context` stands before it: it is known and not looked for. */
  restart(context: string): void {
    const { automaton } = this
    this.state = automaton.start()
    this.textFrom = this.at
    for (const char of context) {
      const byClass = automaton.classOf(char.codePointAt(0) ?? 0)
      this.state = automaton.move(this.state, byClass).to
    }
    if (context !== '') this.state = automaton.withoutSlots(this.state)
  }

  forget(before: number): void {
    const first = this.firstPlace()
    let done = 0
    for (const { end } of this.finds) {
      if (end > before || end > first) break
      done += 1
    }
    if (done > 0) this.finds.splice(0, done)
  }

  private run(text: string): void {
    const { table, width } = this.automaton
    let { book, row } = this.state
    let { plain } = book
    for (let i = 0; i < text.length; i++) {
      // Most moves do nothing: no object is touched, and `at` is kept up to date for the others.
      const next = plain[row * width + (table[text.charCodeAt(i)] ?? 0)] ?? 0
      if (next !== 0) {
        row = next
        continue
      }
      const rune = text.codePointAt(i) ?? 0
      if (rune > 0xffff) i += 1
      this.state = book.states[row] ?? this.state
      this.at = this.ran + i + 1 - (rune > 0xffff ? 2 : 1)
      this.step(rune)
      ;({ book, row } = this.state)
      ;({ plain } = book)
    }
    this.state = book.states[row] ?? this.state
    this.ran += text.length
    this.at = this.ran
  }

  private step(rune: number): void {
    const { state, automaton } = this
    const move = automaton.move(state, automaton.classOf(rune))
    this.apply(move, rune > 0xffff ? 2 : 1)
    this.state = move.to
  }

  private apply(move: Move, width: number): void {
    for (const accept of move.accepts) this.accept(accept, this.at + (accept.isBefore ? 0 : width))
    const { starts, spare } = this
    for (let slot = 0; slot < move.from.length; slot++) {
      const from = move.from[slot] ?? 0
      const ago = agoOf(from)
      // The last character of it is the one of the move, which may be two units.
      spare[slot] = ago === undefined ? (starts[from] ?? 0) : this.at + 1 - ago
    }
    this.starts = spare
    this.spare = starts
  }

  private accept({ pattern: index, from, isBefore }: Accept, at: number): void {
    const pattern = this.automaton.patterns[index]
    if (pattern === undefined) return
    const ago = agoOf(from)
    const began = ago === undefined ? (this.starts[from] ?? 0) : this.at + (isBefore ? 0 : 1) - ago
    const start = this.within(began, pattern.hold, at)
    const end = this.before(at, pattern.tail)
    if (end - start < pattern.min) return
    if (pattern.check !== undefined) {
      const back = Math.max(this.textFrom, start - LOOK_BACK)
      if (!pattern.check(this.slice(start, end), this.slice(back, start))) return
    }
    this.add(start, end, pattern)
  }

  /** What overlaps becomes one, under the name of what begins first. */
  private add(start: number, end: number, pattern: Pattern): void {
    const { finds } = this
    let until = end
    for (let last = finds.at(-1); last !== undefined && last.end > start; last = finds.at(-1)) {
      until = Math.max(until, last.end)
      if (last.start <= start) {
        last.end = until
        return
      }
      // It has not been given out: the place where this one begins was open until now.
      finds.pop()
    }
    const kind = pattern.kindOf(this.slice(start, end))
    finds.push({ start, end: until, kind, becomes: undefined, isSure: false })
  }

  /** A match may begin so far back and no farther: what lies there has left. */
  private within(start: number, hold: number, at: number): number {
    if (at - start <= hold) return start
    const limit = at - hold
    return isLow(this.kept.charCodeAt(limit - this.keptFrom)) ? limit + 1 : limit
  }

  /** So many characters before. */
  private before(at: number, chars: number): number {
    let place = at
    for (let i = 0; i < chars; i++)
      place -= isLow(this.kept.charCodeAt(place - 1 - this.keptFrom)) ? 2 : 1
    return place
  }

  /** The earliest place where something under way began. */
  private firstPlace(): number {
    const { slots, ahead } = this.state
    let first = this.at - ahead
    for (let slot = 0; slot < slots.length; slot++) {
      const hold = this.automaton.patterns[slots[slot] ?? 0]?.hold ?? 0
      const place = this.within(this.starts[slot] ?? 0, hold, this.at)
      if (place < first) first = place
    }
    return first
  }

  private settle(): void {
    const first = this.firstPlace()
    let settled = first
    for (const { start, end } of this.finds) {
      if (end <= first) continue
      if (this.isWhole && end - start <= MAX_VALUE) {
        settled = Math.min(settled, start)
        break
      }
      // What is under way inside of it may still move its end, but it is hidden as far as it goes.
      if (start <= first) settled = end
      break
    }
    // What has been given out stays given out.
    if (settled > this.settled) this.settled = settled
    for (const find of this.finds) {
      if (find.start >= this.settled) break
      if (!find.isSure) this.makeSure(find)
    }
  }

  private makeSure(find: Find): void {
    const isKnown = this.isWhole && find.end <= this.settled && find.start >= this.keptFrom
    find.isSure = true
    find.becomes = this.decide(find.kind, isKnown ? this.slice(find.start, find.end) : undefined)
  }

  private keep(text: string): void {
    this.kept += text
    const { reach } = this.automaton
    const wanted = Math.min(this.settled, this.keptFrom + this.kept.length - text.length - reach)
    if (wanted - this.keptFrom < 4096 + reach) return
    this.kept = this.kept.slice(wanted - this.keptFrom)
    this.keptFrom = wanted
  }

  private slice(start: number, end: number): string {
    return this.kept.slice(Math.max(0, start - this.keptFrom), end - this.keptFrom)
  }
}

const isHigh = (unit: number): boolean => (unit & 0xfc00) === 0xd800
const isLow = (unit: number): boolean => (unit & 0xfc00) === 0xdc00
