/**
 * JSON answers: read into blocks, written back on their own wire as they came, and written on another
 * wire as the official SDK of that wire would have collected them from our stream.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import type { StreamBlock } from '../../src/event/block.ts'
import type { WireName } from '../../src/event/event.ts'
import { WIRE_NAMES, WIRES } from '../../src/wire/wires.ts'
import { CHAT, MESSAGES, RESPONSES } from '../support/json-answers.ts'
import { openCourt, type Court } from '../support/judges.ts'
import { assemble, encode } from '../support/pipeline.ts'

const ANSWERS: Readonly<Record<WireName, Readonly<Record<string, JsonObject>>>> = {
  'anthropic-messages': MESSAGES,
  'openai-chat': CHAT,
  'openai-responses': RESPONSES,
}

const EVERY = WIRE_NAMES.flatMap((wire) =>
  Object.entries(ANSWERS[wire]).map(([name, body]) => ({ wire, name, body })),
)

const OPTIONS = { now: () => 7, createId: () => 'new' }

const read = (wire: WireName, body: JsonObject): ReturnType<typeof assemble> =>
  assemble(WIRES[wire].readAnswer(body))

/** A block in a line: what it is, what it is called, what it holds. */
function lineOf(block: StreamBlock): string {
  const of = block.choice === undefined ? '' : ` of ${block.choice}`
  switch (block.type) {
    case 'text':
    case 'refusal':
      return `${block.type}${of} ${block.text}`
    case 'thinking':
      return `${block.redacted ? 'redacted ' : ''}thinking ${block.text} [${block.signature ?? ''}]`
    case 'tool-call':
      return `${block.dialect} call ${block.id} ${block.name} ${block.arguments}`
    case 'server-tool':
      return `server tool ${block.id} ${block.name} ${block.arguments}`
    case 'tool-result':
      return `result of ${block.callId} ${block.name}`
    case 'opaque':
      return `opaque ${block.vendorType}`
  }
}

