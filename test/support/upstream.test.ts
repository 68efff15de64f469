/**
 * The test kit does what it says: otherwise the tests that stand on it prove nothing.
 */
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fetchRaw, sendRaw, sendRequest } from './raw-client.ts'
import { startUpstream, type TestUpstream } from './upstream.ts'

let upstream: TestUpstream
beforeEach(async () => {
  upstream = await startUpstream()
})
afterEach(() => upstream.close())

const BODY = 'data: one\n\ndata: two\n\ndata: three\n\n'

describe('a request', () => {
  test('is kept as it came', async () => {
    upstream.next({ body: 'ok' })
    const body = Uint8Array.from([0, 255, 10, 13])
    await fetchRaw(`${upstream.url}/v1/x?a=%20b`, {
      method: 'PUT',
      headers: { 'X-Odd': 'Yes' },
      body,
    })
    const [request] = upstream.requests
    expect(request).toMatchObject({
      method: 'PUT',
      path: '/v1/x?a=%20b',
      headers: { 'x-odd': 'Yes' },
      aborted: false,
      closedAt: undefined,
      sent: 2,
    })
    expect(request?.rawHeaders).toContain('X-Odd')
    expect(request?.body).toEqual(Buffer.from(body))
  })

  test('may come in pieces', async () => {
    upstream.next({})
    const call = sendRequest(upstream.url, { body: ['{"a"', ':1', '}'], pace: 20 })
    const request = await upstream.request(0)
    expect(request.body.toString()).not.toBe('{"a":1}')
    expect((await call.answer).status).toBe(200)
    expect(request.body.toString()).toBe('{"a":1}')
  })

  test('is answered in the order of what was said, then by rule', async () => {
    upstream.next({ body: '1' }, { body: '2' })
    upstream.answer(({ path }) => ({ status: 418, body: path }))
    const answers = []
    for (const path of ['/a', '/b', '/c', '/d']) answers.push(await fetchRaw(upstream.url + path))
    expect(answers.map(({ status, body }) => `${status} ${body.toString()}`)).toEqual([
      '200 1',
      '200 2',
      '418 /c',
      '418 /d',
    ])
    upstream.always({ body: 'all' })
    expect((await fetchRaw(upstream.url)).body.toString()).toBe('all')
  })

  test('without a reply gets a 500 that says so', async () => {
    expect(await fetchRaw(upstream.url)).toMatchObject({ status: 500, end: 'whole' })
  })
})

