/**
 * Credentials by their prefix. A short list: `redact` has a longer one, and takes them out of answers too. Neighbours:
 * `scan-text.ts`. Every repetition is bounded, so that no text takes time squared.
 */
import type { Finding } from './finding.ts'

const SECRETS: readonly (readonly [name: string, pattern: string])[] = [
  ['aws key', '\\b(?:AKIA|ASIA)[A-Z0-9]{16}\\b'],
  ['github token', '\\bgh[pousr]_[A-Za-z0-9]{36,255}'],
  ['github token', '\\bgithub_pat_[A-Za-z0-9_]{22,255}'],
  ['gitlab token', '\\bglpat-[\\w-]{20,100}'],
  ['slack token', '\\bxox[abeoprs]-[A-Za-z0-9-]{10,200}'],
  ['anthropic or openai key', '\\bsk-(?:ant-|proj-|svcacct-)?[A-Za-z0-9_-]{20,250}'],
  ['stripe key', '\\b[sr]k_live_[A-Za-z0-9]{20,250}'],
  ['google key', '\\bAIza[\\w-]{35}'],
  ['npm token', '\\bnpm_[A-Za-z0-9]{36}\\b'],
  ['json web token', '\\beyJ[\\w-]{10,600}\\.eyJ[\\w-]{10,600}\\.[\\w-]{10,600}'],
  ['private key', '-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----'],
]

const ANY = new RegExp(SECRETS.map(([, pattern]) => `(${pattern})`).join('|'), 'g')
const KEY_END = /-----END [A-Z ]{0,20}PRIVATE KEY-----/
const MAX_KEY = 16_384
const MAX_FINDINGS = 5000

export function findSecrets(text: string): readonly Finding[] {
  const found: Finding[] = []
  ANY.lastIndex = 0
  for (let match = ANY.exec(text); match !== null; match = ANY.exec(text)) {
    const at = match.findIndex((group, i) => i > 0 && group !== undefined) - 1
    const name = SECRETS[at]?.[0] ?? 'credential'
    const start = match.index
    const end = name === 'private key' ? endOfKey(text, start) : ANY.lastIndex
    found.push({ kind: 'secret', name, start, end, score: 3 })
    if (found.length >= MAX_FINDINGS) break
    ANY.lastIndex = end
  }
  return found
}

/** A key that has no end is taken for as long as keys are. */
function endOfKey(text: string, start: number): number {
  const rest = text.slice(start, start + MAX_KEY)
  const end = KEY_END.exec(rest)
  return start + (end === null ? rest.length : end.index + end[0].length)
}
