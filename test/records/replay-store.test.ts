/**
 * Exchanges of a real store, played again over a real socket: what the client got then it gets now.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFileExport } from '../../src/cli/export-files.ts'
import type { WireName } from '../../src/event/event.ts'
import { createCodec } from '../../src/records/codec.ts'
import type { ReplayAsked } from '../../src/replay/replay-upstream.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { ExchangeRow, Piece } from '../../src/store/record.ts'
import type { RecordStore } from '../../src/store/store.ts'
import type { ReplayUpstreamSettings } from '../../src/upstream/settings.ts'
import {
  allTo,
  ask,
  httpUpstream,
  PATHS,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { sendRequest, type RawAnswer } from '../support/raw-client.ts'
import { SMALL } from '../support/small-streams.ts'

let folder = ''
let store: RecordStore
const opened: TestGateway[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-replay-'))
  store = await openStore(
    { type: 'sqlite', file: join(folder, 'records.db') },
    { codec: createCodec(undefined) },
  )
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((gateway) => gateway.close(0)))
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const { kind: _kind, baseUrl: _url, ...COMMON } = httpUpstream('http://127.0.0.1:1')
type From = Extract<ReplayUpstreamSettings['from'], { type: 'store' }>

async function start(
  from: Omit<From, 'type'> = {},
  more: Partial<ReplayUpstreamSettings> = {},
): Promise<TestGateway & { readonly asked: readonly ReplayAsked[] }> {
  const asked: ReplayAsked[] = []
  const settings: ReplayUpstreamSettings = {
    ...COMMON,
    name: 'past',
    kind: 'replay',
    from: { type: 'store', ...from },
    match: 'auto',
    speed: 0,
    answers: 'delivered',
    ...more,
  }
  const gateway = await startTestGateway(allTo(settings), {
    replay: { reader: store, onAsked: (one) => void asked.push(one) },
  })
  opened.push(gateway)
  return { ...gateway, asked }
}

async function startFiles(path: string): Promise<TestGateway> {
  const settings: ReplayUpstreamSettings = {
    ...COMMON,
    name: 'files',
    kind: 'replay',
    from: { type: 'path', path },
    match: 'request',
    speed: 0,
    answers: 'delivered',
  }
  const gateway = await startTestGateway(allTo(settings))
  opened.push(gateway)
  return gateway
}

let count = 0

interface Kept {
  readonly row?: Partial<ExchangeRow>
  readonly request: string
  readonly sent?: string
  readonly upstream?: string
  readonly delivered?: string
}

async function keep(wire: WireName, { row = {}, ...bodies }: Kept): Promise<string> {
  count += 1
  const id = `rec-${String(count).padStart(6, '0')}`
  const pieces = Object.entries(bodies).map(([kind, text]): Piece => ({
    kind: kind as Piece['kind'],
    seq: 0,
    bytes: Buffer.from(text),
    times: kind === 'request' || kind === 'sent' ? [] : [Buffer.byteLength(text), 5000],
  }))
  await store.write([
    {
      type: 'exchange',
      row: {
        ...ROW,
        id,
        requestId: id,
        startedAt: 1_790_000_000_000 + count,
        wire,
        endpoint: PATHS[wire],
        upstreamWire: wire,
        ...row,
      },
      pieces,
      verdicts: [],
      tools: [],
      without: [],
      text: undefined,
    },
  ])
  return id
}

const ROW: Omit<ExchangeRow, 'id' | 'requestId' | 'startedAt' | 'wire' | 'endpoint'> = {
  traceId: '',
  gateway: 'g',
  durationMs: 10,
  firstByteMs: 5,
  method: 'POST',
  upstreamWire: undefined,
  key: undefined,
  client: 'test',
  route: '*',
  upstream: 'up',
  model: 'm',
  upstreamModel: undefined,
  answerModel: 'm',
  answerId: undefined,
  conversation: 's',
  isStream: true,
  status: 200,
  outcome: 'done',
  fault: undefined,
  finishReason: undefined,
  usage: undefined,
  isUsageEstimated: false,
  cost: undefined,
  attempts: [],
  losses: [],
  violations: 0,
  bytesIn: 1,
  bytesOut: 1,
  requestHeaders: {},
  query: '',
  upstreamStatus: 200,
  upstreamHeaders: { 'content-type': 'text/event-stream', 'request-id': 'req_then' },
  record: 'bytes',
  dropped: [],
}

const send = (
  gateway: TestGateway,
  wire: WireName,
  body: string = ask(wire, { stream: true }),
): Promise<RawAnswer> =>
  sendRequest(gateway.url + PATHS[wire], {
    headers: { 'content-type': 'application/json' },
    body,
  }).answer

const A = 'anthropic-messages'
const C = 'openai-chat'
const asking = (wire: WireName): string => ask(wire, { stream: true })
/** The same stream, told apart by its id. */
const marked = (wire: WireName, mark: string): string =>
  SMALL[wire].replaceAll(/"(?:msg|chatcmpl-|resp_)_?1"/g, `"${mark}"`)

test('an exchange is played with its status, its headers and its bytes', async () => {
  const id = await keep(A, { request: asking(A), upstream: SMALL[A] })
  const gateway = await start({ id })
  const answer = await send(gateway, A)
  expect(answer.status).toBe(200)
  expect(answer.headers['request-id']).toBe('req_then')
  expect(answer.body.toString()).toBe(SMALL[A])
  expect(gateway.asked).toMatchObject([{ match: { how: 'the same request' } }])
})

