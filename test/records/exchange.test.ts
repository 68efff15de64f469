/** What is recorded of exchanges on every way through the gateway, in a real file: the bytes that came and that left. */
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Settings } from '../../src/config/settings.ts'
import type { WireName } from '../../src/event/event.ts'
import { install } from '../../src/policy/installed.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { deny, pass } from '../../src/policy/verdict.ts'
import type { Records } from '../../src/records/records.ts'
import type { GatewayOptions } from '../../src/server/gateway.ts'
import type { Price } from '../../src/store/settings.ts'
import { WIRE_NAMES, WIRES } from '../../src/wire/wires.ts'
import { allTo, ask, httpUpstream, key, PATHS } from '../support/gateway.ts'
import { fetchRaw, sendRequest, type RawAnswer } from '../support/raw-client.ts'
import {
  openTestRecords,
  startRecorded,
  textOf,
  type Kept,
  type RecordedGateway,
} from '../support/recorded-gateway.ts'
import { SMALL } from '../support/small-streams.ts'
import { stateOf } from '../support/streams.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

let upstream: TestUpstream
let records: Records
const gateways: RecordedGateway[] = []
beforeAll(async () => {
  upstream = await startUpstream()
  records = await openTestRecords({}, PRICES)
}, 30_000)
afterAll(async () => {
  await upstream.close()
  await records.close(5000)
})
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close(0)
})

/** Dear, so that it is seen. */
const PRICES: readonly Price[] = [
  { model: 'm', input: 1000, output: 2000, cacheRead: undefined, cacheWrite: undefined },
]

type Options = Parameters<typeof startRecorded>[1]

async function start(
  settings: Partial<Settings> = {},
  options: Options = {},
): Promise<RecordedGateway> {
  const gateway = await startRecorded(
    { ...allTo(httpUpstream(upstream.url)), ...settings },
    { ...(options.record === undefined ? { records } : {}), ...options },
  )
  gateways.push(gateway)
  return gateway
}

const acting = (policy: Omit<Policy, 'name'>): GatewayOptions => ({
  policies: [install({ name: 'test', ...policy })],
})

const post = (
  gateway: RecordedGateway,
  wire: WireName,
  more: object = {},
  headers: Record<string, string> = {},
): Promise<RawAnswer> => fetchRaw(gateway.url + PATHS[wire], { body: ask(wire, more), headers })

async function keptOne(gateway: RecordedGateway): Promise<Kept> {
  const [kept] = await gateway.kept(1)
  if (kept === undefined) throw new Error('There is no record')
  return kept
}

/** What the record says that the client got. */
const deliveredOf = ({ bodies }: Kept): string | undefined =>
  textOf(bodies.delivered ?? bodies.upstream)

const JSON_TYPE = { 'content-type': 'application/json' }

const JSON_ANSWERS = Object.fromEntries(
  WIRE_NAMES.map((wire) => [
    wire,
    JSON.stringify(WIRES[wire].writeAnswer(stateOf(wire, SMALL[wire])).body),
  ]),
)
const jsonOf = (wire: WireName): string => JSON_ANSWERS[wire] ?? ''

