/** Which frames are shown. Neighbours: `raw-frames.ts` has them all, `raw-tab.tsx` asks. In short steps, as they are read. */
import { createSlices } from '../core/slices.ts'
import type { RawFrame } from './raw-frames.ts'
import { toPattern } from './raw-pattern.ts'

export interface FrameFilter {
  /** In the name or the data, in any case. */
  readonly text: string
  /** Empty: all. */
  readonly name: string
  /** `remarks`: what lint has something to say of. `changed`: what is on this side only. */
  readonly only: 'all' | 'remarks' | 'changed'
}

/** Places of those that fit; `undefined`: all of them. */
export async function filterFrames(
  frames: readonly RawFrame[],
  { text, name, only }: FrameFilter,
  { pairs, signal }: { readonly pairs?: Int32Array | undefined; readonly signal?: AbortSignal },
): Promise<readonly number[] | undefined> {
  if (text === '' && name === '' && only === 'all') return undefined
  const breathe = createSlices(signal)
  const sought = text === '' ? undefined : toPattern(text)
  const places: number[] = []
  for (const [at, one] of frames.entries()) {
    if (at % 200 === 0) await breathe()
    if (name !== '' && one.name !== name) continue
    if (only === 'remarks' && one.findings.length === 0) continue
    if (only === 'changed' && pairs?.[at] !== -1) continue
    if (sought === undefined || sought.test(one.name) || sought.test(one.frame.data ?? ''))
      places.push(at)
  }
  return places
}
