/**
 * Several patterns as one automaton that is built while it runs (a lazy DFA): each character costs one look into a
 * table, however many patterns there are. Neighbours: `pattern.ts` has what it is made of, `scanner.ts` runs it over
 * texts. Shared by all texts of a policy.
 *
 * A state is the set of all ways that are under way, and of each where the secret of it began: not the place, which
 * differs from text to text, but a slot that the scanner keeps the place in. A move says how the slots go over. Of two
 * ways at the same node the one that began earlier stays: what it hides has all in it that the other one hides.
 *
 * For its first characters a way needs no slot: it says itself how long ago the secret began. Most ways begin with a letter
 * of a word and end with the next one, and no scanner has to hear of them.
 */
import { SluiceError } from '../../base/sluice-error.ts'
import { kindOf, toClasses } from './classes.ts'
import { LOOK_BACK, type Pattern } from './pattern.ts'
import { LOOK, type Node } from './program.ts'

export interface State {
  readonly book: StateBook
  /** Its row in the book. */
  readonly row: number
  /** Moves that do something, by class; the last is the end of the text. */
  readonly moves: (Move | undefined)[]
  readonly ways: readonly Way[]
  /** The pattern of each slot. */
  readonly slots: readonly number[]
  /** How many units ago the earliest began of those that have no slot yet. */
  readonly ahead: number
  readonly before: Before
}

/**
 * The states that are known, by their rows. Most moves only go from one to another: the slots stay as they are and nothing
 * is accepted. Those stand in one table, so that a character of a long text costs one look into it.
 */
interface StateBook {
  readonly states: (State | undefined)[]
  /** The row that a plain move goes to, by row and class; 0: not known, or no plain one. Replaced when it is full. */
  plain: Uint16Array
}

export interface Move {
  readonly to: State
  /** Of each slot of `to`, where it comes from: a slot of the state before, or how long ago it is (`agoOf`). */
  readonly from: readonly number[]
  readonly accepts: readonly Accept[]
}

export interface Accept {
  readonly pattern: number
  /** A slot of the state before, or how long ago it is. */
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

/** So many characters of a secret are taken without a slot: each takes more states. */
const LEAD = 8
/** In place of a slot, what began long ago first: so many characters less than here. */
const HERE = 0x7ff0
const LONG_AGO = HERE - LEAD
/** The secret has not begun. */
const NONE = 0x7ff1

/** How many characters before the end of the move; `undefined`: it is a slot. */
export const agoOf = (from: number): number | undefined =>
  from < LONG_AGO ? undefined : HERE - from

const MAX_NODES = 0x10000
/** Then all are forgotten and built anew: what texts can make of patterns has no other limit. */
const MAX_STATES = 5000

export interface Automaton {
  readonly patterns: readonly Pattern[]
  /** How much of a text must be at hand for checks. */
  readonly reach: number
  /** The class of a unit; of the first half of a pair, which says too little, `endClass`: from there no move is plain. */
  readonly table: Uint16Array
  readonly endClass: number
  /** Classes, and one for the end of the text. */
  readonly width: number
  /** Of a character, or of half a pair that has no other. */
  classOf(rune: number): number
  start(): State
  /** The state without its slots: what came before was only there to be known. */
  withoutSlots(state: State): State
  /** What a move does; made when it is first asked for. */
  move(state: State, byClass: number): Move
}

export function createAutomaton(patterns: readonly Pattern[]): Automaton {
  const { nodes, starts, owner } = joinPrograms(patterns)
  const classes = toClasses(nodes)
  const endClass = classes.count
  const width = endClass + 1
  const known = new Map<string, State>()
  let book = createBook(width)
  const begun = new Map<string, readonly Way[]>()
  const noMoves = Array.from({ length: width }, (): Move | undefined => undefined)
  const table = classes.table.slice().fill(endClass, 0xd800, 0xdc00)
  /** In which round a node was last reached. */
  const reached = new Uint32Array(nodes.length)
  let round = 0

  function intern(ways: readonly Way[], slots: readonly number[], before: Before): State {
    const key = keyOf(ways, before)
    const made = known.get(key)
    if (made !== undefined) return made
    if (known.size >= MAX_STATES) {
      known.clear()
      book = createBook(width)
    }
    const row = book.states.length
    const ahead = aheadOf(ways)
    const state: State = { book, row, moves: noMoves.slice(), ways, slots, ahead, before }
    book.states.push(state)
    known.set(key, state)
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
        taken.push(older(way - pc) + node.next)
    }
    return { taken, matched }
  }

