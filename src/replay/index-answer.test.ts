import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answerEvents } from '../../test/support/arbitrary.ts'
import { cutAt, toUtf8 } from '../../test/support/bytes.ts'
import { encode, readEvents } from '../../test/support/pipeline.ts'
import { numbersOf, toEscaped } from '../../test/support/secrets.ts'
import type { StreamEvent, WireName } from '../event/event.ts'
import type { ToolUse } from '../store/record.ts'
import { WIRE_NAMES, WIRES } from '../wire/wires.ts'
import { createMarkSearch, mayHaveCalls } from './answer-marks.ts'
import { findTools, indexAnswer, readAnswerText } from './index-answer.ts'
import { readPlainCalls } from './plain-calls.ts'

const FIXTURES = join(import.meta.dirname, '../../test/fixtures')

const fixtures = WIRE_NAMES.flatMap((wire) =>
  readdirSync(join(FIXTURES, wire))
    .filter((name) => name.endsWith('.sse'))
    .map((name) => ({ wire, name, bytes: readFileSync(join(FIXTURES, wire, name)) })),
)

/** What the decoder says of the whole stream. */
function calledIn(events: Iterable<StreamEvent>): readonly ToolUse[] {
  const counts = new Map<string, number>()
  for (const event of events) {
    if (event.type !== 'block-start') continue
    const { block } = event
    if (block.type === 'tool-call' || block.type === 'server-tool')
      counts.set(block.name, (counts.get(block.name) ?? 0) + 1)
  }
  return [...counts].map(([name, count]) => ({ name, count }))
}

test('finds the tools that the decoder finds, in every fixture', () => {
  let withTools = 0
  for (const { wire, name, bytes } of fixtures) {
    const expected = calledIn(readEvents(wire, [bytes]))
    expect(findTools({ wire, pieces: [bytes] }), `${wire}/${name}`).toEqual(expected)
    if (expected.length > 0) withTools += 1
  }
  expect(withTools).toBeGreaterThan(50)
})

test('answers in the form of their vendor are not decoded, and all others are', () => {
  const read = (wire: WireName, name: string): readonly string[] | undefined =>
    readPlainCalls(wire, readFileSync(join(FIXTURES, wire, name)))
  const known = fixtures.filter(({ wire, name }) => read(wire, name) !== undefined)
  for (const { wire, name, bytes } of known) {
    const called = calledIn(readEvents(wire, [bytes])).flatMap((tool) =>
      Array.from({ length: tool.count }, () => tool.name),
    )
    expect([name, read(wire, name)?.toSorted()]).toEqual([name, called.toSorted()])
  }
  expect(known.length).toBeGreaterThan(20)
  const call =
    'event: message_start\ndata: {"type":"message_start","message":{}}\n\n' +
    'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"Bash","input":{}}}\n\n'
  const end = 'event: message_stop\ndata: {"type":"message_stop"}\n\n'
  expect(readPlainCalls('anthropic-messages', Buffer.from(call + end))).toEqual(['Bash'])
  const padded = (call + end).replaceAll('}\n\n', '   }\n\n')
  expect(readPlainCalls('anthropic-messages', Buffer.from(padded))).toEqual(['Bash'])
  const named = call.replace('"Bash"', '"tool_use"') + end
  expect(readPlainCalls('anthropic-messages', Buffer.from(named))).toEqual(['tool_use'])
  for (const odd of [
    '',
    'event: message_st',
    end,
    call,
    call.replaceAll('"type":"tool_use"', '"type": "tool_use"') + end,
    call.replace('"tool_use"', '"server_tool_use"') + end,
    call.replace('{}}}', '{"a":"tool_use"}}}') + end,
    `${call}event: error\ndata: {"type":"error"}\n\n${end}`,
    call + end + end,
    call + end.replace('}\n', ',"x":1}\n'),
    padded + end,
  ])
    expect([odd, readPlainCalls('anthropic-messages', Buffer.from(odd))]).toEqual([odd, undefined])
})

const wires = fc.constantFrom<WireName>(...WIRE_NAMES)

