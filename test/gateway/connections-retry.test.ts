/** Asked again, or asked elsewhere: only before anything has left, and only where it may help. */
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { allTo, httpUpstream, startTestGateway, type TestGateway } from '../support/gateway.ts'
import { SMALL } from '../support/small-streams.ts'
import type { Reply } from '../support/upstream-reply.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'
import { begunOf, expectBroken, expectStatus, post } from '../support/connections.ts'

const WIRE = 'openai-chat'
const GOOD: Reply = { body: SMALL[WIRE] }
const fails = (status: number, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: `{"error":{"message":"no ${status}","type":"x"}}`,
})

let first: TestUpstream
let second: TestUpstream
let alone: TestGateway
let both: TestGateway
beforeAll(async () => {
  first = await startUpstream()
  second = await startUpstream()
  const retry = { attempts: 3, backoff: 100, maxBackoff: 150, maxRetryAfter: 400 }
  const one = httpUpstream(first.url, { name: 'first', retry })
  const two = httpUpstream(second.url, { name: 'second', retry: { ...retry, attempts: 1 } })
  alone = await startTestGateway(allTo(one))
  both = await startTestGateway(allTo(one, two))
})
afterAll(async () => {
  await Promise.all([alone.close(0), both.close(0)])
  await Promise.all([first.close(), second.close()])
})

let before: readonly [number, number]
beforeEach(() => {
  before = [first.requests.length, second.requests.length]
})
/** How often each upstream was asked in this test. */
const asked = (): readonly number[] => [
  first.requests.length - before[0],
  second.requests.length - before[1],
]
/** The pauses between the requests of this test, in milliseconds. */
const pauses = (): readonly number[] => {
  const times = first.requests.slice(before[0]).map(({ at }) => at)
  return times.slice(1).map((at, i) => at - (times[i] ?? 0))
}

