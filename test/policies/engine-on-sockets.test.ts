/**
 * The engine in a real gateway: what is reported of policies that go on behind an answer, that every policy is closed, and
 * that an upstream cannot fill the memory while somebody decides.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { install } from '../../src/policy/installed.ts'
import type { Installed, Policy } from '../../src/policy/policy.ts'
import { deny, pass, type Verdict } from '../../src/policy/verdict.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import {
  allTo,
  ask,
  httpUpstream,
  PATHS,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { later } from '../support/policy-bench.ts'
import { fetchRaw, sendRequest } from '../support/raw-client.ts'
import { SMALL } from '../support/small-streams.ts'
import { callChunk, chunk, sayStream } from '../support/spoken.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

let upstream: TestUpstream
const gateways: TestGateway[] = []
beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close(0)
})

async function start(...policies: readonly (Policy | Installed)[]): Promise<TestGateway> {
  const gateway = await startTestGateway(allTo(httpUpstream(upstream.url)), {
    policies: policies.map((one) => ('policy' in one ? one : install(one))),
  })
  gateways.push(gateway)
  return gateway
}

const post = (gateway: TestGateway, wire: WireName): ReturnType<typeof fetchRaw> =>
  fetchRaw(gateway.url + PATHS[wire], { body: ask(wire, { stream: true }) })

describe.each(WIRE_NAMES)('on %s', (wire) => {
  test('what a policy remembers is of one conversation, also when it looks long after the request', async () => {
    const gateway = await start({
      name: 'counts',
      memory: () => ({ count: 0 }),
      judge: (_block, { memory }) => {
        const mine = memory as { count: number }
        mine.count += 1
        return deny(`Call ${mine.count}.`)
      },
    })
    const pieces = [{ call: 'Bash', id: 'call_1', args: '{}' }]
    upstream.next(...Array.from({ length: 4 }, () => ({ body: sayStream(wire, { pieces }) })))
    const say = async (first: string): Promise<string> => {
      const turns = [{ role: 'user', content: first }]
      const talk = wire === 'openai-responses' ? { input: turns } : { messages: turns }
      const body = ask(wire, { stream: true, ...talk })
      const answer = await fetchRaw(gateway.url + PATHS[wire], { body })
      return /Call \d/.exec(answer.body.toString())?.[0] ?? ''
    }
    expect([await say('One'), await say('One'), await say('Two'), await say('One')]).toEqual([
      'Call 1',
      'Call 2',
      'Call 1',
      'Call 3',
    ])
  })

  test('the client has its answer while one in shadow decides, and the report waits', async () => {
    const verdict = later<Verdict>()
    const gateway = await start(
      install({ name: 'slow', judge: () => verdict.promise }, { isShadow: true }),
    )
    upstream.next({ body: SMALL[wire] })
    const { body } = await post(gateway, wire)
    expect(body.toString()).toBe(SMALL[wire])
    expect(gateway.reports).toEqual([])
    verdict.resolve(deny('Too late'))
    const report = await gateway.report(0)
    expect(report.verdicts).toMatchObject([{ type: 'deny', isShadow: true }])
    expect(report.outcome).toBe('done')
  })

  test('nothing of a call is on its way to the client before it passes, however it is cut', async () => {
    const verdict = later<Verdict>()
    const gateway = await start({ name: 'slow', judge: () => verdict.promise })
    const body = Buffer.from(SMALL[wire])
    const cuts = Array.from({ length: 40 }, (_, at) => Math.floor((at * body.length) / 40))
    upstream.next({ body, cuts })
    const index = upstream.requests.length
    const call = sendRequest(gateway.url + PATHS[wire], { body: ask(wire, { stream: true }) })
    await (
      await upstream.request(index)
    ).over
    await sleep(20)
    const before = Buffer.concat(call.pieces.map(({ bytes }) => bytes)).toString()
    expect(before).toContain('It rains')
    expect(before).not.toMatch(/Bern|city|weather|call_1/)
    verdict.resolve(pass())
    expect((await call.answer).body.toString()).toBe(SMALL[wire])
  })
})

test('every policy is closed once: refused, failed, left, answered', async () => {
  const closed: string[] = []
  let isRefusing = false
  const gateway = await start({
    name: 'told',
    judge: () => new Promise(() => {}),
    onRequest: () => (isRefusing ? deny('No') : undefined),
    close: () => void closed.push('close'),
  })
  isRefusing = true
  expect((await post(gateway, 'openai-chat')).status).toBe(403)
  isRefusing = false
  upstream.next({ status: 500, body: '{}' })
  expect((await post(gateway, 'openai-chat')).status).toBe(500)
  upstream.next({ body: SMALL['openai-chat'] })
  const call = sendRequest(gateway.url + PATHS['openai-chat'], {
    body: ask('openai-chat', { stream: true }),
  })
  await call.received(10)
  call.leave()
  await gateway.report(2)
  expect(closed).toEqual(['close', 'close', 'close'])
})

test.each([
  ['of the call', () => callChunk(0, { arguments: 'x'.repeat(64 * 1024) })],
  ['behind the call', () => chunk({ content: 'x'.repeat(64 * 1024) })],
])('a flood %s while somebody decides ends with a clear error', async (_where, flood) => {
  const gateway = await start({
    name: 'hanging',
    isEager: true,
    judge: () => new Promise(() => {}),
  })
  upstream.next({
    body: [
      chunk({ role: 'assistant', content: '' }),
      callChunk(0, { name: 'run', arguments: '{"a":1}' }, { id: 'call_1', type: 'function' }),
    ].join(''),
    flood: flood(),
  })
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  const { body } = await post(gateway, 'openai-chat')
  expect(body.toString()).toContain('Cannot hold more than 128 MB of an answer for policy')
  expect(body.length).toBeLessThan(10_000)
  // Both ends are in this process; without a limit it would go on until there is no memory left.
  expect(process.memoryUsage().rss - before).toBeLessThan(1500 * 1024 * 1024)
})
