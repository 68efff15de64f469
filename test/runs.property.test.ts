/**
 * Runs of frames pass unread (`src/exchange/run.ts`). Whatever a stream is made of, what the client gets and what the
 * gateway knows afterwards is the same as if every frame had been read.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { StreamState } from '../src/block/state.ts'
import type { BlockInfo } from '../src/event/block.ts'
import type { StreamEvent, WireName } from '../src/event/event.ts'
import type { AnswerStage } from '../src/translate/answer-stage.ts'
import { Contexts, createEngine, type Engine, type EngineOut } from '../src/policy/engine.ts'
import type { PolicyHost } from '../src/policy/host.ts'
import { install } from '../src/policy/installed.ts'
import { definePolicy, type HeldType } from '../src/policy/policy.ts'
import { deny, pass, type Verdict } from '../src/policy/verdict.ts'
import type { CallNames } from '../src/request/call-names.ts'
import { createCallRestorer } from '../src/translate/restore-calls.ts'
import { createStopSequences } from '../src/translate/stop-sequences.ts'
import { WIRE_NAMES } from '../src/wire/wires.ts'
import { anyPlaces, cutAt, cutEvery, joinBytes, toUtf8 } from './support/bytes.ts'
import { encode, readFrames } from './support/pipeline.ts'
import { absent, hasRecordings, readRecordings } from './support/recordings.ts'
import { anyStream } from './support/run-streams.ts'
import { stateOf } from './support/streams.ts'
import { serve, type Served, type ServeOptions } from './support/served.ts'

const RECORDINGS = readRecordings()
const PAIRS = WIRE_NAMES.flatMap((from) => WIRE_NAMES.map((to) => [from, to] as const))

/** Ids that are made are the same for both. */
function withSameIds<T>(run: () => T): T {
  let last = 0
  vi.spyOn(Math, 'random').mockImplementation(() => (last = (last * 0.7 + 0.123) % 1))
  return run()
}

async function both(
  pieces: readonly Uint8Array[],
  options: Omit<ServeOptions, 'hasRuns'>,
): Promise<readonly [Served, Served]> {
  try {
    const unread = await withSameIds(() => serve(pieces, { ...options, hasRuns: true }))
    const read = await withSameIds(() => serve(pieces, { ...options, hasRuns: false }))
    return [unread, read]
  } finally {
    vi.restoreAllMocks()
  }
}

/** What a client understands of the bytes: frame by frame, whichever way a letter was written. */
const understood = (bytes: Uint8Array): readonly unknown[] =>
  readFrames([bytes]).map((frame) => [
    frame.event,
    frame.data === undefined ? new TextDecoder().decode(frame.raw) : toValue(frame.data),
  ])

function toValue(data: string): unknown {
  try {
    const value: unknown = JSON.parse(data)
    // Padding says nothing.
    return typeof value === 'object' ? { ...value, obfuscation: undefined } : value
  } catch {
    return data
  }
}

const known = ({ blocks, ...state }: StreamState): unknown => ({
  ...state,
  currentBlock: undefined,
  justCompleted: undefined,
  // By name: a block reads its text when it is asked for it.
  blocks: blocks.map((block) => ({
    type: block.type,
    id: block.id,
    index: block.index,
    text: 'text' in block ? block.text : undefined,
    arguments: 'arguments' in block ? block.arguments : undefined,
    isComplete: block.isComplete,
  })),
})

async function expectSame(
  pieces: readonly Uint8Array[],
  options: Omit<ServeOptions, 'hasRuns'>,
): Promise<readonly [Served, Served]> {
  const [unread, read] = await both(pieces, options)
  if (read.delivered.isVerbatim) expect(unread.bytes.equals(read.bytes)).toBe(true)
  // What waited for a verdict may leave in fewer pieces.
  if (options.createEngine === undefined)
    expect(understood(unread.bytes)).toEqual(understood(read.bytes))
  expect(known(stateOf(options.to, unread.bytes))).toEqual(known(stateOf(options.to, read.bytes)))
  const { state, bytesOut: _out, ...rest } = unread.delivered
  const { state: otherState, bytesOut: _otherOut, ...otherRest } = read.delivered
  expect(known(state)).toEqual(known(otherState))
  expect(rest).toEqual(otherRest)
  return [unread, read]
}

