/**
 * What a model said → a verdict, or nothing. Lenient in form (a code fence, words around it), strict in substance: only
 * an object with the code of this very question counts, and all of them must say the same. Words alone are never a
 * verdict, whatever they say. Neighbours: `prompt.ts` asked for it, `poll.ts` counts it.
 */
import { parseObject, toText, type JsonObject } from '../../base/json.ts'
import { createJsonScanner } from '../../base/json-scanner.ts'

export interface JudgeAnswer {
  /** Of harm, 0 to 1. */
  readonly probability: number
  readonly reason: string
}

const MAX_ANSWER = 50_000
const MAX_OBJECTS = 20
const MAX_REASON = 300

export function readAnswer(text: string, mark: string): JudgeAnswer | undefined {
  if (text.length > MAX_ANSWER) return undefined
  const said = objectsIn(withoutThoughts(text)).filter((one) => one['id'] === mark)
  const answers = said.map(toAnswer)
  const [first] = answers
  const isOneWord = answers.every((other) => other?.probability === first?.probability)
  return isOneWord ? first : undefined
}

/** Models on small servers think aloud before they answer. */
function withoutThoughts(text: string): string {
  if (!text.trimStart().startsWith('<think>')) return text
  const end = text.lastIndexOf('</think>')
  return end === -1 ? '' : text.slice(end)
}

/** The objects that stand in a text, outermost ones only. */
function objectsIn(text: string): readonly JsonObject[] {
  const objects: JsonObject[] = []
  let from = 0
  // A brace that never closes is passed over. Each try reads the rest once, so their number is limited.
  for (let tries = 0; tries < MAX_OBJECTS; tries++) {
    const start = text.indexOf('{', from)
    if (start === -1) break
    const end = endOf(text, start)
    const object = end === undefined ? undefined : parseObject(text.slice(start, end))
    if (object !== undefined) objects.push(object)
    from = object === undefined || end === undefined ? start + 1 : end
  }
  return objects
}

function endOf(text: string, start: number): number | undefined {
  const scanner = createJsonScanner()
  for (let at = start; at < text.length; at++) if (scanner.feed(text.charAt(at))) return at + 1
  return undefined
}

function toAnswer(said: JsonObject): JudgeAnswer | undefined {
  const probability = toProbability(said['probability'])
  const word = typeof said['verdict'] === 'string' ? said['verdict'].trim().toLowerCase() : ''
  if (probability === undefined) return undefined
  // Who allows what it finds harmful, or denies what it finds harmless, has not understood.
  const isSound = word === 'allow' ? probability <= 0.5 : word === 'deny' && probability >= 0.5
  return isSound ? { probability, reason: toReason(said['reason']) } : undefined
}

function toProbability(value: unknown): number | undefined {
  const isWritten = typeof value === 'string' && /^\s{0,9}[01](?:\.\d{1,20})?\s{0,9}$/.test(value)
  const number = isWritten ? Number(value) : value
  return typeof number === 'number' && number >= 0 && number <= 1 ? number : undefined
}

/** One line that a person and a model will read: what a model wrote under the eyes of whoever it judges. */
const toReason = (value: unknown): string =>
  (toText(value) ?? '')
    .slice(0, MAX_REASON)
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