test('finds the tools of any answer wherever its bytes are cut, and however its names are written', () => {
  const property = fc.property(
    wires,
    answerEvents,
    fc.array(fc.nat(20_000)),
    fc.nat(),
    (wire, events, places, seed) => {
      const bytes = written(wire, events, seed)
      const expected = calledIn(readEvents(wire, [bytes]))
      const pieces = cutAt(
        bytes,
        places.map((place) => place % (bytes.length + 1)),
      )
      expect(findTools({ wire, pieces })).toEqual(
        expected.map(({ name, count }) => ({ name: name.slice(0, 200), count })),
      )
    },
  )
  fc.assert(property, { numRuns: 300 })
})

test('misses no call in a stream that has lost frames or has some twice', () => {
  const property = fc.property(
    wires,
    answerEvents,
    fc.array(fc.nat(9), { minLength: 1 }),
    (wire, events, fate) => {
      const frames = encode(wire, events).text.split(/(?<=\n\n)/)
      const left = frames.flatMap((frame, i) => {
        const lot = fate[i % fate.length] ?? 9
        return lot === 0 ? [] : lot === 1 ? [frame, frame] : [frame]
      })
      const bytes = toUtf8(left.join(''))
      const found = findTools({ wire, pieces: [bytes] }).map(({ name }) => name)
      for (const { name } of calledIn(readEvents(wire, [bytes])))
        expect(found).toContain(name.slice(0, 200))
    },
  )
  fc.assert(property, { numRuns: 200 })
})

/** The stream with odd spaces in its JSON, and letters as escapes: all the same to a JSON parser. */
function written(wire: WireName, events: readonly StreamEvent[], seed: number): Uint8Array {
  const next = numbersOf(seed)
  const { text } = encode(wire, events)
  if (seed % 3 === 0) return toUtf8(text)
  const lines = text.split('\n').map((line) => {
    if (!line.startsWith('data: {')) return line
    return `data: ${respell(JSON.parse(line.slice(6)), next)}`
  })
  return toUtf8(lines.join(seed % 5 === 0 ? '\r\n' : '\n'))
}

function respell(value: unknown, next: () => number): string {
  const gap = (): string => ' '.repeat(next() % 3)
  const word = (text: string): string =>
    next() % 2 === 0 ? JSON.stringify(text) : toEscaped(text, next)
  if (typeof value === 'string') return word(value)
  if (Array.isArray(value))
    return `[${gap()}${value.map((one) => respell(one, next)).join(`,${gap()}`)}${gap()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).map(
    ([key, one]) => `${word(key)}${gap()}:${gap()}${respell(one, next)}`,
  )
  return `{${gap()}${entries.join(`,${gap()}`)}}`
}

describe('bytes alone', () => {
  const chat = (delta: object): Uint8Array =>
    toUtf8(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`)

  test('say that a text has no calls, though it speaks of them', () => {
    const talk = 'The "tool_use" block, "tool_calls": [] and "function_call" items'
    const block = { type: 'text', id: 'b', index: 0 } as const
    for (const wire of WIRE_NAMES) {
      const { bytes } = encode(wire, [
        { type: 'message-start', id: 'm', model: 'm' },
        { type: 'block-start', block },
        { type: 'block-delta', block, delta: { type: 'text', text: talk } },
        { type: 'block-stop', block },
        { type: 'finish', reason: 'stop' },
        { type: 'message-stop' },
      ])
      expect(mayHaveCalls(wire, [bytes])).toBe(false)
    }
  })

  test('of servers that write an empty list or a null into every chunk say nothing of calls', () => {
    for (const empty of [null, []])
      expect(mayHaveCalls('openai-chat', [chat({ content: 'a', tool_calls: empty })])).toBe(false)
    const spaced = toUtf8('data: {"choices":[{"delta":{"tool_calls" : [ ]}}]}\n\n')
    expect(mayHaveCalls('openai-chat', [spaced])).toBe(false)
    expect(mayHaveCalls('openai-chat', [chat({ tool_calls: [{ index: 0 }] })])).toBe(true)
  })

  test('that come one by one are seen also where they meet', () => {
    const search = createMarkSearch('anthropic-messages')
    const bytes = toUtf8('{"content_block":{"type":"tool_use","id":"t"}}')
    const seen = Array.from(bytes, (_, at) => search.push(bytes.subarray(at, at + 1)))
    expect(seen.indexOf(true)).toBe('{"content_block":{"type":"tool_use"'.length - 1)
  })
})

