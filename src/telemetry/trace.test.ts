import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ExchangeReport } from '../exchange/report.ts'
import { attempt, report, verdict } from '../../test/support/sample-report.ts'
import { createTracer, type Tracer } from './trace.ts'

/** As OTLP has it in JSON. */
interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly traceState?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[]
  readonly status: { code: number; message?: string }
}

interface Body {
  readonly resourceSpans: readonly {
    readonly resource: Pick<Span, 'attributes'>
    readonly scopeSpans: readonly { readonly scope: unknown; readonly spans: readonly Span[] }[]
  }[]
}

interface Collector {
  readonly url: string
  readonly requests: {
    readonly path: string
    readonly headers: IncomingHttpHeaders
    readonly body: Body
  }[]
  status: number
  spans(): readonly Span[]
}

const servers: Server[] = []

async function startCollector(): Promise<Collector> {
  const requests: Collector['requests'] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Body
      requests.push({ path: request.url ?? '', headers: request.headers, body })
      response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    status: 200,
    spans: () =>
      requests.flatMap(({ body }) =>
        body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
  }
  return collector
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
  vi.unstubAllEnvs()
})

function create(endpoint: string, warnings: string[] = []): Tracer {
  return createTracer({
    endpoint,
    headers: { 'x-team': 'blue' },
    version: '1.2.3',
    onWarning: (message) => warnings.push(message),
  })
}

async function exported(...reports: readonly ExchangeReport[]): Promise<readonly Span[]> {
  const collector = await startCollector()
  const tracer = create(collector.url)
  for (const one of reports) tracer.exchange(one)
  await tracer.close()
  return collector.spans()
}

/** Attributes as a plain object: `{ stringValue: 'a' }` is `'a'`. */
const plain = ({ attributes }: Pick<Span, 'attributes'>): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => {
      const list = value['arrayValue'] as { values: Record<string, unknown>[] } | undefined
      return [key, list?.values.map((item) => Object.values(item)[0]) ?? Object.values(value)[0]]
    }),
  )

