/**
 * A pattern as RE2 compiled it → nodes of ours that can be run a character at a time: RE2 itself only looks at whole
 * texts. Neighbours: `automaton.ts` runs several at once, `reach.ts` measures one. The instructions are inner parts of
 * the package, whose version is pinned; what is not as expected is refused here, and a test compares both on random
 * patterns.
 */
import type { RE2JS } from 're2js'
import { SluiceError } from '../../base/sluice-error.ts'

export type Node =
  /** Takes one character. `edges`: where the set of what it takes may begin or end. */
  | {
      readonly type: 'take'
      readonly next: number
      readonly edges: readonly number[]
      takes(rune: number): boolean
    }
  | { readonly type: 'fork'; readonly next: number; readonly other: number }
  /** Conditions on the characters before and behind, as RE2 numbers them. */
  | { readonly type: 'look'; readonly next: number; readonly needs: number }
  /** What is to be hidden begins here, and ends here. */
  | { readonly type: 'begin' | 'end'; readonly next: number }
  | { readonly type: 'jump'; readonly next: number }
  | { readonly type: 'match' }
  | { readonly type: 'fail' }

export interface Program {
  readonly nodes: readonly Node[]
  readonly start: number
}

/** As RE2 numbers the conditions of `look`. */
export const LOOK = {
  beginLine: 1,
  endLine: 2,
  beginText: 4,
  endText: 8,
  wordEdge: 16,
  noWordEdge: 32,
} as const

/** Of a pattern with this group only the group is hidden; the rest is what must stand around it. */
const SECRET_GROUP = 'secret'

interface Instruction {
  readonly op: number
  readonly out: number
  readonly arg: number
  readonly runes: Int32Array
  matchRune(rune: number): boolean
}

export function toProgram(pattern: RE2JS): Program {
  const { inst, start } = pattern.re2().prog as { inst?: Instruction[]; start?: number }
  if (!Array.isArray(inst) || typeof start !== 'number') throw unreadable()
  const group = pattern.namedGroups()[SECRET_GROUP]
  const nodes = inst.map((one) => toNode(one, group))
  if (group !== undefined) return { nodes, start }
  return { nodes: [...nodes, { type: 'begin', next: start }], start: nodes.length }
}

function toNode(one: Instruction, group: number | undefined): Node {
  const next = one.out
  switch (one.op) {
    case 1:
    case 2:
      return { type: 'fork', next, other: one.arg }
    case 3:
      if (group === undefined || one.arg >> 1 !== group) return { type: 'jump', next }
      return { type: one.arg % 2 === 0 ? 'begin' : 'end', next }
    case 4:
      return { type: 'look', next, needs: one.arg }
    case 5:
      return { type: 'fail' }
    case 6:
      return { type: 'match' }
    case 7:
      return { type: 'jump', next }
    case 8:
    case 9:
    case 10:
    case 11:
      return { type: 'take', next, edges: edgesOf(one), takes: (rune) => one.matchRune(rune) }
    default:
      throw unreadable()
  }
}

/** A single character may stand for its other cases too: those of `k` and `s` lie far away. */
function edgesOf({ runes }: Instruction): readonly number[] {
  const [only] = runes
  if (only === undefined || runes.length > 1)
    return [...runes].map((rune, i) => (i % 2 === 0 ? rune : rune + 1))
  const char = String.fromCodePoint(only)
  const cases = new Set([char, char.toLowerCase(), char.toUpperCase(), '\u017f', '\u212a'])
  return [...cases].flatMap((one) => {
    const rune = one.codePointAt(0) ?? 0
    return [rune, rune + 1]
  })
}

const unreadable = (): SluiceError =>
  new SluiceError('wrong-use', 'Cannot read the program of a pattern')
