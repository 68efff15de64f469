/**
 * Several patterns as one automaton that is built while it runs (a lazy DFA): each character costs one look into a
 * table, however many patterns there are. Neighbours: `pattern.ts` has what it is made of, `scanner.ts` runs it over
 * texts. Shared by all texts of a policy.
 *
 * A state is the set of all ways that are under way, and of each where the secret of it began: not the place, which
 * differs from text to text, but a slot that the scanner keeps the place in. A move says how the slots go over. Of two
 * ways at the same node the one that began earlier stays: what it hides has all in it that the other one hides.
 */
import { SluiceError } from '../../base/sluice-error.ts'
import { kindOf, toClasses } from './classes.ts'
import type { Pattern } from './pattern.ts'
import { LOOK, type Node } from './program.ts'

export interface State {
  /** By class; the last is the end of the text. */
  readonly moves: (Move | undefined)[]
  readonly ways: readonly Way[]
  /** The pattern of each slot. */
  readonly slots: readonly number[]
  readonly before: Before
}

export interface Move {
  readonly to: State
  /** Whether the slots stay as they are and nothing is accepted: the common case. */
  readonly isPlain: boolean
  /** Of each slot of `to`, where it comes from: a slot of the state before, or `HERE`. */
  readonly from: readonly number[]
  readonly accepts: readonly Accept[]
}

export interface Accept {
  readonly pattern: number
  /** A slot of the state before, or `HERE`. */
  readonly from: number
  /** Whether the match ends before the character, and not behind it. */
  readonly isBefore: boolean
}

/**
 * A node, and above its 16 bits the slot that says where the secret began. One number each, and in their order the
 * earliest come first: new states are made in the middle of texts, and a text could ask for many.
 */
type Way = number

/** What stands before: nothing, the end of a line, a letter or digit, something else. */
type Before = 'start' | ReturnType<typeof kindOf>

/** In place of a slot: before the character of the move. */
export const HERE = 0x7ff0
/** The secret has not begun. */
const NONE = 0x7ff1

const MAX_NODES = 0x10000
/** Then all are forgotten and built anew: what texts can make of patterns has no other limit. */
const MAX_STATES = 5000

export interface Automaton {
  readonly patterns: readonly Pattern[]
  readonly table: Uint16Array
  readonly endClass: number
  ofRune(rune: number): number
  start(): State
  /** The state without its slots: what came before was only there to be known. */
  withoutSlots(state: State): State
  /** Makes the move, and keeps it in the state. */
  move(state: State, byClass: number): Move
}

export function createAutomaton(patterns: readonly Pattern[]): Automaton {
  const { nodes, starts, owner } = joinPrograms(patterns)
  const classes = toClasses(nodes)
  const endClass = classes.count
  const states = new Map<string, State>()
  const begun = new Map<string, readonly Way[]>()
  const noMoves = Array.from({ length: endClass + 1 }, (): Move | undefined => undefined)
  /** In which round a node was last reached. */
  const reached = new Uint32Array(nodes.length)
  let round = 0

  function intern(ways: readonly Way[], slots: readonly number[], before: Before): State {
    const key = keyOf(ways, before)
    const known = states.get(key)
    if (known !== undefined) return known
    if (states.size >= MAX_STATES) states.clear()
    const state: State = { moves: noMoves.slice(), ways, slots, before }
    states.set(key, state)
    return state
  }

  /**
   * Follows ways, the earliest first, as far as they get without a character. `flags`: what holds there; `undefined`
   * while the next character is not known: then conditions wait for it, and secrets do not begin before it is there.
   */
  function follow(ways: readonly Way[], flags: number | undefined) {
    const kept: Way[] = []
    const matched: Way[] = []
    round += 1
    // The last is followed first.
    const open = ways.toReversed()
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      const pc = one & 0xffff
      const from = one - pc
      const node = reached[pc] === round ? undefined : nodes[pc]
      reached[pc] = round
      switch (node?.type) {
        case 'take':
          kept.push(one)
          break
        case 'match':
          matched.push(one)
          break
        case 'fork':
          open.push(from + node.other, from + node.next)
          break
        case 'begin':
          if (flags === undefined) kept.push(one)
          else open.push(Math.min(from, HERE << 16) + node.next)
          break
        case 'look':
          if (flags === undefined) kept.push(one)
          else if ((node.needs & ~flags) === 0) open.push(from + node.next)
          break
        case 'end':
        case 'jump':
          open.push(from + node.next)
          break
        case 'fail':
        case undefined:
      }
    }
    return { kept, matched }
  }

  /** Takes the character from where these ways are. */
  function take(ways: readonly Way[], before: Before, sample: number | undefined) {
    const { kept, matched } = follow(ways, conditions(before, sample))
    const taken: Way[] = []
    for (const way of kept) {
      const pc = way & 0xffff
      const node = nodes[pc]
      if (sample !== undefined && node?.type === 'take' && node.takes(sample))
        taken.push(way - pc + node.next)
    }
    return { taken, matched }
  }

  /** What begins anew with a character of that class. The same for all states, so it is worked out once. */
  function begin(before: Before, byClass: number): readonly Way[] {
    const key = `${before}${byClass}`
    const known = begun.get(key)
    if (known !== undefined) return known
    const roots = starts.map((pc) => (NONE << 16) + pc)
    const { taken } = take(roots, before, classes.samples[byClass])
    begun.set(key, taken)
    return taken
  }

  function build(state: State, byClass: number): Move {
    const sample = classes.samples[byClass]
    const here = take(state.ways, state.before, sample)
    const ways = [...here.taken, ...begin(state.before, byClass)].sort((a, b) => a - b)
    const behind = follow(ways, undefined)
    const accepts = [
      ...toAccepts(here.matched, true, owner),
      ...toAccepts(behind.matched, false, owner),
    ]
    const next = toSlots(behind.kept, owner)
    const to = intern(next.ways, next.slots, sample === undefined ? 'start' : kindOf(sample))
    const { from } = next
    const isPlain = accepts.length === 0 && from.every((source, slot) => source === slot)
    return { to, isPlain, from, accepts }
  }

  return {
    patterns,
    table: classes.table,
    endClass,
    ofRune: classes.ofRune,
    start: () => intern([], [], 'start'),
    withoutSlots: ({ ways, before }) =>
      intern(
        ways.filter((way) => way >>> 16 === NONE),
        [],
        before,
      ),
    move(state, byClass) {
      const made = build(state, byClass)
      state.moves[byClass] = made
      return made
    },
  }
}