describe('an exchange', () => {
  test('is a span of the server with one of the client in it, by the ids that were sent upstream', async () => {
    const parentId = 'bbbbbbbbbbbbbbbb'
    const trace = { ...report().trace, parentId, state: 'vendor=a' }
    const [server, client, ...more] = await exported(report({ trace }))
    expect(more).toEqual([])
    expect(server).toMatchObject({
      traceId: trace.traceId,
      spanId: trace.spanId,
      parentSpanId: parentId,
      traceState: 'vendor=a',
      name: 'POST /v1/messages',
      kind: 2,
      startTimeUnixNano: '1794738030000000000',
      endTimeUnixNano: '1794738031234500000',
      status: { code: 0 },
    })
    expect(client).toMatchObject({
      traceId: trace.traceId,
      spanId: 'aaaaaaaaaaaaaaaa',
      parentSpanId: trace.spanId,
      name: 'chat gpt-5.5',
      kind: 3,
      startTimeUnixNano: '1794738030005000000',
      endTimeUnixNano: '1794738031205000000',
      status: { code: 0 },
    })
  })

  test('has the attributes of HTTP and ours, and its attempt those of GenAI', async () => {
    const [server, client] = await exported(report())
    expect(plain(server as Span)).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/messages',
      'http.response.status_code': 200,
      'gen_ai.request.model': 'claude-sonnet-4-5',
      'sluice.request_id': 'req_0123456789abcdef01234567',
      'sluice.outcome': 'done',
      'sluice.wire': 'anthropic-messages',
      'sluice.stream': true,
      'sluice.route': 'claude-*',
      'sluice.upstream': 'openai',
      'sluice.key': 'laptop',
      'sluice.client': 'claude-cli/2.1.325',
      'sluice.attempts': 1,
      'sluice.time_to_first_byte_ms': 310.4,
    })
    expect(plain(client as Span)).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'gpt-5.5',
      'gen_ai.response.id': 'resp_1',
      'gen_ai.response.model': 'gpt-5.5-2026-10-01',
      'gen_ai.response.finish_reasons': ['tool_calls'],
      'gen_ai.usage.input_tokens': 1000,
      'gen_ai.usage.cache_read.input_tokens': 900,
      'gen_ai.usage.output_tokens': 50,
      'gen_ai.usage.reasoning.output_tokens': 20,
      'http.response.status_code': 200,
      'sluice.upstream': 'openai',
      'sluice.attempt': 1,
      'sluice.time_to_headers_ms': 300,
    })
  })

  test('has only attributes that the page about it names', async () => {
    const page = readFileSync(
      join(import.meta.dirname, '../../docs/reference/telemetry.md'),
      'utf8',
    )
    const named = page
      .slice(page.indexOf('## Traces'))
      .match(/(?<=`)(?:gen_ai|sluice|http|error)\.[\w.]+(?=`)/g)
    const fault = { kind: 'internal', message: 'a' } as const
    const spans = await exported(
      report({
        fault,
        usage: {
          inputTokens: 1,
          cacheReadTokens: 1,
          cacheWriteTokens: 1,
          outputTokens: 1,
          reasoningTokens: 1,
        },
        attempts: [attempt({ fault })],
        losses: [{ kind: 'dropped', what: 'a', count: 1 }],
        verdicts: [verdict()],
        violations: 1,
      }),
    )
    const written = spans.flatMap((span) => Object.keys(plain(span)))
    expect([...new Set(written)].toSorted()).toEqual([...new Set(named)].toSorted())
  })

  test('shows the attempts that failed, and the answer at the last', async () => {
    const fault = { kind: 'overloaded', message: 'Busy, ask ada@mail.example' } as const
    const [server, first, second] = await exported(
      report({
        attempts: [
          attempt({ upstream: 'anthropic', spanId: '1111111111111111', status: 529, fault }),
          attempt({ spanId: '2222222222222222' }),
        ],
      }),
    )
    expect(server?.status).toEqual({ code: 0 })
    expect(first).toMatchObject({
      name: 'chat',
      spanId: '1111111111111111',
      status: { code: 2, message: 'Busy, ask [redacted:email]' },
    })
    expect(plain(first as Span)).toEqual({
      'gen_ai.operation.name': 'chat',
      'http.response.status_code': 529,
      'error.type': 'overloaded',
      'sluice.upstream': 'anthropic',
      'sluice.attempt': 1,
      'sluice.time_to_headers_ms': 300,
    })
    expect(second).toMatchObject({ name: 'chat gpt-5.5', status: { code: 0 } })
    expect(plain(second as Span)).toMatchObject({ 'gen_ai.usage.output_tokens': 50 })
  })

  test.each([
    ['broken', 200, 2, 'cut'],
    ['upstream-error', 429, 2, 'cut'],
    ['refused', 503, 2, 'cut'],
    ['refused', 401, 0, 'cut'],
    ['client-left', 499, 0, 'cut'],
  ] as const)('%s with %i has the status %i', async (outcome, status, code, kind) => {
    const fault = { kind, message: 'It broke off' }
    const [server] = await exported(report({ outcome, status, fault, attempts: [] }))
    expect(server?.status.code).toBe(code)
    expect(plain(server as Span)).toMatchObject({ 'error.type': 'cut', 'sluice.outcome': outcome })
  })

  test('that asks no model for an answer is no chat', async () => {
    const [server, client] = await exported(report({ endpoint: '/v1/messages/count_tokens' }))
    expect(server?.name).toBe('POST /v1/messages/count_tokens')
    expect(client?.name).toBe('POST /v1/messages/count_tokens')
    expect(plain(client as Span)).not.toHaveProperty('gen_ai.operation.name')
  })

  test('tells no credential and no control character', async () => {
    const key = 'sk-ant-api03-abcdefghijklmnop0123'
    const spans = await exported(
      report({
        id: key,
        model: key,
        upstreamModel: `a\u001b[2J${key}`,
        answerModel: key,
        answerId: key,
        client: key,
        outcome: 'broken',
        fault: { kind: 'internal', message: key, code: key },
      }),
    )
    expect(spans).toHaveLength(2)
    expect(JSON.stringify(spans)).not.toMatch(/abcdefghijklmnop|[^\\]\\u001b/)
  })

  test('that is not to be sampled is not sent', async () => {
    const isSampled = false
    expect(await exported(report({ trace: { ...report().trace, isSampled } }))).toEqual([])
  })
})

