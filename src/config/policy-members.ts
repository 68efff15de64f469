/**
 * What a policy file gave → a policy, or what is wrong with it. Neighbours: `policy-file.ts` runs the file,
 * `policy/policy.ts` has the contract. Authors write plain JavaScript too, so nothing is taken on trust.
 */
import { nearest } from '../base/nearest.ts'
import type { BlockType } from '../event/block.ts'
import type { HeldType, Policy } from '../policy/policy.ts'
import { quote } from './node.ts'
import { checkName } from './shape-upstream.ts'

type Checked =
  | { readonly type: 'policy'; readonly policy: Policy }
  /** A sentence for each mistake. */
  | { readonly type: 'wrong'; readonly sentences: readonly string[] }

/** What a value may not be, in words; `undefined`: it is right. */
type Check = (value: unknown) => string | undefined

const isFunction: Check = (value) =>
  typeof value === 'function' ? undefined : `takes a function, not ${kind(value)}`

const listOfWords =
  (words: readonly string[], more = ''): Check =>
  (value) => {
    const takes = `takes a list of ${words.join(', ')}`
    if (!Array.isArray(value)) return `${takes}, not ${kind(value)}`
    const wrong: unknown = value.find((one) => !words.includes(String(one)))
    return wrong === undefined ? undefined : `${takes}, not ${show(wrong)}${more}`
  }

const HELD: Readonly<Record<HeldType, true>> = { text: true, refusal: true, 'tool-call': true }
const WATCHED: Readonly<Record<BlockType, true>> = {
  ...HELD,
  thinking: true,
  'server-tool': true,
  'tool-result': true,
  opaque: true,
}

/** Every member of a policy. The compiler sees to it that none is forgotten. */
const MEMBERS: Readonly<Record<keyof Policy, Check>> = {
  name: (value) =>
    typeof value === 'string' && value !== ''
      ? checkName(value)?.replace('it is no name: it', `${quote(value)} is no name: it`)
      : `is missing: give it one, as in name: 'no-force-push'`,
  version: (value) =>
    typeof value === 'string' && /^[\x21-\x7e]{1,64}$/.test(value)
      ? undefined
      : `takes a short text without spaces, such as '1.0', not ${show(value)}`,
  holds: listOfWords(Object.keys(HELD), ': nothing else can wait for a verdict'),
  watches: listOfWords(Object.keys(WATCHED)),
  isEager: (value) =>
    typeof value === 'boolean' ? undefined : `takes true or false, not ${kind(value)}`,
  state: isFunction,
  memory: isFunction,
  judge: isFunction,
  onBlock: isFunction,
  onChunk: isFunction,
  onRequest: isFunction,
  onFinish: isFunction,
  close: isFunction,
}

const NAMES = Object.keys(MEMBERS) as readonly (keyof Policy)[]
const ACTS = ['judge', 'onBlock', 'onChunk', 'onRequest', 'onFinish', 'close'] as const

/** The value of a policy file, looked over member by member. */
export function checkPolicy(value: unknown): Checked {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return wrong([`it gives ${kind(value)} and no policy: ${REMEDY}`])
  const given = value as Partial<Record<keyof Policy, unknown>>
  const sentences = NAMES.flatMap((name) => {
    const isLeftOut = given[name] === undefined && name !== 'name'
    const sentence = isLeftOut ? undefined : MEMBERS[name](given[name])
    return sentence === undefined ? [] : [`${name} ${sentence}`.replace(/^name "/, '"')]
  })
  const all = [...sentences, ...unknownMembers(given), ...idle(given)]
  return all.length > 0
    ? wrong(all)
    : { type: 'policy', policy: bind(given as Partial<Policy> & { name: string }) }
}

export const REMEDY = 'end the file with export default definePolicy({ name, judge, … })'

const wrong = (sentences: readonly string[]): Checked => ({ type: 'wrong', sentences })

/** A slip in a name would be a policy that does nothing. An instance of a class may keep what it likes. */
function unknownMembers(given: object): readonly string[] {
  const prototype: unknown = Object.getPrototypeOf(given)
  if (prototype !== Object.prototype && prototype !== null) return []
  return Object.keys(given)
    .filter((name) => !NAMES.some((known) => known === name))
    .map((name) => {
      const near = nearest(name, NAMES)
      const hint = near === undefined ? '' : `; did you mean ${near}?`
      return `a policy has no ${quote(name)}: it has ${NAMES.join(', ')}${hint}`
    })
}

function idle(given: Partial<Record<keyof Policy, unknown>>): readonly string[] {
  if (given.holds !== undefined && given.judge === undefined)
    return ['it holds blocks and judges none: give it judge, or remove holds']
  return ACTS.some((name) => given[name] !== undefined)
    ? []
    : [`it does nothing: give it one of ${ACTS.join(', ')}`]
}

/** The same policy as it goes by here. */
export const rename = (policy: Policy, name: string, version: string): Policy => ({
  ...bind(policy),
  name,
  version,
})

/** Functions keep the object that they were written in, also where it is an instance with private members. */
function bind(given: Partial<Policy> & { readonly name: string }): Policy {
  const members = NAMES.flatMap((name): [string, unknown][] => {
    const member: unknown = given[name]
    if (member === undefined) return []
    return [[name, typeof member === 'function' ? (member.bind(given) as unknown) : member]]
  })
  return Object.fromEntries(members) as unknown as Policy
}

function kind(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'string') return 'text'
  return typeof value === 'number' ? 'a number' : 'true or false'
}

const show = (value: unknown): string => (typeof value === 'string' ? quote(value) : kind(value))
