/**
 * Values made fit for a column. Neighbours: `to-rows.ts` and `chain.ts` put everything through it that a client or a
 * policy chose, and queries what is compared with it. Imports nothing.
 */

/** No name of anything is longer. An index of Postgres takes 2700 bytes in all. */
const MAX_TEXT = 200

const UNFIT = /[\0\ud800-\udfff]/
/** NUL, which Postgres does not take, and halves of signs, which come back as something else. */
const UNFIT_SIGNS = /\0|\p{Surrogate}/gu

/** A text as it stands in a column: nothing that was hashed may come back changed. */
export function cut(text: string, max = MAX_TEXT): string {
  const short = text.length <= max ? text : text.slice(0, max)
  return UNFIT.test(short) ? short.replace(UNFIT_SIGNS, '\uFFFD') : short
}

export const cutOrNull = (text: string | undefined): string | null =>
  text === undefined ? null : cut(text)

/** A whole number that JavaScript and both engines know exactly. */
export const toWhole = (value: number): number =>
  Number.isFinite(value)
    ? Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Math.trunc(value)))
    : 0

export const toFinite = (value: number): number => (Number.isFinite(value) ? value : 0)

/** What upstreams say they have counted is added up: nonsense from one may not spoil the sum. */
const MAX_COUNT = 1_000_000_000

export const toCount = (value: number): number => Math.min(MAX_COUNT, Math.max(0, toWhole(value)))
