/**
 * Finds patterns in text that comes in pieces, and gives the same matches wherever it was cut: those of RE2 on the
 * whole text, the leftmost first and of two alike the earlier pattern. Neighbours: `program.ts` has the
 * program, `../replace-text.ts` uses what is found.
 *
 * All ways to match are followed at once (Pike), each knows where it began, and what lies before the first of them is
 * decided: no more than that has to be held back. A match has a longest length, so that nothing is held without end.
 */
import { OP, type Program } from './program.ts'

export interface Match {
  /** In characters from the beginning of the text. */
  readonly start: number
  readonly end: number
  /** The number of its pattern. */
  readonly pattern: number
}

export interface StreamMatcher {
  /** Takes the next piece, the last one with `isLast`; gives back the matches that are certain now, in order. */
  push(piece: string, isLast?: boolean): readonly Match[]
  /** Everything before this place is decided. */
  settled(): number
}

/** As RE2 numbers them. */
const BEGIN_LINE = 1
const END_LINE = 2
const BEGIN_TEXT = 4
const END_TEXT = 8
const WORD_EDGE = 16
const NO_WORD_EDGE = 32

const NONE = -1
const NOTHING: readonly Match[] = []

/** `maxLength`: a longer match is none. */
export const createStreamMatcher = (program: Program, maxLength: number): StreamMatcher =>
  new Pike(program, maxLength)

class Pike implements StreamMatcher {
  private readonly program: Program
  private readonly maxLength: number
  /** What may still be part of a match, and where it begins. */
  private held = ''
  private base = 0
  private at = 0
  private before = NONE
  /** Ways that took the character before `at`, the preferred first. */
  private readonly waiting: Int32Array
  private readonly waitingFrom: number[]
  private waitingCount = 0
  /** Those that can take the next character. */
  private readonly ready: Int32Array
  private readonly readyFrom: number[]
  private readyCount = 0
  /** In which round an instruction was last reached: each counts once. */
  private readonly reached: Int32Array
  private round = 0
  private readonly open: number[] = []
  private best: Match | undefined

  constructor(program: Program, maxLength: number) {
    this.program = program
    this.maxLength = maxLength
    this.waiting = new Int32Array(program.size)
    this.waitingFrom = Array.from({ length: program.size }, () => 0)
    this.ready = new Int32Array(program.size)
    this.readyFrom = Array.from({ length: program.size }, () => 0)
    this.reached = new Int32Array(program.size)
  }

  settled(): number {
    const first = this.waitingCount > 0 ? this.waitingFrom[0] : undefined
    return Math.min(first ?? this.at, this.best?.start ?? this.at, this.at)
  }

  push(piece: string, isLast = false): readonly Match[] {
    const text = this.held === '' ? piece : this.held + piece
    const found: Match[] = []
    for (;;) {
      const end = this.run(text, isLast)
      this.closeIfSure()
      if (this.best === undefined || !(end || this.waitingCount === 0)) break
      this.take(this.best, text, found)
    }
    const settled = this.settled()
    this.held = settled - this.base < text.length ? text.slice(settled - this.base) : ''
    this.base = settled
    return found.length === 0 ? NOTHING : found
  }

  /** Goes on behind that match, which may be before what was looked at. */
  private take(match: Match, text: string, found: Match[]): void {
    found.push(match)
    this.best = undefined
    this.waitingCount = 0
    this.at = match.end
    this.before = runeBefore(text, match.end - this.base)
  }

  /** Until a match is certain or the text is over; true when it is over and nothing will follow. */
  private run(text: string, isLast: boolean): boolean {
    const { program } = this
    while (this.best === undefined || this.waitingCount > 0) {
      const index = this.at - this.base
      if (index >= text.length) {
        if (isLast) this.close(NONE)
        return isLast
      }
      const unit = text.charCodeAt(index)
      if (this.waitingCount === 0 && !program.mayBegin(unit)) {
        this.before = unit
        this.at += 1
        continue
      }
      // Half a character: the other half comes with the next piece.
      if (isHighHalf(unit) && index + 1 === text.length && !isLast) return false
      const rune = text.codePointAt(index) ?? unit
      this.close(rune)
      this.step(rune)
      this.before = rune
      this.at += rune > 0xffff ? 2 : 1
    }
    return false
  }

