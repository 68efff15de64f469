/**
 * Ten thousand requests that are almost right: whatever is broken in them, the answer is proper HTTP of the
 * client's wire, in time, and never a 500. The same ones on every run; `SEED=…` tries others.
 */
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isObject } from '../../src/base/json.ts'
import { demoSettings } from '../../src/config/load.ts'
import type { WireName } from '../../src/event/event.ts'
import { WIRE_NAMES, WIRES } from '../../src/wire/wires.ts'
import {
  allTo,
  httpUpstream,
  PATHS,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { heldBytes } from '../support/heap.ts'
import { CHAT, MESSAGES, RESPONSES } from '../support/json-answers.ts'
import { fetchRaw, type RawRequest } from '../support/raw-client.ts'
import { SMALL } from '../support/small-streams.ts'
import { stateOf } from '../support/streams.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

const COUNT = 10_000
const AT_ONCE = 16
const MAX_MS = 5000
const SEED = Number(process.env['SEED'] ?? 20_261_115)

let upstream: TestUpstream
let demo: TestGateway
let real: TestGateway
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })

beforeAll(async () => {
  upstream = await startUpstream()
  const answers = { ...SMALL }
  upstream.answer(({ path, body }) => {
    const wire =
      WIRE_NAMES.find((name) => PATHS[name].endsWith(path.split('?', 1)[0] ?? '')) ?? 'openai-chat'
    if (/"stream"\s*:\s*true/.test(body.toString('latin1'))) return { body: answers[wire] }
    return {
      body: JSON.stringify(JSON_ANSWERS[wire]),
      headers: { 'content-type': 'application/json' },
    }
  })
  const limits = { ...demoSettings().limits, body: 256 * 1024 }
  const quick = demoSettings().upstreams.map((one) => ({ ...one, pace: 0 }))
  demo = await startTestGateway({ ...allTo(...quick), limits })
  real = await startTestGateway({ ...allTo(httpUpstream(upstream.url)), limits })
})
afterAll(async () => {
  agent.destroy()
  await demo.close(0)
  await real.close(0)
  await upstream.close()
})

const JSON_ANSWERS = {
  'anthropic-messages': MESSAGES.plain,
  'openai-chat': CHAT.plain,
  'openai-responses': RESPONSES.plain,
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

const TOOL = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const VALID: Readonly<Record<WireName, readonly Json[]>> = {
  'anthropic-messages': [
    {
      model: 'demo-tool',
      max_tokens: 100,
      stream: true,
      system: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: 'What is the weather in Paris?' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'w', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'rain' }] },
      ],
      tools: [{ name: 'get_weather', input_schema: TOOL }],
      tool_choice: { type: 'auto' },
      thinking: { type: 'enabled', budget_tokens: 1024 },
    },
    {
      model: 'demo',
      max_tokens: 5,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    },
  ],
  'openai-chat': [
    {
      model: 'demo-tools',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: [{ type: 'text', text: 'Weather in Oslo?' }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'w', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'rain' },
      ],
      tools: [{ type: 'function', function: { name: 'get_weather', parameters: TOOL } }],
      response_format: { type: 'json_schema', json_schema: { name: 's', schema: TOOL } },
    },
    { model: 'demo', messages: [{ role: 'user', content: 'Hi' }], max_completion_tokens: 9 },
  ],
  'openai-responses': [
    {
      model: 'demo-thinking',
      stream: true,
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Run `ls`' }] },
        { type: 'function_call', call_id: 'c1', name: 'w', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'rain' },
      ],
      tools: [
        { type: 'function', name: 'get_weather', parameters: TOOL },
        { type: 'custom', name: 'x' },
      ],
      reasoning: { effort: 'high' },
      text: { format: { type: 'text' } },
    },
    { model: 'demo', input: 'Hi', store: false },
  ],
}

/** Small, fast and the same everywhere: mulberry32. */
function createDice(seed: number): (sides: number) => number {
  let state = seed >>> 0
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * sides)
  }
}

type Dice = ReturnType<typeof createDice>
const pick = <T>(dice: Dice, list: readonly T[]): T => list[dice(list.length)] as T

const ODD: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  1.5,
  '',
  'x'.repeat(5000),
  '\ud800',
  '\0\u2028\n',
  [],
  {},
  [[]],
  [null],
  [{}],
  { type: null },
  { type: 'tool_result' },
  { __proto__: null, constructor: 1, toString: 1 },
  'demo-slow-not',
  'tool_use',
]

/** Everything in a JSON value that can be changed: where it is held, and under which name. */
function places(value: Json, found: [Json[] | Record<string, Json>, string][] = []): typeof found {
  if (value === null || typeof value !== 'object') return found
  for (const name of Object.keys(value)) {
    found.push([value, name])
    places((value as Record<string, Json>)[name] ?? null, found)
  }
  return found
}

