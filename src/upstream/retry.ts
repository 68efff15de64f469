/**
 * Whether an answer says "try again", and when. Neighbours: `exchange/attempts.ts` acts on it. The
 * statuses are the ones that the official clients retry (reference `wire-formats.md` 1.3).
 */
import type { RetrySettings } from './settings.ts'
import type { Headers } from './upstream.ts'

const MORE = new Set([408, 409, 425, 429])

/** Whether the same request may succeed later or elsewhere. */
export function isRetryable(status: number, headers: Headers): boolean {
  const said = headers['x-should-retry']
  if (said === 'true') return true
  if (said === 'false') return false
  return MORE.has(status) || status >= 500
}

/** How long the upstream asks to be left alone, in milliseconds. */
export function readRetryAfter(headers: Headers, now: number = Date.now()): number | undefined {
  const ms = toNumber(headers['retry-after-ms'])
  if (ms !== undefined) return ms
  const said = headers['retry-after']
  if (said === undefined) return undefined
  const seconds = toNumber(said)
  if (seconds !== undefined) return seconds * 1000
  const date = Date.parse(said)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function toNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^\s*\d+(?:\.\d+)?\s*$/.test(text)) return undefined
  return Number(text)
}

/** The pause before the attempt with that number (the second is 1); `undefined`: too long to wait. */
export function pauseBefore(
  attempt: number,
  settings: RetrySettings,
  asked: number | undefined,
  random: () => number = Math.random,
): number | undefined {
  if (asked !== undefined && asked > settings.maxRetryAfter) return undefined
  const backoff = Math.min(settings.maxBackoff, settings.backoff * 2 ** (attempt - 1))
  // Up to a quarter less, so that clients that failed together do not come back together.
  return Math.max(asked ?? 0, backoff * (1 - random() / 4))
}
