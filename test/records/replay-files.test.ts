/**
 * Recordings in files, served by a gateway on a real socket: the client gets what it would have got from the provider.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import type { ReplayAsked } from '../../src/replay/replay-upstream.ts'
import type { ReplayUpstreamSettings } from '../../src/upstream/settings.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
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
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures')
const opened: TestGateway[] = []
const folders: string[] = []
let provider: TestUpstream

beforeAll(async () => {
  provider = await startUpstream()
})
afterAll(() => provider.close())
afterEach(async () => {
  await Promise.all(opened.splice(0).map((gateway) => gateway.close(0)))
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const { kind: _kind, baseUrl: _url, ...COMMON } = httpUpstream('http://127.0.0.1:1')

function replayOf(
  path: string,
  more: Partial<ReplayUpstreamSettings> = {},
): ReplayUpstreamSettings {
  return {
    ...COMMON,
    name: 'past',
    kind: 'replay',
    from: { type: 'path', path },
    match: 'auto',
    speed: 0,
    answers: 'delivered',
    ...more,
  }
}

async function start(
  upstream: ReplayUpstreamSettings,
  options: Parameters<typeof startTestGateway>[1] = {},
): Promise<TestGateway> {
  const gateway = await startTestGateway(allTo(upstream), options)
  opened.push(gateway)
  return gateway
}

function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-replay-'))
  folders.push(folder)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return folder
}

const send = (gateway: TestGateway, wire: WireName, more: object = {}): Promise<RawAnswer> =>
  sendRequest(gateway.url + PATHS[wire], {
    headers: { 'content-type': 'application/json' },
    body: ask(wire, { stream: true, ...more }),
  }).answer

/** Ids that the gateway itself makes differ from one exchange to the next. */
const seen = ({ status, body, headers }: RawAnswer): object => ({
  status,
  type: headers['content-type']?.split(';')[0],
  body: body.toString('utf8').replaceAll(/Upstream "\w+"/g, 'Upstream'),
})

describe.each(WIRE_NAMES)('a stream of %s', (wire) => {
  test('is told as its provider told it, byte for byte, with every quirk', async () => {
    const names = readdirSync(join(FIXTURES, wire)).filter((name) => name.endsWith('.sse'))
    expect(names.length).toBeGreaterThan(10)
    const live = await startTestGateway(allTo(httpUpstream(provider.url)))
    opened.push(live)
    const folder = join(FIXTURES, wire)
    const past = await start(replayOf(folder, { match: 'order', wires: [wire] }), {
      replay: { wire },
    })
    for (const name of names.toSorted()) {
      provider.next({ body: readFileSync(join(folder, name)) })
      const [before, now] = [await send(live, wire), await send(past, wire)]
      expect({ name, ...seen(now) }).toEqual({ name, ...seen(before) })
    }
  })

  test('comes in the pieces and at the times that are told beside it', async () => {
    const bytes = Buffer.from(SMALL[wire])
    const times = toTimes(bytes, 40_000)
    const meta = { id: 'x', wire, endpoint: PATHS[wire], body: 'upstream', times }
    const folder = folderWith({ 'a.sse': bytes, 'a.json': JSON.stringify(meta) })
    const gateway = await start(replayOf(folder, { speed: 2 }))
    const answer = await send(gateway, wire)
    expect(answer.body.equals(bytes)).toBe(true)
    const took = answer.endedAt - answer.startedAt
    const due = (times.at(-1) ?? 0) / 1000 / 2
    expect(took).toBeGreaterThan(due * 0.9)
    expect(took).toBeLessThan(due * 1.5 + 150)
    expect(answer.pieces.length).toBeGreaterThan(times.length / 2 / 2)
  })
})

/** A piece for each frame. */
function toTimes(bytes: Buffer, every: number): readonly number[] {
  const ends = [...bytes.toString('latin1').matchAll(/\n\n/g)].map(({ index }) => index + 2)
  const cuts = ends.at(-1) === bytes.length ? ends : [...ends, bytes.length]
  return cuts.flatMap((end, at) => [end - (cuts[at - 1] ?? 0), (at + 1) * every])
}

