/** What a client may not do, and that it gets to read why. */
import { gzipSync } from 'node:zlib'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashKey } from '../../src/config/keys.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { allTo, ask, httpUpstream, key, PATHS, startTestGateway } from '../support/gateway.ts'
import { sendRaw } from '../support/raw-client.ts'
import { SMALL } from '../support/small-streams.ts'
import { begunOf, expectStatus, post, startPair, type Pair } from '../support/connections.ts'

const limits = { body: 100_000, headers: 8192, answer: 1e6, concurrent: 2, requestTime: 400 }
let pair: Pair
beforeAll(async () => {
  pair = await startPair({ settings: { limits } })
})
afterAll(() => pair.close())

describe.each(WIRE_NAMES)('a client of %s reads why', (wire) => {
  const large = ask(wire, { padding: 'x'.repeat(5_000_000) })

  test('a body that was announced is too large', async () => {
    const answer = await pair.post(wire, {}, { body: large }).answer
    expect(expectStatus(wire, answer, 413)).toMatch(/larger than 100000 bytes/)
    expect(pair.gateway.reports.at(-1)).toMatchObject({ outcome: 'refused', status: 413 })
  })

  test('a body that came in pieces is too large', async () => {
    const pieces = large.match(/[^]{1,60000}/g) ?? []
    const answer = await pair.post(wire, {}, { body: pieces }).answer
    expect(expectStatus(wire, answer, 413)).toMatch(/larger than 100000 bytes/)
  })

  test('a packed body is too large, or not packed at all', async () => {
    const headers = { 'content-encoding': 'gzip' }
    const answer = await pair.post(wire, {}, { body: gzipSync(large), headers }).answer
    expect(expectStatus(wire, answer, 413)).toMatch(/larger than 100000 bytes/)
    const plain = await pair.post(wire, {}, { headers }).answer
    expect(expectStatus(wire, plain, 400)).toMatch(/not valid gzip/)
    const odd = await pair.post(wire, {}, { headers: { 'content-encoding': 'zz' } }).answer
    expect(expectStatus(wire, odd, 415)).toMatch(/gzip, deflate, br or none/)
  })

  test('a body is too slow', async () => {
    const body = [...ask(wire)].slice(0, 40)
    const answer = await pair.post(wire, {}, { body, pace: 25 }).answer
    expect(expectStatus(wire, answer, 408)).toMatch(/did not arrive/)
    expect(answer.endedAt - answer.startedAt).toBeLessThan(3500)
  })

  test('too much is under way', async () => {
    const place = pair.upstream.requests.length
    pair.upstream.next(
      ...Array.from({ length: 2 }, () => ({ body: begunOf(wire), ending: 'hang' as const })),
    )
    const open = [pair.post(wire), pair.post(wire)]
    await Promise.all(open.map((call) => call.received(1)))
    const answer = await pair.post(wire).answer
    const status = wire === 'anthropic-messages' ? 529 : 503
    expect(expectStatus(wire, answer, status)).toMatch(/as many requests under way/)
    expect(answer.headers['retry-after']).toBe('1')
    expect(pair.upstream.requests.length).toBe(place + 2)
    const count = pair.gateway.reports.length
    for (const call of open) call.leave()
    await pair.gateway.report(count + 1)
    pair.upstream.next({ body: SMALL[wire] })
    expect((await pair.post(wire).answer).status).toBe(200)
  })

  test('its key has no more', async () => {
    const own = await startTestGateway({
      ...allTo(httpUpstream(pair.upstream.url)),
      keys: [
        key('one-a-minute', hashKey('k-rate'), { rate: { requests: 1, per: 60_000 } }),
        key('one-at-once', hashKey('k-once'), { concurrent: 1 }),
        key('ten-tokens', hashKey('k-budget'), { budget: { tokens: 10, per: 'day' } }),
        key('some-models', hashKey('k-models'), { models: ['claude-*'] }),
      ],
    })
    const as = (name: string) =>
      post(own, wire, { stream: true }, { headers: { 'x-api-key': name } })
    pair.upstream.next({ body: SMALL[wire] }, { body: SMALL[wire] })
    expect((await as('k-rate').answer).status).toBe(200)
    const fast = await as('k-rate').answer
    expect(expectStatus(wire, fast, 429)).toMatch(/1 requests in 60 s/)
    expect(Number(fast.headers['retry-after'])).toBeGreaterThan(50)

    expect((await as('k-budget').answer).status).toBe(200)
    const spent = await as('k-budget').answer
    const status = wire === 'anthropic-messages' ? 402 : 429
    expect(expectStatus(wire, spent, status)).toMatch(/budget of 10 tokens/)
    expect(spent.headers['x-should-retry']).toBe('false')

    pair.upstream.next({ body: begunOf(wire), ending: 'hang' })
    const first = as('k-once')
    await first.received(1)
    expect(expectStatus(wire, await as('k-once').answer, 429)).toMatch(/1 requests under way/)
    first.leave()
    await own.report(own.reports.length)
    pair.upstream.next({ body: SMALL[wire] })
    expect((await as('k-once').answer).status).toBe(200)

    expect(expectStatus(wire, await as('k-models').answer, 403)).toMatch(/may not use model/)
    expect(expectStatus(wire, await as('wrong').answer, 401)).toMatch(/not known/)
    await own.close(0)
  })
})

describe('headers', () => {
  test('that are too large are refused, and the client reads it while it still sends', async () => {
    const talk = await sendRaw(
      pair.gateway.url,
      `GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\nx-long: ${'y'.repeat(3_000_000)}\r\n\r\n`,
    )
    expect(talk.text).toMatch(/^HTTP\/1.1 431 /)
    expect(talk.text).toMatch(/headers are too large/)
    expect(talk.closedAt).toBeDefined()
  })

  test('that are no HTTP are refused', async () => {
    const talk = await sendRaw(pair.gateway.url, 'hello\r\n\r\n')
    expect(talk.text).toMatch(/^HTTP\/1.1 400 /)
    expect(JSON.parse(talk.text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ type: 'error' })
  })
})

test('a client that asks to go on is told to, and one that is too large is told why', async () => {
  const body = ask('openai-chat', { stream: true })
  pair.upstream.next({ body: SMALL['openai-chat'] })
  const head = (length: number): string =>
    `POST ${PATHS['openai-chat']} HTTP/1.1\r\nhost: 127.0.0.1\r\nexpect: 100-continue\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n`
  const talk = await sendRaw(pair.gateway.url, [head(body.length), body], { pace: 50 })
  expect(talk.text).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK/)
  const refused = await sendRaw(pair.gateway.url, head(1e9), { wait: 3000 })
  expect(refused.text).toMatch(/HTTP\/1.1 413 /)
  expect(refused.closedAt).toBeDefined()
})

test('many connections that say nothing do not keep others out', async () => {
  const silent = Array.from({ length: 300 }, () => connect(pair.gateway.port, '127.0.0.1'))
  await Promise.all(silent.map((socket) => new Promise((resolve) => socket.on('connect', resolve))))
  pair.upstream.next({ body: SMALL['openai-chat'] })
  expect((await pair.post('openai-chat').answer).status).toBe(200)
  for (const socket of silent) socket.destroy()
  await sleep(20)
})
