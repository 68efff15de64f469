/** The client leaves: everything that was done for it stops, at once and without a trace. */
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ExchangeReport } from '../../src/exchange/report.ts'
import { install } from '../../src/policy/installed.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { allTo, ask, httpUpstream, startTestGateway } from '../support/gateway.ts'
import { sendRaw, type RawCall } from '../support/raw-client.ts'
import {
  begunOf,
  framesOf,
  LIMITS,
  post,
  startPair,
  tornOf,
  withPair,
  type Pair,
} from '../support/connections.ts'

let pair: Pair
beforeAll(async () => {
  pair = await startPair({ up: { retry: RETRY } })
})
afterAll(() => pair.close())
// Whatever a test did, nothing of it is left: no connection upstream, no clock that still runs.
afterEach(async () => {
  await settled(() => process.getActiveResourcesInfo().filter((name) => name === 'Timeout'), [])
})

const RETRY = { attempts: 3, backoff: 5000, maxBackoff: 5000, maxRetryAfter: 60_000 }

/** Waits until that is so; gives up after a second and says what it is instead. */
async function settled<T>(look: () => T, wanted: T): Promise<void> {
  for (let i = 0; i < 50; i++) {
    if (JSON.stringify(look()) === JSON.stringify(wanted)) return
    await sleep(20)
  }
  expect(look()).toEqual(wanted)
}

describe.each(WIRE_NAMES)('a client of %s that leaves', (wire) => {
  /** Leaves once `upstream` has been asked and `until` is over; the upstream must hear of it. */
  async function leaves(
    from: Pair,
    until: (received: RawCall['received']) => Promise<void>,
  ): Promise<ExchangeReport> {
    const place = from.upstream.requests.length
    const count = from.gateway.reports.length
    const call = from.post(wire)
    const request = await from.upstream.request(place)
    await until(call.received)
    const leftAt = performance.now()
    call.leave()
    await request.over
    expect(request.aborted).toBe(true)
    expect((request.closedAt ?? Infinity) - leftAt).toBeLessThan(100)
    return await from.gateway.report(count)
  }

  test('before the upstream has answered stops the upstream', async () => {
    pair.upstream.next({ headDelay: 60_000 })
    const report = await leaves(pair, () => sleep(20))
    expect(report).toMatchObject({ outcome: 'client-left', status: 499, firstByteMs: undefined })
  })

  test('before the first content stops the upstream, and what it cost is kept', async () => {
    pair.upstream.next({ body: framesOf(wire)[0] ?? '', ending: 'hang' })
    const report = await leaves(pair, () => sleep(60))
    expect(report).toMatchObject({ outcome: 'client-left', status: 499, bytesOut: 0 })
    if (wire === 'anthropic-messages') expect(report.usage).toMatchObject({ outputTokens: 1 })
  })

  test('in mid-stream stops the upstream, and what it cost is kept', async () => {
    pair.upstream.next({ body: begunOf(wire), ending: 'hang' })
    const report = await leaves(pair, (received) => received(1))
    expect(report).toMatchObject({ outcome: 'client-left', status: 499, upstream: 'up' })
    expect(report.answerId).toBeDefined()
    if (wire === 'anthropic-messages') expect(report.usage).toMatchObject({ outputTokens: 1 })
  })

  test('in the middle of a frame stops the upstream', async () => {
    const body = begunOf(wire)
    pair.upstream.next({ body: tornOf(wire), ending: 'hang' })
    const report = await leaves(pair, (received) => received(body.length))
    expect(report).toMatchObject({ outcome: 'client-left', bytesOut: body.length })
  })

  test('while it waits for JSON stops the upstream', async () => {
    const place = pair.upstream.requests.length
    pair.upstream.next({
      headers: { 'content-type': 'application/json' },
      body: '{"half": ',
      ending: 'hang',
    })
    const call = pair.post(wire, {})
    const request = await pair.upstream.request(place)
    await sleep(20)
    const leftAt = performance.now()
    call.leave()
    await request.over
    expect((request.closedAt ?? Infinity) - leftAt).toBeLessThan(100)
  })

  test('while somebody acts on a stream that is silent stops the upstream', async () => {
    const policies = [install({ name: 'test', onChunk: (chunk, _, ctx) => ctx.send(chunk) })]
    await withPair({ options: { policies } }, async (acted) => {
      acted.upstream.next({ body: begunOf(wire), ending: 'hang' })
      const report = await leaves(acted, (received) => received(1))
      expect(report).toMatchObject({ outcome: 'client-left', status: 499 })
    })
  })
})

test('a client that leaves in the pause before a retry is not asked for again', async () => {
  const count = pair.gateway.reports.length
  const place = pair.upstream.requests.length
  pair.upstream.next({ status: 503, body: '{"error":{"message":"busy"}}' })
  const call = pair.post('openai-chat')
  await pair.upstream.request(place)
  await sleep(50)
  const leftAt = performance.now()
  call.leave()
  const report = await pair.gateway.report(count)
  expect(performance.now() - leftAt).toBeLessThan(100)
  expect(report).toMatchObject({ outcome: 'client-left', status: 499 })
  expect(report.attempts.map(({ status }) => status)).toEqual([503])
  await sleep(50)
  expect(pair.upstream.requests.length).toBe(place + 1)
})

test('a client that leaves while its body is on the way costs no upstream', async () => {
  const count = pair.gateway.reports.length
  const place = pair.upstream.requests.length
  const body = ask('openai-chat')
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 500\r\n\r\n`
  await sendRaw(pair.gateway.url, head + body, { wait: 50 })
  expect(await pair.gateway.report(count)).toMatchObject({ outcome: 'client-left', status: 499 })
  expect(pair.upstream.requests.length).toBe(place)
})

test('a client that leaves before an upstream has taken the connection is not waited for', async () => {
  // A TLS server that never shakes hands: the connection is there and cannot be used.
  const sockets = new Set<Socket>()
  const silent = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  const up = httpUpstream(`https://127.0.0.1:${port}`, { limits: { ...LIMITS, connect: 30_000 } })
  const gateway = await startTestGateway(allTo(up))
  const call = post(gateway, 'anthropic-messages')
  await settled(() => sockets.size, 1)
  call.leave()
  expect(await gateway.report(0)).toMatchObject({ outcome: 'client-left', status: 499 })
  const startedAt = performance.now()
  await gateway.close(0)
  expect(performance.now() - startedAt).toBeLessThan(200)
  for (const socket of sockets) socket.destroy()
  silent.close()
})

test('a gateway whose clients have all left closes at once', async () => {
  const own = await startPair()
  own.upstream.always({ body: begunOf('anthropic-messages'), ending: 'hang' })
  const calls = Array.from({ length: 20 }, () => own.post('anthropic-messages'))
  await Promise.all(calls.map((call) => call.received(1)))
  for (const call of calls) call.leave()
  await own.gateway.report(19)
  await settled(() => own.upstream.connections, 0)
  expect(await own.close()).toBeLessThan(100)
})
