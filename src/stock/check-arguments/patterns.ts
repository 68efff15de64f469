/**
 * The patterns of schemas, run so that none can stop the gateway: on RE2, compiled once, with a limit on everything.
 * What RE2 does not have (look-ahead, back references) is not checked. Neighbour: `validate.ts`.
 */
import { RE2JS } from 're2js'

export interface Patterns {
  /** `undefined`: it cannot be said. `spend` takes from what may still be looked at; `false` when nothing is left. */
  test(pattern: string, text: string, spend: (looks: number) => boolean): boolean | undefined
}

const MAX_PATTERN = 1000
/** What one pattern may come to: `x{1000}` is a thousand. */
const MAX_PROGRAM = 2000
/** Patterns are for names, dates and ids. */
const MAX_TEXT = 10_000
const MAX_KEPT = 500
/** In looks, each of about a microsecond. RE2 takes time in proportion to text and pattern. */
const COMPILING = 500
const STEPS_PER_LOOK = 20

export function createPatterns(): Patterns {
  const kept = new Map<string, RE2JS | undefined>()

  function compiled(pattern: string): RE2JS | undefined {
    if (kept.has(pattern)) return kept.get(pattern)
    const made = compile(pattern)
    if (kept.size >= MAX_KEPT) for (const oldest of kept.keys()) if (kept.delete(oldest)) break
    kept.set(pattern, made)
    return made
  }

  return {
    test(pattern, text, spend) {
      if (pattern.length > MAX_PATTERN || text.length > MAX_TEXT) return undefined
      if (!kept.has(pattern) && !spend(COMPILING)) return undefined
      const made = compiled(pattern)
      if (made === undefined) return undefined
      const looks = Math.ceil((text.length * made.programSize()) / STEPS_PER_LOOK)
      return spend(looks) ? made.test(text) : undefined
    },
  }
}

function compile(pattern: string): RE2JS | undefined {
  try {
    const made = RE2JS.compile(RE2JS.translateRegExp(pattern))
    return made.programSize() > MAX_PROGRAM ? undefined : made
  } catch {
    return undefined
  }
}
