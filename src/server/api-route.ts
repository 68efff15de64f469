/**
 * Which row of the API's table a request is for. Neighbours: `api.ts` asks; `api/routes.ts` is the table. Lets nobody in.
 */
import { partsOf, ROUTE_NAMES, toRoute, type Route, type RouteName } from '../api/routes.ts'
import { nearest } from '../base/nearest.ts'
import { fail, type Reply } from './api-answer.ts'

export interface FoundPath {
  readonly path: string
  /** By method. */
  readonly routes: ReadonlyMap<string, RouteName>
  /** What stands in the braces. */
  readonly params: Readonly<Record<string, string>>
}

interface Pattern {
  readonly path: string
  readonly words: readonly string[]
  readonly routes: Map<string, RouteName>
}

const MAX_PATH_CHARS = 1000

/** Patterns with fewer braces first: `/api/policies/halt` is no policy of that name. */
const PATTERNS = toPatterns()

/** The paths with their methods, in the order of the table. */
export const PATHS: readonly string[] = [...PATTERNS]
  .toSorted((a, b) => firstOf(a) - firstOf(b))
  .map(({ path, routes }) => `${[...routes.keys()].join(', ')} ${path}`)

export function findRoute(path: string): FoundPath | undefined {
  if (path.length > MAX_PATH_CHARS) return undefined
  const words = path.split('/')
  for (const pattern of PATTERNS) {
    const params = match(pattern.words, words)
    if (params !== undefined) return { path: pattern.path, routes: pattern.routes, params }
  }
  return undefined
}

export const toWrongMethod = (method: string, { routes }: FoundPath): Reply => {
  const allow = [...routes.keys()]
  return fail(405, `${method} is not possible here: use ${allow.join(' or ')}`, {
    allow: allow.join(', '),
  })
}

export function toUnknownPath(path: string): Reply {
  const near = nearest(
    path.slice(0, 60),
    PATTERNS.map((pattern) => pattern.path),
  )
  return fail(
    404,
    `There is no ${path.slice(0, 100)} here${near === undefined ? '' : `; did you mean ${near}?`}`,
  )
}

/** What a ticket's own token opens. */
export const ticketOf = ({ routes, params }: FoundPath, method: string): string | undefined => {
  const name = routes.get(method)
  const route: Route | undefined = name === undefined ? undefined : toRoute(name)
  return route?.takesTicketToken === true ? params['ticket'] : undefined
}

function match(
  pattern: readonly string[],
  words: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (pattern.length !== words.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, expected] of pattern.entries()) {
    const word = words[at] ?? ''
    if (!expected.startsWith('{')) {
      if (expected !== word) return undefined
      continue
    }
    const value = decode(word)
    if (value === undefined) return undefined
    params[expected.slice(1, -1)] = value
  }
  return params
}

/** Nothing that is empty, broken, or could move a cursor in a log. */
function decode(word: string): string | undefined {
  try {
    const value = decodeURIComponent(word)
    return value === '' || /\p{Cc}/u.test(value) ? undefined : value
  } catch {
    return undefined
  }
}

function toPatterns(): readonly Pattern[] {
  const all = new Map<string, Pattern>()
  for (const name of ROUTE_NAMES) {
    const { method, path } = partsOf(name)
    const pattern = all.get(path) ?? { path, words: path.split('/'), routes: new Map() }
    pattern.routes.set(method, name)
    all.set(path, pattern)
  }
  return [...all.values()].toSorted((a, b) => bracesIn(a) - bracesIn(b))
}

function bracesIn({ words }: Pattern): number {
  return words.filter((word) => word[0] === '{').length
}

function firstOf({ routes }: Pattern): number {
  const [first] = routes.values()
  return first === undefined ? 0 : ROUTE_NAMES.indexOf(first)
}