/** Whoever stands between the upstream and the client. */
const BETWEEN: Readonly<Record<string, () => Partial<ServeOptions>>> = {
  nobody: () => ({}),
  'somebody who changes the start': () => ({ createStages: () => [renewStart()] }),
  'somebody who changes a block': () => ({ createStages: () => [renewBlock(1)] }),
  'stop sequences': () => ({ createStages: () => [createStopSequences(['stop', 'three and'])] }),
  'names to restore': () => ({ createStages: () => [createCallRestorer(NAMES)] }),
  'a gate that lets calls through': () => ({ createEngine: (out) => gate(() => pass(), out) }),
  'a gate that denies calls': () => ({ createEngine: (out) => gate(() => deny('No.'), out) }),
  'a gate that denies every other call': () => ({ createEngine: everyOther() }),
  'a gate on texts': () => ({ createEngine: (out) => gate(() => pass(), out, ['text']) }),
  'a gate that answers later': () => ({ createEngine: (out) => gate(async () => pass(), out) }),
}

/** The same event, said by somebody else: from there on everything is written anew. */
const renew = (isIt: (event: StreamEvent) => boolean): AnswerStage => ({
  passes: () => true,
  push(event) {
    if (!isIt(event)) return [event]
    const { step: _step, ...own } = event
    return [own as StreamEvent]
  },
  end: () => [],
})

const renewStart = (): AnswerStage => renew(({ type }) => type === 'message-start')

const renewBlock = (number: number): AnswerStage => {
  let seen = 0
  return renew(({ type }) => type === 'block-start' && seen++ === number)
}

const NAMES: CallNames = {
  toTarget: ({ name }) => name,
  toSource: (name) => (name === 'tool_1' ? { name: 'mcp.one', dialect: 'function' } : undefined),
  isPlain: false,
  collision: undefined,
}

type Judge = () => Verdict | Promise<Verdict>

function gate(judge: Judge, out: EngineOut, holds: readonly HeldType[] = ['tool-call']): Engine {
  const policy = definePolicy({ name: 'gate', holds, judge })
  const contexts = new Contexts(HOST)
  const installed = [install(policy)]
  return createEngine({ installed, host: HOST, contexts, leavesTogether: true }, out)
}

function everyOther(): (out: EngineOut) => Engine {
  return (out) => {
    let seen = 0
    return gate(() => (seen++ % 2 === 0 ? pass() : deny('No.')), out)
  }
}

const HOST = {
  exchangeId: 'e',
  client: { key: undefined, agent: undefined },
  request: {},
  now: () => 0,
  tick: () => 0,
  onLeave: () => () => {},
  log: () => ({ info() {}, warn() {} }),
  memoryOf: () => undefined,
  checkArguments: () => undefined,
  haltedBy: () => undefined,
  onVerdict() {},
} as unknown as PolicyHost

describe.each(PAIRS)('a stream of %s for a client of %s', (from, to) => {
  test('is the same with runs as without, whoever stands between', async () => {
    let saved = 0
    const stream = anyStream(from).chain((bytes) =>
      fc.record({
        bytes: fc.constant(bytes),
        places: anyPlaces(bytes),
        between: fc.constantFrom(...Object.keys(BETWEEN), 'nobody', 'nobody'),
      }),
    )
    await fc.assert(
      fc.asyncProperty(stream, async ({ bytes, places, between }) => {
        const options = { from, to, ...BETWEEN[between]?.() }
        const [unread, read] = await expectSame(cutAt(bytes, places), options)
        saved += read.read - unread.read
      }),
      { numRuns: 30 },
    )
    // Else nothing was tried.
    expect(saved).toBeGreaterThan(100)
  })

  test('is the same with runs as without, of each fixture', async () => {
    for (const bytes of readFixtures(from)) {
      await expectSame([bytes], { from, to })
      await expectSame(cutEvery(bytes, 97), {
        from,
        to,
        ...BETWEEN['somebody who changes the start']?.(),
      })
    }
  })

  test.skipIf(!hasRecordings)(
    `is the same with runs as without, of real streams (${absent})`,
    async () => {
      for (const { wire, sse } of RECORDINGS) {
        if (wire !== from || sse.length > 200_000) continue
        await expectSame(cutEvery(sse, 1399), { from, to })
      }
    },
  )

  test.skipIf(!hasRecordings || from !== to)(
    `reads few pieces of real streams one by one (${absent})`,
    async () => {
      let unread = 0
      let read = 0
      for (const { wire, sse, isLines } of RECORDINGS) {
        if (wire !== from || isLines || sse.length > 200_000) continue
        const options = { from, to, ...BETWEEN['somebody who changes the start']?.() }
        unread += (await serve(cutEvery(sse, 1399), { ...options, hasRuns: true })).read
        read += (await serve(cutEvery(sse, 1399), { ...options, hasRuns: false })).read
      }
      expect(unread / read).toBeLessThan(0.6)
    },
  )
})

