/**
 * Whether two requests say the same: what a policy wanted, and what the body that was made of it reads as. Neighbours:
 * `changed-request.ts` asks, so that nothing of a change is lost without a word. Looks at what is said and asked, and not
 * at the objects of a vendor that say it.
 */
import { isObject } from '../base/json.ts'
import { parseExactObject } from '../base/json-exact.ts'
import type { Part } from '../request/part.ts'
import type { ModelRequest, Turn } from '../request/request.ts'

export function isLike(one: ModelRequest, other: ModelRequest): boolean {
  return (
    areLike(one.system, other.system, (part, as) => part.text === as.text) &&
    areLike(one.turns, other.turns, isLikeTurn) &&
    areLike(one.tools, other.tools, (tool, as) => hasLikeMembers(tool, as, OF_TOOL)) &&
    hasLikeMembers(one, other, OF_REQUEST)
  )
}

/** Compared above, or no part of what is said. */
const OF_REQUEST: ReadonlySet<string> = new Set([
  'system',
  'turns',
  'tools',
  'source',
  'lost',
  'needed',
  'cache',
])
const OF_TOOL: ReadonlySet<string> = new Set(['vendor', 'cache'])

function areLike<Item>(
  some: readonly Item[],
  others: readonly Item[],
  isSame: (one: Item, other: Item) => boolean,
): boolean {
  return (
    some.length === others.length &&
    some.every((one, at) => {
      const other = others[at]
      return one === other || (other !== undefined && isSame(one, other))
    })
  )
}

const isLikeTurn = (one: Turn, other: Turn): boolean =>
  one.role === other.role && areLike(one.parts, other.parts, isLikePart)

function isLikePart(one: Part, other: Part): boolean {
  switch (one.type) {
    case 'text':
    case 'refusal':
      return other.type === one.type && one.text === other.text
    case 'thinking':
      return other.type === one.type && wordsOf(one) === wordsOf(other)
    case 'tool-call':
      return (
        other.type === one.type &&
        one.id === other.id &&
        one.name === other.name &&
        (one.namespace ?? '') === (other.namespace ?? '') &&
        hasLikeArguments(one.arguments, other.arguments)
      )
    case 'tool-result':
      return (
        other.type === one.type &&
        one.callId === other.callId &&
        areLike<Part>(one.parts, other.parts, isLikePart)
      )
    case 'opaque':
      return (
        other.type === one.type && one.what === other.what && isLikeValue(one.vendor, other.vendor)
      )
    case 'document':
      return (
        other.type === one.type &&
        isLikeValue(one.source, other.source) &&
        (one.title ?? '') === (other.title ?? '') &&
        (one.context ?? '') === (other.context ?? '') &&
        (one.filename ?? '') === (other.filename ?? '')
      )
    case 'image':
      return other.type === one.type && isLikeValue(one.source, other.source)
    case 'audio':
      return other.type === one.type && one.data === other.data
  }
}

/** What is sealed cannot be changed: it is as it was, or gone. */
const wordsOf = ({ text, seal }: Extract<Part, { type: 'thinking' }>): string =>
  seal === undefined ? text : (seal.signature ?? '')

/** Spaces in them say nothing. */
function hasLikeArguments(one: string, other: string): boolean {
  return one === other || isLikeValue(toValue(one), toValue(other))
}

const toValue = (text: string): unknown =>
  text.trim() === '' ? {} : (parseExactObject(text) ?? text)

/** The same JSON, whatever the order of its members. */
function isLikeValue(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one)) return Array.isArray(other) && areLike(one, other, isLikeValue)
  return isObject(one) && isObject(other) && hasLikeMembers(one, other, NONE)
}

const NONE: ReadonlySet<string> = new Set()

/** A member that is undefined is not there. */
function hasLikeMembers(one: object, other: object, but: ReadonlySet<string>): boolean {
  for (const name of Object.keys(one))
    if (!but.has(name) && !isLikeValue(memberOf(one, name), memberOf(other, name))) return false
  for (const name of Object.keys(other))
    if (!but.has(name) && !Object.hasOwn(one, name) && memberOf(other, name) !== undefined)
      return false
  return true
}

/** Its own: a client may send one called `__proto__`. */
const memberOf = (object: object, name: string): unknown =>
  Object.hasOwn(object, name) ? (object as Readonly<Record<string, unknown>>)[name] : undefined
