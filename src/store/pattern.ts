/**
 * Names with `*` in them → what each engine compares by. Neighbours: `conditions.ts` reads them off a query. Upper and
 * lower case differ on both.
 */
import { cut } from './fit.ts'

/** What stands between the stars. */
export type ColumnPattern = readonly string[]

/** `undefined` where it is a plain name. */
export function toPattern(text: string): ColumnPattern | undefined {
  if (!text.includes('*')) return undefined
  return cut(text, 1_000).split(/\*+/)
}

/** For `GLOB` of SQLite. */
export const toGlob = (pattern: ColumnPattern): string =>
  pattern.map((part) => part.replace(/[?[\]]/g, '[$&]')).join('*')

/** For `LIKE` of Postgres. */
export const toLike = (pattern: ColumnPattern): string =>
  pattern.map((part) => part.replace(/[\\%_]/g, '\\$&')).join('%')
