/**
 * What a policy gave back → a verdict, or that it is none. A policy is anybody's code, and types are gone when it runs: what
 * cannot be carried out must not pass for one that can. Neighbours: `judging.ts`, `requests.ts` and `combine.ts` ask.
 */
import type { RequestVerdict, Verdict } from './verdict.ts'

export function isVerdict(value: unknown): value is Verdict {
  const given = toFields(value)
  if (given === undefined || !hasRemarks(given)) return false
  switch (given['type']) {
    case 'pass':
      return true
    case 'deny':
      return isText(given['reason']) && isMaybeText(given['instead'])
    case 'halt':
      return isText(given['reason'])
    case 'ask':
      return isText(given['question'])
    case 'replace':
      return Array.isArray(given['blocks']) && given['blocks'].every(isNewBlock)
    case 'rewrite':
      return isArguments(given['args'])
    default:
      return false
  }
}

export function isRequestVerdict<Request>(value: unknown): value is RequestVerdict<Request> {
  const given = toFields(value)
  if (given === undefined || !hasRemarks(given)) return false
  switch (given['type']) {
    case 'pass':
      return true
    case 'deny':
      return isText(given['reason']) && isMaybeText(given['instead'])
    case 'change':
      return isRequest(toFields(given['request']))
    default:
      return false
  }
}

type Fields = Readonly<Record<string, unknown>>

const toFields = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : undefined

const isText = (value: unknown): value is string => typeof value === 'string'
const isMaybeText = (value: unknown): boolean => value === undefined || isText(value)
const isArguments = (value: unknown): boolean => isText(value) || toFields(value) !== undefined

function isNewBlock(value: unknown): boolean {
  const block = toFields(value)
  if (block === undefined) return false
  return block['type'] === 'text'
    ? isText(block['text'])
    : block['type'] === 'tool-call' &&
        isText(block['name']) &&
        block['name'] !== '' &&
        isArguments(block['args'])
}

/** The lists that everybody walks; what is wrong deeper down, the wire that writes it will say. */
const isRequest = (request: Fields | undefined): boolean =>
  request !== undefined &&
  isText(request['model']) &&
  Array.isArray(request['system']) &&
  Array.isArray(request['tools']) &&
  Array.isArray(request['turns']) &&
  request['turns'].every((turn) => Array.isArray(toFields(turn)?.['parts']))

function hasRemarks(given: Fields): boolean {
  const { reason, tags, details } = given
  return (
    isMaybeText(reason) &&
    (tags === undefined || (Array.isArray(tags) && tags.every(isText))) &&
    (details === undefined || isPlain(toFields(details)))
  )
}

const isPlain = (details: Fields | undefined): boolean =>
  details !== undefined &&
  Object.values(details).every(
    (value) => isText(value) || typeof value === 'number' || typeof value === 'boolean',
  )
