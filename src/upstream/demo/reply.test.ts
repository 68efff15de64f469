import { describe, expect, test } from 'vitest'
import { isObject, parseObject, type JsonObject } from '../../base/json.ts'
import type { WireName } from '../../event/event.ts'
import { toBytes } from '../../sse/encode.ts'
import { WIRE_NAMES, WIRES } from '../../wire/wires.ts'
import { assemble, lint, readEvents } from '../../../test/support/pipeline.ts'
import type { UpstreamRequest } from '../upstream.ts'
import type { Reply } from './play.ts'
import { toReply } from './reply.ts'
import { SCRIPTS } from './scripts.ts'

const PATHS: Record<WireName, string> = {
  'anthropic-messages': '/v1/messages',
  'openai-chat': '/chat/completions',
  'openai-responses': '/responses',
}

const request = (
  wire: WireName,
  body: unknown,
  rest: Partial<UpstreamRequest> = {},
): UpstreamRequest => ({
  method: 'POST',
  wire,
  path: PATHS[wire],
  query: '',
  headers: {},
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  ...rest,
})

const ask = (wire: WireName, fields: JsonObject, prompt = 'Hi'): JsonObject => ({
  max_tokens: 1000,
  ...(wire === 'openai-responses'
    ? { input: [{ role: 'user', content: prompt }], include: ['reasoning.encrypted_content'] }
    : { messages: [{ role: 'user', content: prompt }] }),
  ...(wire === 'openai-chat' ? { stream_options: { include_usage: true } } : {}),
  ...fields,
})

const at = (milliseconds: number) => ({ pace: 0, now: () => milliseconds })

const replyTo = (wire: WireName, body: unknown, rest?: Partial<UpstreamRequest>): Reply =>
  toReply(request(wire, body, rest), at(1_800_000_000_000))

const bytesOf = (reply: Reply): Buffer => Buffer.concat([...reply.chunks].map(toBytes))

const bodyOf = (reply: Reply): JsonObject => {
  const body = parseObject(bytesOf(reply).toString())
  if (body === undefined) throw new Error(`no JSON object: ${bytesOf(reply).toString()}`)
  return body
}

const FAULTS = ['demo-error', 'demo-rate-limit', 'demo-context', 'demo-auth']
const BROKEN = ['demo-break', 'demo-cut', 'demo-eof']

/** The blocks that each script answers with. */
const BLOCKS: Record<string, string[]> = {
  'demo-text': ['text'],
  'demo-thinking': ['thinking', 'text'],
  'demo-tool': ['text', 'tool-call'],
  'demo-tools': ['text', 'tool-call', 'tool-call', 'tool-call'],
  'demo-many': ['text', ...Array.from({ length: 20 }, () => 'tool-call')],
  'demo-dangerous': ['text', 'tool-call'],
  'demo-loop': ['text', 'tool-call'],
  'demo-refusal': ['refusal'],
  'demo-length': ['text'],
  'demo-slow': ['text'],
  'demo-long': ['text'],
}

const FINISH: Record<string, string> = {
  'demo-tool': 'tool-calls',
  'demo-tools': 'tool-calls',
  'demo-many': 'tool-calls',
  'demo-dangerous': 'tool-calls',
  'demo-loop': 'tool-calls',
  'demo-length': 'length',
}

const withoutMessage = (wire: WireName, types: readonly string[]): readonly string[] =>
  // A refusal is text with a stop reason on Anthropic's wire.
  wire === 'anthropic-messages' ? types.map((type) => type.replace('refusal', 'text')) : types

test('every script is known to this test', () => {
  expect([...Object.keys(BLOCKS), ...FAULTS, ...BROKEN].toSorted()).toEqual(
    Object.keys(SCRIPTS).toSorted(),
  )
})

