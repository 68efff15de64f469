/**
 * SDKs hang up as soon as they have heard the last event, or an error, and do not wait for the connection
 * to end. That is not a client that left: the answer is reported as what it was.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import {
  allTo,
  ask,
  httpUpstream,
  PATHS,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { fetchRaw } from '../support/raw-client.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

let upstream: TestUpstream
let gateway: TestGateway
let demo: TestGateway

beforeAll(async () => {
  upstream = await startUpstream()
  gateway = await startTestGateway(allTo(httpUpstream(upstream.url)))
  demo = await startTestGateway()
})
afterAll(async () => {
  await demo.close(0)
  await gateway.close(0)
  await upstream.close()
})

const bytesOf = async (wire: WireName, model: string): Promise<Buffer> => {
  const body = ask(wire, { model, stream: true })
  return (await fetchRaw(demo.url + PATHS[wire], { body })).body
}

describe.each(WIRE_NAMES)('a client of %s that hangs up', (wire) => {
  test.each([
    ['at the last event has its answer', 'demo-text', { outcome: 'done', status: 200 }],
    ['at an error has heard it', 'demo-break', { outcome: 'broken', status: 200 }],
  ])('%s', async (_, model, expected) => {
    const body = await bytesOf(wire, model)
    const place = upstream.requests.length
    const count = gateway.reports.length
    upstream.next({ body, ending: 'hang' })
    const answer = await fetchRaw(gateway.url + PATHS[wire], {
      body: ask(wire, { stream: true }),
      leaveAfter: body.length,
    })
    expect(answer.body.equals(body)).toBe(true)
    const report = await gateway.report(count)
    expect(report).toMatchObject(expected)
    expect(report.fault === undefined).toBe(expected.outcome === 'done')
    // The upstream is left all the same.
    await upstream.requests[place]?.over
    expect(upstream.requests[place]?.aborted).toBe(true)
  })
})
