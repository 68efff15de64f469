/** What an operator sees of exchanges, and what nobody sees: content and credentials. */
import type { Usage } from '../../src/event/usage.ts'
import type { ExchangeReport } from '../../src/exchange/report.ts'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Settings } from '../../src/config/settings.ts'
import { createTracer } from '../../src/telemetry/trace.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import {
  allTo,
  ask,
  httpUpstream,
  key,
  PATHS,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { MESSAGES } from '../support/json-answers.ts'
import { fetchRaw, sendRequest } from '../support/raw-client.ts'
import { SMALL } from '../support/small-streams.ts'
import { stateOf } from '../support/streams.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
let upstream: TestUpstream
let collector: TestUpstream
const gateways: TestGateway[] = []

beforeAll(async () => {
  upstream = await startUpstream()
  collector = await startUpstream()
  collector.always({ body: '{}', headers: JSON_TYPE })
})
afterAll(async () => {
  await upstream.close()
  await collector.close()
})
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close(0)
})

async function start(settings: Partial<Settings> = {}): Promise<TestGateway> {
  const gateway = await startTestGateway(
    { ...allTo(httpUpstream(upstream.url, { apiKey: 'sk-theirs-0123456789abcdef' })), ...settings },
    {
      tracer: createTracer({
        endpoint: `${collector.url}/v1/traces`,
        headers: {},
        version: '0',
        onWarning() {},
      }),
    },
  )
  gateways.push(gateway)
  return gateway
}

const metricsOf = async (gateway: TestGateway, headers = {}): Promise<string> =>
  (await fetchRaw(`${gateway.url}/metrics`, { method: 'GET', headers })).body.toString()

/** Everything that was said of exchanges: lines, figures and spans. Closes the gateway. */
async function allSaid(gateway: TestGateway, headers = {}): Promise<string> {
  const metrics = await metricsOf(gateway, headers)
  const before = collector.requests.length
  await gateway.close(0)
  gateways.splice(gateways.indexOf(gateway), 1)
  const spans = collector.requests.slice(before).map(({ body }) => body.toString())
  expect(spans.join('').length).toBeGreaterThan(100)
  return [...gateway.lines, metrics, ...spans].join('\n')
}

describe('no content and no credential is said anywhere', () => {
  const GATEWAY_KEY = 'slc_gatewaykey0123456789gatewaykey0123456789'
  const PROMPT = 'my-prompt-is-nobodys-business'
  const ANSWERED = 'It rains.'
  const SECRETS = {
    bearer: 'sk-ant-api03-AAAAbbbbCCCCddddEEEEffffGGGGhhhh0123456789',
    openai: 'sk-proj-ZZZZyyyyXXXXwwwwVVVVuuuu0123456789abcdef',
    mail: 'jane.doe@example.com',
    card: '4111 1111 1111 1111',
    jwt: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
  }
  const NEVER = [...Object.values(SECRETS), GATEWAY_KEY, PROMPT, ANSWERED, 'Bern', 'sk-theirs']

  const check = (said: string): void => {
    for (const word of NEVER) expect(said).not.toContain(word)
  }

  test.each(WIRE_NAMES)('of answers, whole and broken: %s', async (wire) => {
    const gateway = await start()
    const headers = { authorization: `Bearer ${SECRETS.bearer}`, cookie: `a=${SECRETS.jwt}` }
    const body = ask(wire, {
      stream: true,
      metadata: { user_id: SECRETS.mail },
      messages: [{ role: 'user', content: PROMPT }],
      input: PROMPT,
    })
    const url = `${gateway.url}${PATHS[wire]}?key=${SECRETS.openai}`
    upstream.next(
      { body: SMALL[wire] },
      { body: SMALL[wire].slice(0, SMALL[wire].length >> 1), ending: 'reset' },
      { body: SMALL[wire].slice(0, SMALL[wire].length >> 1) },
    )
    for (let count = 0; count < 3; count++) await fetchRaw(url, { body, headers })
    await gateway.report(2)
    check(await allSaid(gateway))
  })

  test.each(WIRE_NAMES)('of what an upstream quotes in its errors: %s', async (wire) => {
    const gateway = await start()
    const quoted = `Incorrect key ${SECRETS.openai} of ${SECRETS.mail} (${SECRETS.jwt}), card ${SECRETS.card}, Bearer ${SECRETS.bearer}`
    const error = { type: 'error', error: { type: 'x', message: quoted, code: SECRETS.openai } }
    upstream.next(
      ...[400, 401, 429, 500].map((status) => ({
        status,
        body: JSON.stringify(error),
        headers: JSON_TYPE,
      })),
      { status: 502, body: `<html>${quoted}</html>`, headers: { 'content-type': 'text/html' } },
      { body: `event: error\ndata: ${JSON.stringify(error)}\n\n` },
    )
    for (let count = 0; count < 6; count++)
      await fetchRaw(gateway.url + PATHS[wire], { body: ask(wire, { stream: true }) })
    await gateway.report(5)
    check(await allSaid(gateway))
  })

  test('of what a client puts where no secret belongs', async () => {
    const gateway = await start({ routes: [] })
    for (const secret of Object.values(SECRETS)) {
      const headers = {
        'user-agent': `${secret} ${secret}`,
        'x-request-id': secret,
        traceparent: secret,
        tracestate: `a=${secret}`,
        'anthropic-beta': secret,
        'x-api-key': secret,
      }
      await fetchRaw(`${gateway.url}/v1/messages`, {
        body: ask('anthropic-messages', { model: secret }),
        headers,
      })
      await fetchRaw(
        `${gateway.url}/v1/${encodeURIComponent(secret)}?k=${encodeURIComponent(secret)}`,
        {
          method: 'GET',
          headers,
        },
      )
      await fetchRaw(`${gateway.url}/v1/messages`, { body: `{"model": ${secret}`, headers })
      await fetchRaw(`${gateway.url}/v1/messages`, {
        body: `{"${secret}":1,"${secret}":2}`,
        headers,
      })
    }
    expect(gateway.lines.length).toBeGreaterThan(15)
    check(await allSaid(gateway))
  })

  test('of keys, right and wrong', async () => {
    const hash = createHash('sha256').update(GATEWAY_KEY).digest('hex')
    const gateway = await start({ keys: [key('blue', hash)] })
    upstream.next({ body: JSON.stringify(MESSAGES.plain), headers: JSON_TYPE })
    for (const given of [GATEWAY_KEY, `${GATEWAY_KEY}x`, GATEWAY_KEY.slice(0, -1)])
      await fetchRaw(`${gateway.url}/v1/messages`, {
        body: ask('anthropic-messages'),
        headers: { 'x-api-key': given },
      })
    await gateway.report(2)
    const said = await allSaid(gateway, { 'x-api-key': GATEWAY_KEY })
    check(said)
    expect(said).not.toContain(GATEWAY_KEY.slice(0, -1))
    expect(said).not.toContain(hash)
    expect(said).toContain('"key":"blue"')
  })
})

