import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { assemble, readEvents } from '../../test/support/pipeline.ts'
import { fetchRaw, sendRequest, type RawAnswer } from '../../test/support/raw-client.ts'
import type { StreamState } from '../block/state.ts'
import type { WireName } from '../event/event.ts'
import { WIRE_NAMES, WIRES } from '../wire/wires.ts'
import { faultyContent, readFaultyModel, toFaultyModel } from './faulty-upstream-answer.ts'
import type { FaultyAnswer } from './faulty-upstream-answer.ts'
import { FAULT_NAMES, FAULTS, type FaultName } from './faulty-upstream-names.ts'
import { startFaultyUpstream, type FaultyRequest, type FaultyUpstream } from './faulty-upstream.ts'

let upstream: FaultyUpstream
let requests: FaultyRequest[] = []
beforeEach(async () => {
  requests = []
  upstream = await startFaultyUpstream({ onRequest: (request) => requests.push(request) })
})
afterEach(() => upstream.close())

const PATHS: Readonly<Record<WireName, string>> = {
  'anthropic-messages': '/v1/messages',
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/responses',
}

interface Asking {
  readonly wire?: WireName
  readonly stream?: boolean
  readonly model?: string
  readonly agent?: Agent
}

const ask = ({ wire = 'openai-chat', stream = true, model = 'm', agent }: Asking) =>
  sendRequest(upstream.url + PATHS[wire], {
    body: JSON.stringify({ model, stream }),
    ...(agent === undefined ? {} : { agent }),
  })

const read = (wire: WireName, { body }: RawAnswer, stream: boolean): StreamState =>
  stream
    ? assemble(readEvents(wire, [body]))
    : assemble(WIRES[wire].readAnswer(JSON.parse(body.toString()) as Record<string, unknown>))

/** Sees that all of an answer has come. */
function expectWhole(state: StreamState, answer: Partial<FaultyAnswer>): void {
  const { text, calls } = faultyContent(answer)
  const said = state.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')
  expect(said).toBe(text)
  const called = state.blocks.flatMap((block) =>
    block.type === 'tool-call'
      ? [{ name: block.name, args: JSON.parse(block.arguments) as unknown }]
      : [],
  )
  expect(called).toEqual(calls)
  expect([state.error, state.isStopped]).toEqual([undefined, true])
  expect(state.finishReason).toBe(calls.length === 0 ? 'stop' : 'tool-calls')
}

describe.each(WIRE_NAMES)('on %s', (wire) => {
  test.each([true, false])('says what its model names, as a stream: %s', async (stream) => {
    for (const calls of [0, 1, 2]) {
      const answer = { seed: 7 + calls, size: 900, calls }
      const got = await ask({ wire, stream, model: toFaultyModel(answer) }).answer
      expect([got.status, got.end]).toEqual([200, 'whole'])
      expectWhole(read(wire, got, stream), answer)
      const again = await ask({ wire, stream, model: toFaultyModel(answer) }).answer
      expect(again.body.equals(got.body)).toBe(true)
    }
  })

  test.each<FaultName>(['slow-head', 'trickle', 'odd-frame', 'early-close', 'flood'])(
    'with %s all of it arrives',
    async (fault) => {
      for (const stream of [true, false]) {
        const got = await ask({ wire, stream, model: toFaultyModel({ fault }) }).answer
        expect([got.status, got.end]).toEqual([200, 'whole'])
        expectWhole(read(wire, got, stream), { fault })
      }
    },
  )

  test.each<[FaultName, number]>([
    ['rate-limited', 429],
    ['server-error', 500],
    ['overloaded', wire === 'anthropic-messages' ? 529 : 503],
  ])('%s is status %i in its own words', async (fault, status) => {
    const got = await ask({ wire, model: toFaultyModel({ fault }) }).answer
    expect(got.status).toBe(status)
    const body = JSON.parse(got.body.toString()) as Record<string, unknown>
    expect(WIRES[wire].recognise(body)).toBe('error')
    expect(got.headers['retry-after']).toBe(status === 429 ? '1' : undefined)
  })

  test('an error in mid-stream is an event of its own behind half of the answer', async () => {
    const got = await ask({ wire, model: toFaultyModel({ fault: 'error-event' }) }).answer
    const state = read(wire, got, true)
    expect([got.status, got.end]).toEqual([200, 'whole'])
    expect(state.error?.message).toContain('It failed, as asked for')
    expect(state.blocks.length).toBe(1)
  })

  test.each<FaultName>([
    'close-mid-stream',
    'cut-in-frame',
    'cut-in-character',
    'short-body',
    'bad-chunk-size',
    'reset-mid-stream',
  ])('%s breaks off behind content and before the end', async (fault) => {
    for (const stream of [true, false]) {
      const got = await ask({ wire, stream, model: toFaultyModel({ fault }) }).answer
      expect([got.status, got.end]).toEqual([200, 'cut'])
      expect(got.body.length).toBeGreaterThan(100)
      if (!stream) continue
      const { blocks, finishReason } = read(wire, got, true)
      expect([blocks.length, finishReason]).toEqual([1, undefined])
    }
  })
})

