/**
 * Recordings of a source → what is held ready of them: keys to find each by, wires and models. Neighbours:
 * `replay-upstream.ts` has one, `match-recordings.ts` is asked. Requests are read once and dropped.
 */
import type { WireName } from '../event/event.ts'
import { WIRE_NAMES } from '../wire/wires.ts'
import { createTextDigests, toMatchKeys, type TextDigests } from './match-keys.ts'
import { createMatcher, type Matcher, type MatcherOptions } from './match-recordings.ts'
import type { RecordingSource } from './replay-recording.ts'

export interface ReplayIndex {
  readonly matcher: Matcher
  readonly digests: TextDigests
  /** Those that something was recorded on, the one of most recordings first. */
  readonly wires: readonly WireName[]
  readonly models: readonly string[]
  readonly names: ReadonlySet<string>
}

const MAX_MODELS = 1000
/** So often others get their turn. */
const EVERY = 5

export async function readIndex(
  source: RecordingSource,
  options: MatcherOptions,
): Promise<ReplayIndex> {
  const matcher = createMatcher(options)
  const digests = createTextDigests()
  const counts = new Map<WireName, number>()
  const models = new Set<string>()
  const names = new Set<string>()
  let count = 0
  for await (const { recording, request } of source.read()) {
    const { wire, model } = recording
    names.add(recording.name)
    const keys = request === undefined ? undefined : toMatchKeys(wire, request, digests)
    matcher.add(recording, keys)
    counts.set(wire, (counts.get(wire) ?? 0) + 1)
    const named = model ?? keys?.model
    if (named !== undefined && models.size < MAX_MODELS) models.add(named)
    if (++count % EVERY === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  const wires = WIRE_NAMES.filter((wire) => counts.has(wire)).toSorted(
    (a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0),
  )
  return { matcher, digests, wires, models: [...models], names }
}