describe.each(WIRE_NAMES)('%s', (wire) => {
  test('a stream that passes is kept once, as it came, with every arrival', async () => {
    const gateway = await start()
    upstream.next({ body: SMALL[wire], cuts: [40, 90], pace: 20 })
    const answer = await post(gateway, wire, { stream: true })
    const kept = await keptOne(gateway)
    expect(textOf(kept.bodies.request)).toBe(ask(wire, { stream: true }))
    expect(textOf(kept.bodies.upstream)).toBe(SMALL[wire])
    expect(answer.body.toString()).toBe(SMALL[wire])
    expect(kept.bodies.delivered).toBeUndefined()
    expect(kept.bodies.sent).toBeUndefined()
    const times = kept.bodies.upstream?.times ?? []
    const sizes = times.filter((_, at) => at % 2 === 0)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(SMALL[wire].length)
    const ats = times.filter((_, at) => at % 2 === 1)
    expect(ats.toSorted((a, b) => a - b)).toEqual(ats)
    expect(kept.row).toMatchObject({
      wire,
      upstreamWire: wire,
      outcome: 'done',
      status: 200,
      upstreamStatus: 200,
      isStream: true,
      model: 'm',
      upstream: 'up',
      dropped: [],
      record: 'bytes',
    })
    expect(kept.row.tools).toEqual([{ name: 'weather', count: 1 }])
  })

  test('a stream that policies let pass is kept once', async () => {
    const gateway = await start({}, acting({ judge: () => pass() }))
    upstream.next({ body: SMALL[wire] })
    const answer = await post(gateway, wire, { stream: true })
    const kept = await keptOne(gateway)
    expect(textOf(kept.bodies.upstream)).toBe(SMALL[wire])
    expect(answer.body.toString()).toBe(SMALL[wire])
    expect(kept.bodies.delivered).toBeUndefined()
    expect(kept.verdicts).toMatchObject([{ policy: 'test', type: 'pass', at: 0 }])
  })

  test.each([true, false])(
    'a call that is denied is kept as it came and as it left, stream: %s',
    async (stream) => {
      const gateway = await start({}, acting({ judge: () => deny('Not today') }))
      upstream.next(stream ? { body: SMALL[wire] } : { body: jsonOf(wire), headers: JSON_TYPE })
      const answer = await post(gateway, wire, { stream })
      const kept = await keptOne(gateway)
      expect(textOf(kept.bodies.upstream)).toBe(stream ? SMALL[wire] : jsonOf(wire))
      expect(textOf(kept.bodies.delivered)).toBe(answer.body.toString())
      expect(answer.body.toString()).toContain('Not today')
      expect(kept.verdicts).toMatchObject([
        { type: 'deny', reason: 'Not today', exchangeId: kept.row.id },
      ])
      expect(kept.row.tools).toEqual([{ name: 'weather', count: 1 }])
    },
  )

  test('text that is rewritten is kept as it came and as it left', async () => {
    const gateway = await start(
      {},
      acting({
        onChunk(chunk, _, context) {
          if (chunk.type !== 'block-delta' || chunk.delta.type !== 'text')
            return context.send(chunk)
          const delta = { type: 'text', text: chunk.delta.text.toUpperCase() } as const
          return context.send({ type: 'block-delta', block: chunk.block, delta })
        },
      }),
    )
    upstream.next({ body: SMALL[wire], cuts: [40, 90, 200] })
    const answer = await post(gateway, wire, { stream: true })
    const kept = await keptOne(gateway)
    expect(textOf(kept.bodies.delivered)).toBe(answer.body.toString())
    expect(textOf(kept.bodies.upstream)).toBe(SMALL[wire])
  })

  test('a JSON answer that passes is kept once', async () => {
    const gateway = await start()
    upstream.next({ body: jsonOf(wire), headers: JSON_TYPE })
    const answer = await post(gateway, wire)
    const kept = await keptOne(gateway)
    expect(textOf(kept.bodies.upstream)).toBe(jsonOf(wire))
    expect(answer.body.toString()).toBe(jsonOf(wire))
    expect(kept.bodies.delivered).toBeUndefined()
    expect(kept.row).toMatchObject({ isStream: false, outcome: 'done' })
  })

  test('a stream made of JSON, and JSON made of a stream, are kept as they came and as they left', async () => {
    const gateway = await start()
    upstream.next({ body: jsonOf(wire), headers: JSON_TYPE }, { body: SMALL[wire] })
    const streamed = await post(gateway, wire, { stream: true })
    const whole = await post(gateway, wire)
    const [first, second] = await gateway.kept(2)
    expect(textOf(first?.bodies.upstream)).toBe(jsonOf(wire))
    expect(textOf(first?.bodies.delivered)).toBe(streamed.body.toString())
    expect(textOf(second?.bodies.upstream)).toBe(SMALL[wire])
    expect(textOf(second?.bodies.delivered)).toBe(whole.body.toString())
  })

  test.each(WIRE_NAMES.filter((other) => other !== wire))(
    'a stream translated from %s is kept in both wires, and so is its request',
    async (other) => {
      const gateway = await start(allTo(httpUpstream(upstream.url, { wires: [other] })))
      upstream.next({ body: SMALL[other], cuts: [60, 300] })
      const asked = upstream.requests.length
      const answer = await post(gateway, wire, { stream: true })
      const kept = await keptOne(gateway)
      expect(textOf(kept.bodies.request)).toBe(ask(wire, { stream: true }))
      expect(textOf(kept.bodies.sent)).toBe(upstream.requests[asked]?.body.toString())
      expect(textOf(kept.bodies.upstream)).toBe(SMALL[other])
      expect(textOf(kept.bodies.delivered)).toBe(answer.body.toString())
      expect(kept.row).toMatchObject({ wire, upstreamWire: other })
    },
  )

  test("an upstream's error is kept with its status", async () => {
    const gateway = await start()
    const error = JSON.stringify(WIRES[wire].writeError({ kind: 'invalid-request', message: 'No' }))
    upstream.next({ status: 400, body: error, headers: JSON_TYPE })
    const answer = await post(gateway, wire, { stream: true })
    const kept = await keptOne(gateway)
    expect(answer.status).toBe(400)
    expect(textOf(kept.bodies.upstream)).toBe(error)
    expect(deliveredOf(kept)).toBe(answer.body.toString())
    expect(kept.row).toMatchObject({ outcome: 'upstream-error', status: 400, upstreamStatus: 400 })
  })

  test('of a stream that is cut, what came is kept, and what left behind it', async () => {
    const gateway = await start()
    const half = SMALL[wire].slice(0, Math.floor(SMALL[wire].length / 2))
    upstream.next({ body: half, ending: 'destroy' })
    const answer = await post(gateway, wire, { stream: true })
    const kept = await keptOne(gateway)
    expect(textOf(kept.bodies.upstream)).toBe(half)
    expect(deliveredOf(kept)).toBe(answer.body.toString())
    expect(kept.row.fault).toBeDefined()
  })
})

