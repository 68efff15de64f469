/** A free text that breaks off: nothing in it shows that, and half a patch is not to be run. */
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import type { BlockInfo } from '../../src/event/block.ts'
import type { StreamEvent, WireName } from '../../src/event/event.ts'
import { createFrame } from '../../src/sse/frame.ts'
import type { EncoderOptions } from '../../src/wire/wire.ts'
import { WIRES } from '../../src/wire/wires.ts'
import { assemble } from '../support/pipeline.ts'

const block: BlockInfo = { type: 'tool-call', id: 'c1', index: 0, name: 'patch', dialect: 'custom' }
const cut = (text: string): StreamEvent[] => [
  { type: 'message-start', id: 'm', model: 'm' },
  { type: 'block-start', block },
  ...(text === ''
    ? []
    : [{ type: 'block-delta', block, delta: { type: 'arguments', text } } as const]),
  { type: 'block-stop', block, isCut: true },
  { type: 'finish', reason: 'tool-calls' },
  { type: 'message-stop' },
]

/** What a client of that wire makes of it: from a stream, and from one body. */
function read(wire: WireName, text: string, options: EncoderOptions = {}) {
  const encoder = WIRES[wire].createEncoder(options)
  const frames = cut(text).flatMap((event) => encoder.push(event))
  const whole = WIRES[wire].writeAnswer(assemble(cut(text)), options)
  return { stream: [...frames, ...encoder.end()].join(''), ...whole }
}

test('is known as cut by whoever looks at the block', () => {
  const [call] = assemble(cut('rm -rf /')).blocks
  expect(call).toMatchObject({ isCut: true })
  expect(call?.type === 'tool-call' && call.parseArguments()).toMatchObject({ reason: 'cut' })
})

test('is incomplete on Responses', () => {
  const { stream, body } = read('openai-responses', 'rm -rf /')
  const item = { type: 'custom_tool_call', input: 'rm -rf /', status: 'incomplete' }
  expect(body).toMatchObject({ status: 'incomplete', output: [item] })
  expect(stream).toContain('event: response.incomplete')
  expect(stream).not.toContain('"status":"completed"')
})

test.each([
  ['rm -rf /', '{"input":"rm -rf /'],
  ['', '{"input":"'],
])('is arguments that stay open on Chat: %j', (text, args) => {
  const { stream, body } = read('openai-chat', text)
  const [choice] = body['choices'] as JsonObject[]
  expect(choice).toMatchObject({
    finish_reason: 'length',
    message: { tool_calls: [{ function: { arguments: args } }] },
  })
  expect(stream).toContain('"finish_reason":"length"')
  expect(stream).not.toContain('\\"}"')
  const state = assemble(readStream('openai-chat', stream))
  expect(state.blocks).toMatchObject([{ arguments: args }])
})

test('is a custom call of an answer without an end, for a Chat client that knows them', () => {
  const { stream, body } = read('openai-chat', 'rm', { customTools: true })
  expect(body).toMatchObject({
    choices: [{ finish_reason: 'length', message: { tool_calls: [{ custom: { input: 'rm' } }] } }],
  })
  expect(stream).toContain('"finish_reason":"length"')
})

test.each([
  ['rm -rf /', '{"input":"rm -rf /'],
  ['', '{"input":"'],
])('is an input that stays open on Messages, and none in one body: %j', (text, args) => {
  const { stream, body, losses } = read('anthropic-messages', text)
  expect(body).toMatchObject({ stop_reason: 'max_tokens', content: [{ input: {} }] })
  expect(losses).toMatchObject([{ kind: 'dropped', what: 'arguments of patch' }])
  expect(stream).toContain('"stop_reason":"max_tokens"')
  const state = assemble(readStream('anthropic-messages', stream))
  expect(state.blocks).toMatchObject([{ arguments: args }])
})

function readStream(wire: WireName, stream: string): StreamEvent[] {
  const frames = stream
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => line.slice(6))
  const decoder = WIRES[wire].createDecoder()
  const events = frames.flatMap((data) => decoder.push(createFrame(undefined, data)))
  return [...events, ...decoder.end()]
}

test('is read from a Responses item that is incomplete, and from a Chat answer that was cut', () => {
  const item = { type: 'custom_tool_call', call_id: 'c1', name: 'patch', input: 'rm' }
  const toResponse = (status: string): JsonObject => ({
    status,
    output: [{ ...item, status }],
    incomplete_details: { reason: 'max_output_tokens' },
  })
  const call = { id: 'c1', type: 'custom', custom: { name: 'patch', input: 'rm' } }
  const toChat = (finish_reason: string): JsonObject => ({
    choices: [{ index: 0, message: { tool_calls: [call] }, finish_reason }],
  })
  const isCut = (wire: WireName, body: JsonObject): boolean | undefined =>
    assemble(WIRES[wire].readAnswer(body)).blocks[0]?.isCut
  expect(isCut('openai-responses', toResponse('incomplete'))).toBe(true)
  expect(isCut('openai-responses', toResponse('completed'))).toBe(false)
  expect(isCut('openai-chat', toChat('length'))).toBe(true)
  expect(isCut('openai-chat', toChat('tool_calls'))).toBe(false)
})
