/**
 * What no reader sees and a model reads: tag characters, runs of zero width, turned reading, data in variation
 * selectors. Neighbours: `scan-text.ts`. Knows where such characters belong: flags, emoji, scripts that need them.
 */
import type { Finding } from './finding.ts'

const ANY = /[\ufe00-\ufe0f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e01ef}]/u
/** Scripts that are written from the right, where marks of direction have their work. */
const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

const SIGNS: readonly {
  readonly name: string
  readonly pattern: RegExp
  readonly score: number
}[] = [
  // A black flag before them is the flag of a region.
  {
    name: 'tag characters',
    pattern: /(?<![\u{1f3f4}\u{e0000}-\u{e007f}])[\u{e0000}-\u{e007f}]{2,}/gu,
    score: 3,
  },
  { name: 'variation selectors', pattern: /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{3,}/gu, score: 3 },
  { name: 'zero width', pattern: /[\u200b-\u200d\u2060-\u2064\ufeff]{4,}/g, score: 3 },
  {
    name: 'zero width',
    pattern: /(?<=[a-z])[\u200b-\u200d\u2060-\u2064\ufeff]{1,3}(?=[a-z])/gi,
    score: 1,
  },
]
const OVERRIDE = /[\u202d\u202e][^\u202c\n]{0,200}\u202c?/g
const DIRECTION = /[\u202a\u202b\u2066-\u2068]/g

const MAX_EACH = 5000

export function findHidden(text: string): readonly Finding[] {
  if (!ANY.test(text)) return []
  const found = SIGNS.flatMap((sign) => findAll(text, sign))
  if (FROM_RIGHT.test(text)) return found
  return [
    ...found,
    ...findAll(text, { name: 'reading turned around', pattern: OVERRIDE, score: 3 }),
    ...findAll(text, { name: 'marks of direction', pattern: DIRECTION, score: 1 }),
  ]
}

function findAll(text: string, { name, pattern, score }: (typeof SIGNS)[number]): Finding[] {
  const found: Finding[] = []
  for (const match of text.matchAll(pattern)) {
    if (found.length >= MAX_EACH) break
    const start = match.index
    found.push({ kind: 'hidden', name, start, end: start + match[0].length, score })
  }
  return found
}
