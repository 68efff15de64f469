/**
 * What RE2 made of patterns, read as one program that can be run a character at a time: RE2 itself only looks at whole
 * texts. Neighbours: `stream-matcher.ts` runs it. The instructions are inner parts of the package, whose version is
 * pinned; what is not as expected is refused here, and a test compares both on random patterns.
 */
import type { RE2JS } from 're2js'
import { SluiceError } from '../../base/sluice-error.ts'

/** The instructions, as numbers of ours. */
export const OP = { rune: 0, split: 1, jump: 2, empty: 3, match: 4, fail: 5 } as const

export interface Program {
  readonly size: number
  readonly op: Uint8Array
  /** Where it goes on; of `split` the first choice, of `match` the number of its pattern. */
  readonly out: Int32Array
  /** The second choice of `split`; the conditions of `empty`. */
  readonly arg: Int32Array
  /** Where each pattern begins, in the order of the patterns. */
  readonly starts: readonly number[]
  /** Whether an instruction takes a character. */
  takes(pc: number, rune: number): boolean
  /** Whether some pattern may begin with that UTF-16 unit. Says yes when in doubt. */
  mayBegin(unit: number): boolean
}

/** As the package numbers them. */
const THEIRS: readonly (keyof typeof OP | undefined)[] = [
  undefined,
  'split',
  'split',
  'jump',
  'empty',
  'fail',
  'match',
  'jump',
  'rune',
  'rune',
  'rune',
  'rune',
]

interface Instruction {
  readonly op: number
  readonly out: number
  readonly arg: number
  readonly runes: Int32Array
  matchRune(rune: number): boolean
}

export function toProgram(patterns: readonly RE2JS[]): Program {
  const all = patterns.map(readInstructions)
  const size = all.reduce((sum, { list }) => sum + list.length, 0)
  const op = new Uint8Array(size)
  const out = new Int32Array(size)
  const arg = new Int32Array(size)
  const instructions: Instruction[] = []
  const starts: number[] = []
  for (const [index, { list, start }] of all.entries()) {
    const base = instructions.length
    starts.push(base + start)
    for (const one of list) {
      const pc = instructions.push(one) - 1
      const kind = THEIRS[one.op]
      if (kind === undefined) throw new SluiceError('wrong-use', 'Cannot run this pattern')
      op[pc] = OP[kind]
      out[pc] = kind === 'match' ? index : base + one.out
      arg[pc] = kind === 'split' ? base + one.arg : one.arg
    }
  }
  const ascii = instructions.map(toAsciiTable)
  const first = firstUnits({ op, out, arg, starts, instructions })
  return {
    size,
    op,
    out,
    arg,
    starts,
    takes: (pc, rune) =>
      rune < 128 ? ascii[pc]?.[rune] === 1 : instructions[pc]?.matchRune(rune) === true,
    mayBegin: (unit) => (unit < 128 ? first[unit] === 1 : first[128] === 1),
  }
}

function readInstructions(pattern: RE2JS): { list: readonly Instruction[]; start: number } {
  const { inst, start } = pattern.re2Input.prog as { inst?: Instruction[]; start?: number }
  if (!Array.isArray(inst) || typeof start !== 'number')
    throw new SluiceError('wrong-use', 'Cannot read the program of a pattern')
  return { list: inst, start }
}

function toAsciiTable(one: Instruction): Uint8Array | undefined {
  if (THEIRS[one.op] !== 'rune') return undefined
  return Uint8Array.from({ length: 128 }, (_, rune) => (one.matchRune(rune) ? 1 : 0))
}

/** Which of the 128 may come first; at 128, whether anything else may. Conditions are taken as met. */
function firstUnits(of: {
  readonly op: Uint8Array
  readonly out: Int32Array
  readonly arg: Int32Array
  readonly starts: readonly number[]
  readonly instructions: readonly Instruction[]
}): Uint8Array {
  const first = new Uint8Array(129)
  const seen = new Set<number>()
  const open = [...of.starts]
  for (let pc = open.pop(); pc !== undefined; pc = open.pop()) {
    if (seen.has(pc)) continue
    seen.add(pc)
    const one = of.instructions[pc]
    if (of.op[pc] === OP.rune && one !== undefined) {
      toAsciiTable(one)?.forEach((takes, rune) => (first[rune] = (first[rune] ?? 0) | takes))
      if (takesOthers(one)) first[128] = 1
    } else if (of.op[pc] === OP.split) open.push(of.out[pc] ?? 0, of.arg[pc] ?? 0)
    else if (of.op[pc] === OP.jump || of.op[pc] === OP.empty) open.push(of.out[pc] ?? 0)
  }
  return first
}

/** Beyond ASCII; `k` and `s` have others of their case there. */
function takesOthers({ runes }: Instruction): boolean {
  const last = runes[runes.length - 1] ?? 0
  return last > 127 || (runes.length === 1 && 'ksKS'.includes(String.fromCodePoint(last)))
}