const MESSAGES = 'anthropic-messages'

test('of a retry, and of a fallback, only the attempt that answered is kept, and all are listed', async () => {
  const other = httpUpstream(upstream.url, { name: 'other' })
  const retry = { attempts: 2, backoff: 1, maxBackoff: 5, maxRetryAfter: 1000 }
  const gateway = await start(allTo(httpUpstream(upstream.url, { retry }), other))
  const failed = {
    status: 500,
    body: 'x'.repeat(100_000),
    headers: { 'content-type': 'text/plain' },
  }
  upstream.next(failed, failed, { body: SMALL[MESSAGES] })
  await post(gateway, MESSAGES, { stream: true })
  const { row, bodies } = await keptOne(gateway)
  expect(textOf(bodies.upstream)).toBe(SMALL[MESSAGES])
  expect(row).toMatchObject({ upstream: 'other', upstreamStatus: 200, outcome: 'done' })
  expect(row.attempts.map((attempt) => [attempt.upstream, attempt.status])).toEqual([
    ['up', 500],
    ['up', 500],
    ['other', 200],
  ])
})

test('where a fallback fails for a reason of its own, what is kept is what the client was told', async () => {
  const other = httpUpstream(upstream.url, { name: 'other' })
  const gateway = await start(allTo(httpUpstream(upstream.url), other))
  const busy = JSON.stringify(WIRES[MESSAGES].writeError({ kind: 'overloaded', message: 'Busy' }))
  const wrong = JSON.stringify(
    WIRES[MESSAGES].writeError({ kind: 'authentication', message: 'Who' }),
  )
  upstream.next(
    { status: 529, body: busy, headers: JSON_TYPE },
    { status: 401, body: wrong, headers: JSON_TYPE },
  )
  const answer = await post(gateway, MESSAGES, { stream: true })
  const kept = await keptOne(gateway)
  expect(answer.body.toString()).toBe(busy)
  expect(deliveredOf(kept)).toBe(busy)
  expect(kept.row).toMatchObject({ status: 529, upstreamStatus: 529 })
})

test('a client that leaves is recorded with what came until then', async () => {
  const gateway = await start()
  upstream.next({ body: SMALL[MESSAGES], cuts: [400], pace: 60_000 })
  const call = sendRequest(gateway.url + PATHS[MESSAGES], {
    body: ask(MESSAGES, { stream: true }),
    leaveAfter: 100,
  })
  await call.answer
  const { row, bodies } = await keptOne(gateway)
  expect(row).toMatchObject({ outcome: 'client-left', status: 499 })
  expect(textOf(bodies.upstream)).toBe(SMALL[MESSAGES].slice(0, 400))
})

test('a client that leaves before a held call has got what is kept as delivered: nothing of it', async () => {
  let judged = (): void => {}
  const isJudged = new Promise<void>((resolve) => (judged = resolve))
  const gateway = await start(
    {},
    acting({
      judge: (_, { signal }) => {
        judged()
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(pass())))
      },
    }),
  )
  const call = [...SMALL[MESSAGES].matchAll(/event: content_block_start\n/g)][1]?.index ?? 0
  upstream.next({ body: SMALL[MESSAGES], cuts: [call] })
  const asked = sendRequest(gateway.url + PATHS[MESSAGES], {
    body: ask(MESSAGES, { stream: true }),
  })
  await Promise.all([isJudged, asked.received(call)])
  asked.leave()
  const answer = await asked.answer
  const kept = await keptOne(gateway)
  expect(textOf(kept.bodies.upstream)).toContain('tool_use')
  expect(textOf(kept.bodies.delivered)).toBe(answer.body.toString())
})