test('a character is cut between its bytes', async () => {
  const got = await ask({ model: toFaultyModel({ fault: 'cut-in-character' }) }).answer
  expect(() => new TextDecoder('utf-8', { fatal: true }).decode(got.body)).toThrow('not valid')
  const frame = await ask({ model: toFaultyModel({ fault: 'cut-in-frame' }) }).answer
  expect(frame.body.toString().endsWith('\n\n')).toBe(false)
})

test.each<[FaultName, RegExp | undefined]>([
  ['close-before-head', /socket hang up|ECONNRESET/],
  ['reset-before-head', /ECONNRESET/],
  ['not-http', /Parse Error/],
])('%s gives no head', async (fault, words) => {
  const got = await ask({ model: toFaultyModel({ fault }) }).answer
  expect([got.status, got.end]).toEqual([0, 'failed'])
  expect(got.error?.message).toMatch(words ?? /./)
})

test.each<[FaultName, number, RegExp, RegExp]>([
  ['wrong-type', 200, /text\/html/, /^<html>/],
  ['html-502', 502, /text\/html/, /^<html>/],
  ['not-sse', 200, /text\/event-stream/, /^[^\n\r]{100}/],
  ['bad-frame', 200, /text\/event-stream/, /\ndata: \{"half": \n\ndata: /],
  ['not-json', 200, /text\/event-stream/, /^data: \{[^}\n]*\n\ndata:/],
  ['end-early', 200, /text\/event-stream/, /\}\n\n$/],
])('%s ends properly with what is no answer', async (fault, status, type, body) => {
  const got = await ask({ model: toFaultyModel({ fault }) }).answer
  expect([got.status, got.end]).toEqual([status, 'whole'])
  expect(got.headers['content-type']).toMatch(type)
  expect(got.body.toString('latin1')).toMatch(body)
  expect(read('openai-chat', got, true).finishReason).toBe(undefined)
})

test.each<[FaultName, number, number]>([
  ['stall-before-head', 0, 0],
  ['stall-after-head', 200, 0],
  ['stall-mid-stream', 200, 100],
  ['stall-in-frame', 200, 100],
])('%s says no more, and notices who leaves', async (fault, status, bytes) => {
  const call = ask({ model: toFaultyModel({ fault }) })
  await sleep(150)
  const before = call.pieces.length
  await sleep(150)
  expect(call.pieces.length).toBe(before)
  expect(upstream.counts).toMatchObject({ requests: 1, open: 1, left: 0 })
  call.leave()
  const got = await call.answer
  expect(got.status).toBe(status)
  expect(got.body.length).toBeGreaterThanOrEqual(bytes)
  await sleep(50)
  expect(upstream.counts).toMatchObject({ open: 0, left: 1, connections: 0 })
})