  /** What begins anew with a character of that class. The same for all states, so it is worked out once. */
  function begin(before: Before, byClass: number): readonly Way[] {
    const key = `${before}${byClass}`
    const worked = begun.get(key)
    if (worked !== undefined) return worked
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
    const next = toSlots(behind.kept, owner, isPair(sample))
    const to = intern(next.ways, next.slots, sample === undefined ? 'start' : kindOf(sample))
    const { from } = next
    const isPlain = accepts.length === 0 && from.every((source, slot) => source === slot)
    if (isPlain && to.book === state.book && byClass !== endClass) {
      makeRoom(state.book, width)
      state.book.plain[state.row * width + byClass] = to.row
    }
    return { to, from, accepts }
  }

  return {
    patterns,
    reach: LOOK_BACK + Math.max(0, ...patterns.map(({ hold }) => hold)),
    table,
    endClass,
    width,
    classOf: (rune) => (rune > 0xffff ? classes.ofRune(rune) : (classes.table[rune] ?? 0)),
    start: () => intern([], [], 'start'),
    withoutSlots: ({ ways, before }) =>
      intern(
        ways.filter((way) => way >>> 16 === NONE),
        [],
        before,
      ),
    move: (state, byClass) => (state.moves[byClass] ??= build(state, byClass)),
  }
}

/** Row 0 is nobody's: in the table it means that a move is not known. */
const createBook = (width: number): StateBook => ({
  states: [undefined],
  plain: new Uint16Array(FIRST_ROWS * width),
})

const FIRST_ROWS = 64

function makeRoom(book: StateBook, width: number): void {
  if (book.states.length * width <= book.plain.length) return
  const plain = new Uint16Array(book.plain.length * 2)
  plain.set(book.plain)
  book.plain = plain
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

/** One character later. */
const older = (from: number): number =>
  from >= LONG_AGO << 16 && from <= HERE << 16 ? from - 0x10000 : from

const isPair = (rune: number | undefined): boolean => rune !== undefined && rune > 0xffff

function aheadOf(ways: readonly Way[]): number {
  // The earliest of them come first.
  const first = ways.find((way) => way >>> 16 >= LONG_AGO)
  return first === undefined || first >>> 16 === NONE ? 0 : HERE - (first >>> 16)
}

/**
 * Numbers the slots that are left: by pattern, the earlier first. `isLong`: whether the character was one of two units. Then
 * ways cannot count any more how long ago they began, and get a slot too.
 */
function toSlots(kept: readonly Way[], owner: readonly number[], isLong: boolean) {
  const nameOf = (way: Way): number => (owner[way & 0xffff] ?? 0) * MAX_NODES + (way >>> 16)
  const hasSlot = (way: Way): boolean => {
    const from = way >>> 16
    return from !== NONE && (isLong || from <= LONG_AGO)
  }
  const names = [...new Set(kept.filter(hasSlot).map(nameOf))].sort((a, b) => a - b)
  const ways = kept
    .map((way) => (hasSlot(way) ? (names.indexOf(nameOf(way)) << 16) + (way & 0xffff) : way))
    .sort((a, b) => a - b)
  return {
    ways,
    from: names.map((name) => name % MAX_NODES),
    slots: names.map((name) => Math.floor(name / MAX_NODES)),
  }
}
