/** What can go wrong upstream, and what a client hears of it: a status while there is time, an event after. */
import { createServer, type AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { allTo, httpUpstream, startTestGateway } from '../support/gateway.ts'
import { SMALL } from '../support/small-streams.ts'
import type { Reply } from '../support/upstream-reply.ts'
import {
  begunOf,
  expectBroken,
  expectStatus,
  framesOf,
  LIMITS,
  post,
  startPair,
  tornOf,
  withPair,
  type Pair,
} from '../support/connections.ts'

let pair: Pair
let quick: Pair
beforeAll(async () => {
  pair = await startPair()
  quick = await startPair({ up: { limits: { ...LIMITS, firstByte: 150, idle: 250 } } })
})
afterAll(async () => {
  await pair.close()
  await quick.close()
})

const HTML = '<html><body>Bad gateway</body></html>'
const html = { 'content-type': 'text/html' }
const json = { 'content-type': 'application/json' }

/** Before anything has left: by name, what the upstream does, the status, and a word of the message. */
const BEFORE: readonly (readonly [string, Reply, number, RegExp])[] = [
  ['closes before its head', { garbage: '', ending: 'destroy' }, 502, /closed the connection/],
  ['resets before its head', { garbage: '', ending: 'reset' }, 502, /closed the connection/],
  ['sends garbage', { garbage: 'SSH-2.0-OpenSSH_9\r\n\r\n' }, 502, /does not speak HTTP/],
  ['sends half a head', { garbage: 'HTTP/1.1 200 OK\r\ncontent-' }, 502, /closed the connection/],
  ['closes after its head', { ending: 'destroy' }, 502, /closed the connection/],
  ['resets after its head', { ending: 'reset' }, 502, /closed the connection/],
  ['ends without a word', {}, 502, /ended before/],
  ['sends a page', { headers: html, body: HTML }, 502, /200 with text\/html, which is no JSON/],
  ['fails with a page', { status: 503, headers: html, body: HTML }, 503, /503 with text\/html/],
  ['redirects', { status: 307, headers: { location: 'http://127.0.0.1:1/' } }, 502, /redirected/],
  ['sends an empty body', { headers: json }, 502, /no JSON/],
  ['sends broken JSON', { headers: json, body: '{"a":' }, 502, /no JSON/],
  [
    'sends less than it said',
    { headers: { 'content-length': '999' }, body: ': x\n\n', ending: 'destroy' },
    502,
    /closed|less/,
  ],
  ['sends a head without end', { headers: { 'x-big': 'y'.repeat(100_000) } }, 502, /too large/],
  [
    'packs with what nobody knows',
    { headers: { 'content-encoding': 'zz' }, body: 'x' },
    502,
    /"zz", unasked/,
  ],
  [
    'says it is packed and is not',
    { headers: { 'content-encoding': 'gzip' }, body: 'hello' },
    502,
    /no valid gzip/,
  ],
]

describe.each(WIRE_NAMES)(
  'before anything has left, a client of %s is told by status when',
  (wire) => {
    test.each(BEFORE)('the upstream %s', async (_, reply, status, words) => {
      for (const stream of [true, false]) {
        const count = pair.gateway.reports.length
        pair.upstream.next(reply)
        const answer = await pair.post(wire, { stream }).answer
        expect(expectStatus(wire, answer, status)).toMatch(words)
        const report = await pair.gateway.report(count)
        expect(report).toMatchObject({ outcome: 'upstream-error', status, usage: undefined })
      }
    })

    test('the upstream does not begin in time', async () => {
      quick.upstream.next({ headDelay: 5000 })
      const answer = await quick.post(wire).answer
      expect(expectStatus(wire, answer, 504)).toMatch(/did not begin to answer within 0.2 s/)
      expect(answer.endedAt - answer.startedAt).toBeLessThan(2000)
    })

    test('the upstream begins, says nothing and falls silent', async () => {
      quick.upstream.next({ ending: 'hang' })
      const answer = await quick.post(wire).answer
      expect(expectStatus(wire, answer, 504)).toMatch(/silent for 0.3 s/)
    })

    test('the upstream refuses connections', async () => {
      await pair.upstream.refuse()
      const answer = await pair.post(wire).answer
      await pair.upstream.accept()
      expect(expectStatus(wire, answer, 502)).toMatch(/refused the connection/)
    })
  },
)

describe.each(WIRE_NAMES)(
  'after content has left, a client of %s gets an error event when',
  (wire) => {
    const half = tornOf(wire)
    const AFTER: readonly (readonly [string, Reply, RegExp])[] = [
      [
        'closes between frames',
        { body: begunOf(wire), ending: 'destroy' },
        /closed the connection/,
      ],
      ['resets between frames', { body: begunOf(wire), ending: 'reset' }, /closed the connection/],
      ['closes in a frame', { body: half, ending: 'destroy' }, /closed the connection/],
      ['resets in a frame', { body: half, ending: 'reset' }, /closed the connection/],
      ['ends between frames', { body: begunOf(wire) }, /ended before/],
      ['ends in a frame', { body: half }, /ended in the middle/],
      ['falls silent', { body: begunOf(wire), ending: 'hang' }, /silent for 0.3 s/],
      ['falls silent in a frame', { body: half, ending: 'hang' }, /silent for 0.3 s/],
    ]
    test.each(AFTER)('the upstream %s', async (_, reply, words) => {
      const count = quick.gateway.reports.length
      quick.upstream.next(reply)
      const answer = await quick.post(wire).answer
      expect(expectBroken(wire, answer)).toMatch(words)
      // What came whole is all there, and of the frame that did not there is nothing.
      expect(answer.body.toString().startsWith(begunOf(wire))).toBe(true)
      expect(answer.body.toString()).not.toContain(half)
      const report = await quick.gateway.report(count)
      expect(report).toMatchObject({ outcome: 'broken', status: 200, violations: 0 })
      expect(report.bytesOut).toBe(answer.body.length)
    })

    test('it takes longer than it may in all', async () => {
      const limits = { ...LIMITS, total: 300 }
      await withPair({ up: { limits } }, async ({ upstream, ...own }) => {
        const comments = ': x\n\n'.repeat(100)
        const begun = begunOf(wire)
        const cuts = Array.from({ length: 100 }, (_, i) => begun.length + i * 5)
        upstream.next({ body: begun + comments, cuts, pace: 20 })
        const answer = await own.post(wire).answer
        expect(expectBroken(wire, answer)).toMatch(/did not finish within 0.3 s/)
        await (
          await upstream.request(0)
        ).over
        expect(upstream.requests[0]?.aborted).toBe(true)
      })
    })

    test('a frame grows beyond all bounds', async () => {
      pair.upstream.next({ body: `${begunOf(wire)}data: `, flood: 'x'.repeat(256 * 1024) })
      const answer = await pair.post(wire).answer
      expect(expectBroken(wire, answer)).toMatch(/frame over/)
      expect(answer.body.length).toBeLessThan(10_000)
    })
  },
)

describe.each(WIRE_NAMES)('what an upstream of %s may do without harm', (wire) => {
  test.each(['destroy', 'reset', 'hang'] as const)('it says it all, then: %s', async (ending) => {
    const count = quick.gateway.reports.length
    quick.upstream.next({ body: SMALL[wire], ending })
    const answer = await quick.post(wire).answer
    expect([answer.end, answer.body.toString()]).toEqual(['whole', SMALL[wire]])
    expect(await quick.gateway.report(count)).toMatchObject({ outcome: 'done', fault: undefined })
  })

  const CUTS = Array.from({ length: SMALL[wire].length }, (_, at) => at)

  test('it trickles byte by byte', async () => {
    pair.upstream.next({ body: SMALL[wire], cuts: CUTS })
    const answer = await pair.post(wire).answer
    expect(answer.body.toString()).toBe(SMALL[wire])
  })

  test.each(['gzip', 'br', 'deflate'] as const)('it packs with %s, unasked', async (compress) => {
    for (const cuts of [[], CUTS]) {
      pair.upstream.next({ body: SMALL[wire], compress, cuts })
      const answer = await pair.post(wire).answer
      expect(answer.body.toString()).toBe(SMALL[wire])
      expect(answer.headers).not.toHaveProperty('content-encoding')
    }
    const error = '{"error":{"type":"invalid_request_error","message":"no"}}'
    pair.upstream.next({ status: 400, headers: json, body: error, compress })
    const answer = await pair.post(wire, {}).answer
    expect([answer.status, answer.body.toString()]).toEqual([400, error])
  })
})

test('a frame that was cut off behind the finish is an error, and not handed on', async () => {
  const frames = framesOf('openai-chat')
  const body = frames.slice(0, 5).join('')
  pair.upstream.next({ body: body + (frames[5] ?? '').slice(0, 30) })
  const answer = await pair.post('openai-chat').answer
  expect(expectBroken('openai-chat', answer)).toMatch(/middle of a frame/)
})

test('a packed answer that would fill the memory is cut, as JSON and as a stream', async () => {
  const limits = { body: 1e6, headers: 1e5, answer: 1e6, concurrent: 10, requestTime: 1000 }
  await withPair({ settings: { limits } }, async (own) => {
    const bomb = gzipSync(Buffer.alloc(400 * 1024 * 1024, ' '))
    const packed = { 'content-encoding': 'gzip' }
    own.upstream.next({ body: bomb, headers: { ...json, ...packed } })
    const whole = await own.post('openai-chat', {}).answer
    expect(expectStatus('openai-chat', whole, 502)).toMatch(/more than 1000000 bytes/)
    own.upstream.next({ body: bomb, headers: packed })
    const stream = await own.post('openai-chat').answer
    expect(expectStatus('openai-chat', stream, 502)).toMatch(/frame over/)
  })
})

test('an upstream that does not take the connection in time is a timeout', async () => {
  // It accepts and never shakes hands: to a TLS client the connection does not stand.
  const silent = createServer((socket) => socket.on('error', () => {}))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  const limits = { ...LIMITS, connect: 200 }
  const gateway = await startTestGateway(
    allTo(httpUpstream(`https://127.0.0.1:${port}`, { limits })),
  )
  const answer = await post(gateway, 'anthropic-messages').answer
  expect(expectStatus('anthropic-messages', answer, 504)).toMatch(/did not accept the connection/)
  // The clock of the connection has steps of half a second and more.
  expect(answer.endedAt - answer.startedAt).toBeLessThan(2500)
  await gateway.close(0)
  silent.close()
})