const FIXTURES = join(import.meta.dirname, 'fixtures')

const readFixtures = (wire: WireName): readonly Uint8Array[] =>
  readdirSync(join(FIXTURES, wire))
    .filter((name) => name.endsWith('.sse'))
    .map((name) => new Uint8Array(readFileSync(join(FIXTURES, wire, name))))

const chat = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: null }],
    ...more,
  })}\n\n`
const said = (content: string): string => chat({ content })
const CHAT_HEAD = chat({ role: 'assistant', content: '' })
const CHAT_END = `${chat({}).replace('"finish_reason":null', '"finish_reason":"stop"')}data: [DONE]\n\n`

/** Each in a piece of its own, as a server sends them that flushes behind every frame. */
const inPieces = (...frames: readonly string[]): readonly Uint8Array[] => frames.map(toUtf8)

/** As many as make a run. */
const RUN = ['one ', 'two ', 'three ', 'four '].map(said)

const call = (index: number, fields: object): string => chat({ tool_calls: [{ index, ...fields }] })

/** As their servers write them: each of 40 frames that say a word of one text, and what stands around them. */
const DIALECTS: Readonly<
  Record<string, readonly [WireName, (word: string, at: number) => string]>
> = {
  'padded with spaces': [
    'anthropic-messages',
    (text, at) =>
      messages('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }).replace(
        /\}\n\n$/,
        `${' '.repeat((at * 7) % 16)}}\n\n`,
      ),
  ],
  'padded with a member': [
    'openai-chat',
    (content, at) => chat({ content }, { p: 'x'.repeat(at % 9) }),
  ],
  'with an id of their own': [
    'openai-chat',
    (content, at) =>
      chat({ content }, { id: `chatcmpl-${at}`, system_fingerprint: `fp_${at % 3}` }),
  ],
  'with details that say it again': [
    'openai-chat',
    (reasoning) =>
      chat({
        content: '',
        role: 'assistant',
        reasoning,
        reasoning_details: [{ type: 'reasoning.text', text: reasoning, format: 'x', index: 0 }],
      }),
  ],
  'with another item in each': [
    'openai-responses',
    (delta, at) =>
      `event: response.output_text.delta\ndata: ${JSON.stringify({
        type: 'response.output_text.delta',
        item_id: `msg_${at}`,
        output_index: 0,
        content_index: 0,
        delta,
        logprobs: [],
        obfuscation: 'x'.repeat(at % 5),
        sequence_number: at + 4,
      })}\n\n`,
  ],
}

describe.each(Object.keys(DIALECTS))('frames %s', (name) => {
  const [from, write] = DIALECTS[name] ?? ['openai-chat', said]
  const words = Array.from({ length: 40 }, (_, at) => `word ${at} `)
  const frames = words.map(write)
  const pieces = from === 'openai-chat' ? [CHAT_HEAD, ...frames, CHAT_END] : cutAround(from, frames)

  test.each(WIRE_NAMES)('are not read one by one for a client of %s', async (to) => {
    const [unread, read] = await expectSame(inPieces(...pieces), { from, to })
    expect(
      stateOf(to, unread.bytes).blocks.some(
        (block) => 'text' in block && block.text === words.join(''),
      ),
    ).toBe(true)
    expect(read.read).toBeGreaterThan(40)
    expect(unread.read).toBeLessThan(15)
  })
})

/** Those frames in place of the text of a whole answer. */
function cutAround(wire: WireName, frames: readonly string[]): readonly string[] {
  const block: BlockInfo = { id: 'msg_0', index: 0, type: 'text' }
  const { text } = encode(
    wire,
    [
      { type: 'message-start', id: 'answer_1', model: 'm' },
      { type: 'block-start', block },
      { type: 'block-delta', block, delta: { type: 'text', text: 'x' } },
      { type: 'block-stop', block },
      { type: 'finish', reason: 'stop' },
      { type: 'message-stop' },
    ],
    { now: () => 1, createId: () => 'upstream' },
  )
  return text
    .split(/(?<=\n\n)/)
    .flatMap((frame) =>
      frame.includes('text_delta') || frame.includes('output_text.delta') ? frames : [frame],
    )
}

describe.each(WIRE_NAMES)('for a client of %s', (to) => {
  const from: WireName = 'openai-chat'

  test('frames that came with others, behind the one that showed a form, are no part of its run', async () => {
    const head = call(0, {
      id: 'call_1',
      type: 'function',
      function: { name: 'a', arguments: '{}' },
    })
    const together = [CHAT_HEAD, ...RUN.slice(0, 3), head].join('').replaceAll('\n', '\r\n')
    const later = RUN.map((frame) => frame.replaceAll('\n', '\r\n'))
    await expectSame(inPieces(together, ...later, CHAT_END), { from, to })
  })

  test('half a letter in one frame and half in the next are two broken letters', async () => {
    const half = (bytes: readonly number[]): Uint8Array => {
      const [before = '', after = ''] = said('#').split('#')
      return joinBytes([toUtf8(before), Uint8Array.from(bytes), toUtf8(after)])
    }
    await expectSame(
      [...inPieces(CHAT_HEAD, ...RUN), half([0xc3]), half([0xa9]), ...inPieces(...RUN, CHAT_END)],
      { from, to },
    )
  })

  test('a run over a megabyte is the same, and is not held whole', async () => {
    const long = said('x'.repeat(1000))
    const frames = Array.from({ length: 1500 }, () => long)
    const pieces = cutEvery(toUtf8([CHAT_HEAD, ...frames, CHAT_END].join('')), 60_000)
    const [unread] = await expectSame(pieces, { from, to })
    expect(unread.read).toBeLessThan(30)
  })

  test('a sign of life among the frames of a run has its place and its number', async () => {
    const pieces = inPieces(CHAT_HEAD, ...RUN, ...RUN, CHAT_END)
    const [{ bytes }] = await expectSame(pieces, { from, to, silentAfter: 5 })
    if (to === 'openai-responses')
      expect(bytes.toString().split('response.in_progress')).toHaveLength(5)
  })

  test('what had passed by when the client left is known', async () => {
    await expectSame(inPieces(CHAT_HEAD, ...RUN, ...RUN), { from, to, leaveAfter: 6 })
  })

  test('what had passed by counts, also when whoever acts cannot take it', async () => {
    const failing = (out: EngineOut): Engine => ({
      push(event) {
        const isRun =
          event.type === 'block-delta' && 'text' in event.delta && event.delta.text.includes('o t')
        if (isRun) throw new Error('broken')
        out.send(event)
      },
      end() {},
      passes: () => true,
      gathers: () => false,
      leave() {},
      settled: () => undefined,
    })
    const { bytes } = await serve(inPieces(CHAT_HEAD, ...RUN, ...RUN, CHAT_END), {
      from,
      to,
      hasRuns: true,
      createEngine: failing,
    })
    const numbers = [...bytes.toString().matchAll(/"sequence_number":(\d+)/g)].map(([, n]) =>
      Number(n),
    )
    expect(numbers).toEqual(numbers.map((_, at) => at))
    expect(bytes.toString()).toContain('four ')
  })
})

function messages(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

const responses = (type: string, fields: object): string =>
  `event: response.${type}\ndata: ${JSON.stringify({ type: `response.${type}`, ...fields })}\n\n`

const MESSAGES_CALL = (json: string): readonly string[] => [
  messages('message_start', {
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      usage: {},
    },
  }),
  messages('content_block_start', {
    index: 0,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} },
  }),
  messages('content_block_delta', {
    index: 0,
    delta: { type: 'input_json_delta', partial_json: json },
  }),
]

const MESSAGES_END = [
  messages('content_block_stop', { index: 0 }),
  messages('message_delta', { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } }),
  messages('message_stop', {}),
]

/** Frames that are alike but for a text, and say more than that, or something else. */
const ODD: Readonly<Record<string, readonly [WireName, readonly string[]]>> = {
  'all choices in every chunk': [
    'openai-chat',
    [
      CHAT_HEAD,
      ...['x ', 'y ', 'z '].map((content) =>
        chat(
          {},
          {
            choices: [
              { index: 0, delta: { content }, finish_reason: null },
              { index: 1, delta: {}, finish_reason: null },
            ],
          },
        ),
      ),
      CHAT_END,
    ],
  ],
  'a call beside a choice that says nothing': [
    'openai-chat',
    [
      call(0, { id: 'call_1', type: 'function', function: { name: 'a', arguments: '{"a":"' } }),
      ...['rm', ' -rf', ' /', '"}'].map((text) =>
        chat(
          {},
          {
            choices: [
              {
                index: 0,
                delta: { tool_calls: [{ index: 0, function: { arguments: text } }] },
                finish_reason: null,
              },
              { index: 1, delta: {}, finish_reason: null },
            ],
          },
        ),
      ),
      CHAT_END,
    ],
  ],
  'two calls in one frame, one of which waits': [
    'openai-chat',
    [
      call(0, { id: 'call_1', type: 'function', function: { name: 'a', arguments: '{"a":"' } }),
      call(1, { id: 'call_2', type: 'function', function: { name: 'b', arguments: '{"b":"' } }),
      ...['rm', ' -rf', ' /'].map((text) =>
        chat({
          tool_calls: [
            { index: 0, function: { arguments: text } },
            { index: 1, function: { arguments: 'x' } },
          ],
        }),
      ),
      call(0, { function: { arguments: '"}' } }),
      call(1, { function: { arguments: '"}' } }),
      CHAT_END,
    ],
  ],
  'a whole message beside its delta': [
    'openai-chat',
    [
      call(0, { id: 'call_1', type: 'function', function: { name: 'a', arguments: '{"a":' } }),
      ...['1', '2'].map((text) =>
        chat(
          {},
          {
            choices: [
              {
                index: 0,
                delta: { tool_calls: [{ index: 0, function: { arguments: text } }] },
                message: {
                  tool_calls: [{ id: 'call_1', function: { name: 'a', arguments: '{"a":1' } }],
                },
                finish_reason: null,
              },
            ],
          },
        ),
      ),
      call(0, { function: { arguments: '}' } }),
      CHAT_END,
    ],
  ],
  'a member of the same name that nobody reads': [
    'anthropic-messages',
    [
      ...MESSAGES_CALL('{"command":"rm -rf /"'),
      ...[' ', ',"command":"ls"', ' '].map(
        (decoy) =>
          `event: content_block_delta\ndata: {"type":"content_block_delta","note":{"partial_json":${JSON.stringify(decoy)}},"index":0,"delta":{"type":"input_json_delta","p\\u0061rtial_json":" "}}\n\n`,
      ),
      messages('content_block_delta', {
        index: 0,
        delta: { type: 'input_json_delta', partial_json: '}' },
      }),
      ...MESSAGES_END,
    ],
  ],
  'pieces of two items that are told apart by their ids alone': [
    'openai-responses',
    [
      responses('created', { response: { id: 'resp_1', model: 'm', output: [] } }),
      ...['1', '2'].map((id) =>
        responses('output_item.added', {
          item: { id: id, type: 'function_call', call_id: `call_${id}`, name: `tool_${id}` },
        }),
      ),
      ...[...'112121112222'].map((item_id) =>
        responses('function_call_arguments.delta', { item_id, delta: `"${item_id}",` }),
      ),
      responses('completed', { response: { id: 'resp_1', model: 'm' } }),
    ],
  ],
  'a piece in a comment': [
    'anthropic-messages',
    [
      ...MESSAGES_CALL('{"command":"rm -rf /"'),
      ...[' ', ',"command":"ls"', ' '].map(
        (decoy) =>
          `: "partial_json":${JSON.stringify(decoy)}\nevent: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","p\\u0061rtial_json":" "}}\n\n`,
      ),
      messages('content_block_delta', {
        index: 0,
        delta: { type: 'input_json_delta', partial_json: '}' },
      }),
      ...MESSAGES_END,
    ],
  ],
}

describe.each(Object.entries(ODD))('%s', (_name, [from, frames]) => {
  test.each(WIRE_NAMES)('is judged as it is read, for a client of %s', async (to) => {
    const judged = async (hasRuns: boolean): Promise<readonly unknown[]> => {
      const seen: unknown[] = []
      const policy = definePolicy({
        name: 'looks',
        judge(block) {
          seen.push('arguments' in block ? block.arguments : undefined)
          return pass()
        },
      })
      const createEngineFor = (out: EngineOut): Engine =>
        createEngine(
          {
            installed: [install(policy)],
            host: HOST,
            contexts: new Contexts(HOST),
            leavesTogether: true,
          },
          out,
        )
      const { delivered } = await serve(inPieces(...frames), {
        from,
        to,
        hasRuns,
        createEngine: createEngineFor,
      })
      return [...seen, known(delivered.state)]
    }
    expect(await judged(true)).toEqual(await judged(false))
    await expectSame(inPieces(...frames), { from, to })
  })
})
