/**
 * What was called before, and what came back: the end of a conversation as a list of calls. Neighbours:
 * `../loop-breaker.ts` reads it once per exchange, `find-loop.ts` looks at it. A call is known by its name and its
 * arguments, however they were spaced and ordered.
 */
import { hashHex } from '../../base/hash.ts'
import { isObject } from '../../base/json.ts'
import { isNestedDeeper, MAX_NESTING } from '../../base/nesting.ts'
import { fullName, type ToolDialect } from '../../event/block.ts'
import type { ToolCallPart, ToolResultPart } from '../../request/part.ts'
import type { Turn } from '../../request/request.ts'
import type { ToolFilter } from '../tool-globs.ts'

export interface PastCall {
  readonly name: string
  readonly signature: string
  /** Of what came back; `undefined`: nothing has yet. */
  readonly result: string | undefined
  /** The same, where it was an error. */
  readonly error: string | undefined
}

/** The last calls since a person spoke, the newest last. */
export function readCalls(turns: readonly Turn[], max: number, isIgnored: ToolFilter): PastCall[] {
  const found: PastCall[] = []
  const results = new Map<string, ToolResultPart>()
  for (const turn of turns.toReversed()) {
    if (found.length >= max || isPerson(turn)) break
    for (const part of turn.parts.toReversed()) {
      if (part.type === 'tool-result') results.set(part.callId, part)
      if (part.type !== 'tool-call' || isIgnored(part) || found.length >= max) continue
      found.push(toPast(part, results.get(part.id)))
    }
  }
  return found.reverse()
}

/** A turn of the user's without results: what agents put beside results are reminders of their own. */
const isPerson = ({ role, parts }: Turn): boolean =>
  role === 'user' &&
  parts.some(({ type }) => type === 'text') &&
  !parts.some(({ type }) => type === 'tool-result')

function toPast(part: ToolCallPart, result: ToolResultPart | undefined): PastCall {
  const text = result === undefined ? undefined : textOf(result)
  const digest = text === undefined ? undefined : toDigest(text)
  const isError = result?.isError === true || (text !== undefined && ERROR.test(text))
  return {
    name: part.name,
    signature: toSignature(part),
    result: digest,
    error: isError ? digest : undefined,
  }
}

/** Two of the three wires do not say that a result is an error. Looks at the beginning only. */
const ERROR =
  /^\s{0,20}[[({<"*]{0,4}(?:(?:\w{1,30})?error\b|exception|traceback|fatal|failed|(?:process )?exit(?:ed)?(?: with)?(?: code)?:? [1-9])/i

const textOf = ({ parts }: ToolResultPart): string =>
  parts
    .map((part) => ('text' in part && part.text !== undefined ? part.text : part.type))
    .join('\n')

const MAX_DIGESTED = 64 * 1024

const toDigest = (text: string): string =>
  text.length <= MAX_DIGESTED
    ? hashHex(text)
    : `${hashHex(text.slice(0, MAX_DIGESTED))}${text.length}`

/** Larger arguments are compared as they are written. */
const MAX_CANONICAL = 64 * 1024

export function toSignature(call: {
  readonly name: string
  readonly namespace?: string | undefined
  readonly dialect: ToolDialect
  readonly arguments: string
}): string {
  const raw = call.arguments.trim()
  const isJson = call.dialect !== 'custom' && raw.length <= MAX_CANONICAL
  return `${fullName(call)} ${hashHex(isJson ? canonical(raw) : raw)} ${isJson ? '' : raw.length}`
}

function canonical(raw: string): string {
  if (raw === '') return '{}'
  try {
    const value: unknown = JSON.parse(raw)
    return isNestedDeeper(value, MAX_NESTING) ? raw : JSON.stringify(value, inOrder)
  } catch {
    return raw
  }
}

const inOrder = (_key: string, value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value
