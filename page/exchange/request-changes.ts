/**
 * Two requests → two texts that can be compared: pretty JSON, without what is the same in both anyway and without the
 * middle of long texts. Neighbours: `request-changed.tsx` shows the difference. Bounded, so that a request of megabytes
 * does not stop the page.
 */
import { isObject } from '../../src/base/json.ts'

export interface Comparable {
  readonly before: string
  readonly after: string
}

/** Shown of a text that is the same on both sides, or only on one. */
const MAX_TEXT = 320
/** As many items as stand around a change. */
const AROUND = 1
const MAX_DEPTH = 40

export function toComparable(before: unknown, after: unknown): Comparable {
  const [left, right] = trimSame(before, after, 0)
  return { before: toPretty(left), after: toPretty(right) }
}

const toPretty = (value: unknown): string =>
  value === undefined ? '' : JSON.stringify(value, shorten, 2)

function trimSame(before: unknown, after: unknown, depth: number): readonly [unknown, unknown] {
  if (depth > MAX_DEPTH) return [before, after]
  if (Array.isArray(before) && Array.isArray(after)) return trimLists(before, after, depth)
  if (!isObject(before) || !isObject(after)) return [before, after]
  const left: Record<string, unknown> = {}
  const right: Record<string, unknown> = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [one, other] = trimSame(before[name], after[name], depth + 1)
    if (Object.hasOwn(before, name)) set(left, name, one)
    if (Object.hasOwn(after, name)) set(right, name, other)
  }
  return [left, right]
}

/** Also for a name such as `__proto__`. */
const set = (target: object, name: string, value: unknown): void =>
  void Object.defineProperty(target, name, { value, enumerable: true, configurable: true })

function trimLists(
  before: readonly unknown[],
  after: readonly unknown[],
  depth: number,
): readonly [unknown, unknown] {
  const left = before.map((item) => JSON.stringify(item))
  const right = after.map((item) => JSON.stringify(item))
  const shorter = Math.min(left.length, right.length)
  let head = 0
  while (head < shorter && left[head] === right[head]) head += 1
  let tail = 0
  while (tail < shorter - head && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1
  const middle = pairUp(
    before.slice(head, before.length - tail),
    after.slice(head, after.length - tail),
    depth,
  )
  const wrap = (items: readonly unknown[], all: readonly unknown[]): readonly unknown[] => [
    ...edge(all.slice(0, head), 'last'),
    ...items,
    ...edge(all.slice(all.length - tail), 'first'),
  ]
  return [wrap(middle[0], before), wrap(middle[1], after)]
}

function pairUp(
  before: readonly unknown[],
  after: readonly unknown[],
  depth: number,
): readonly [readonly unknown[], readonly unknown[]] {
  if (before.length !== after.length) return [before, after]
  const pairs = before.map((item, at) => trimSame(item, after[at], depth + 1))
  return [pairs.map(([one]) => one), pairs.map(([, other]) => other)]
}

/** Items that are the same on both sides: how many, and the ones beside the change. */
function edge(items: readonly unknown[], kept: 'first' | 'last'): readonly unknown[] {
  if (items.length <= AROUND + 1) return items
  const says = `… ${items.length - AROUND} items that are the same …`
  return kept === 'last' ? [says, ...items.slice(-AROUND)] : [...items.slice(0, AROUND), says]
}

function shorten(_name: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= MAX_TEXT) return value
  const half = MAX_TEXT / 2
  return `${value.slice(0, half)} … ${value.length} characters, sum ${sumOf(value)} … ${value.slice(-half)}`
}

/** Tells two long texts apart whose middle is not shown. */
function sumOf(text: string): string {
  let sum = 0x811c9dc5
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193)
  return (sum >>> 0).toString(16).padStart(8, '0')
}
