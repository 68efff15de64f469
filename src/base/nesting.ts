/**
 * Whether JSON is nested too deep to be walked and written. `JSON.parse` takes any depth, `JSON.stringify` and
 * every reader that calls itself do not: they would overflow the stack. Neighbours: `translate/` asks before
 * anybody reads a body; whoever opens JSON that stood in a string asks again. Imports nothing.
 */

/** No client and no model nests so deep; what is deeper could not be written again. */
export const MAX_NESTING = 512

export function isNestedDeeper(value: unknown, limit: number): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true
    const next: unknown[] = []
    for (const one of level) if (isBranch(one)) pushBranches(next, Object.values(one))
    level = next
  }
  return false
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null

function pushBranches(list: unknown[], values: readonly unknown[]): void {
  for (const value of values) if (isBranch(value)) list.push(value)
}
