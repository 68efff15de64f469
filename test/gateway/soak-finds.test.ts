/**
 * What the endurance test has found, each alone and small: `npm run soak` finds the next. The upstream is the faulty one
 * of the test kit; the gateway has a gate, as most have.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { install } from '../../src/policy/installed.ts'
import { pass } from '../../src/policy/verdict.ts'
import { toFaultyModel } from '../../src/testkit/faulty-upstream-answer.ts'
import { startFaultyUpstream, type FaultyUpstream } from '../../src/testkit/faulty-upstream.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { expectBroken, framesOf, withPair } from '../support/connections.ts'
import { allTo, ask, httpUpstream, PATHS, startTestGateway } from '../support/gateway.ts'
import type { TestGateway } from '../support/gateway.ts'
import { fetchRaw } from '../support/raw-client.ts'

let upstream: FaultyUpstream
let gateway: TestGateway
beforeAll(async () => {
  upstream = await startFaultyUpstream()
  const gate = install({ name: 'gate', holds: ['tool-call'], judge: () => pass() })
  gateway = await startTestGateway(allTo(httpUpstream(upstream.url)), { policies: [gate] })
})
afterAll(async () => {
  await gateway.close(0)
  await upstream.close()
})

describe.each(WIRE_NAMES)('on %s, behind a gate', (wire) => {
  test.each(['end-early', 'bad-frame'] as const)(
    'an answer that breaks by %s ends with an error, as it does without one',
    async (fault) => {
      const body = ask(wire, { model: toFaultyModel({ fault }), stream: true })
      const answer = await fetchRaw(gateway.url + PATHS[wire], { body })
      expect(expectBroken(wire, answer)).not.toBe('')
      expect(answer.body.toString()).toMatch(/"(?:error|response\.failed)"/)
    },
  )
})

/** The small answer up to its first piece of text, that piece as another, and the rest. */
function saying(wire: WireName, text: string): { begun: string; body: string } {
  const frames = framesOf(wire)
  const place = frames.findIndex((frame) => frame.includes('It rains.'))
  const piece = (frames[place] ?? '').replace('It rains.', text)
  const begun = [...frames.slice(0, place), piece].join('')
  return { begun, body: begun + frames.slice(place + 1).join('') }
}

describe.each(WIRE_NAMES)('on %s, where nobody acts', (wire) => {
  test.each(['error', 'message_stop', 'response.completed', '[DONE]', 'error: no'])(
    'a piece of text that is just "%s" is text and nothing else',
    async (text) => {
      await withPair({}, async (pair) => {
        const { begun, body } = saying(wire, text)
        pair.upstream.next({ body })
        expect((await pair.post(wire).answer).body.toString()).toBe(body)
        expect(await pair.gateway.report(0)).toMatchObject({ outcome: 'done', fault: undefined })
        // And what breaks off behind it has still to be told.
        pair.upstream.next({ body: begun, ending: 'destroy' })
        const broken = await pair.post(wire).answer
        expect(expectBroken(wire, broken)).toMatch(/closed the connection/)
      })
    },
  )
})
