/** One account behind several keys: what a client may choose there, and whose answers it may go on from. */
import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Settings } from '../../src/config/settings.ts'
import {
  allTo,
  ask,
  httpUpstream,
  key,
  route,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { RESPONSES } from '../support/json-answers.ts'
import { fetchRaw, type RawAnswer } from '../support/raw-client.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
const KEYS = [key('blue', hash('k-blue')), key('red', hash('k-red'))]
const BLUE = { authorization: 'Bearer k-blue' }
const RED = { authorization: 'Bearer k-red' }

let first: TestUpstream
let second: TestUpstream
const gateways: TestGateway[] = []
beforeAll(async () => {
  first = await startUpstream()
  second = await startUpstream()
  for (const [upstream, id] of [
    [first, 'resp_1'],
    [second, 'resp_2'],
  ] as const)
    upstream.always({ body: JSON.stringify({ ...RESPONSES.plain, id }), headers: JSON_TYPE })
})
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close(0)
})
afterAll(() => Promise.all([first.close(), second.close()]))

async function start(settings: Partial<Settings>): Promise<TestGateway> {
  const gateway = await startTestGateway(settings)
  gateways.push(gateway)
  return gateway
}

const ours = (upstream: TestUpstream, name = 'up') =>
  httpUpstream(upstream.url, { name, apiKey: 'sk-ours' })

const send = (
  { url }: TestGateway,
  headers: Record<string, string>,
  more: object = {},
  path = '/v1/responses',
): Promise<RawAnswer> =>
  fetchRaw(url + path, { body: ask('openai-responses', more), headers: { ...headers } })

const NOT_FOUND = (id: unknown) => ({
  error: {
    message: `Previous response with id '${String(id)}' not found.`,
    type: 'invalid_request_error',
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  },
})

test('a key goes on from its own answers and from no other’s', async () => {
  const gateway = await start({ ...allTo(ours(first)), keys: KEYS })
  expect((await send(gateway, BLUE)).status).toBe(200)
  await gateway.report(0)
  const before = first.requests.length
  for (const path of ['/v1/responses', '/v1/responses/input_tokens', '/v1/responses/compact'])
    for (const id of ['resp_1', 'resp_x', '', 7]) {
      const answer = await send(gateway, RED, { previous_response_id: id }, path)
      expect(answer.status).toBe(400)
      expect(JSON.parse(answer.body.toString())).toEqual(NOT_FOUND(id))
    }
  expect(first.requests).toHaveLength(before)
  expect((await send(gateway, BLUE, { previous_response_id: 'resp_1' })).status).toBe(200)
  expect((await send(gateway, RED, { previous_response_id: null })).status).toBe(200)
})

test('who shows its own credential to the upstream is known there', async () => {
  const gateway = await start({ ...allTo(httpUpstream(first.url)), keys: KEYS })
  const previous_response_id = 'resp_elsewhere'
  const own = { 'x-sluice-key': 'k-blue', authorization: 'Bearer sk-mine' }
  expect((await send(gateway, own, { previous_response_id })).status).toBe(200)
  // With nothing but the gateway's key, everybody is the same person there.
  expect((await send(gateway, BLUE, { previous_response_id })).status).toBe(400)
  const open = await start(allTo(ours(first)))
  expect((await send(open, {}, { previous_response_id })).status).toBe(200)
})

test('an answer is gone on from where it was made, with no other’s credential', async () => {
  const gateway = await start({
    upstreams: [httpUpstream(first.url), httpUpstream(second.url, { name: 'other' })],
    routes: [route('two', 'other'), route('*', 'up', 'other')],
  })
  expect((await send(gateway, {}, { model: 'two' })).status).toBe(200)
  await gateway.report(0)
  const [asked, before] = [first.requests.length, second.requests.length]
  const mine = { authorization: 'Bearer sk-mine' }
  expect((await send(gateway, mine, { previous_response_id: 'resp_2' })).status).toBe(200)
  expect([first.requests.length, second.requests.length]).toEqual([asked, before + 1])
  // The route's first upstream is whose key the client has.
  expect(second.requests[before]?.headers).not.toHaveProperty('authorization')
})

test('with "auth: none" no credential reaches the upstream', async () => {
  const gateway = await start(allTo(httpUpstream(first.url, { auth: 'none' })))
  const before = first.requests.length
  expect((await send(gateway, { authorization: 'Bearer sk-mine', 'x-api-key': 'k' })).status).toBe(
    200,
  )
  const { headers } = await first.request(before)
  expect([headers.authorization, headers['x-api-key']]).toEqual([undefined, undefined])
})

test('on the account of the config’s key a client chooses neither organisation nor project', async () => {
  const gateway = await start(allTo(ours(first)))
  const before = first.requests.length
  const chosen = { 'openai-organization': 'o', 'openai-project': 'p', 'openai-beta': 'b' }
  expect((await send(gateway, chosen)).status).toBe(200)
  const { headers } = await first.request(before)
  expect(Object.keys(chosen).map((name) => headers[name])).toEqual([undefined, undefined, 'b'])
})

test('a key’s rate is for what a model answers, not for counting and looking up', async () => {
  const keys = [key('blue', hash('k-blue'), { rate: { requests: 1, per: 3_600_000 } })]
  const gateway = await start({ ...allTo(ours(first)), keys })
  const free = async (): Promise<readonly number[]> => [
    (await send(gateway, BLUE, { max_tokens: 1 }, '/v1/messages/count_tokens')).status,
    (await send(gateway, BLUE, {}, '/v1/responses/input_tokens')).status,
  ]
  expect(await free()).toEqual([200, 200])
  expect((await send(gateway, BLUE)).status).toBe(200)
  await gateway.report(2)
  expect(await free()).toEqual([200, 200])
  for (const path of ['', '/input_items']) {
    const url = `${gateway.url}/v1/responses/resp_1${path}`
    expect((await fetchRaw(url, { method: 'GET', headers: BLUE })).status).toBe(200)
  }
  expect((await send(gateway, BLUE)).status).toBe(429)
  expect((await send(gateway, BLUE, {}, '/v1/responses/compact')).status).toBe(429)
})

test('the circuit in the metrics is as it is now, not as it was after the last exchange', async () => {
  const gateway = await start({
    ...allTo(
      httpUpstream(first.url, { breaker: { failures: 1, cooldown: 150 } }),
      httpUpstream(second.url, { name: 'idle', wires: ['openai-chat'] }),
    ),
    routes: [{ model: '*', wire: undefined, to: ['up'], as: {} }],
  })
  const circuits = async (): Promise<readonly string[]> => {
    const { body } = await fetchRaw(`${gateway.url}/metrics`, { method: 'GET' })
    return body.toString().match(/^sluice_circuit_state\{.*$/gm) ?? []
  }
  first.next({ status: 503, body: '{}' })
  expect((await send(gateway, {})).status).toBe(503)
  expect(await circuits()).toEqual([
    'sluice_circuit_state{upstream="up"} 2',
    'sluice_circuit_state{upstream="idle"} 0',
  ])
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(await circuits()).toContain('sluice_circuit_state{upstream="up"} 1')
})
