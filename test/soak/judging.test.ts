/** The endurance test sees what is wrong: answers that were spoiled on their way, and gateways that keep something. */
import { describe, expect, test } from 'vitest'
import type { RawAnswer } from '../support/raw-client.ts'
import { judge, sentTo } from './judge.ts'
import type { Rest } from './memory.ts'
import { toPlan, tourOf, type Plan } from './plan.ts'
import { properFor } from './proper.ts'
import { leftovers } from './rest.ts'

const OPTIONS = { seed: 5, exchanges: 2000, isShort: false }
const all = Array.from({ length: OPTIONS.exchanges }, (_, number) => toPlan(OPTIONS, number))

const first = (is: (plan: Plan) => boolean): Plan => {
  const found = all.find(is)
  if (found === undefined) throw new Error('There is no such plan')
  return found
}

const isSame = ({ from, to, isGated, manner }: Plan): boolean =>
  from === to && !isGated && manner.type === 'reads'

function answer(plan: Plan, more: Partial<RawAnswer> = {}): RawAnswer {
  const body = sentTo(plan)
  return {
    status: 200,
    headers: { 'content-type': plan.isStream ? 'text/event-stream' : 'application/json' },
    rawHeaders: [],
    pieces: [],
    body,
    startedAt: 0,
    headAt: 0,
    endedAt: 0,
    end: 'whole',
    error: undefined,
    ...more,
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }
const failed = (plan: Plan, status: number, body: string): RawAnswer =>
  answer(plan, { status, headers: JSON_TYPE, body: Buffer.from(body) })

describe.each([true, false])('an answer that goes well, as a stream: %s', (isStream) => {
  const plan = first(
    (one) => isSame(one) && one.answer.fault === 'none' && one.isStream === isStream,
  )

  test('is right as it was sent', () => {
    expect(judge(plan, answer(plan))).toEqual({ came: 'right' })
  })

  test('is wrong with another byte, cut off, as a status or without an end', () => {
    const body = Buffer.from(sentTo(plan))
    body[body.length - 40] = 0x2a
    expect(judge(plan, answer(plan, { body })).came).toBe('wrong')
    const half = sentTo(plan).subarray(0, body.length / 2)
    expect(judge(plan, answer(plan, { body: half })).came).toBe('wrong')
    expect(judge(plan, answer(plan, { end: 'cut' })).came).toBe('wrong')
    expect(judge(plan, failed(plan, 502, '{"error":{"message":"no"}}')).came).toBe('wrong')
  })
})

test('an answer of another wire is right by what it says', () => {
  const plan = first(
    ({ from, to, answer: { fault, calls }, isStream }) =>
      from === 'openai-chat' &&
      to === 'openai-responses' &&
      fault === 'none' &&
      isStream &&
      calls === 0,
  )
  const asChat = { ...plan, to: plan.from }
  expect(judge(plan, answer(asChat)).came).toBe('right')
  const other = { ...asChat, answer: { ...plan.answer, seed: 1 } }
  expect(judge(plan, answer(other))).toMatchObject({ came: 'wrong', why: /another text/ })
  const body = Buffer.from(
    sentTo(asChat).toString().replace('"finish_reason":"stop"', '"finish_reason":null'),
  )
  expect(judge(plan, answer(asChat, { body })).came).toBe('wrong')
})

test('an answer that breaks off needs an error of its wire behind it', () => {
  const plan = first(
    (one) => isSame(one) && one.answer.fault === 'close-mid-stream' && one.isStream,
  )
  expect(properFor(plan)).toEqual(['broken'])
  expect(judge(plan, answer(plan)).came).toBe('wrong')
  const errors = {
    'anthropic-messages':
      'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"x"}}\n\n',
    'openai-chat':
      'data: {"error":{"message":"x","type":"server_error","code":null,"param":null}}\n\n',
    'openai-responses':
      'event: error\ndata: {"type":"error","code":"x","message":"x","param":null,"sequence_number":99}\n\n',
  }
  const error = Buffer.from(errors[plan.from])
  const body = Buffer.concat([sentTo(plan), error])
  expect(judge(plan, answer(plan, { body }))).toEqual({ came: 'broken' })
  expect(judge(plan, answer(plan, { body, end: 'cut' })).came).toBe('wrong')
})

test('a status needs the words of the wire', () => {
  const plan = first((one) => one.from === 'anthropic-messages' && one.answer.fault === 'html-502')
  const said = '{"type":"error","error":{"type":"api_error","message":"no"}}'
  expect(judge(plan, failed(plan, 502, said))).toEqual({ came: 502 })
  expect(judge(plan, failed(plan, 500, said)).came).toBe('wrong')
  expect(judge(plan, failed(plan, 502, '{"message":"no"}')).came).toBe('wrong')
  expect(judge(plan, failed(plan, 502, '<html>')).came).toBe('wrong')
})

test('plans are the same for the same seed, and the tour has everything', () => {
  expect(toPlan(OPTIONS, 1234)).toEqual(all[1234])
  expect(toPlan({ ...OPTIONS, seed: 6 }, 1234)).not.toEqual(all[1234])
  const ways = (isShort: boolean): readonly string[] =>
    Array.from({ length: tourOf(isShort) }, (_, number) => {
      const { answer: asked, from, to, isStream } = toPlan({ ...OPTIONS, isShort }, number)
      return isShort
        ? `${asked.fault} ${from} ${isStream}`
        : `${asked.fault} ${from} ${to} ${isStream}`
    })
  for (const isShort of [true, false]) expect(new Set(ways(isShort)).size).toBe(tourOf(isShort))
})

const MB = 1024 * 1024
const rest = (exchanges: number, held: number): Rest => ({
  exchanges,
  held,
  rss: 300 * MB,
  files: 30,
  sockets: 5,
  handles: {},
})
const rests = (held: (exchanges: number) => number): readonly Rest[] =>
  Array.from({ length: 12 }, (_, at) => rest(at * 10_000, held(at * 10_000)))

test('what is kept of each exchange is seen, and books that fill up are not', () => {
  expect(leftovers(rests(() => 80 * MB)).problems).toEqual([])
  const filling = rests((exchanges) => 50 * MB + Math.min(exchanges, 50_000) * 1000)
  expect(leftovers(filling).problems).toEqual([])
  const leaking = rests((exchanges) => 50 * MB + exchanges * 400)
  expect(leftovers(leaking).problems).toEqual([
    expect.stringMatching(/it keeps 400 bytes of each exchange/),
  ])
})

test('a short run sees what is much', () => {
  const few = (each: number): readonly Rest[] =>
    [180, 250, 320, 600, 600].map((exchanges) => rest(exchanges, 40 * MB + exchanges * each))
  expect(leftovers(few(4000)).problems).toEqual([])
  expect(leftovers(few(80_000)).problems).toEqual([expect.stringMatching(/it keeps 80000 bytes/)])
})

test('files that stay open are seen', () => {
  const [start = rest(0, 0), ...others] = rests(() => 80 * MB)
  const more = [start, ...others.map((one) => ({ ...one, files: 40 }))]
  expect(leftovers(more).problems).toEqual([expect.stringMatching(/10 more files/)])
})