test('what a policy refuses is recorded with the request, the verdict and what the client was told', async () => {
  const gateway = await start({}, acting({ onRequest: () => deny('Not here') }))
  const answer = await post(gateway, MESSAGES)
  const kept = await keptOne(gateway)
  expect(kept.row).toMatchObject({
    outcome: 'refused',
    status: 403,
    upstream: undefined,
    tools: [],
  })
  expect(textOf(kept.bodies.request)).toBe(ask(MESSAGES))
  expect(textOf(kept.bodies.delivered)).toBe(answer.body.toString())
  expect(kept.bodies.upstream).toBeUndefined()
  expect(kept.verdicts).toMatchObject([{ type: 'deny', reason: 'Not here', block: undefined }])
})

test('a count of tokens is recorded only where a policy acted on it', async () => {
  const gateway = await start(
    {},
    acting({
      onRequest: ({ turns }) =>
        JSON.stringify(turns).includes('forbidden') ? deny('Not here') : undefined,
    }),
  )
  upstream.always({ body: '{"input_tokens":5}', headers: JSON_TYPE })
  const count = (content: string): Promise<RawAnswer> =>
    fetchRaw(`${gateway.url}/v1/messages/count_tokens`, {
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }),
    })
  expect((await count('hello')).status).toBe(200)
  expect((await count('forbidden')).status).toBe(403)
  const kept = await gateway.kept(1)
  expect(kept.map(({ row }) => [row.endpoint, row.status])).toEqual([
    ['/v1/messages/count_tokens', 403],
  ])
})

test('what is over a limit of its key is recorded, and a wrong key or path is not', async () => {
  const hash = '5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8'
  const limited = key('team', hash, { rate: { requests: 1, per: 60_000 } })
  const gateway = await start({ keys: [limited] })
  upstream.always({ body: jsonOf(MESSAGES), headers: JSON_TYPE })
  const mine = { 'x-api-key': 'password' }
  await post(gateway, MESSAGES, {}, mine)
  const over = await post(gateway, MESSAGES, {}, mine)
  await post(gateway, MESSAGES, {}, { 'x-api-key': 'wrong' })
  await fetchRaw(`${gateway.url}/v1/nothing`, { headers: mine, body: '{}' })
  const kept = await gateway.kept(2)
  expect(kept.map(({ row }) => [row.outcome, row.status, row.key])).toEqual([
    ['done', 200, 'team'],
    ['refused', 429, 'team'],
  ])
  expect(textOf(kept[1]?.bodies.delivered)).toBe(over.body.toString())
  expect(JSON.stringify(kept)).not.toContain('password')
})

test('a request that is packed is kept unpacked, and one that routing renames also as it was sent', async () => {
  const route = { model: '*', wire: undefined, to: ['up'], as: { up: 'other' } }
  const gateway = await start({ upstreams: [httpUpstream(upstream.url)], routes: [route] })
  const asked = upstream.requests.length
  upstream.next({ body: jsonOf(MESSAGES), headers: JSON_TYPE })
  await fetchRaw(gateway.url + PATHS[MESSAGES], {
    body: gzipSync(ask(MESSAGES)),
    headers: { 'content-encoding': 'gzip' },
  })
  const { row, bodies } = await keptOne(gateway)
  expect(textOf(bodies.request)).toBe(ask(MESSAGES))
  expect(textOf(bodies.sent)).toBe(upstream.requests[asked]?.body.toString())
  expect(row).toMatchObject({ model: 'm', upstreamModel: 'other' })
})

test('a long answer goes ahead in pieces and is whole; one that breaks off is kept with its end', async () => {
  const gateway = await start()
  const delta = (text: string): string =>
    `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })}\n\n`
  const [head = '', tail = ''] = SMALL[MESSAGES].split(/(?=event: content_block_stop)/)
  const long = head + Array.from({ length: 3000 }, (_, n) => delta(`word ${n} `)).join('')
  const cuts = Array.from({ length: 50 }, (_, n) => n * 7001)
  upstream.next({ body: long + tail + SMALL[MESSAGES].slice(head.length + tail.length), cuts })
  upstream.next({ body: `${long}event: content_bl`, cuts, ending: 'destroy' })
  const whole = await post(gateway, MESSAGES, { stream: true })
  const broken = await post(gateway, MESSAGES, { stream: true })
  const [first, second] = await gateway.kept(2)
  expect(textOf(first?.bodies.upstream)).toBe(whole.body.toString())
  expect(first?.bodies.delivered).toBeUndefined()
  expect(textOf(second?.bodies.upstream)).toBe(`${long}event: content_bl`)
  expect(textOf(second?.bodies.delivered)).toBe(broken.body.toString())
  expect(second?.row).toMatchObject({ outcome: 'broken', dropped: [] })
})