describe('an exchange is followed', () => {
  test('by the id that the client gave, or one that is made', async () => {
    const gateway = await start()
    const idOf = async (id: string | undefined): Promise<string> => {
      const before = upstream.requests.length
      const count = gateway.reports.length
      upstream.next({
        body: JSON.stringify(MESSAGES.plain),
        headers: { ...JSON_TYPE, 'x-request-id': 'theirs' },
      })
      const answer = await fetchRaw(`${gateway.url}/v1/messages`, {
        body: ask('anthropic-messages'),
        ...(id === undefined ? {} : { headers: { 'x-request-id': id } }),
      })
      const given = String(answer.headers['x-request-id'])
      expect(answer.headers['x-upstream-request-id']).toBe('theirs')
      expect(upstream.requests[before]?.headers['x-request-id']).toBe(given)
      expect((await gateway.report(count)).id).toBe(given)
      expect(gateway.lines.at(-1)).toContain(`"id":"${given}"`)
      return given
    }
    expect(await idOf('my-id_1.2:3')).toBe('my-id_1.2:3')
    for (const bad of [undefined, '', 'a b', 'x'.repeat(129), 'a\u00e9', '<script>'])
      expect(await idOf(bad)).toMatch(/^req_[0-9a-f]{24}$/)
    const refused = await fetchRaw(`${gateway.url}/nowhere`, {
      method: 'GET',
      headers: { 'x-request-id': 'mine' },
    })
    expect(refused.headers['x-request-id']).toBe('mine')
  })

  test('by the trace of the caller, with spans of our own in it', async () => {
    const gateway = await start()
    const traceId = 'ab'.repeat(16)
    const parent = 'cd'.repeat(8)
    const before = upstream.requests.length
    upstream.next({ body: JSON.stringify(MESSAGES.plain), headers: JSON_TYPE })
    await fetchRaw(`${gateway.url}/v1/messages`, {
      body: ask('anthropic-messages'),
      headers: { traceparent: `00-${traceId}-${parent}-01`, tracestate: 'vendor=1' },
    })
    const sent = upstream.requests[before]?.headers
    const [, trace, span, flags] = String(sent?.['traceparent']).split('-')
    expect([trace, flags, sent?.['tracestate']]).toEqual([traceId, '01', 'vendor=1'])
    expect(span).not.toBe(parent)
    const report = await gateway.report(0)
    expect(report.trace).toMatchObject({ traceId, parentId: parent })
    expect(report.attempts[0]?.spanId).toBe(span)
    expect(report.trace.spanId).not.toBe(span)
    const said = await allSaid(gateway)
    for (const id of [traceId, parent, String(span), report.trace.spanId])
      expect(said).toContain(id)
  })
})

