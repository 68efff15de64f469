/**
 * How far a pattern can reach: how many characters it may take before it is known whether they match, and how many
 * stand behind what is to be hidden. Neighbours: `pattern.ts` asks at load, so that nothing is held without end.
 */
import type { Node, Program } from './program.ts'

export interface Reach {
  /** The most characters of one way through, each loop counted once. */
  readonly span: number
  /** Whether a way can go round: then only a limit bounds it. */
  readonly hasLoop: boolean
  /** How many characters stand behind what is to be hidden; `undefined`: that is not always the same number. */
  readonly tail: number | undefined
}

export function reachOf(program: Program): Reach {
  const order = toComponents(program)
  const spans = new Map<number, number>()
  let hasLoop = false
  // Components come with the last of a way first, so what follows is known already.
  for (const component of order) {
    hasLoop ||= component.length > 1
    const inside = component.flatMap((pc) => program.nodes[pc] ?? [])
    const own = inside.filter(({ type }) => type === 'take').length
    // What lies in the component itself has no span yet.
    const after = inside.flatMap(followers).map((next) => spans.get(next) ?? 0)
    const span = own + after.reduce((most, one) => Math.max(most, one), 0)
    for (const pc of component) spans.set(pc, span)
  }
  return { span: spans.get(program.start) ?? 0, hasLoop, tail: tailOf(program) }
}

const followers = (node: Node): readonly number[] => {
  switch (node.type) {
    case 'fork':
      return [node.next, node.other]
    case 'match':
    case 'fail':
      return []
    case 'take':
    case 'look':
    case 'begin':
    case 'end':
    case 'jump':
      return [node.next]
  }
}

/** What stands behind the end of the group, if it is always as long. */
function tailOf({ nodes }: Program): number | undefined {
  const end = nodes.findIndex(({ type }) => type === 'end')
  if (end === -1) return 0
  let level = new Set([end])
  for (let length = 0; length <= nodes.length; length++) {
    const here = [...closure(level, nodes)]
    const isOver = here.some((pc) => nodes[pc]?.type === 'match')
    const onward = here.flatMap((pc) => {
      const node = nodes[pc]
      return node?.type === 'take' ? [node.next] : []
    })
    if (isOver) return onward.length === 0 ? length : undefined
    if (onward.length === 0) return undefined
    level = new Set(onward)
  }
  return undefined
}

/** All that is reached without taking a character. */
function closure(from: ReadonlySet<number>, nodes: readonly Node[]): ReadonlySet<number> {
  const seen = new Set(from)
  const open = [...from]
  for (let pc = open.pop(); pc !== undefined; pc = open.pop()) {
    const node = nodes[pc]
    if (node === undefined || node.type === 'take') continue
    for (const next of followers(node))
      if (!seen.has(next)) {
        seen.add(next)
        open.push(next)
      }
  }
  return seen
}

/** Strongly connected components (Tarjan), without recursion: a pattern may have thousands of nodes. */
function toComponents({ nodes, start }: Program): readonly (readonly number[])[] {
  const found: number[][] = []
  const index = new Map<number, number>()
  const low = new Map<number, number>()
  const onStack = new Set<number>()
  const stack: number[] = []
  const work: { pc: number; at: number }[] = []
  const open = (pc: number): void => {
    index.set(pc, index.size)
    low.set(pc, index.size - 1)
    stack.push(pc)
    onStack.add(pc)
    work.push({ pc, at: 0 })
  }
  const lower = (pc: number, to: number): void => {
    low.set(pc, Math.min(low.get(pc) ?? to, to))
  }
  open(start)
  for (let top = work.at(-1); top !== undefined; top = work.at(-1)) {
    const node = nodes[top.pc]
    const next = node === undefined ? undefined : followers(node)[top.at++]
    if (next !== undefined) {
      if (!index.has(next)) open(next)
      else if (onStack.has(next)) lower(top.pc, index.get(next) ?? 0)
      continue
    }
    work.pop()
    const parent = work.at(-1)
    if (parent !== undefined) lower(parent.pc, low.get(top.pc) ?? 0)
    if (low.get(top.pc) !== index.get(top.pc)) continue
    const component = stack.splice(stack.indexOf(top.pc))
    for (const pc of component) onStack.delete(pc)
    found.push(component)
  }
  return found
}