test('reads the tools of a JSON answer, and none in an error', () => {
  const answer = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'tool_use', id: 'a', name: 'Bash', input: { command: 'ls' } },
      { type: 'tool_use', id: 'b', name: 'Bash', input: {} },
      { type: 'server_tool_use', id: 'c', name: 'web_search', input: {} },
    ],
    stop_reason: 'tool_use',
  }
  const wire = 'anthropic-messages'
  expect(findTools({ wire, pieces: [toUtf8(JSON.stringify(answer))] })).toEqual([
    { name: 'Bash', count: 2 },
    { name: 'web_search', count: 1 },
  ])
  const error = { type: 'error', error: { type: 'api_error', message: 'tool_use' } }
  expect(findTools({ wire, pieces: [toUtf8(JSON.stringify(error, null, 1))] })).toEqual([])
  expect(findTools({ wire, pieces: [toUtf8('<html>"tool_use"')] })).toEqual([])
  expect(findTools({ wire, pieces: [] })).toEqual([])
})

test('names and their number are bounded', () => {
  const call = (name: string): object => ({ type: 'tool_use', id: name, name, input: {} })
  const content = Array.from({ length: 700 }, (_, i) => call(`${i}-${'x'.repeat(300)}`))
  const body = { id: 'm', type: 'message', role: 'assistant', model: 'm', content }
  const tools = findTools({
    wire: 'anthropic-messages',
    pieces: [toUtf8(JSON.stringify(body))],
  })
  expect(tools).toHaveLength(500)
  expect(tools[0]?.name).toHaveLength(200)
})

describe('the words of an answer', () => {
  test('are its text and the arguments of calls, without thinking', () => {
    const block = (type: 'text' | 'thinking', index: number) =>
      type === 'text'
        ? ({ type, id: `b${index}`, index } as const)
        : ({ type, id: `b${index}`, index, redacted: false } as const)
    const call = {
      type: 'tool-call',
      id: 'c',
      index: 2,
      name: 'Bash',
      dialect: 'function',
    } as const
    const [thought, said] = [block('thinking', 0), block('text', 1)]
    const events: StreamEvent[] = [
      { type: 'message-start', id: 'm', model: 'm' },
      { type: 'block-start', block: thought },
      { type: 'block-delta', block: thought, delta: { type: 'thinking', text: 'hidden' } },
      { type: 'block-stop', block: thought },
      { type: 'block-start', block: said },
      { type: 'block-delta', block: said, delta: { type: 'text', text: 'two ' } },
      { type: 'block-delta', block: said, delta: { type: 'text', text: 'words' } },
      { type: 'block-stop', block: said },
      { type: 'block-start', block: call },
      { type: 'block-delta', block: call, delta: { type: 'arguments', text: '{"command":"ls"}' } },
      { type: 'block-stop', block: call },
      { type: 'finish', reason: 'tool-calls' },
      { type: 'message-stop' },
    ]
    for (const wire of WIRE_NAMES) {
      const { bytes } = encode(wire, events)
      const half = Math.floor(bytes.length / 2)
      const pieces = [bytes.subarray(0, half), bytes.subarray(half)]
      expect(indexAnswer({ wire, pieces })).toEqual({
        tools: [{ name: 'Bash', count: 1 }],
        text: 'two words\n{"command":"ls"}',
      })
    }
  })

  test('end at a limit', () => {
    const body = WIRES['openai-chat'].writeAnswer({
      id: 'm',
      model: 'm',
      wire: undefined,
      vendor: undefined,
      blocks: [],
      finishReason: 'stop',
      vendorFinishReason: undefined,
      stopSequence: undefined,
      explanation: undefined,
      usage: undefined,
      error: undefined,
      isStopped: true,
    }).body
    const long = JSON.stringify(body).replace('"content":null', `"content":"${'a'.repeat(99_999)}"`)
    expect(readAnswerText({ wire: 'openai-chat', pieces: [toUtf8(long)] })).toHaveLength(48 * 1024)
  })
})
