/**
 * One text → what is found in it, in order. Neighbours: `phrases.ts`, `hidden.ts`, `comments.ts`, `encoded.ts` and
 * `secrets.ts` look, `scan-results.ts` decides. A pure function of the text and of what is looked for.
 */
import type { RE2JS } from 're2js'
import { findComments } from './comments.ts'
import { decodeRuns } from './encoded.ts'
import { scoreOf, type Finding, type Kind } from './finding.ts'
import { findHidden } from './hidden.ts'
import { findPhrases } from './phrases.ts'
import { toPlainText } from './plain-text.ts'
import { findSecrets } from './secrets.ts'

interface OwnPattern {
  readonly name: string
  readonly pattern: RE2JS
  readonly score: number
}

export interface ScanOptions {
  readonly own: readonly OwnPattern[]
  /** Kinds that are not looked for. */
  readonly off: ReadonlySet<Kind>
}

/** More than a tool result of any client; what is longer is looked at so far, and said to be too long. */
const MAX_SCANNED = 4_000_000
const MAX_OWN = 50

export function scanText(whole: string, { own, off }: ScanOptions): readonly Finding[] {
  const text = whole.length > MAX_SCANNED ? whole.slice(0, MAX_SCANNED) : whole
  const found: Finding[] = [
    ...findWords(text),
    ...(off.has('hidden') ? [] : findHidden(text)),
    ...(off.has('encoded') ? [] : findEncoded(text)),
    ...(off.has('secret') ? [] : findSecrets(text)),
    ...own.flatMap((one) => findOwn(text, one)),
  ]
  if (text.length < whole.length)
    found.push({
      kind: 'encoded',
      name: 'too long to look at',
      start: text.length,
      end: whole.length,
      score: 3,
    })
  return found.filter(({ kind }) => !off.has(kind)).toSorted((a, b) => a.start - b.start)
}

function findWords(text: string): readonly Finding[] {
  const plain = toPlainText(text)
  const phrases = findPhrases(plain.text)
  const comments = findComments(plain.text)
  return [...phrases, ...comments].map((finding) => ({
    ...finding,
    start: plain.toSource(finding.start),
    end: plain.toSource(finding.end),
  }))
}

/** What is encoded and would be harmless in the open is harmless. */
const findEncoded = (text: string): readonly Finding[] =>
  decodeRuns(text).flatMap(({ text: inside, name, start, end }) => {
    const score = scoreOf(findWords(inside))
    return score < 2 ? [] : [{ kind: 'encoded', name, start, end, score: Math.max(3, score) }]
  })

function findOwn(text: string, { name, pattern, score }: OwnPattern): readonly Finding[] {
  // Finding places takes much longer than finding that there is one.
  if (!pattern.test(text)) return []
  const found: Finding[] = []
  for (const match of pattern.matchAll(text)) {
    const start = match.index ?? 0
    found.push({ kind: 'pattern', name, start, end: start + match[0].length, score })
    if (found.length >= MAX_OWN) break
  }
  return found
}