  /** Follows all that takes no character, now that the next one is known. */
  private close(rune: number): void {
    const { program } = this
    this.round += 1
    this.readyCount = 0
    const flags = flagsBetween(this.before, rune)
    for (let i = 0; i < this.waitingCount; i++) {
      const from = this.waitingFrom[i] ?? 0
      if (this.at - from > this.maxLength) continue
      // What is less preferred than a match is over with it.
      if (this.follow(this.waiting[i] ?? 0, from, flags)) break
    }
    this.waitingCount = 0
    if (this.best !== undefined || rune === NONE) return
    for (const start of program.starts) if (this.follow(start, this.at, flags)) return
  }

  /** True when it led to a match. */
  private follow(first: number, from: number, flags: number): boolean {
    const { op, out, arg } = this.program
    const { open } = this
    open.length = 0
    for (let pc: number | undefined = first; pc !== undefined; pc = open.pop()) {
      if (this.reached[pc] === this.round) continue
      this.reached[pc] = this.round
      const next = out[pc] ?? 0
      const kind = op[pc]
      if (kind === OP.split) open.push(arg[pc] ?? 0, next)
      else if (kind === OP.jump) open.push(next)
      else if (kind === OP.empty && ((arg[pc] ?? 0) & ~flags) === 0) open.push(next)
      else if (kind === OP.rune) this.addReady(pc, from)
      else if (kind === OP.match && this.at > from) {
        this.best = { start: from, end: this.at, pattern: next }
        return true
      }
    }
    return false
  }

  private addReady(pc: number, from: number): void {
    this.ready[this.readyCount] = pc
    this.readyFrom[this.readyCount] = from
    this.readyCount += 1
  }

  private step(rune: number): void {
    const { program } = this
    for (let i = 0; i < this.readyCount; i++) {
      const pc = this.ready[i] ?? 0
      if (!program.takes(pc, rune)) continue
      this.waiting[this.waitingCount] = program.out[pc] ?? 0
      this.waitingFrom[this.waitingCount] = this.readyFrom[i] ?? 0
      this.waitingCount += 1
    }
  }

  /** A word that is whole needs no next character to be certain. */
  private closeIfSure(): void {
    const { op, out } = this.program
    if (this.best !== undefined || this.waitingCount === 0) return
    let pc = this.waiting[0] ?? 0
    while (op[pc] === OP.jump) pc = out[pc] ?? 0
    const start = this.waitingFrom[0] ?? 0
    if (op[pc] !== OP.match || this.at - start > this.maxLength) return
    this.best = { start, end: this.at, pattern: out[pc] ?? 0 }
    this.waitingCount = 0
  }
}

function flagsBetween(before: number, behind: number): number {
  let flags = isWordRune(before) === isWordRune(behind) ? NO_WORD_EDGE : WORD_EDGE
  if (before === NONE) flags |= BEGIN_TEXT | BEGIN_LINE
  if (before === 10) flags |= BEGIN_LINE
  if (behind === NONE) flags |= END_TEXT | END_LINE
  if (behind === 10) flags |= END_LINE
  return flags
}

/** ASCII only, as in RE2. */
const isWordRune = (rune: number): boolean =>
  (rune >= 0x61 && rune <= 0x7a) ||
  (rune >= 0x41 && rune <= 0x5a) ||
  (rune >= 0x30 && rune <= 0x39) ||
  rune === 0x5f

const isHighHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLowHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

function runeBefore(text: string, index: number): number {
  if (index <= 0) return NONE
  const unit = text.charCodeAt(index - 1)
  const whole = isLowHalf(unit) && index > 1 ? (text.codePointAt(index - 2) ?? 0) : 0
  return whole > 0xffff ? whole : unit
}
