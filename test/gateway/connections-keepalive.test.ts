/** Signs of life for a client that waits: when, in which words, and never inside of a frame. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { install } from '../../src/policy/installed.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { SMALL } from '../support/small-streams.ts'
import { stateOf } from '../support/streams.ts'
import {
  begunOf,
  errorsIn,
  expectBroken,
  framesOf,
  LIMITS,
  startPair,
  withPair,
  type Pair,
} from '../support/connections.ts'

let pair: Pair
beforeAll(async () => {
  pair = await startPair({
    settings: { keepalive: 50, commit: 150 },
    up: { limits: { ...LIMITS, idle: 900 } },
  })
})
afterAll(() => pair.close())

/** What a wire says when it has nothing to say. */
const SIGN: Readonly<Record<WireName, string>> = {
  'anthropic-messages': 'event: ping\ndata: {"type":"ping"}\n\n',
  'openai-chat': ': keepalive\n\n',
  'openai-responses': ': keepalive\n\n',
}

const countIn = (text: string, sign: string): number => text.split(sign).length - 1

describe.each(WIRE_NAMES)('a client of %s', (wire) => {
  const begun = begunOf(wire)
  const whole = SMALL[wire]

  test('hears from us while the upstream is silent between frames', async () => {
    pair.upstream.next({ body: whole, cuts: [begun.length], pace: 450 })
    const answer = await pair.post(wire).answer
    const text = answer.body.toString()
    expect(text.replaceAll(SIGN[wire], '')).toBe(whole)
    expect(countIn(text, SIGN[wire])).toBeGreaterThanOrEqual(2)
    expect(countIn(text, SIGN[wire])).toBeLessThanOrEqual(12)
    expect(text.startsWith(begun + SIGN[wire])).toBe(true)
    expect(errorsIn(wire, answer.body)).toEqual([])
  })

  test('hears it only between frames, wherever they are cut', async () => {
    const at = (frame: number): number => framesOf(wire).slice(0, frame).join('').length
    const cuts = [at(2) + 1, at(3) + 10, at(4) - 1, at(5)]
    pair.upstream.next({ body: whole, cuts, pace: 250 })
    const answer = await pair.post(wire).answer
    const text = answer.body.toString()
    expect(countIn(text, SIGN[wire])).toBeGreaterThanOrEqual(2)
    // Cut out as whole frames, they leave the answer as it came.
    const left = text.split(/(?<=\n\n)/).filter((frame) => frame !== SIGN[wire])
    expect(left.join('')).toBe(whole)
    expect(errorsIn(wire, answer.body)).toEqual([])
  })

  test('hears nothing from us where the upstream does not pause', async () => {
    pair.upstream.next({ body: whole })
    expect((await pair.post(wire).answer).body.toString()).toBe(whole)
  })

  test('gets its head in time though no content has come', async () => {
    pair.upstream.next({ body: whole, firstByteDelay: 600 })
    const answer = await pair.post(wire).answer
    const headAfter = (answer.headAt ?? Infinity) - answer.startedAt
    expect(headAfter).toBeGreaterThan(100)
    expect(headAfter).toBeLessThan(600)
    const text = answer.body.toString()
    expect(text.startsWith(SIGN[wire])).toBe(true)
    expect(text.replaceAll(SIGN[wire], '')).toBe(whole)
    expect(stateOf(wire, answer.body).error).toBeUndefined()
  })

  test('gets an error event when the upstream fails after the head was sent in time', async () => {
    const count = pair.gateway.reports.length
    pair.upstream.next({ firstByteDelay: 400, ending: 'destroy' })
    const answer = await pair.post(wire).answer
    expect(answer.status).toBe(200)
    expect(stateOf(wire, answer.body).error?.message).toMatch(/closed the connection/)
    expect((await pair.gateway.report(count)).outcome).toBe('broken')
  })

  test('hears nothing more from us once the upstream was silent for too long', async () => {
    pair.upstream.next({ body: begun, ending: 'hang' })
    const answer = await pair.post(wire).answer
    expect(expectBroken(wire, answer)).toMatch(/silent for 0.9 s/)
    expect(answer.endedAt - answer.startedAt).toBeLessThan(3000)
    const text = answer.body.toString()
    expect(text.endsWith(SIGN[wire])).toBe(false)
    expect(countIn(text, SIGN[wire])).toBeGreaterThanOrEqual(4)
  })

  test('hears from us while whoever acts on the answer thinks', async () => {
    const slow = install({
      name: 'test',
      async onChunk(chunk, _, context) {
        if (chunk.type === 'block-stop') await new Promise((resolve) => setTimeout(resolve, 300))
        context.send(chunk)
      },
    })
    await withPair({ settings: { keepalive: 50 }, options: { policies: [slow] } }, async (own) => {
      own.upstream.next({ body: whole })
      const answer = await own.post(wire).answer
      const text = answer.body.toString()
      expect(countIn(text, SIGN[wire])).toBeGreaterThanOrEqual(2)
      expect(text.replaceAll(SIGN[wire], '')).toBe(whole)
      expect(errorsIn(wire, answer.body)).toEqual([])
    })
  })
})
