/**
 * An answer as it came and as it left → which blocks are the same, changed, taken out or put in. Neighbours:
 * `read-record.ts`. Blocks that say the same are found by what they say, in order, so that a wire between them does not
 * matter; what lies between two of those is told in pairs.
 */
import { hashHex } from '../base/hash.ts'
import type { BlockView } from './read-answer.ts'

export type BlockChange = Readonly<
  | { type: 'same'; original: number; delivered: number }
  | { type: 'changed'; original: number; delivered: number }
  | { type: 'removed'; original: number }
  | { type: 'added'; delivered: number }
>

/** Places in the two lists. */
export function compareAnswers(
  original: readonly BlockView[],
  delivered: readonly BlockView[],
): readonly BlockChange[] {
  const places = placesOf(original)
  const changes: BlockChange[] = []
  let left = 0
  let right = 0
  const between = (toLeft: number, toRight: number): void => {
    const spans = { left: { from: left, to: toLeft }, right: { from: right, to: toRight } }
    changes.push(...pair(original, delivered, spans))
    left = toLeft + 1
    right = toRight + 1
  }
  delivered.forEach((view, place) => {
    const same = places.get(keyOf(view))?.next(left)
    if (same === undefined) return
    between(same, place)
    changes.push({ type: 'same', original: same, delivered: place })
  })
  between(original.length, delivered.length)
  return changes
}

/** Where the same is said, in order. */
interface Places {
  /** The first that is not before that one. Those before it are of no use any more. */
  next(from: number): number | undefined
  add(place: number): void
}

function placesOf(views: readonly BlockView[]): ReadonlyMap<string, Places> {
  const all = new Map<string, Places>()
  views.forEach((view, place) => {
    const key = keyOf(view)
    const places = all.get(key) ?? createPlaces()
    all.set(key, places)
    places.add(place)
  })
  return all
}

function createPlaces(): Places {
  const places: number[] = []
  let at = 0
  return {
    add: (place) => void places.push(place),
    next(from) {
      while (at < places.length && (places[at] ?? 0) < from) at += 1
      return places[at]
    },
  }
}

interface Span {
  readonly from: number
  readonly to: number
}

/** What stands where something else stood: changed if it is of the same kind or name, else one for the other. */
function pair(
  original: readonly BlockView[],
  delivered: readonly BlockView[],
  { left, right }: { readonly left: Span; readonly right: Span },
): readonly BlockChange[] {
  const changes: BlockChange[] = []
  let at = right.from
  for (let place = left.from; place < left.to; place++) {
    const then = original[place]
    const now = delivered[at]
    const isChanged =
      at < right.to && then !== undefined && now !== undefined && then.block.type === now.block.type
    changes.push(
      isChanged
        ? { type: 'changed', original: place, delivered: at++ }
        : { type: 'removed', original: place },
    )
    // What took the place of a block that is gone stands behind it.
    if (!isChanged && at < right.to) changes.push({ type: 'added', delivered: at++ })
  }
  for (; at < right.to; at++) changes.push({ type: 'added', delivered: at })
  return changes
}

const LONG = 1000

function keyOf({ block, content }: BlockView): string {
  const name = 'name' in block ? block.name : ''
  const said = content.length > LONG ? hashHex(content) : content
  return `${block.type}\0${name}\0${said}`
}