test('a kept connection that is closed under a request costs no pause', async () => {
  const body = '{"id":"x","object":"chat.completion","model":"m","choices":[]}'
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    let requests = 0
    socket.on('error', () => {})
    socket.on('data', () => {
      requests += 1
      if (requests > 1) socket.destroy()
      else
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        )
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const retry = { attempts: 2, backoff: 20_000, maxBackoff: 20_000, maxRetryAfter: 400 }
  const gateway = await startTestGateway(
    allTo(httpUpstream(`http://127.0.0.1:${port}/v1`, { name: 'closes', retry })),
  )
  for (let turn = 1; turn <= 3; turn++) {
    const answer = await post(gateway, WIRE).answer
    expect(answer.status).toBe(200)
    expect(connections).toBe(turn)
  }
  await gateway.close(0)
  server.close()
})

describe('one upstream', () => {
  test.each([408, 409, 429, 500, 502, 503, 529])('is asked again after a %i', async (status) => {
    first.next(fails(status), GOOD)
    const answer = await post(alone, WIRE).answer
    expect(answer.body.toString()).toBe(SMALL[WIRE])
    expect(asked()).toEqual([2, 0])
  })

  test.each([400, 401, 403, 404, 413, 422])('is not asked again after a %i', async (status) => {
    first.next(fails(status))
    const answer = await post(alone, WIRE).answer
    expect(expectStatus(WIRE, answer, status)).toBe(`no ${status}`)
    expect(asked()).toEqual([1, 0])
  })

  test('is asked again after pauses that grow, and no more often than it may', async () => {
    first.next(fails(500), fails(500), fails(503))
    const answer = await post(alone, WIRE).answer
    expect(expectStatus(WIRE, answer, 503)).toBe('no 503')
    expect(asked()).toEqual([3, 0])
    const [one = 0, two = 0] = pauses()
    expect(one).toBeGreaterThan(70)
    expect(two).toBeGreaterThan(105)
  })

  test.each([
    ['retry-after-ms', '300'],
    ['retry-after', '0.3'],
  ])('is left alone as long as its %s says', async (name, value) => {
    first.next(fails(429, { [name]: value }), GOOD)
    await post(alone, WIRE).answer
    expect(pauses()[0]).toBeGreaterThan(290)
  })

  test.each([
    ['retry-after', '3600'],
    ['retry-after', new Date(Date.now() + 3_600_000).toUTCString()],
  ])('that wants to be left alone for long is not waited for (%s: %s)', async (name, value) => {
    first.next(fails(429, { [name]: value, 'x-ratelimit-remaining-tokens': '0' }))
    const answer = await post(alone, WIRE).answer
    expect(answer.status).toBe(429)
    expect(answer.headers).toMatchObject({ [name]: value, 'x-ratelimit-remaining-tokens': '0' })
    expect(asked()).toEqual([1, 0])
  })

  test('is asked again when it says so, and not when it says not to', async () => {
    first.next(fails(400, { 'x-should-retry': 'true' }), GOOD)
    expect((await post(alone, WIRE).answer).status).toBe(200)
    expect(asked()).toEqual([2, 0])
    first.next(fails(503, { 'x-should-retry': 'false' }))
    expect((await post(alone, WIRE).answer).status).toBe(503)
    expect(asked()).toEqual([3, 0])
  })

  test('that cannot be reached is asked again', async () => {
    await first.refuse()
    const call = post(alone, WIRE)
    setTimeout(() => void first.accept(), 50)
    first.next(GOOD)
    expect((await call.answer).body.toString()).toBe(SMALL[WIRE])
    const report = alone.reports.at(-1) ?? (await alone.report(0))
    expect(report.attempts.length).toBeGreaterThan(1)
  })
})

describe('two upstreams', () => {
  test('the second is asked once the first has failed as often as it may', async () => {
    first.next(fails(500), fails(500), fails(500))
    second.next(GOOD)
    const answer = await post(both, WIRE).answer
    expect(answer.body.toString()).toBe(SMALL[WIRE])
    expect(asked()).toEqual([3, 1])
    expect(both.reports.at(-1)).toMatchObject({ upstream: 'second', outcome: 'done' })
  })

  test('the second is asked at once where the first has enough', async () => {
    first.next(fails(429, { 'retry-after': '0.3' }))
    second.next(GOOD)
    const answer = await post(both, WIRE).answer
    expect(answer.status).toBe(200)
    // No pause: it asked for three tenths of a second.
    expect(answer.endedAt - answer.startedAt).toBeLessThan(290)
    expect(asked()).toEqual([1, 1])
  })

  test.each([400, 401, 404, 422])('the second is not asked after a %i', async (status) => {
    first.next(fails(status))
    expect((await post(both, WIRE).answer).status).toBe(status)
    expect(asked()).toEqual([1, 0])
  })

  test('what a fallback says of its own key does not hide why it was asked', async () => {
    first.next(fails(429))
    second.next(fails(401))
    const answer = await post(both, WIRE).answer
    expect(expectStatus(WIRE, answer, 429)).toBe('no 429')
  })

  test.each(WIRE_NAMES)('neither is asked again once content has left: %s', async (wire) => {
    first.next({ body: begunOf(wire), ending: 'destroy' })
    expectBroken(wire, await post(both, wire).answer)
    expect(asked()).toEqual([1, 0])
  })
})

describe('a circuit', () => {
  test.each(WIRE_NAMES)(
    'opens, answers at once, lets a probe through, closes: %s',
    async (wire) => {
      const up = httpUpstream(first.url, { breaker: { failures: 3, cooldown: 400 } })
      const gateway = await startTestGateway(allTo(up))
      const status = async (): Promise<number> => (await post(gateway, wire).answer).status
      first.next(fails(502), fails(502), fails(502))
      expect([await status(), await status(), await status()]).toEqual([502, 502, 502])

      const answer = await post(gateway, wire).answer
      const said = expectStatus(wire, answer, wire === 'anthropic-messages' ? 529 : 503)
      expect(said).toMatch(/"up" failed several times/)
      expect(answer.headers['retry-after']).toBe('1')
      expect(answer.endedAt - answer.startedAt).toBeLessThan(300)
      expect(asked()).toEqual([3, 0])

      await new Promise((resolve) => setTimeout(resolve, 450))
      first.next(fails(502))
      expect(await status()).toBe(502)
      expect(await status()).not.toBe(502)
      expect(asked()).toEqual([4, 0])

      await new Promise((resolve) => setTimeout(resolve, 450))
      first.next({ body: SMALL[wire], headDelay: 100 }, { body: SMALL[wire] })
      const probe = status()
      await first.request(before[0] + 4)
      expect(await status()).toBeGreaterThan(502)
      expect(await probe).toBe(200)
      expect(await status()).toBe(200)
      await gateway.close(0)
    },
  )

  test('that is open sends everything to the next upstream', async () => {
    const up = httpUpstream(first.url, { breaker: { failures: 1, cooldown: 60_000 } })
    const next = httpUpstream(second.url, { name: 'next' })
    const gateway = await startTestGateway(allTo(up, next))
    first.next(fails(502))
    second.next(GOOD, GOOD, fails(400))
    for (let i = 0; i < 2; i++) expect((await post(gateway, WIRE).answer).status).toBe(200)
    expect(asked()).toEqual([1, 2])
    // A request that is wrong is wrong, whoever was asked first.
    expect((await post(gateway, WIRE).answer).status).toBe(400)
    await gateway.close(0)
  })

  test('stays closed where requests are wrong or quotas are full', async () => {
    const up = httpUpstream(first.url, { breaker: { failures: 1, cooldown: 60_000 } })
    const gateway = await startTestGateway(allTo(up))
    first.next(fails(400), fails(429), GOOD)
    const statuses: number[] = []
    for (let i = 0; i < 3; i++) statuses.push((await post(gateway, WIRE).answer).status)
    expect(statuses).toEqual([400, 429, 200])
    await gateway.close(0)
  })
})

test('of three upstreams, one that finds the request wrong is the last that is asked', async () => {
  const third = await startUpstream()
  const gateway = await startTestGateway(
    allTo(
      httpUpstream(first.url, { name: 'a' }),
      httpUpstream(second.url, { name: 'b' }),
      httpUpstream(third.url, { name: 'c' }),
    ),
  )
  third.always(GOOD)
  first.next(fails(500))
  second.next(fails(400))
  expect((await post(gateway, WIRE).answer).status).toBe(400)
  first.next(fails(500))
  second.next(fails(401))
  expect((await post(gateway, WIRE).answer).status).toBe(200)
  expect(third.requests.length).toBe(1)
  await gateway.close(0)
  await third.close()
})
