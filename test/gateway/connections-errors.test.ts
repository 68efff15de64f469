/** Errors that an upstream says itself, in its stream: a status while there is time, and never twice. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import {
  begunOf,
  expectStatus,
  framesOf,
  LIMITS,
  startPair,
  withPair,
  type Pair,
} from '../support/connections.ts'
import { SMALL } from '../support/small-streams.ts'
import { stateOf } from '../support/streams.ts'

let pair: Pair
let quick: Pair
beforeAll(async () => {
  pair = await startPair()
  quick = await startPair({ up: { limits: { ...LIMITS, idle: 250 } } })
})
afterAll(async () => {
  await pair.close()
  await quick.close()
})

describe.each(WIRE_NAMES)('an error event of %s', (wire) => {
  const ERROR = {
    'anthropic-messages':
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n',
    'openai-chat': 'data: {"error":{"type":"server_error","code":"503","message":"busy"}}\n\n',
    'openai-responses':
      'event: error\ndata: {"type":"error","sequence_number":5,"code":"server_error","message":"busy","param":null}\n\n',
  }[wire]

  test('that comes first is a status, after the others were asked', async () => {
    const retry = { attempts: 2, backoff: 1, maxBackoff: 1, maxRetryAfter: 0 }
    await withPair({ up: { retry } }, async ({ upstream, ...own }) => {
      upstream.next({ body: (framesOf(wire)[0] ?? '') + ERROR }, { body: SMALL[wire] })
      expect((await own.post(wire).answer).body.toString()).toBe(SMALL[wire])
      upstream.always({ body: ERROR })
      const answer = await own.post(wire).answer
      expect(answer.status).toBeGreaterThanOrEqual(500)
      expect(expectStatus(wire, answer, answer.status)).toMatch(/busy/)
      expect(upstream.requests.length).toBe(4)
    })
  })

  test('that comes first is told also where the connection breaks behind it', async () => {
    await withPair({}, async ({ upstream, ...own }) => {
      upstream.always({ body: (framesOf(wire)[0] ?? '') + ERROR, ending: 'reset' })
      const answer = await own.post(wire).answer
      expect(expectStatus(wire, answer, answer.status)).toMatch(/busy/)
    })
  })

  test('is a reason to ask again also where it was collected for a client that wants JSON', async () => {
    const retry = { attempts: 2, backoff: 1, maxBackoff: 1, maxRetryAfter: 0 }
    await withPair({ up: { retry, stream: 'always' } }, async ({ upstream, ...own }) => {
      for (const body of [ERROR, begunOf(wire) + ERROR, begunOf(wire)]) {
        upstream.next({ body }, { body: SMALL[wire] })
        const answer = await own.post(wire, {}).answer
        expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json'])
      }
      upstream.always({ body: ERROR })
      const answer = await own.post(wire, {}).answer
      expect(answer.status).toBeGreaterThanOrEqual(500)
      expect(expectStatus(wire, answer, answer.status)).toBe('busy')
      expect(upstream.requests.length).toBe(8)
    })
  })

  test('that comes after content passes as it came, and no second one follows', async () => {
    const body = begunOf(wire) + ERROR
    const count = pair.gateway.reports.length
    pair.upstream.next({ body })
    const answer = await pair.post(wire).answer
    expect(answer.body.toString()).toBe(body)
    expect(stateOf(wire, answer.body).error?.message).toBe('busy')
    expect((await pair.gateway.report(count)).outcome).toBe('broken')
  })

  test('after which the upstream hangs or breaks off is the last that is said', async () => {
    for (const ending of ['destroy', 'hang'] as const) {
      quick.upstream.next({ body: begunOf(wire) + ERROR, ending })
      const answer = await quick.post(wire).answer
      expect(answer.end).toBe('whole')
      expect(answer.body.toString()).toBe(begunOf(wire) + ERROR)
    }
  })
})