test('a long answer that policies let pass is kept once, and a long request is kept whole', async () => {
  const gateway = await start({}, acting({ judge: () => pass() }))
  const text = 'word '.repeat(60_000)
  const body = SMALL[MESSAGES].replace(/"text_delta","text":"/, `"text_delta","text":"${text}`)
  upstream.next({ body })
  const more = { stream: true, system: 'x'.repeat(200_000) }
  const answer = await post(gateway, MESSAGES, more)
  const { bodies } = await keptOne(gateway)
  expect(answer.body.toString()).toBe(body)
  expect(textOf(bodies.upstream)).toBe(body)
  expect(bodies.delivered).toBeUndefined()
  expect(textOf(bodies.request)).toBe(ask(MESSAGES, more))
})

test('with record: metadata no content is kept, nor what verdicts quote', async () => {
  const gateway = await start(
    {},
    { ...acting({ judge: () => deny('No') }), record: { mode: 'metadata' } },
  )
  upstream.next({ body: SMALL[MESSAGES] })
  await post(gateway, MESSAGES, { stream: true })
  const { row, bodies, verdicts } = await keptOne(gateway)
  expect(bodies).toEqual({})
  expect(row).toMatchObject({ record: 'metadata', outcome: 'done' })
  expect(verdicts).toMatchObject([{ type: 'deny', original: undefined, delivered: undefined }])
})

test('what a policy in shadow says later stands behind the rest', async () => {
  const gateway = await start(
    {},
    {
      policies: [
        install({ name: 'now', judge: () => pass() }),
        {
          ...install({
            name: 'slow',
            judge: () => new Promise((resolve) => setTimeout(() => resolve(deny('Late')), 100)),
          }),
          isShadow: true,
        },
      ],
    },
  )
  upstream.next({ body: SMALL[MESSAGES] })
  await post(gateway, MESSAGES, { stream: true })
  await gateway.report(0)
  let kept = await keptOne(gateway)
  for (let tries = 0; kept.verdicts.length < 2 && tries < 200; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    kept = await keptOne(gateway)
  }
  expect(kept.verdicts.map(({ policy, at, isShadow }) => [policy, at, isShadow])).toEqual([
    ['now', 0, false],
    ['slow', 1, true],
  ])
})

test('requests of one session have one conversation, by what their client says or by how they begin', async () => {
  const gateway = await start()
  upstream.always({ body: jsonOf(MESSAGES), headers: JSON_TYPE })
  await post(gateway, MESSAGES, {}, { 'x-claude-code-session-id': 'session-1' })
  await post(gateway, MESSAGES)
  const turns = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi' },
    { role: 'user', content: 'Go on' },
  ]
  await post(gateway, MESSAGES, { messages: turns })
  const [named, first, second] = (await gateway.kept(3)).map(({ row }) => row.conversation)
  expect(named).toBe('session-1')
  expect(first).toMatch(/^from /)
  expect(second).toBe(first)
})

test('answers that name the one before are of one conversation, without any policy', async () => {
  const wire = 'openai-responses'
  const gateway = await start()
  upstream.always({ body: jsonOf(wire), headers: JSON_TYPE })
  await post(gateway, wire, { store: true })
  const id = stateOf(wire, SMALL[wire]).id
  await post(gateway, wire, { previous_response_id: id, input: 'And now?' })
  const [first, second] = (await gateway.kept(2)).map(({ row }) => row.conversation)
  expect(second).toBe(first)
})

test('a cost stands in the row, by the prices of the config first', async () => {
  const gateway = await start()
  upstream.next({ body: SMALL[MESSAGES] })
  await post(gateway, MESSAGES, { stream: true })
  const { row } = await keptOne(gateway)
  const { inputTokens = 0, outputTokens = 0 } = row.usage ?? {}
  expect(row.cost).toBe(inputTokens * 1000 + outputTokens * 2000)
  expect(row.cost).toBeGreaterThan(0)
})

test('figures say how many were recorded', async () => {
  const gateway = await start()
  upstream.next({ body: SMALL[MESSAGES] })
  await post(gateway, MESSAGES, { stream: true })
  await gateway.kept(1)
  const { body } = await fetchRaw(`${gateway.url}/metrics`, { method: 'GET' })
  expect(body.toString()).toMatch(/^sluice_records_total\{result="committed"\} [1-9]/m)
  expect(body.toString()).toContain('sluice_records_state 0\n')
  expect(body.toString()).toContain('sluice_records_waiting 0\n')
})