function mutateJson(dice: Dice, valid: Json): string {
  const copy = structuredClone(valid)
  for (let count = 1 + dice(3); count > 0; count--) {
    const [holder, name] = pick(dice, places(copy)) as [Record<string, Json>, string]
    const how = dice(6)
    if (how === 0) delete holder[name]
    else if (how === 1)
      holder[pick(dice, ['', 'x', '__proto__', 'model', 'type'])] = pick(dice, ODD)
    else if (how === 2 && Array.isArray(holder))
      holder.push(structuredClone(holder[Number(name)]) as Json)
    else if (how === 3) holder[name] = [holder[name] ?? null]
    else holder[name] = structuredClone(pick(dice, ODD))
  }
  const text = JSON.stringify(copy)
  if (dice(20) > 0) return text
  return pick(dice, [
    text.replace('{', '{"model":"other",'),
    text.replace('{', '{"mod\\u0065l":"other",'),
    `\ufeff${text}`,
    `${text}${text}`,
    `[${text}]`,
    '['.repeat(20_000),
    `{"model":"demo","messages":${'['.repeat(20_000)}${']'.repeat(20_000)},"input":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)},"max_tokens":1}`,
    '',
    'null',
    text.replaceAll(':', ':1e400,"'),
  ])
}

function mutateBytes(dice: Dice, valid: Json): Buffer {
  const bytes = Buffer.from(JSON.stringify(valid))
  const at = dice(bytes.length)
  switch (dice(5)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([dice(256)]), bytes.subarray(at)])
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + dice(8))])
    default:
      for (let count = 1 + dice(4); count > 0; count--) bytes[dice(bytes.length)] = dice(256)
      return bytes
  }
}

