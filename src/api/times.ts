/**
 * A moment as people say it: milliseconds since 1970, a date, or how long ago. Neighbours: `params.ts` and the commands
 * that look at the past.
 */
const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}
const AGO = /^(\d{1,6})([smhdw])$/
/** A day, or a day and a time; without a zone it is UTC. */
const DATE =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/
const HAS_ZONE = /(?:Z|[+-]\d{2}:\d{2})$/
const MILLISECONDS = /^\d{10,15}$/

/** Milliseconds since 1970, or `undefined` when it is no time. */
export function readTime(typed: string, now: number): number | undefined {
  if (MILLISECONDS.test(typed)) return Number(typed)
  const [, count, unit = ''] = AGO.exec(typed) ?? []
  if (count !== undefined) return now - Number(count) * (UNITS[unit] ?? 0)
  if (!DATE.test(typed)) return undefined
  const hasTime = typed.length > 10
  const at = Date.parse(hasTime && !HAS_ZONE.test(typed) ? `${typed.replace(' ', 'T')}Z` : typed)
  return Number.isNaN(at) ? undefined : at
}
