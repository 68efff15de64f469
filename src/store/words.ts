/**
 * Text → words of the index, and what somebody searches for → words to look for. The same for both engines, so that
 * they find the same: lower case, without accents, letters and digits alone; writing without spaces is cut into its
 * signs. Neighbours: `to-rows.ts` writes them, `conditions.ts` asks for them.
 */

import { cut } from './fit.ts'

/** What lies beyond is not found: an index is no second copy of the bodies. */
const MAX_TEXT = 65_536
const MAX_WORDS = 5_000
/** A longer one is a key or a picture; its beginning is enough to find it. */
const MAX_WORD = 40
const MAX_ASKED = 20
/** Shorter ones are the beginning of thousands of words, and are taken for a word themselves. */
const MIN_BEGINNING = 3

const SIGNS = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}'
const WORD = new RegExp(`[[${SIGNS}]&&\\p{L}]|[[\\p{L}\\p{N}]--[${SIGNS}]]+`, 'gv')
/** The same where there is nothing else: in a third of the time. */
const ASCII_WORD = /[a-z0-9]+/g
const MARKS = /\p{M}+/gu
const BEYOND_ASCII = /[\u0080-\uffff]/

/** Each once, in the order in which they stand there. */
export function toWords(text: string): readonly string[] {
  return readWords(text.slice(0, MAX_TEXT), MAX_WORDS)
}

export interface AskedWords {
  readonly words: readonly string[]
  /** Whether more letters may follow the last: nothing stands behind it. */
  readonly isOpen: boolean
}

export function toAskedWords(text: string): AskedWords {
  const words = readWords(text.slice(0, 1_000), MAX_ASKED)
  const last = words.at(-1)
  const isLong = last !== undefined && last.length >= MIN_BEGINNING
  const isOpen = isLong && plain(text.slice(0, 1_000)).endsWith(last)
  return { words, isOpen }
}

function readWords(text: string, max: number): string[] {
  const words = new Set<string>()
  const lower = plain(text)
  const found = lower.match(BEYOND_ASCII.test(lower) ? WORD : ASCII_WORD) ?? []
  for (const word of found) {
    words.add(word.length <= MAX_WORD ? word : cut(word, MAX_WORD))
    if (words.size >= max) break
  }
  return [...words]
}

function plain(text: string): string {
  const lower = text.toLowerCase()
  return BEYOND_ASCII.test(lower) ? lower.normalize('NFKD').replace(MARKS, '').toLowerCase() : lower
}