test('a frame that does not end goes no faster than it is read', async () => {
  const call = ask({ model: toFaultyModel({ fault: 'huge-frame' }) })
  await call.received(200_000)
  call.leave()
  const { body } = await call.answer
  expect(body.toString('latin1')).toMatch(/data: \{"a":"x+$/)
  expect(body.length).toBeLessThan(20_000_000)
})

test('a connection that was to be kept is closed behind the answer', async () => {
  const agent = new Agent({ keepAlive: true })
  await ask({ model: toFaultyModel({}), agent }).answer
  expect(upstream.counts.connections).toBe(1)
  await ask({ model: toFaultyModel({ fault: 'early-close' }), agent }).answer
  await sleep(60)
  expect(upstream.counts.connections).toBe(0)
  await ask({ model: toFaultyModel({}), agent }).answer
  upstream.closeIdle()
  await sleep(60)
  expect(upstream.counts.connections).toBe(0)
  agent.destroy()
})

test('a fault may come so many times and then be over', async () => {
  const model = toFaultyModel({ fault: 'server-error', times: 2 })
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) statuses.push((await ask({ model, stream: false }).answer).status)
  expect(statuses).toEqual([500, 500, 200, 200])
})

test('frames come at their pace', async () => {
  const got = await ask({ model: toFaultyModel({ size: 30, pace: 30 }) }).answer
  expect(got.end).toBe('whole')
  expect(got.endedAt - (got.headAt ?? 0)).toBeGreaterThan(150)
})

test('requests that name no fault meet what the test says next, then what the seed draws', async () => {
  upstream.next('server-error', 'none')
  expect((await ask({ stream: false }).answer).status).toBe(500)
  expect((await ask({ stream: false }).answer).status).toBe(200)
  const drawn = async (seed: number): Promise<readonly string[]> => {
    const met: string[] = []
    const faults = ['server-error', 'overloaded', 'html-502'] as const
    const own = await startFaultyUpstream({
      seed,
      faults,
      answer: { size: 10 },
      onRequest: ({ answer }) => met.push(`${answer.fault} ${answer.seed}`),
    })
    for (let i = 0; i < 20; i++)
      await fetchRaw(`${own.url}/v1/messages`, { body: '{"model":"claude"}' })
    await own.close()
    return met
  }
  const first = await drawn(5)
  expect(await drawn(5)).toEqual(first)
  expect(await drawn(6)).not.toEqual(first)
  expect(new Set(first.map((one) => one.split(' ')[0])).size).toBeGreaterThan(2)
})

test('tells of each request, with what its client must read', async () => {
  upstream.next('none')
  const got = await ask({ wire: 'openai-responses', model: 'gpt', stream: false }).answer
  const [request] = requests
  expect(request).toMatchObject({ wire: 'openai-responses', isStream: false, model: 'gpt' })
  expectWhole(read('openai-responses', got, false), request?.answer ?? {})
})

test('refuses what it does not know', async () => {
  expect((await fetchRaw(`${upstream.url}/v1/models`, { method: 'GET' })).status).toBe(404)
  expect((await fetchRaw(`${upstream.url}/v1/messages`, { body: 'no' })).status).toBe(400)
  expect(upstream.counts).toMatchObject({ requests: 2, open: 0 })
})

test('names of models say all of an answer, whatever stands before them', () => {
  const answer = { fault: 'trickle', seed: 4, size: 10, calls: 1, pace: 2, times: 3 } as const
  expect(toFaultyModel(answer)).toBe('faulty/trickle?seed=4&size=10&calls=1&pace=2&times=3')
  expect(readFaultyModel(toFaultyModel(answer))).toEqual(answer)
  expect(readFaultyModel(`route:${toFaultyModel(answer)}`)).toEqual(answer)
  expect(toFaultyModel({})).toBe('faulty/none')
  expect(readFaultyModel('faulty/none?seed=-1&size=x')).toEqual(readFaultyModel('faulty/none'))
  for (const name of ['claude', 'faulty', 'faulty/no-such', 'notfaulty/none', 'faulty/none x'])
    expect(readFaultyModel(name)).toBe(undefined)
  for (const fault of FAULT_NAMES) expect(readFaultyModel(`faulty/${fault}`)?.fault).toBe(fault)
})

describe('the guide', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/guide/endurance.md'), 'utf8')

  test('lists every fault in the words of the code', () => {
    const rows = [...guide.matchAll(/^\| `([a-z0-9-]+)` +\| ([^|]+?) +\|$/gm)]
    expect(rows.map(([, name, words]) => [name, words])).toEqual(Object.entries(FAULTS))
  })

  test('has an example that runs', async () => {
    const code = /```ts\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''
    const face = pathToFileURL(join(import.meta.dirname, '../policy.ts')).href
    const folder = mkdtempSync(join(tmpdir(), 'sluice-example-'))
    const file = join(folder, 'example.mts')
    writeFileSync(file, code.replace('sluice/policy', face))
    try {
      const run = promisify(execFile)(process.execPath, ['--import', 'tsx', file])
      expect((await run).stdout).toMatch(/^as asked for: .+\n1\d\d\d\n$/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