describe('the collector', () => {
  test('is asked at its path, with the headers of the configuration, and told who we are', async () => {
    const collector = await startCollector()
    for (const path of ['', '/', '/otel/', '/otel/v1/traces']) {
      const tracer = create(collector.url + path)
      tracer.exchange(report())
      await tracer.close()
    }
    expect(collector.requests.map(({ path }) => path)).toEqual([
      '/v1/traces',
      '/v1/traces',
      '/otel/v1/traces',
      '/otel/v1/traces',
    ])
    const [request] = collector.requests
    expect(request?.headers).toMatchObject({ 'x-team': 'blue', 'content-type': 'application/json' })
    const [resource] = request?.body.resourceSpans ?? []
    expect(plain(resource?.resource as Pick<Span, 'attributes'>)).toEqual({
      'service.name': 'sluice',
      'service.version': '1.2.3',
      'process.pid': process.pid,
    })
    expect(resource?.scopeSpans[0]?.scope).toEqual({ name: 'sluice', version: '1.2.3' })
  })

  test('is told another name if the environment says so', async () => {
    vi.stubEnv('OTEL_SERVICE_NAME', 'my-gateway')
    const collector = await startCollector()
    const tracer = create(collector.url)
    tracer.exchange(report())
    await tracer.close()
    const resource = collector.requests[0]?.body.resourceSpans[0]?.resource
    expect(plain(resource as Pick<Span, 'attributes'>)).toMatchObject({
      'service.name': 'my-gateway',
    })
  })

  test('gets spans in batches, from a queue that has an end', async () => {
    const collector = await startCollector()
    const warnings: string[] = []
    const tracer = create(collector.url, warnings)
    // In one turn of the event loop: nothing can leave in between.
    for (let i = 0; i < 10_000; i++) tracer.exchange(report())
    await tracer.close()
    const sizes = collector.requests.map(
      ({ body }) => body.resourceSpans[0]?.scopeSpans[0]?.spans.length ?? 0,
    )
    expect(Math.max(...sizes)).toBe(512)
    expect(collector.spans().length).toBeGreaterThanOrEqual(2048)
    expect(collector.spans().length).toBeLessThan(4096)
    expect(warnings).toEqual([])
  })

  test('may refuse: one warning, and nothing else', async () => {
    const collector = await startCollector()
    collector.status = 400
    const warnings: string[] = []
    const tracer = create(collector.url, warnings)
    for (let i = 0; i < 2000; i++) tracer.exchange(report())
    await tracer.close()
    expect(collector.requests.length).toBeGreaterThan(1)
    expect(warnings).toEqual([
      `Cannot send traces to "${collector.url}": Bad Request. ` +
        'Spans are dropped until it answers; exchanges are not touched by this',
    ])
  })

  test('may be down: close does not wait for long, and nothing throws', async () => {
    const collector = await startCollector()
    servers.splice(0).forEach((server) => server.close())
    const tracer = create(collector.url)
    for (let i = 0; i < 5000; i++) tracer.exchange(report())
    const started = performance.now()
    await tracer.close()
    expect(performance.now() - started).toBeLessThan(4500)
    tracer.exchange(report())
  })

  test('may have an address that is none', async () => {
    const warnings: string[] = []
    const tracer = create('no address', warnings)
    tracer.exchange(report())
    await tracer.close()
    expect(warnings).toEqual(['Cannot send traces: Invalid URL'])
  })
})

test('OpenTelemetry is not loaded before a tracer is made', async () => {
  const script = `import { createRequire } from 'node:module'
    import { createTracer } from './src/telemetry/trace.ts'
    import './src/telemetry/log.ts'
    import './src/telemetry/metrics.ts'
    const { cache } = createRequire(import.meta.url)
    const count = () => Object.keys(cache).filter((path) => /opentelemetry.(sdk|otlp|exporter)/.test(path)).length
    const before = count()
    await createTracer({ endpoint: 'http://127.0.0.1:1', headers: {}, version: '1' }).close()
    console.log(before, count() > 0)`
  const argv = ['--import', 'tsx', '--input-type=module', '-e', script]
  const cwd = join(import.meta.dirname, '../..')
  const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd })
  expect(stdout).toBe('0 true\n')
})
