/**
 * Sends a sample to this gateway as a client would, and reads what comes to its end; where the sample goes on, with the next
 * request of the conversation. Neighbours: `src/upstream/demo/samples.ts` has the samples, `demo-menu.tsx` a button for
 * each. The same origin only; a key stays in memory.
 */
import { DEMO_SAMPLES } from '../../src/upstream/demo/samples.ts'
import type { DemoCall, DemoSample } from '../../src/upstream/demo/sample-bodies.ts'
import type { JsonObject } from '../../src/base/json.ts'

export interface Sample extends DemoSample {
  /** Leaves after so many pieces of the answer. */
  readonly leavesAfter?: number
}

/** Without a key the gateway lets nobody in. */
export class KeyNeeded extends Error {
  override readonly name = 'KeyNeeded'
}

const LEAVES_AFTER = 12
const MAX_TURNS = 12

export const SAMPLES: readonly Sample[] = [...DEMO_SAMPLES, ...DEMO_SAMPLES.flatMap(toLeaving)]

/** The page alone can leave in the middle. */
function toLeaving(sample: DemoSample): readonly Sample[] {
  if (sample.id !== 'long') return []
  return [
    {
      ...sample,
      id: 'leave',
      title: 'Client leaves',
      says: 'The client is gone in the middle of a long answer.',
      leavesAfter: LEAVES_AFTER,
    },
  ]
}

export async function runSample(sample: Sample, key: string | undefined): Promise<void> {
  let { body } = sample
  const who: Sender = { key, session: toSession() }
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const calls = await send(sample, body, who)
    if (sample.next === undefined || calls.length === 0) return
    body = sample.next(body, calls)
  }
}

interface Sender {
  readonly key: string | undefined
  /** Each press begins a conversation of its own, though the words are the same. */
  readonly session: string
}

const toSession = (): string =>
  `try-${[...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`

/** The calls of its answer. */
async function send(
  { path, wire, leavesAfter = Infinity }: Sample,
  body: JsonObject,
  { key, session }: Sender,
): Promise<readonly DemoCall[]> {
  const leave = new AbortController()
  const response = await fetch(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-session-id': session,
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
    signal: leave.signal,
  })
  if (response.status === 401 && !isOfUpstream(body)) {
    await response.body?.cancel()
    throw new KeyNeeded('This gateway asks for a key')
  }
  // Only samples that go on need it, and it is most of what this page weighs.
  const { createAnswerReader } = await import('../exchange/answer-reader.ts')
  const reader = createAnswerReader(wire)
  const pieces = response.body?.getReader()
  for (let count = 0; pieces !== undefined; count++) {
    if (count >= leavesAfter) {
      leave.abort()
      return []
    }
    const { done, value } = await pieces.read()
    if (done) break
    reader.push(value, 0)
  }
  reader.end()
  return reader
    .blocks()
    .filter(({ type }) => type === 'tool-call')
    .map(({ id, name = '', content }) => ({ id, name, arguments: content }))
}

/** A 401 that the demo was asked for. */
const isOfUpstream = ({ model }: JsonObject): boolean => model === 'demo-auth'