/** Two characters for each way: numbers in words would take half of the time that a state takes. */
function keyOf(ways: readonly Way[], before: Before): string {
  let key: string = before
  for (const way of ways) key += String.fromCharCode(way & 0xffff, way >>> 16)
  return key
}

/** All nodes in one list; `owner` is the pattern of each. */
function joinPrograms(patterns: readonly Pattern[]) {
  const nodes: Node[] = []
  const owner: number[] = []
  const starts: number[] = []
  for (const [index, { program }] of patterns.entries()) {
    const base = nodes.length
    starts.push(base + program.start)
    for (const node of program.nodes) {
      nodes.push(shift(node, base))
      owner.push(index)
    }
  }
  if (nodes.length > MAX_NODES)
    throw new SluiceError(
      'wrong-use',
      `Cannot look for so much at once: the patterns come to ${nodes.length}, and ${MAX_NODES} is the most`,
    )
  return { nodes, owner, starts }
}

function shift(node: Node, base: number): Node {
  if (node.type === 'match' || node.type === 'fail') return node
  if (node.type === 'fork')
    return { type: 'fork', next: node.next + base, other: node.other + base }
  return { ...node, next: node.next + base }
}

/** What holds between two characters, as RE2 numbers it; `after` is `undefined` at the end. */
function conditions(before: Before, after: number | undefined): number {
  const isWordBefore = before === 'w'
  const isWordAfter = after !== undefined && kindOf(after) === 'w'
  let flags: number = isWordBefore === isWordAfter ? LOOK.noWordEdge : LOOK.wordEdge
  if (before === 'start') flags |= LOOK.beginText
  if (before === 'start' || before === 'n') flags |= LOOK.beginLine
  if (after === undefined) flags |= LOOK.endText
  if (after === undefined || after === 0x0a) flags |= LOOK.endLine
  return flags
}

/** In the order of the patterns: of two that accept at once the first gives the name. */
function toAccepts(
  matched: readonly Way[],
  isBefore: boolean,
  owner: readonly number[],
): readonly Accept[] {
  const nothing = isBefore ? HERE : NONE
  return matched
    .filter((way) => way >>> 16 < nothing)
    .map((way) => ({ pattern: owner[way & 0xffff] ?? 0, from: way >>> 16, isBefore }))
    .sort((a, b) => a.pattern - b.pattern)
}

/** Numbers the slots that are left: by pattern, the earlier first. */
function toSlots(kept: readonly Way[], owner: readonly number[]) {
  const nameOf = (way: Way): number => (owner[way & 0xffff] ?? 0) * MAX_NODES + (way >>> 16)
  const begun = kept.filter((way) => way >>> 16 !== NONE)
  const names = [...new Set(begun.map(nameOf))].sort((a, b) => a - b)
  const ways = kept
    .map((way) => (way >>> 16 === NONE ? way : (names.indexOf(nameOf(way)) << 16) + (way & 0xffff)))
    .sort((a, b) => a - b)
  return {
    ways,
    from: names.map((name) => name % MAX_NODES),
    slots: names.map((name) => Math.floor(name / MAX_NODES)),
  }
}
