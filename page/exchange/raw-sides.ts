/**
 * Frames as they came against frames as they left: which are on one side only, and which were held. Neighbours:
 * `raw-frames.ts` reads them, `raw-tab.tsx` shows the marks. Policies and the gateway never change the order of what they
 * let through, so that the n-th frame with some text here is the n-th with that text there.
 */
import { createSlices } from '../core/slices.ts'
import type { RawFrame } from './raw-frames.ts'

/** For each frame its place on the other side, or -1. */
export interface Sides {
  readonly upstream: Int32Array
  readonly delivered: Int32Array
}

export async function compareSides(
  upstream: readonly RawFrame[],
  delivered: readonly RawFrame[],
  signal?: AbortSignal,
): Promise<Sides> {
  const breathe = createSlices(signal)
  const places = new Map<string, number[]>()
  for (let at = 0; at < upstream.length; at++) {
    const key = keyOf(upstream[at])
    const known = places.get(key)
    if (known === undefined) places.set(key, [at])
    else known.push(at)
    if (at % 500 === 0) await breathe()
  }
  const sides = {
    upstream: new Int32Array(upstream.length).fill(-1),
    delivered: new Int32Array(delivered.length).fill(-1),
  }
  const used = new Map<string, number>()
  for (let at = 0; at < delivered.length; at++) {
    const key = keyOf(delivered[at])
    const nth = used.get(key) ?? 0
    const there = places.get(key)?.[nth]
    if (at % 500 === 0) await breathe()
    if (there === undefined) continue
    used.set(key, nth + 1)
    sides.upstream[there] = at
    sides.delivered[at] = there
  }
  return sides
}

const keyOf = (one: RawFrame | undefined): string =>
  one === undefined
    ? ''
    : `${one.frame.event ?? ''}\n${one.frame.data ?? ''}\n${one.frame.stray ?? ''}`

/** Shorter than this is the way through the gateway, and no policy. */
const HELD_US = 15_000

/** Microseconds between the arrival of a frame and its leave, where somebody held it. */
export function heldFor(
  came: RawFrame | undefined,
  left: RawFrame | undefined,
): number | undefined {
  if (came?.time === undefined || left?.time === undefined) return undefined
  const waited = left.time - came.time
  return waited >= HELD_US ? waited : undefined
}
