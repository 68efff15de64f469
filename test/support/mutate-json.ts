/**
 * JSON that is almost right: a legal body with a few things done to it that hurried programs do. Neighbour:
 * `test/fuzz/mutate.ts` does the same to streams.
 */
import { createRandom, type Random } from '../fuzz/mutate.ts'

export { createRandom }

/** What stands where something else should. */
const ODD: readonly unknown[] = [
  null,
  '',
  ' ',
  'x',
  0,
  -1,
  1.5,
  1e308,
  true,
  false,
  [],
  {},
  [null],
  [[]],
  [{}],
  { type: 'text' },
  { type: 'nothing' },
  { type: null },
  'tool_use',
  'user',
  'sluice1.',
  'sluice1.e30',
  'data:image/png;base64,',
  'data:,',
  '\ud800',
  '__proto__',
  'constructor',
]

interface Place {
  readonly holder: Record<string, unknown>
  readonly key: string
}

/** A copy with one to four changes. */
export function mutateJson(body: unknown, random: Random): unknown {
  const root = { body: structuredClone(body) }
  for (let i = 0; i <= random() * 4; i++) change(root, random)
  return root.body
}

function change(root: Record<string, unknown>, random: Random): void {
  const places = placesIn(root)
  const { holder, key } = pick(random, places)
  const moves: readonly (() => void)[] = [
    () => (holder[key] = structuredClone(pick(random, ODD))),
    () => (holder[key] = structuredClone(pick(random, ODD))),
    () => remove(holder, key),
    () => (holder[key] = structuredClone(at(pick(random, places)))),
    () => (holder[pick(random, ['other', 'type', 'content', 'id', key])] = holder[key]),
    () => repeat(holder[key], random),
    () => (holder[key] = [holder[key]]),
    () => Array.isArray(holder[key]) && holder[key].reverse(),
  ]
  pick(random, moves)()
}

function placesIn(root: Record<string, unknown>): Place[] {
  const places: Place[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const key of Object.keys(value)) {
      const holder = value as Record<string, unknown>
      places.push({ holder, key })
      visit(holder[key])
    }
  }
  visit(root['body'])
  return places.length === 0 ? [{ holder: root, key: 'body' }] : places
}

const at = ({ holder, key }: Place): unknown => holder[key]

function remove(holder: Record<string, unknown>, key: string): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete holder[key]
}

function repeat(value: unknown, random: Random): void {
  if (!Array.isArray(value) || value.length === 0) return
  value.splice(Math.floor(random() * value.length), 0, structuredClone(pick(random, value)))
}

const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random() * list.length)] as T
