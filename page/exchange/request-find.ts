/**
 * Finds words in a request, and says where they stand. In short steps: a request may have megabytes. Neighbours:
 * `request-found.tsx` shows them.
 */
import { createSlices } from '../core/slices.ts'
import { toPattern } from './raw-pattern.ts'

export interface Match {
  /** Such as `messages[3].content[0].text`. */
  readonly path: string
  readonly before: string
  readonly found: string
  readonly after: string
}

export const MAX_MATCHES = 300
const AROUND = 80

export async function findInJson(
  value: unknown,
  text: string,
  signal?: AbortSignal,
): Promise<readonly Match[]> {
  const breathe = createSlices(signal)
  const sought = toPattern(text, 'giu')
  const matches: Match[] = []
  // A list of what is still to be looked at, and no recursion: nesting may be as deep as somebody likes.
  const waiting: Member[] = [{ path: '', name: undefined, value }]
  while (waiting.length > 0 && matches.length < MAX_MATCHES) {
    const next = waiting.pop()
    if (next === undefined) break
    const { path, value: one } = next
    if (typeof one === 'object' && one !== null) {
      const inner = toInner(path, one)
      matches.push(...inner.flatMap((member) => findInName(member, sought)))
      // One by one: a list may be longer than what a call may be given.
      for (const member of inner.toReversed()) waiting.push(member)
    } else if (one !== null && one !== undefined) {
      matches.push(...findIn(typeof one === 'string' ? one : JSON.stringify(one), path, sought))
    }
    await breathe()
  }
  return matches.slice(0, MAX_MATCHES)
}

interface Member {
  readonly path: string
  /** Of a list: none. */
  readonly name: string | undefined
  readonly value: unknown
}

const toInner = (path: string, value: object): readonly Member[] =>
  Array.isArray(value)
    ? value.map((inner: unknown, at) => ({ path: `${path}[${at}]`, name: undefined, value: inner }))
    : Object.entries(value).map(([name, inner]: [string, unknown]) => ({
        path: path === '' ? name : `${path}.${name}`,
        name,
        value: inner,
      }))

function findInName({ path, name }: Member, sought: RegExp): readonly Match[] {
  sought.lastIndex = 0
  return name !== undefined && sought.test(name)
    ? [{ path, before: '', found: name, after: '' }]
    : []
}

/** The first few of one text. */
function findIn(text: string, path: string, sought: RegExp): readonly Match[] {
  const matches: Match[] = []
  sought.lastIndex = 0
  for (const { 0: found, index } of text.matchAll(sought)) {
    const end = index + found.length
    matches.push({
      path,
      before: `${index > AROUND ? '…' : ''}${text.slice(Math.max(0, index - AROUND), index)}`,
      found,
      after: `${text.slice(end, end + AROUND)}${end + AROUND < text.length ? '…' : ''}`,
    })
    if (matches.length === 20) break
  }
  return matches
}