describe('an answer', () => {
  test('arrives in the pieces it was cut into, at its pace', async () => {
    upstream.next({ body: BODY, cuts: [3, 11], pace: 40, headers: { 'x-a': ['1', '2'] } })
    const { pieces, body, headers, end } = await fetchRaw(upstream.url)
    expect(pieces.map(({ bytes }) => bytes.toString())).toEqual([
      BODY.slice(0, 3),
      BODY.slice(3, 11),
      BODY.slice(11),
    ])
    expect((pieces[2]?.at ?? 0) - (pieces[0]?.at ?? 0)).toBeGreaterThan(60)
    expect({ body: body.toString(), end }).toEqual({ body: BODY, end: 'whole' })
    expect(headers).toMatchObject({
      'x-a': '1, 2',
      'content-type': 'text/event-stream',
      'transfer-encoding': 'chunked',
    })
  })

  test('may be late, before its head and before its body', async () => {
    upstream.next({ body: 'x', headDelay: 60, firstByteDelay: 60 })
    const { startedAt, headAt = 0, pieces } = await fetchRaw(upstream.url)
    expect(headAt - startedAt).toBeGreaterThan(50)
    expect((pieces[0]?.at ?? 0) - headAt).toBeGreaterThan(50)
  })

  test('may tell its length', async () => {
    upstream.next({ body: BODY, framing: 'content-length' })
    const { headers } = await fetchRaw(upstream.url)
    expect(headers['content-length']).toBe(String(BODY.length))
  })

  test('may be compressed', async () => {
    upstream.next({ body: BODY, compress: 'gzip', cuts: [5] })
    const { body, headers } = await fetchRaw(upstream.url)
    expect(headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(body).toString()).toBe(BODY)
  })

  test.each([
    ['destroy', {}],
    ['destroy', { framing: 'content-length', headers: { 'content-length': '999' } }],
    ['reset', {}],
  ] as const)('may be cut off by %s %j, with all that was sent', async (ending, rest) => {
    upstream.next({ body: BODY, ending, ...rest })
    const { end, body } = await fetchRaw(upstream.url)
    expect({ end, body: body.toString() }).toEqual({ end: 'cut', body: BODY })
    const request = await upstream.request(0)
    await request.over
    expect(request.aborted).toBe(false)
  })

  test('may hang after its end or after some pieces', async () => {
    upstream.next({ body: BODY, ending: 'hang' }, { body: BODY, cuts: [3, 9], stallAfter: 1 })
    for (const expected of [BODY, BODY.slice(0, 3)]) {
      const call = sendRequest(upstream.url)
      await call.received(expected.length)
      await sleep(50)
      call.leave()
      const { end, body } = await call.answer
      expect({ end, body: body.toString() }).toEqual({ end: 'left', body: expected })
    }
  })

  test('may be no HTTP at all', async () => {
    upstream.next({ garbage: 'SSH-2.0-nonsense\r\n' })
    expect(await fetchRaw(upstream.url)).toMatchObject({ end: 'failed', status: 0 })
    upstream.next({ garbage: 'SSH-2.0-nonsense\r\n' })
    const { text, closedAt } = await sendRaw(upstream.url, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    expect(text).toBe('SSH-2.0-nonsense\r\n')
    expect(closedAt).toBeDefined()
  })

  test('may be endless, and waits for a reader that does not read', async () => {
    upstream.next({ flood: 'x'.repeat(65_536) })
    const call = sendRequest(upstream.url)
    call.pause()
    const request = await upstream.request(0)
    await sleep(300)
    const before = request.sent
    await sleep(200)
    expect(before).toBeGreaterThan(0)
    expect(request.sent).toBe(before)
    call.resume()
    await call.received(before + 10_000_000)
    expect(request.sent).toBeGreaterThan(before)
    call.leave()
    await request.over
    expect(request.aborted).toBe(true)
  })
})

describe('a client that leaves', () => {
  test.each([
    ['before the head', { headDelay: 5000 }, 0],
    ['before the first byte', { body: BODY, firstByteDelay: 5000 }, 0],
    ['in mid-answer', { body: BODY, cuts: [4], pace: 5000 }, 4],
  ])('%s is seen at once', async (_, reply, leaveAfter) => {
    upstream.next(reply)
    const call = sendRequest(upstream.url, { leaveAfter })
    const request = await upstream.request(0)
    await request.over
    expect(request.aborted).toBe(true)
    expect(await call.answer).toMatchObject({ end: 'left', error: undefined })
    expect((request.closedAt ?? 0) - request.at).toBeLessThan(1000)
  })
})

describe('the connection', () => {
  test('is kept when the client keeps it', async () => {
    upstream.always({ body: 'x' })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await fetchRaw(upstream.url, { agent })
    await fetchRaw(upstream.url, { agent })
    expect(upstream.connections).toBe(1)
    agent.destroy()
  })

  test('is refused, and taken again on the same port', async () => {
    upstream.always({ body: 'x', ending: 'hang' })
    const call = sendRequest(upstream.url)
    await call.received(1)
    await upstream.refuse()
    expect((await call.answer).end).toBe('cut')
    expect(upstream.requests[0]?.aborted).toBe(false)
    const refused = await fetchRaw(upstream.url)
    expect(refused).toMatchObject({ end: 'failed', error: { code: 'ECONNREFUSED' } })
    await upstream.accept()
    upstream.always({ body: 'back' })
    expect((await fetchRaw(upstream.url)).body.toString()).toBe('back')
    expect(upstream.connections).toBeLessThanOrEqual(1)
  })
})

describe('raw text', () => {
  test('is sent piece by piece, and everything that comes back is shown', async () => {
    upstream.next({ body: 'hi', headers: { connection: 'close' } })
    const talk = await sendRaw(upstream.url, ['GET /a HT', 'TP/1.1\r\nho', 'st: x\r\n\r\n'], {
      pace: 10,
    })
    expect(talk.text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(talk.text).toMatch(/2\r\nhi\r\n0\r\n\r\n$/)
    expect(upstream.requests[0]?.path).toBe('/a')
  })

  test('that gets no close is not waited for beyond the limit', async () => {
    const { closedAt, text } = await sendRaw(upstream.url, 'GET / HT', { wait: 100 })
    expect({ closedAt, text }).toEqual({ closedAt: undefined, text: '' })
  })
})
