/**
 * Instructions where a reader of the page does not see them: comments, and elements that are not shown. Neighbours:
 * `scan-text.ts`. Looks at a plain text (`plain-text.ts`); each place is looked at once.
 */
import type { Finding } from './finding.ts'

const MAX_INSIDE = 4000
const MAX_FINDINGS = 1000

const OPEN =
  /<!--|\[\/\/\]: ?#|style\s{0,3}=\s{0,3}["'][^"'>]{0,200}?(?:display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?0|opacity\s?:\s?0|color\s?:\s?(?:white|#fff))/g

/** A model is spoken to, and told to do something. */
const SPOKEN_TO =
  /\b(?:ai|llms?|assistants?|agents?|language model|claude|chatgpt|gpt|copilot|codex|gemini|you)\b/
const TOLD =
  /\b(?:you must|you should|must|please|ignore|disregard|execute|run the|run this|send|fetch|exfiltrate|call the|include the|do not tell|do not mention|read the file|instructions?)\b/

export function findComments(plain: string): readonly Finding[] {
  const found: Finding[] = []
  OPEN.lastIndex = 0
  for (let match = OPEN.exec(plain); match !== null; match = OPEN.exec(plain)) {
    const start = match.index
    const inside = plain.slice(start, start + MAX_INSIDE)
    const end = start + lengthOf(inside, match[0])
    const words = plain.slice(start, end)
    if (SPOKEN_TO.test(words) && TOLD.test(words))
      found.push({
        kind: 'comment',
        name: match[0].startsWith('style') ? 'not shown' : 'comment',
        start,
        end,
        score: 2,
      })
    if (found.length >= MAX_FINDINGS) break
    OPEN.lastIndex = Math.max(end, start + 1)
  }
  return found
}

/** How far it goes: to its own end, or as far as we look. */
function lengthOf(inside: string, opened: string): number {
  const mark = opened.startsWith('<!--') ? '-->' : opened.startsWith('[') ? '\n' : '</'
  const found = inside.indexOf(mark, opened.length)
  return found === -1 ? inside.length : found + (mark === '-->' ? mark.length : 0)
}