test('the figures are those that the page lists', async () => {
  const gateway = await start({
    ...allTo(
      httpUpstream(upstream.url, {
        retry: { attempts: 2, backoff: 1, maxBackoff: 2, maxRetryAfter: 10 },
        breaker: { failures: 5, cooldown: 1000 },
      }),
    ),
  })
  upstream.next(
    { status: 503, body: '{"error":{"message":"busy"}}', headers: JSON_TYPE },
    { body: JSON.stringify(MESSAGES.plain), headers: JSON_TYPE },
    { body: SMALL['anthropic-messages'] },
  )
  for (const stream of [false, true])
    await fetchRaw(`${gateway.url}/v1/messages`, { body: ask('anthropic-messages', { stream }) })
  gateway.reload(gateway.settings)
  await gateway.report(1)
  const text = await metricsOf(gateway)
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/telemetry.md'), 'utf8')
  const listed = [...page.matchAll(/^\| `(sluice_\w+)`/gm)].map(([, name]) => name)
  expect(listed.length).toBeGreaterThan(10)
  for (const name of listed) expect(text).toContain(`# TYPE ${name} `)
  const families = [...text.matchAll(/^# TYPE (sluice_\w+) /gm)].map(([, name]) => name)
  expect(new Set(families)).toEqual(new Set(listed))
  expect(text).toMatch(
    /^sluice_exchanges_total\{endpoint="\/v1\/messages",wire="anthropic-messages".*status="200",outcome="done"\} 2$/m,
  )
  expect(text).toMatch(/^sluice_retries_total\{.*\} 1$/m)
  expect(text).toMatch(/^sluice_tokens_total\{kind="output".*\} [1-9]/m)
  expect(text).toMatch(/^sluice_open_exchanges 0$/m)
})

describe('what an answer cost is known', () => {
  test.each(WIRE_NAMES)('of a stream, whole, broken off and left: %s', async (wire) => {
    const gateway = await start()
    const whole = stateOf(wire, SMALL[wire])
    const post = { body: ask(wire, { stream: true }) }
    const url = gateway.url + PATHS[wire]

    upstream.next({ body: SMALL[wire] })
    await fetchRaw(url, post)
    expect(await gateway.report(0)).toMatchObject({ outcome: 'done', usage: whole.usage })
    expect((await gateway.report(0)).bytesOut).toBe(SMALL[wire].length)

    const cut = Math.floor(SMALL[wire].length * 0.75)
    const said = stateOf(wire, SMALL[wire].slice(0, cut)).usage
    upstream.next({ body: SMALL[wire].slice(0, cut), ending: 'reset' })
    await fetchRaw(url, post)
    const broken = await gateway.report(1)
    expect(broken.outcome).toBe('broken')
    expectUsage(broken, said)

    upstream.next({ body: SMALL[wire].slice(0, cut), ending: 'hang' })
    const call = sendRequest(url, post)
    await call.received(10)
    call.leave()
    const left = await gateway.report(2)
    expect(left).toMatchObject({ outcome: 'client-left', status: 499 })
    expectUsage(left, said)
  })

  /** What the upstream said; where it said nothing, what the bytes tell, and marked so. */
  function expectUsage(report: ExchangeReport, said: Usage | undefined): void {
    expect(report.usage).toMatchObject(said ?? {})
    expect(report.isUsageEstimated).toBe(said?.outputTokens === undefined)
    expect(report.usage?.inputTokens).toBeGreaterThan(0)
  }

  test('of a JSON answer', async () => {
    const gateway = await start()
    upstream.next({ body: JSON.stringify(MESSAGES.plain), headers: JSON_TYPE })
    await fetchRaw(`${gateway.url}/v1/messages`, { body: ask('anthropic-messages') })
    const report = await gateway.report(0)
    expect(report).toMatchObject({ outcome: 'done', isStream: false, status: 200 })
    expect(report.usage?.outputTokens).toBeGreaterThan(0)
  })

  test.each([true, false])(
    'of an answer whose upstream does not say, by what it says and not by what its wire repeats; streamed: %s',
    async (stream) => {
      const gateway = await start(allTo(httpUpstream(upstream.url, { wires: ['openai-chat'] })))
      const chunk = (delta: object, finish_reason: string | null = null): string =>
        `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
      const words = Array.from({ length: 10 }, (_, at) => chunk({ content: `word ${at}` }))
      upstream.next({
        body: `${words.join('')}${chunk({}, 'stop')}data: [DONE]\n\n`,
        headers: { 'content-type': 'text/event-stream' },
      })
      // An answer of this wire repeats the tools of its request three times.
      const tools = [
        { type: 'function', name: 'f', description: 'x'.repeat(20_000), parameters: {} },
      ]
      await fetchRaw(`${gateway.url}/v1/responses`, {
        body: ask('openai-responses', { stream, tools }),
      })
      const report = await gateway.report(0)
      expect(report).toMatchObject({ outcome: 'done', isUsageEstimated: true })
      expect(report.usage?.outputTokens).toBe(15)
    },
  )
})
