/**
 * Looks a parsed expression over for what CEL would take and we do not: `matches`, whose time can blow up, patterns that
 * are not written out, loops too deep; and puts the budget into every loop. Neighbours: `language.ts` asks before it
 * checks types; `bench/rules.ts` has the figures.
 *
 * The loops are reached through a field of the CEL package that its types do not show. Where it is not as expected the
 * expression is refused, so that a loop without a budget cannot come to be.
 */
import type { ASTNode } from '@marcbachmann/cel-js'
import type { RE2JS } from 're2js'
import { isObject } from '../../base/json.ts'
import type { Budget } from './budget.ts'
import { toMistake, type Mistake } from './mistake.ts'
import { globKey, toPathGlob, toPattern } from './patterns.ts'

interface Inspection {
  readonly source: string
  /** Gets what the expression needs. */
  readonly patterns: Map<string, RE2JS>
  readonly budget: Budget
}

const LOOPS: readonly string[] = ['all', 'exists', 'exists_one', 'filter', 'map']

const MAX_LOOP_DEPTH = 3

export function inspect(ast: ASTNode, of: Inspection): Mistake | undefined {
  return visit(ast, of, 0)
}

function visit(node: ASTNode, of: Inspection, depth: number): Mistake | undefined {
  const isLoop = node.op === 'rcall' && LOOPS.includes(node.args[0])
  const wrong = isLoop ? visitLoop(node, of, depth) : checkCall(node, of)
  if (node.op === 'in') keepWords(node)
  if (wrong !== undefined) return wrong
  for (const [child, isBody] of toChildren(node)) {
    const inner = visit(child, of, isLoop && isBody ? depth + 1 : depth)
    if (inner !== undefined) return inner
  }
  return undefined
}

/** The nodes right below, and whether they run once per step where this one is a loop. */
function toChildren(node: ASTNode): readonly (readonly [ASTNode, boolean])[] {
  if (node.op === 'value' || node.op === 'id') return []
  const nodes: [ASTNode, boolean][] = []
  const gather = (value: unknown, isBody: boolean): void => {
    if (Array.isArray(value)) for (const item of value) gather(item, isBody)
    else if (isNode(value)) nodes.push([value, isBody])
  }
  if (node.op === 'rcall') {
    gather(node.args[1], false)
    gather(node.args[2], true)
  } else gather(node.args, false)
  return nodes
}

const isNode = (value: unknown): value is ASTNode =>
  isObject(value) && typeof value['op'] === 'string'

function visitLoop(node: ASTNode, of: Inspection, depth: number): Mistake | undefined {
  if (depth >= MAX_LOOP_DEPTH)
    return toMistake(`loops may stand ${MAX_LOOP_DEPTH} deep at most`, of.source, node)
  const loop = toLoop(node)
  if (loop === undefined) return toMistake('this loop cannot be limited', of.source, node)
  const { condition } = loop
  loop.condition = (value) => {
    of.budget.spend()
    return condition?.(value) ?? true
  }
  return undefined
}

interface Loop {
  condition?: ((value: unknown) => unknown) | undefined
}

/** What the macro became; its condition is asked before every step. */
function toLoop(node: unknown): Loop | undefined {
  const { meta } = node as { meta?: { alternate?: { op?: unknown; args?: unknown } } }
  const { op, args } = meta?.alternate ?? {}
  return op === 'comprehension' && isObject(args) ? (args as Loop) : undefined
}

interface Evaluator {
  run(node: unknown, context: unknown): unknown
}

/**
 * `x in ["a", "b"]` makes its list anew each time it is asked, and goes through it: half the time of a rule with many
 * words. A list of words written out is a set, made once. Where the package does not let us, it is only slower.
 */
function keepWords(node: Extract<ASTNode, { op: 'in' }>): void {
  const [left, right] = node.args
  if (right.op !== 'list' || right.args.length === 0) return
  const words = right.args.map((item) => (item.op === 'value' ? item.args : undefined))
  if (!words.every((word) => typeof word === 'string')) return
  const set: ReadonlySet<unknown> = new Set(words)
  const isIn = (evaluator: Evaluator, _: unknown, context: unknown): boolean =>
    set.has(evaluator.run(left, context))
  const { setMeta } = node as { setMeta?: (key: string, value: unknown) => unknown }
  setMeta?.call(node, 'evaluate', isIn)
}

function checkCall(node: ASTNode, of: Inspection): Mistake | undefined {
  if (node.op !== 'call' && node.op !== 'rcall') return undefined
  const [name] = node.args
  if (name === 'matches')
    return toMistake(
      'matches() is not here, because its time can blow up: use re(text, pattern), which is RE2',
      of.source,
      nameOf(node, of.source),
    )
  if (name !== 're' && name !== 'glob') return undefined
  const pattern = node.op === 'call' ? node.args[1][1] : node.args[2][0]
  return pattern === undefined ? undefined : addPattern(name, pattern, of)
}

/** The name of a method, to point at. */
function nameOf(node: ASTNode, source: string): { start: number; end: number } {
  const from = node.op === 'rcall' ? node.args[1].end : node.start
  const start = Math.max(source.indexOf('matches', from), 0)
  return { start, end: start + 'matches'.length }
}

function addPattern(name: 're' | 'glob', node: ASTNode, of: Inspection): Mistake | undefined {
  if (node.op !== 'value' || typeof node.args !== 'string')
    return toMistake(`the pattern of ${name}() must be a text in quotes`, of.source, node)
  const key = name === 're' ? node.args : globKey(node.args)
  if (of.patterns.has(key)) return undefined
  const pattern = name === 're' ? toPattern(node.args) : toPathGlob(node.args)
  if (typeof pattern === 'string') return toMistake(pattern, of.source, node)
  of.patterns.set(key, pattern)
  return undefined
}