describe.each(WIRE_NAMES)('on %s', (wire) => {
  test.each(Object.keys(BLOCKS))('%s streams its blocks in legal frames', (model) => {
    const reply = replyTo(wire, ask(wire, { model, stream: true }))
    expect(reply.status).toBe(200)
    expect(reply.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    expect(reply.ending).toBe('end')
    const bytes = bytesOf(reply)
    expect(lint(wire, bytes)).toEqual([])
    const state = assemble(readEvents(wire, [bytes]))
    expect(state.error).toBeUndefined()
    expect(state.isStopped).toBe(true)
    expect(state.model).toBe(model)
    expect(state.blocks.map(({ type }) => type)).toEqual(withoutMessage(wire, BLOCKS[model] ?? []))
    const isRefused = wire === 'anthropic-messages' && model === 'demo-refusal'
    expect(state.finishReason).toBe(isRefused ? 'refusal' : (FINISH[model] ?? 'stop'))
    expect(state.usage?.inputTokens).toBeGreaterThan(0)
    expect(state.usage?.outputTokens).toBeGreaterThan(0)
  })

  test.each(Object.keys(BLOCKS))('%s says the same as one JSON body', (model) => {
    const streamed = assemble(
      readEvents(wire, [bytesOf(replyTo(wire, ask(wire, { model, stream: true })))]),
    )
    const reply = replyTo(wire, ask(wire, { model }))
    expect(reply.headers['content-type']).toBe('application/json')
    const state = assemble(WIRES[wire].readAnswer(bodyOf(reply)))
    const said = (blocks: typeof state.blocks) =>
      blocks.map((block) => [
        block.type,
        'text' in block ? block.text : 'name' in block ? block.name : '',
        'arguments' in block ? block.args() : '',
      ])
    expect(said(state.blocks)).toEqual(said(streamed.blocks))
    expect(state.finishReason).toBe(streamed.finishReason)
    expect(state.usage).toMatchObject({ outputTokens: streamed.usage?.outputTokens })
  })

  test('one chunk is one frame', () => {
    const reply = replyTo(wire, ask(wire, { model: 'demo-tools', stream: true }))
    for (const chunk of reply.chunks)
      expect(Buffer.from(toBytes(chunk)).toString()).toMatch(/^(?:event: .+\n)?data: .+\n\n$/)
  })

  test('a long answer has two thousand pieces', () => {
    const reply = replyTo(wire, ask(wire, { model: 'demo-long', stream: true }))
    expect([...reply.chunks].length).toBeGreaterThan(2000)
  })

  test('thinking carries a seal that the wire has a place for', () => {
    const thinking = { model: 'demo-thinking', stream: true }
    const text = bytesOf(replyTo(wire, ask(wire, thinking))).toString()
    const place = {
      'anthropic-messages': '"signature_delta","signature":"demo',
      'openai-chat': '"reasoning_content":',
      'openai-responses': '"encrypted_content":"demo',
    }
    expect(text).toContain(place[wire])
    if (wire !== 'openai-responses') return
    const unasked = bytesOf(replyTo(wire, ask(wire, { ...thinking, include: [] }))).toString()
    expect(unasked).not.toContain('encrypted_content')
  })

  test.each(FAULTS)('%s is an error before the answer, streamed or not', (model) => {
    const isAnthropic = wire === 'anthropic-messages'
    const expected: Record<string, [number, string]> = {
      'demo-error': [isAnthropic ? 529 : 503, 'overloaded'],
      'demo-rate-limit': [429, 'rate-limit'],
      'demo-context': [400, 'context-too-long'],
      'demo-auth': [401, 'authentication'],
    }
    for (const stream of [true, false]) {
      const reply = replyTo(wire, ask(wire, { model, stream }))
      const { kind } = WIRES[wire].readError(bodyOf(reply))
      expect([reply.status, kind]).toEqual(expected[model])
      expect(reply.headers['retry-after']).toBe(model === 'demo-rate-limit' ? '1' : undefined)
    }
  })

  test('demo-break says an error in mid-stream, legally', () => {
    const bytes = bytesOf(replyTo(wire, ask(wire, { model: 'demo-break', stream: true })))
    expect(lint(wire, bytes)).toEqual([])
    const state = assemble(readEvents(wire, [bytes]))
    const isAnthropic = wire === 'anthropic-messages'
    expect(state.error?.kind).toBe(isAnthropic ? 'overloaded' : 'internal')
    expect(state.blocks[0]).toMatchObject({ type: 'text' })
    const whole = replyTo(wire, ask(wire, { model: 'demo-break' }))
    expect(whole.status).toBe(isAnthropic ? 529 : 500)
  })

  test.each(['demo-cut', 'demo-eof'])('%s stops in mid-stream without a finish', (model) => {
    const reply = replyTo(wire, ask(wire, { model, stream: true }))
    expect(reply.ending).toBe(model === 'demo-cut' ? 'cut' : 'end')
    const state = assemble(readEvents(wire, [bytesOf(reply)]))
    expect(state.error?.kind).toBe('cut')
    expect(state.finishReason).toBeUndefined()
    expect(state.blocks[0]).toMatchObject({ type: 'text' })
    const whole = replyTo(wire, ask(wire, { model }))
    expect(whole.ending).toBe(reply.ending)
    expect(parseObject(bytesOf(whole).toString())).toBeUndefined()
  })

  test('the same request gets the same bytes, another one other ids', () => {
    const body = ask(wire, { model: 'demo-tools', stream: true })
    const text = bytesOf(replyTo(wire, body)).toString()
    expect(bytesOf(replyTo(wire, body)).toString()).toBe(text)
    const idOf = (json: JsonObject) =>
      assemble(readEvents(wire, [bytesOf(replyTo(wire, json))])).blocks.at(-1)?.id
    expect(idOf(body)).not.toBe(idOf(ask(wire, { model: 'demo-tools', stream: true }, 'Hello')))
  })

  test('a body that is no JSON, or has wrong types, is refused in the words of the wire', () => {
    const bodies: unknown[] = [
      '',
      '{',
      '[]',
      '"text"',
      'null',
      '['.repeat(50_000),
      {},
      ask(wire, {}),
      ask(wire, { model: 7 }),
      ask(wire, { model: 'm', stream: 'yes' }),
      ask(wire, { model: 'm', tools: {} }),
      ask(wire, { model: 'm', tools: [1] }),
      ask(wire, { model: 'm', messages: 'Hi', input: 5 }),
      ask(wire, { model: 'm', messages: [1], input: [1] }),
    ]
    for (const body of bodies) {
      const reply = replyTo(wire, body)
      expect([reply.status, body]).toEqual([400, body])
      expect(WIRES[wire].readError(bodyOf(reply))).toMatchObject({ kind: 'invalid-request' })
    }
  })

  test('anything but its paths is not found', () => {
    const rests: Partial<UpstreamRequest>[] = [
      { path: '/' },
      { path: '/responses/compact' },
      { path: '/toString' },
      { method: 'GET' },
      { method: 'GET', path: '/responses/resp_1', body: undefined },
      { method: 'DELETE', path: '/responses/resp_1', body: undefined },
    ]
    for (const rest of rests) {
      const reply = replyTo(wire, ask(wire, { model: 'demo-text' }), rest)
      expect(reply.status).toBe(404)
      expect(isObject(bodyOf(reply)['error'])).toBe(true)
    }
  })

  test('its models are its scripts', () => {
    const path = wire === 'anthropic-messages' ? '/v1/models' : '/models'
    const body = bodyOf(replyTo(wire, '', { method: 'GET', path, body: undefined }))
    const ids = (body['data'] as { id: string }[]).map(({ id }) => id)
    expect(ids).toEqual(Object.keys(SCRIPTS))
  })

  test('a request id is in the headers', () => {
    const name = wire === 'anthropic-messages' ? 'request-id' : 'x-request-id'
    expect(replyTo(wire, ask(wire, { model: 'm' })).headers[name]).toMatch(/^req_demo_\w+$/)
    expect(replyTo(wire, '{').headers[name]).toMatch(/^req_demo_\w+$/)
  })
})

test('tokens are counted as the answer counts them', () => {
  const counting: [WireName, string][] = [
    ['anthropic-messages', '/v1/messages/count_tokens'],
    ['openai-responses', '/responses/input_tokens'],
  ]
  for (const [wire, path] of counting) {
    const { max_tokens: _max, ...body } = ask(wire, { model: 'm', tools: [{ name: 'x' }] })
    const counted = bodyOf(replyTo(wire, body, { path }))
    const usage = bodyOf(replyTo(wire, { ...body, max_tokens: 9 }))['usage'] as JsonObject
    expect(counted['input_tokens']).toBe(usage['input_tokens'])
    if (wire === 'openai-responses') expect(counted['object']).toBe('response.input_tokens')
  }
})

test('an answer on Messages needs max_tokens, a count does not', () => {
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }
  expect(replyTo('anthropic-messages', body).status).toBe(400)
  const path = '/v1/messages/count_tokens'
  expect(replyTo('anthropic-messages', body, { path }).status).toBe(200)
})

test('Chat gives its usage in a stream only when asked', () => {
  const body = ask('openai-chat', { model: 'demo-text', stream: true })
  expect(bytesOf(replyTo('openai-chat', body)).toString()).toContain('"prompt_tokens"')
  const unasked = bytesOf(replyTo('openai-chat', { ...body, stream_options: null })).toString()
  expect(unasked).not.toContain('usage')
})

test('an answer says that it was made now', () => {
  const body = ask('openai-chat', { model: 'demo-text' })
  const reply = toReply(request('openai-chat', body), at(1_234_567_890_123))
  expect(bodyOf(reply)['created']).toBe(1_234_567_890)
})

test('a slow answer waits before its first byte and between its chunks', () => {
  const reply = replyTo('openai-chat', ask('openai-chat', { model: 'demo-slow', stream: true }))
  expect(reply).toMatchObject({ first: 2000, pace: 1000 })
})