const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  [
    'content-type',
    ['', 'text/plain', 'application/json; charset=latin1', 'multipart/form-data', 'x'],
  ],
  ['content-encoding', ['gzip', 'br', 'deflate', 'identity', 'zstd', 'gzip, gzip', '']],
  ['accept', ['', 'text/html', 'x'.repeat(3000)]],
  ['accept-encoding', ['gzip, br', 'identity;q=0', '*']],
  ['anthropic-version', ['', '2023-06-01', '\u00e9', 'x'.repeat(2000)]],
  ['anthropic-beta', ['a,b', ',', '']],
  ['x-request-id', ['', 'a b', 'x'.repeat(500), 'ok-1']],
  ['traceparent', ['', '00-0-0-0', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`]],
  ['tracestate', ['', 'a=b', '\u00ff']],
  ['user-agent', ['', '\u00fc', 'x'.repeat(4000)]],
  ['authorization', ['', 'Bearer', 'Basic x', `Bearer ${'k'.repeat(3000)}`]],
  ['x-api-key', ['', 'k', 'k, k']],
  ['expect', ['100-continue', 'the-unexpected']],
  ['origin', ['null', 'http://evil.example']],
  ['host', ['evil.example', 'localhost']],
  ['te', ['trailers']],
  ['connection', ['close', 'keep-alive', 'upgrade']],
  ['upgrade', ['websocket', 'h2c']],
  ['range', ['bytes=0-1']],
  ['openai-organization', ['o', '']],
]

const mutatePath = (dice: Dice, path: string): string => {
  const at = 1 + dice(path.length)
  return pick(dice, [
    path.slice(0, at) +
      pick(dice, ['/', '.', '%2f', '%', 'x', ';', '\\', '..', '%00']) +
      path.slice(at),
    path.slice(0, at),
    path.toUpperCase(),
    `${path}/`,
    `/${path}`,
    `${path}/stream`,
    `${path}/count_tokens`,
    `${path}/input_tokens`,
    `${path}/resp_1`,
  ])
}

const QUERIES = [
  '?',
  '?beta=true',
  '?a=b&a=c',
  '?%',
  '?%ff%00',
  '?stream=true',
  `?${'q'.repeat(3000)}`,
  '?a=%0d%0aX:y',
  '?\'"<>{}|^`',
]

interface Mutant {
  readonly wire: WireName
  readonly path: string
  readonly request: RawRequest
  readonly isSmall: boolean
}

function mutate(dice: Dice): Mutant {
  const wire = pick(dice, WIRE_NAMES)
  const valid = pick(dice, VALID[wire])
  const how = dice(10)
  const body =
    how < 5 ? mutateJson(dice, valid) : how < 8 ? mutateBytes(dice, valid) : JSON.stringify(valid)
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  for (let count = how > 6 ? 1 + dice(3) : 0; count > 0; count--) {
    const [name, values] = pick(dice, HEADERS)
    headers[name] = pick(dice, values)
  }
  const path = dice(8) === 0 ? mutatePath(dice, PATHS[wire]) : PATHS[wire]
  const query = dice(10) === 0 ? pick(dice, QUERIES) : ''
  const method = dice(30) === 0 ? pick(dice, ['GET', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']) : 'POST'
  return {
    wire,
    path: path + query,
    request: { method, headers, body: method === 'POST' ? body : '', agent },
    isSmall: body.length < 20_000,
  }
}

/** What is wrong with what came back; nothing, if it is an answer that a client of some wire can read. */
async function judge(
  gateway: TestGateway,
  { wire, path, request }: Mutant,
): Promise<string | undefined> {
  const late = new Promise<'late'>((resolve) => setTimeout(resolve, MAX_MS, 'late').unref())
  const answer = await Promise.race([fetchRaw(gateway.url + path, request), late])
  if (answer === 'late') return 'no answer in time'
  const { status, body, headers, end } = answer
  const text = body.toString()
  if (end !== 'whole') return `${end} after ${status} ${answer.error?.message}`
  if (status === 500 || status < 200) return `status ${status}: ${text.slice(0, 200)}`
  if (request.method === 'HEAD') return undefined
  if (headers['content-type']?.startsWith('text/event-stream') === true) {
    const state = stateOf(wire, body)
    return state.isStopped || state.error !== undefined ? undefined : 'a stream without an end'
  }
  if (path === '/' && status === 200) return undefined
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return `no JSON: ${status} ${text.slice(0, 100)}`
  }
  if (!isObject(json)) return 'no object'
  if (status < 400) return undefined
  return WIRE_NAMES.some((name) => WIRES[name].recognise(json) === 'error')
    ? undefined
    : `no error: ${status} ${text.slice(0, 100)}`
}

test.each(['demo', 'real'] as const)(
  `${COUNT / 2} requests that are almost right get proper answers: %s`,
  async (which) => {
    const gateway = which === 'demo' ? demo : real
    const dice = createDice(which === 'demo' ? SEED : SEED + 1)
    const wrong: string[] = []
    const statuses = new Map<string, number>()
    let done = 0
    const before = heldBytes()
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (done < COUNT / 2 && wrong.length < 5) {
          done += 1
          const mutant = mutate(dice)
          const said = await judge(gateway, mutant)
          if (said !== undefined)
            wrong.push(
              `${said}\n${mutant.request.method} ${mutant.path} ${JSON.stringify(mutant.request.headers)}\n${String(mutant.request.body).slice(0, 600)}`,
            )
        }
      }),
    )
    for (const { outcome } of gateway.reports)
      statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1)
    expect(wrong).toEqual([])
    // Not all were refused: many are odd and still right.
    expect(statuses.get('done')).toBeGreaterThan(COUNT / 20)
    expect(statuses.get('refused')).toBeGreaterThan(COUNT / 20)
    expect(gateway.lines.filter((line) => line.includes('in the gateway itself'))).toEqual([])
    // Reports and lines are kept by the test itself: some kilobytes each.
    expect(heldBytes() - before).toBeLessThan(COUNT * 8 * 1024)
    const { body } = await fetchRaw(`${gateway.url}/health`, { method: 'GET' })
    expect(JSON.parse(body.toString())).toMatchObject({ status: 'ok', open: 0 })
  },
)

test('2000 heads of broken bytes get an answer or a closed door, and the next client is served', async () => {
  const dice = createDice(SEED + 2)
  const { port } = new URL(real.url)
  const head = `POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 12\r\nconnection: close\r\n\r\n{"model":"m"`
  const talk = (bytes: Buffer): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(Number(port), '127.0.0.1')
      const got: Buffer[] = []
      const late = setTimeout(() => socket.destroy(), 300)
      socket.on('data', (piece: Buffer) => got.push(piece))
      socket.on('error', () => {})
      socket.on('close', () => {
        clearTimeout(late)
        resolve(Buffer.concat(got).toString('latin1'))
      })
      socket.end(bytes)
    })
  let done = 0
  const odd: string[] = []
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (done++ < 2000) {
        const bytes = Buffer.from(head)
        for (let count = 1 + dice(6); count > 0; count--) bytes[dice(bytes.length)] = dice(256)
        const said = await talk(bytes.subarray(0, dice(4) === 0 ? dice(bytes.length) : undefined))
        if (said !== '' && !/^HTTP\/1\.1 [1245]\d\d /.test(said)) odd.push(said.slice(0, 200))
        if (said.startsWith('HTTP/1.1 500 '))
          odd.push(`${said.slice(0, 300)}\n${bytes.toString('latin1')}`)
      }
    }),
  )
  expect(odd).toEqual([])
  expect((await fetchRaw(`${real.url}/health`, { method: 'GET' })).status).toBe(200)
})