describe('a folder', () => {
  const text = (said: string): string =>
    JSON.stringify({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: said }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    })
  const overloaded = JSON.stringify({
    type: 'error',
    error: { type: 'overloaded_error', message: 'Overloaded' },
  })

  test('gives JSON answers and errors with their status, and passes over what is no recording', async () => {
    const folder = folderWith({
      'a.json': overloaded,
      'b.json': text('Second'),
      'c.json': '{"name":"package"}',
      'd.md': 'Hello',
    })
    const gateway = await start(replayOf(folder, { match: 'order' }), {
      replay: { wire: 'anthropic-messages' },
    })
    const answers = []
    for (let n = 0; n < 3; n++)
      answers.push(await send(gateway, 'anthropic-messages', { stream: false }))
    expect(answers.map(({ status }) => status)).toEqual([529, 200, 529])
    expect(answers[0]?.body.toString()).toBe(overloaded)
    expect(answers[1]?.body.toString()).toBe(text('Second'))
  })

  test('that has none stops the start with a sentence', async () => {
    const folder = folderWith({ 'x.json': '{"name":"package"}' })
    await expect(start(replayOf(folder))).rejects.toThrow('There is no recording in')
    await expect(start(replayOf(join(folder, 'no')))).rejects.toThrow('there is no such file')
  })

  test('may list what it holds, and nothing outside of it', async () => {
    const folder = folderWith({
      'x.sse': SMALL['openai-chat'],
      'INDEX.json': JSON.stringify([
        { file: 'x.sse', wire: 'openai-chat' },
        { file: '../../etc/x.sse', wire: 'openai-chat' },
        { file: 'gone.sse', wire: 'gemini' },
      ]),
    })
    const gateway = await start(replayOf(folder))
    expect((await send(gateway, 'openai-chat')).body.toString()).toBe(SMALL['openai-chat'])
  })

  test('is served to clients of the other wires too, translated', async () => {
    const gateway = await start(replayOf(folderWith({ 'x.json': text('Good day') })))
    for (const wire of WIRE_NAMES) {
      const answer = await send(gateway, wire)
      expect(answer.status).toBe(200)
      expect(answer.body.toString()).toContain('Good day')
    }
  })

  test('tells its models, and tokens are estimated', async () => {
    const meta = { wire: 'anthropic-messages', model: 'claude-x', endpoint: '/v1/messages' }
    const folder = folderWith({
      'x.sse': SMALL['anthropic-messages'],
      'x.json': JSON.stringify(meta),
    })
    const gateway = await start(replayOf(folder))
    const models = await sendRequest(`${gateway.url}/v1/models`, {
      method: 'GET',
      headers: { 'anthropic-version': '2023-06-01' },
    }).answer
    expect(models.body.toString()).toContain('claude-x')
    const count = await sendRequest(`${gateway.url}/v1/messages/count_tokens`, {
      headers: { 'content-type': 'application/json' },
      body: ask('anthropic-messages'),
    }).answer
    expect(count.status).toBe(200)
    expect(count.body.toString()).toMatch(/"input_tokens":\d+/)
  })
})

describe('a request that was never made', () => {
  const folderOf = (wire: WireName): string => {
    const request = JSON.parse(ask(wire)) as object
    const meta = { id: 'rec-1', wire, endpoint: PATHS[wire], request }
    return folderWith({ 'x.sse': SMALL[wire], 'x.json': JSON.stringify(meta) })
  }

  test.each(WIRE_NAMES)('is refused in the words of %s', async (wire) => {
    const asked: ReplayAsked[] = []
    const gateway = await start(replayOf(folderOf(wire), { match: 'request' }), {
      replay: { onAsked: (one) => void asked.push(one) },
    })
    const other = {
      'anthropic-messages': { messages: [{ role: 'user', content: 'Another' }] },
      'openai-chat': { messages: [{ role: 'user', content: 'Another' }] },
      'openai-responses': { input: 'Another' },
    }[wire]
    const refused = await send(gateway, wire, other)
    expect(refused.status).toBe(404)
    const error = JSON.parse(refused.body.toString()) as { error: { message: string } }
    expect(error.error.message).toContain('No recording answers this request')
    expect((await send(gateway, wire)).status).toBe(200)
    expect(asked.map(({ match }) => match.type)).toEqual(['none', 'match'])
  })

  test('is found when the client packs its body', async () => {
    const gateway = await start(replayOf(folderOf('openai-chat'), { match: 'request' }))
    const answer = await sendRequest(gateway.url + PATHS['openai-chat'], {
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(ask('openai-chat', { stream: true })),
    }).answer
    expect(answer.status).toBe(200)
  })
})

test('a client that leaves is noticed, and nothing goes on behind it', async () => {
  const bytes = Buffer.from(SMALL['openai-chat'])
  const meta = { wire: 'openai-chat', times: toTimes(bytes, 100_000) }
  const folder = folderWith({ 'x.sse': bytes, 'x.json': JSON.stringify(meta) })
  let tell = (_isWhole: boolean): void => {}
  const over = new Promise<boolean>((resolve) => (tell = resolve))
  const gateway = await start(replayOf(folder, { speed: 1 }), {
    replay: { onOver: (_asked, isWhole) => tell(isWhole) },
  })
  const call = sendRequest(gateway.url + PATHS['openai-chat'], {
    headers: { 'content-type': 'application/json' },
    body: ask('openai-chat', { stream: true }),
  })
  await call.received(10)
  call.leave()
  expect(await over).toBe(false)
})
