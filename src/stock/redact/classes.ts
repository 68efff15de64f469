/**
 * Characters → the few classes that a set of patterns can tell apart, so that its automaton needs a row of some dozen
 * places instead of a million. Neighbours: `automaton.ts`.
 */
import type { Node } from './program.ts'

export interface Classes {
  readonly count: number
  /** By UTF-16 unit. */
  readonly table: Uint16Array
  /** Of a character beyond those. */
  ofRune(rune: number): number
  /** One character of each class. */
  readonly samples: readonly number[]
}

const MAX_RUNE = 0x10ffff
/** Where conditions change: lines, and letters, digits and underscores. */
const FIXED = [0x0a, 0x0b, 0x30, 0x3a, 0x41, 0x5b, 0x5f, 0x60, 0x61, 0x7b, 0xd800, 0xe000, 0x10000]

export function toClasses(nodes: readonly Node[]): Classes {
  const takers = nodes.filter((node) => node.type === 'take')
  const edges = [...new Set([0, ...FIXED, ...takers.flatMap(({ edges: of }) => of)])]
    .filter((edge) => edge <= MAX_RUNE)
    .sort((a, b) => a - b)
  const distinct = distinctTakers(takers, edges)
  const known = new Map<string, number>()
  const samples: number[] = []
  const classes = edges.map((edge) => {
    const taken = distinct.map((taker) => (taker.takes(edge) ? '1' : '0')).join('')
    // Those of two units have classes of their own: places are counted in units.
    const key = taken + (edge > 0xffff ? 'p' : kindOf(edge))
    const before = known.get(key)
    if (before !== undefined) return before
    known.set(key, samples.length)
    return samples.push(edge) - 1
  })
  const table = new Uint16Array(0x10000)
  for (const [i, edge] of edges.entries())
    table.fill(classes[i] ?? 0, edge, Math.min(edges[i + 1] ?? 0x10000, 0x10000))
  return {
    count: samples.length,
    table,
    samples,
    ofRune(rune) {
      let low = 0
      let high = edges.length - 1
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if ((edges[middle] ?? 0) <= rune) low = middle
        else high = middle - 1
      }
      return classes[low] ?? 0
    },
  }
}

type Taker = Extract<Node, { type: 'take' }>

/** Many nodes take the same: `x{64}` is one set and not 64. */
function distinctTakers(takers: readonly Taker[], edges: readonly number[]): readonly Taker[] {
  const byEdges = new Map<string, Taker[]>()
  for (const taker of takers) {
    const key = taker.edges.join()
    const alike = byEdges.get(key) ?? []
    // Two with the same edges may still differ, in the case of letters.
    if (!alike.some((one) => edges.every((edge) => one.takes(edge) === taker.takes(edge))))
      alike.push(taker)
    byEdges.set(key, alike)
  }
  return [...byEdges.values()].flat()
}

/** What conditions ask of a character: `n` ends a line, `w` is part of a word. */
export function kindOf(rune: number): 'n' | 'w' | 'o' {
  if (rune === 0x0a) return 'n'
  const isWord =
    (rune >= 0x61 && rune <= 0x7a) ||
    (rune >= 0x41 && rune <= 0x5a) ||
    (rune >= 0x30 && rune <= 0x39) ||
    rune === 0x5f
  return isWord ? 'w' : 'o'
}