test('what policies made of an answer is told again, and what came before them when asked for', async () => {
  const changed = marked(A, 'changed')
  const id = await keep(A, { request: asking(A), upstream: SMALL[A], delivered: changed })
  expect((await send(await start({ id }), A)).body.toString()).toBe(changed)
  const raw = await start({ id }, { answers: 'upstream' })
  expect((await send(raw, A)).body.toString()).toBe(SMALL[A])
})

describe('an exchange that crossed wires', () => {
  const cross = (): Promise<string> =>
    keep(A, {
      row: { upstreamWire: C },
      request: asking(A),
      sent: asking(C),
      upstream: SMALL[C],
      delivered: SMALL[A],
    })

  test('gives each wire what was said on it', async () => {
    const gateway = await start({ id: await cross() })
    expect((await send(gateway, A)).body.toString()).toBe(SMALL[A])
    expect((await send(gateway, C)).body.toString()).toBe(SMALL[C])
    expect(gateway.asked.map(({ match }) => match)).toMatchObject([
      { how: 'the same request' },
      { how: 'the same request' },
    ])
  })

  test('is translated for the third', async () => {
    const gateway = await start({ id: await cross() })
    const answer = await send(gateway, 'openai-responses')
    expect(answer.status).toBe(200)
    expect(answer.body.toString()).toContain('response.completed')
  })
})

test('an error is told again, and what followed it when it is asked for again', async () => {
  const error = '{"type":"error","error":{"type":"rate_limit_error","message":"Slow down"}}'
  const limited = {
    status: 429,
    outcome: 'upstream-error' as const,
    upstreamStatus: 429,
    upstreamHeaders: { 'content-type': 'application/json', 'retry-after': '7' },
  }
  await keep(A, { row: limited, request: asking(A), upstream: error })
  await keep(A, { request: asking(A), upstream: SMALL[A] })
  const gateway = await start({ conversation: 's' })
  const first = await send(gateway, A)
  expect([first.status, first.headers['retry-after'], first.body.toString()]).toEqual([
    429,
    '7',
    error,
  ])
  expect((await send(gateway, A)).body.toString()).toBe(SMALL[A])
})

test('an answer that broke off breaks off again', async () => {
  const half = SMALL[A].slice(0, SMALL[A].indexOf('event: content_block_stop'))
  const id = await keep(A, { row: { outcome: 'broken' }, request: asking(A), upstream: half })
  const answer = await send(await start({ id }), A)
  expect(answer.body.toString().startsWith(half)).toBe(true)
  expect(answer.body.toString().slice(half.length)).toContain('event: error')
})

test('a refusal of the gateway is told again where it was kept, and passed over where not', async () => {
  const refused = {
    status: 429,
    outcome: 'refused' as const,
    upstreamWire: undefined,
    upstream: undefined,
    upstreamStatus: undefined,
    upstreamHeaders: {},
  }
  const error = '{"type":"error","error":{"type":"rate_limit_error","message":"Too many"}}'
  await keep(A, { row: refused, request: asking(A) })
  await keep(A, { row: refused, request: asking(A), delivered: error })
  await keep(A, { request: asking(A), upstream: SMALL[A] })
  for (const answers of ['delivered', 'upstream'] as const) {
    const gateway = await start({ conversation: 's' }, { answers })
    const first = await send(gateway, A)
    expect([first.status, first.body.toString()]).toEqual([429, error])
    expect((await send(gateway, A)).body.toString()).toBe(SMALL[A])
  }
})

test('of all records, those of other conversations, of counts and of this upstream do not count', async () => {
  await keep(A, { row: { conversation: 'other' }, request: asking(A), upstream: marked(A, 'x') })
  await keep(A, {
    row: { endpoint: '/v1/messages/count_tokens' },
    request: asking(A),
    upstream: '{"input_tokens":1}',
  })
  await keep(A, { row: { upstream: 'past' }, request: asking(A), upstream: marked(A, 'y') })
  await keep(A, { request: asking(A), upstream: SMALL[A] })
  const gateway = await start({ conversation: 's' })
  for (let n = 0; n < 2; n++) expect((await send(gateway, A)).body.toString()).toBe(SMALL[A])
})

test('it is said what is missing', async () => {
  await expect(start({ id: 'none' })).rejects.toThrow('There is no exchange "none"')
  await expect(start({ conversation: 'none' })).rejects.toThrow('has no answer')
  const id = await keep(A, { row: { record: 'metadata' }, request: asking(A) })
  await expect(start({ id })).rejects.toThrow('with "record: bytes" they are kept')
})

test('what was exported as files is played as the records are', async () => {
  const crossed = { upstreamWire: C } as const
  const error = '{"type":"error","error":{"type":"overloaded_error","message":"Later"}}'
  const failed = { status: 529, upstreamStatus: 529, outcome: 'upstream-error' as const }
  const other = ask(A, { stream: true, messages: [{ role: 'user', content: 'Fail' }] })
  await keep(A, { row: failed, request: other, upstream: error })
  await keep(A, {
    row: crossed,
    request: asking(A),
    sent: asking(C),
    upstream: SMALL[C],
    delivered: SMALL[A],
  })
  const { items } = await store.list({})
  for (const body of ['delivered', 'upstream'] as const) {
    const out = join(folder, body)
    expect(await createFileExport(store, { folder: out, body }).write(items)).toBe(2)
    const gateway = await startFiles(out)
    const wire = body === 'delivered' ? A : C
    expect((await send(gateway, wire)).body.toString()).toBe(SMALL[wire])
    const refused = await send(gateway, A, other)
    expect([refused.status, refused.body.toString()]).toEqual([529, error])
  }
})
