/**
 * The way through a schema: where it stands, what it found, how much it may still look at. Neighbours: `validate.ts`
 * begins it, the other files of keywords go on by it. What is looked at is counted, so that no schema takes long.
 */
import type { JsonObject } from '../../base/json.ts'
import { resolveRef } from '../../request/schema-ref.ts'
import type { Patterns } from './patterns.ts'
import type { Problem, Step } from './problem.ts'

export interface Walk {
  readonly root: JsonObject
  readonly patterns: Patterns
  readonly path: Step[]
  /** Of references that were followed. */
  readonly targets: Map<string, unknown>
  problems: Problem[]
  /** Looks that are left. */
  left: number
  depth: number
  /** How often something could not be checked. */
  unsure: number
  /** One schema on one value. */
  visit(schema: unknown, value: unknown): void
}

/** A value inside of the value. */
export function visitAt(step: Step, schema: unknown, value: unknown, walk: Walk): void {
  walk.path.push(step)
  walk.visit(schema, value)
  walk.path.pop()
}

/** The problems that a schema would have with the value, without noting them. */
export function attempt(schema: unknown, value: unknown, walk: Walk): readonly Problem[] {
  const { problems } = walk
  walk.problems = []
  walk.visit(schema, value)
  const found = walk.problems
  walk.problems = problems
  return found
}

const MAX_PROBLEMS = 200

export function report(
  walk: Walk,
  problem: Omit<Problem, 'path'> & { readonly path?: readonly Step[] },
): void {
  if (walk.problems.length < MAX_PROBLEMS) walk.problems.push({ path: [...walk.path], ...problem })
}

/** Takes from what may be looked at; `false` when nothing is left. */
export function spend(walk: Walk, looks: number): boolean {
  walk.left -= looks
  return walk.left >= 0
}

/** Where a reference leads; `undefined`: outside, or nowhere. */
export function targetOf(ref: string, walk: Walk): unknown {
  if (walk.targets.has(ref)) return walk.targets.get(ref)
  const target = resolveLocal(ref, walk.root)
  walk.targets.set(ref, target)
  return target
}

/** As `resolveRef`; a reference by the schema's own address is one into itself. */
export function resolveLocal(ref: string, root: JsonObject): unknown {
  const id = root['$id'] ?? root['id']
  if (typeof id !== 'string' || id === '' || !ref.startsWith(id)) return resolveRef(root, ref)
  return resolveRef(root, ref.slice(id.length) || '#')
}