describe('reading', () => {
  test('an Anthropic answer gives its blocks in order', () => {
    const state = read('anthropic-messages', MESSAGES.rich)
    expect(state.blocks.map(lineOf)).toEqual([
      'thinking They want the weather. [c2lnbmVk]',
      'redacted thinking  [aGlkZGVu]',
      'text I look it up. ',
      'server tool srvtoolu_1 web_search {"query":"Bern"}',
      'result of srvtoolu_1 web_search',
      'text It rains.',
      'opaque container_upload',
      'function call toolu_1 weather {"city":"Bern","days":3}',
      'function call toolu_2 time ',
    ])
    expect(state.blocks.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  })

  test('a Chat answer gives thinking, then text, then calls', () => {
    expect(read('openai-chat', CHAT.rich).blocks.map(lineOf)).toEqual([
      'thinking They want the weather. []',
      'text It rains.',
      'function call call_1 weather {"city":"Bern","days":3}',
      'function call call_2 time {}',
    ])
    expect(read('openai-chat', CHAT.two).blocks.map(lineOf)).toEqual([
      'text Hello.',
      'text of 1 Goodbye',
    ])
    expect(read('openai-chat', CHAT.refused).blocks.map(lineOf)).toEqual([
      'refusal I cannot do that.',
    ])
    expect(read('openai-chat', CHAT.custom).blocks.map(lineOf)).toEqual([
      'custom call call_1 run ls "a b"\n',
    ])
  })

  test('a Responses answer gives a block for each item and each part', () => {
    expect(read('openai-responses', RESPONSES.rich).blocks.map(lineOf)).toEqual([
      'thinking They want the weather.\n\nI look it up. [c2VhbGVk]',
      'server tool ws_1 web_search {"type":"search","query":"Bern"}',
      'text It rains.',
      'function call call_1 weather {"city":"Bern","days":3}',
      'custom call call_2 run ls "a b"\n',
      'shell call call_3 shell {"commands":["ls"],"timeout_ms":1000}',
      'opaque compaction',
    ])
    expect(read('openai-responses', RESPONSES.twice).blocks.map(lineOf)).toEqual([
      'text One.',
      'text Two.',
      'text Three.',
    ])
    expect(read('openai-responses', RESPONSES.refused).blocks.map(lineOf)).toEqual([
      'refusal I cannot do that.',
    ])
    expect(read('openai-responses', RESPONSES.sealed).blocks.map(lineOf)).toEqual([
      'thinking  [c2VhbGVk]',
      'text Hello.',
    ])
  })

  test('cut arguments stay as they are, and are known to be cut', () => {
    for (const state of [read('openai-chat', CHAT.cut), read('openai-responses', RESPONSES.cut)]) {
      const [call] = state.blocks
      expect(call).toMatchObject({ type: 'tool-call', arguments: '{"city":"Be', isComplete: true })
      expect(call?.type === 'tool-call' ? call.parseArguments() : undefined).toMatchObject({
        ok: false,
        reason: 'cut',
      })
      expect(state).toMatchObject({ finishReason: 'length', isStopped: true, error: undefined })
    }
  })

  test.each(EVERY)('$wire $name has its cost in buckets that do not overlap', ({ wire, body }) => {
    expect(read(wire, body)).toMatchObject({
      isStopped: true,
      usage: {
        inputTokens: 100,
        cacheReadTokens: 20,
        cacheWriteTokens: 30,
        outputTokens: 50,
        reasoningTokens: 10,
      },
    })
  })

  test.each([
    ['anthropic-messages', MESSAGES.plain, 'stop', 'end_turn'],
    ['anthropic-messages', MESSAGES.rich, 'tool-calls', 'tool_use'],
    ['anthropic-messages', MESSAGES.refused, 'refusal', 'refusal'],
    ['anthropic-messages', MESSAGES.stopped, 'stop-sequence', 'stop_sequence'],
    ['anthropic-messages', MESSAGES.full, 'length', 'max_tokens'],
    ['anthropic-messages', MESSAGES.paused, 'pause', 'pause_turn'],
    ['anthropic-messages', MESSAGES.unheardOf, 'other', 'sunset'],
    ['openai-chat', CHAT.plain, 'stop', 'stop'],
    ['openai-chat', CHAT.rich, 'tool-calls', 'tool_calls'],
    ['openai-chat', CHAT.filtered, 'content-filter', 'content_filter'],
    ['openai-chat', CHAT.two, 'stop', 'stop'],
    ['openai-responses', RESPONSES.plain, 'stop', 'completed'],
    ['openai-responses', RESPONSES.rich, 'tool-calls', 'completed'],
    ['openai-responses', RESPONSES.cut, 'length', 'max_output_tokens'],
    ['openai-responses', RESPONSES.filtered, 'content-filter', 'content_filter'],
  ] as const)(
    '%s: an end is read with its own word (%#)',
    (wire, body, finishReason, vendorFinishReason) => {
      expect(read(wire, body)).toMatchObject({ finishReason, vendorFinishReason })
    },
  )
})

describe('writing on the own wire', () => {
  /** What has its own test below. */
  const ALONE = new Set(['emptyCall', 'probable'])

  test.each(EVERY.filter(({ name }) => !ALONE.has(name)))(
    '$wire $name keeps every field',
    ({ wire, body }) => {
      const written = WIRES[wire].writeAnswer(read(wire, body), OPTIONS)
      // Responses clients expect fields that are always there, so those that were absent come as null.
      if (wire === 'openai-responses') expect(written.body).toMatchObject(body)
      else expect(written.body).toEqual(body)
      expect(written.losses).toEqual([])
    },
  )

  test('empty arguments become an empty object: no client can read them otherwise', () => {
    const chat = WIRES['openai-chat'].writeAnswer(read('openai-chat', CHAT.emptyCall)).body
    expect(JSON.stringify(chat)).toContain('"arguments":"{}"')
    const responses = WIRES['openai-responses'].writeAnswer(
      read('openai-responses', RESPONSES.emptyCall),
    ).body
    expect(responses['output']).toMatchObject([{ type: 'function_call', arguments: '{}' }])
  })

  test('Responses keeps log probabilities', () => {
    const { body } = WIRES['openai-responses'].writeAnswer(
      read('openai-responses', RESPONSES.probable),
    )
    expect(body).toMatchObject(RESPONSES.probable)
  })
})

describe('writing on another wire', () => {
  let court: Court
  beforeAll(async () => {
    court = await openCourt()
  })
  afterAll(async () => await court.close())

  const across = EVERY.flatMap((one) =>
    WIRE_NAMES.filter((to) => to !== one.wire).map((to) => ({ ...one, to })),
  )

  test.each(across)(
    '$wire $name as $to is what an SDK collects from our stream',
    async ({ wire, name, body, to }) => {
      const events = WIRES[wire].readAnswer(body)
      const isError = name === 'broken' && to === 'anthropic-messages'
      const written = WIRES[to].writeAnswer(assemble(events), OPTIONS).body
      const stream = encode(to, events, OPTIONS)
      for (const [sdk, judgement] of Object.entries(await court.hear(to, stream.bytes))) {
        expect({ sdk, isError: judgement.error !== undefined }).toEqual({ sdk, isError })
        if (isError) expect(judgement.error).toContain(JSON.stringify(written))
        else
          expect({ sdk, ...gist(to, judgement.message as JsonObject) }).toEqual({
            sdk,
            ...gist(to, written),
          })
      }
    },
  )
})

const pick = (from: unknown, ...keys: readonly string[]): JsonObject => {
  const object = (from ?? {}) as JsonObject
  return Object.fromEntries(keys.map((key) => [key, object[key] ?? null]))
}

/** What counts of an answer: without times, and without what an SDK adds for its user. */
function gist(wire: WireName, answer: JsonObject): JsonObject {
  const list = (value: unknown): JsonObject[] => (value ?? []) as JsonObject[]
  switch (wire) {
    case 'anthropic-messages':
      return {
        ...pick(answer, 'id', 'model', 'role', 'stop_reason', 'stop_sequence', 'content'),
        usage: answer['usage'],
      }
    case 'openai-chat':
      return {
        ...pick(answer, 'id', 'model', 'usage'),
        choices: list(answer['choices']).map((choice) => ({
          ...pick(choice, 'index', 'finish_reason'),
          ...pick(choice['message'], 'role', 'refusal'),
          // The chunk with the role says "", and one SDK keeps that where it was all.
          content: (choice['message'] as JsonObject)['content'] || null,
          calls: list((choice['message'] as JsonObject)['tool_calls']).map(
            ({ id, type, function: called }) => ({
              id,
              type,
              ...pick(called, 'name', 'arguments'),
            }),
          ),
        })),
      }
    case 'openai-responses':
      return {
        ...pick(answer, 'id', 'model', 'status', 'incomplete_details', 'usage', 'error'),
        output: list(answer['output']).map((item) => ({
          ...pick(
            item,
            'id',
            'type',
            'call_id',
            'name',
            'arguments',
            'input',
            'status',
            'summary',
            'encrypted_content',
          ),
          content: list(item['content']).map((part) =>
            pick(part, 'type', 'text', 'refusal', 'annotations'),
          ),
        })),
      }
  }
}
