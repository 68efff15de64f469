/** Holes that were found by looking at the gateway as a stranger would; each was open once. */
import { afterEach, expect, test } from 'vitest'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import {
  allTo,
  ask,
  httpUpstream,
  PATHS,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { fetchRaw, sendRequest } from '../support/raw-client.ts'
import { framesOf } from '../support/connections.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

const open: (TestUpstream | TestGateway)[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close(0)
})

async function start(
  more: Parameters<typeof httpUpstream>[1] = {},
): Promise<[TestUpstream, TestGateway]> {
  const upstream = await startUpstream()
  const gateway = await startTestGateway(allTo(httpUpstream(upstream.url, more)))
  open.push(gateway, upstream)
  return [upstream, gateway]
}

const stream = { body: ask('openai-responses', { stream: true }) }

const failed = (code: string, message: string): string => {
  const response = {
    id: 'resp_1',
    object: 'response',
    model: 'm',
    status: 'in_progress',
    output: [],
  }
  const created = { type: 'response.created', sequence_number: 0, response }
  const end = { ...response, status: 'failed', error: { code, message } }
  const last = { type: 'response.failed', sequence_number: 1, response: end }
  return [created, last]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')
}

test.each([
  'rate_limit_exceeded',
  'context_length_exceeded',
  'server_is_overloaded',
  'invalid_prompt',
])(
  'a response that failed before its first item reaches Codex as it was said: %s',
  async (code) => {
    const [upstream, gateway] = await start()
    const body = failed(code, 'Please try again in 20s.')
    upstream.always({ body, cuts: [body.indexOf('event: response.failed')], pace: 20 })
    const answer = await fetchRaw(gateway.url + PATHS['openai-responses'], stream)
    expect([answer.status, answer.body.toString()]).toEqual([200, body])
    expect((await gateway.report(0)).outcome).toBe('upstream-error')
  },
)

test('such a response is asked for again first, after the time that it names in words', async () => {
  const [upstream, gateway] = await start({
    retry: { attempts: 2, backoff: 1, maxBackoff: 10, maxRetryAfter: 1000 },
  })
  const good = framesOf('openai-responses').join('')
  upstream.next(
    { body: failed('rate_limit_exceeded', 'Please try again in 0.3s.') },
    { body: good },
  )
  const answer = await fetchRaw(gateway.url + PATHS['openai-responses'], stream)
  expect(answer.body.toString()).toBe(good)
  const [first, second] = upstream.requests
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(290)
})

test('a body of millions of values is refused at once, and others are served meanwhile', async () => {
  const [, gateway] = await start()
  const body = `{"model":"m","max_tokens":1,"messages":[],"x":[${'{},'.repeat(5_000_000)}{}]}`
  const startedAt = performance.now()
  const answer = await fetchRaw(gateway.url + PATHS['anthropic-messages'], { body })
  expect(answer.status).toBe(400)
  expect(answer.body.toString()).toContain('Cannot read JSON of more than 500000 values')
  expect(performance.now() - startedAt).toBeLessThan(3000)
})

test('two requests that an upstream answers with a 500 of its own do not close it to others', async () => {
  const [upstream, gateway] = await start({
    retry: { attempts: 3, backoff: 1, maxBackoff: 2, maxRetryAfter: 10 },
    breaker: { failures: 5, cooldown: 60_000 },
  })
  const error = { error: { message: 'Odd schema', type: 'server_error', code: null, param: null } }
  const json = { 'content-type': 'application/json' }
  upstream.always({ status: 500, body: JSON.stringify(error), headers: json })
  const ask2 = (): Promise<{ status: number }> =>
    fetchRaw(gateway.url + PATHS['openai-chat'], { body: ask('openai-chat') })
  for (let i = 0; i < 6; i++) expect((await ask2()).status).toBe(500)
  expect(upstream.requests.length).toBe(18)
})

test('failures count once for an exchange, however often it asked', async () => {
  const [upstream, gateway] = await start({
    retry: { attempts: 3, backoff: 1, maxBackoff: 2, maxRetryAfter: 10 },
    breaker: { failures: 2, cooldown: 60_000 },
  })
  upstream.always({ status: 503, body: 'no' })
  const statuses: number[] = []
  for (let i = 0; i < 3; i++) {
    const answer = await fetchRaw(gateway.url + PATHS['openai-chat'], { body: ask('openai-chat') })
    statuses.push(answer.status)
  }
  expect([statuses, upstream.requests.length]).toEqual([[503, 503, 503], 6])
})

test('nothing is asked once the time of the exchange is over', async () => {
  const [upstream, gateway] = await start({
    limits: { connect: 1000, firstByte: 10_000, idle: 10_000, total: 300 },
    retry: { attempts: 3, backoff: 1, maxBackoff: 2, maxRetryAfter: 10 },
  })
  upstream.always({ headDelay: 5000 })
  const answer = await fetchRaw(gateway.url + PATHS['openai-chat'], { body: ask('openai-chat') })
  expect([answer.status, upstream.requests.length]).toEqual([504, 1])
})

test.each(WIRE_NAMES)(
  'usage is told of every exchange, if need be from bytes: %s',
  async (wire) => {
    const [upstream, gateway] = await start()
    upstream.always({ body: framesOf(wire).slice(0, 3).join(''), ending: 'hang' })
    const call = sendRequest(gateway.url + PATHS[wire], { body: ask(wire, { stream: true }) })
    await call.received(10)
    call.leave()
    const report = await gateway.report(0)
    expect(report.outcome).toBe('client-left')
    expect(report.usage?.inputTokens).toBeGreaterThan(0)
    expect(report.usage?.outputTokens).toBeGreaterThanOrEqual(0)
  },
)

test('a finish is seen with space before the colon too', async () => {
  const [upstream, gateway] = await start()
  const chunk = (delta: string, finish: string): string =>
    `data: {"id" : "c", "object" : "chat.completion.chunk", "created" : 1, "model" : "m", "choices" : [{"index" : 0, "delta" : ${delta}, "finish_reason" : ${finish}}]}\n\n`
  const body = chunk('{"role" : "assistant", "content" : "Hi"}', 'null') + chunk('{}', '"stop"')
  upstream.always({ body })
  const request = { body: ask('openai-chat', { stream: true }) }
  const answer = await fetchRaw(gateway.url + PATHS['openai-chat'], request)
  expect(answer.body.toString()).toBe(body)
  expect((await gateway.report(0)).outcome).toBe('done')
})
