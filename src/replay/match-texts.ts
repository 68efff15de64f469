/**
 * A text → what of it is the same on every run: dates, times, ids and nonces are taken out. Neighbours: `match-keys.ts`.
 * What is left is only compared, never shown.
 */

/** One pass over the text, with every repetition bounded. The longest forms stand first. */
const PASSING = new RegExp(
  [
    // 2026-11-15, with a time or without.
    String.raw`\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?`,
    // 3f2b8c1e-…: a UUID.
    String.raw`\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b`,
    // toolu_01AbC…, call_…, msg_…: ids that vendors give, and ours.
    String.raw`\b(?:toolu|srvtoolu|call|msg|resp|chatcmpl|req|fc|rs|ctc|item|run|ses|prt)[_-][\w-]{6,120}`,
    // Nov 15, 2026 and Sun Nov 15 2026 and 15 November 2026.
    String.raw`\b(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6} \d{1,2}(?:st|nd|rd|th)?,? \d{4}\b`,
    String.raw`\b\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6} \d{4}\b`,
    String.raw`\b\d{1,2}/\d{1,2}/\d{4}\b`,
    // 21:59, 21:59:33.123, 9:05 PM.
    String.raw`\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?[ap]m)?\b`,
    // Seconds or milliseconds since 1970.
    String.raw`\b1[6-9]\d{8}(?:\d{3})?\b`,
    // 0.42s, 12ms: how long something took.
    String.raw`\b\d{1,9}(?:\.\d{1,9})? ?(?:ms|s|sec|secs|seconds)\b`,
    // What Codex says of every command.
    String.raw`\bchunk id: [\da-f]{4,16}\b`,
    // Hashes and nonces.
    String.raw`\b[\da-f]{16,128}\b`,
  ].join('|'),
  'gi',
)

/** Folders that systems make for one run. */
const TEMPORARY = /(?:\/private)?(?:\/tmp|\/var\/(?:tmp|folders))\/[^\s"'`<>()]{1,300}/g

/** Without what says when. */
export const withoutMoments = (text: string): string => text.replace(PASSING, '#')

/** Also without what says where, and with single spaces. */
export const withoutPlaces = (text: string): string =>
  withoutMoments(text.replace(TEMPORARY, '#')).replace(/\s+/g, ' ').trim()
