/** When an answer is committed: at its first content, or with `commit: 0` at its first frame, as through a pipe. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { expectStatus, framesOf, startPair, type Pair } from '../support/connections.ts'
import { SMALL } from '../support/small-streams.ts'

/** What each wire says as an error in a stream. */
const ERROR: Readonly<Record<WireName, string>> = {
  'anthropic-messages':
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
  'openai-chat':
    'data: {"error":{"message":"Overloaded","type":"server_error","code":"server_is_overloaded"}}\n\n',
  'openai-responses':
    'event: error\ndata: {"type":"error","code":"server_is_overloaded","message":"Overloaded","param":null,"sequence_number":0}\n\n',
}

const PACE_MS = 200
const TIMES = 5
const NO_RETRY = { attempts: 1, backoff: 1, maxBackoff: 1, maxRetryAfter: 1 }

describe.each([
  { commit: 0, isAtOnce: true },
  { commit: 8000, isAtOnce: false },
])('with commit: $commit', ({ commit, isAtOnce }) => {
  let pair: Pair
  beforeAll(async () => {
    pair = await startPair({ settings: { commit }, up: { retry: NO_RETRY } })
  })
  afterAll(() => pair.close())

  test.each(WIRE_NAMES)(
    isAtOnce
      ? 'the first frame of %s leaves when it comes'
      : 'the first frame of %s waits for content',
    async (wire) => {
      const [first = ''] = framesOf(wire)
      const took: number[] = []
      for (let time = 0; time < TIMES; time++) {
        pair.upstream.next({ body: SMALL[wire], cuts: [first.length], pace: PACE_MS })
        const { pieces, startedAt, body } = await pair.post(wire).answer
        took.push((pieces[0]?.at ?? 0) - startedAt)
        expect(body.toString()).toBe(SMALL[wire])
      }
      // The clock of all time limits looks ten times a second: that would be 50 ms.
      const usual = took.toSorted((a, b) => a - b)[Math.floor(TIMES / 2)]
      if (isAtOnce) expect(usual).toBeLessThan(25)
      else expect(usual).toBeGreaterThanOrEqual(PACE_MS - 20)
    },
  )

  test.each(WIRE_NAMES)('an error that %s says first is a status', async (wire) => {
    pair.upstream.next({ body: ERROR[wire] })
    const answer = await pair.post(wire).answer
    expect(expectStatus(wire, answer, answer.status)).toContain('Overloaded')
    expect(answer.status).toBeGreaterThanOrEqual(500)
  })
})
