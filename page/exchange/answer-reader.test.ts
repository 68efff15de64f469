import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { WireName } from '../../src/index.ts'
import { readAnswer } from '../../src/replay/read-answer.ts'
import { createGuessingReader } from './answer-guess.ts'
import { createAnswerReader, type AnswerReader } from './answer-reader.ts'

const FIXTURES = [
  ['anthropic-messages', 'interleaved-blocks'],
  ['anthropic-messages', 'error-mid-stream'],
  ['anthropic-messages', 'cut-in-a-call'],
  ['anthropic-messages', 'empty-answer'],
] as const

const readFixture = (wire: WireName, name: string): Uint8Array =>
  readFileSync(new URL(`../../test/fixtures/${wire}/${name}.sse`, import.meta.url))

/** In pieces of a few bytes, one each millisecond. */
function feed(reader: AnswerReader, bytes: Uint8Array, step = 7): readonly number[] {
  const times: number[] = []
  for (let from = 0; from < bytes.length; from += step) {
    const piece = bytes.subarray(from, from + step)
    const at = (from / step) * 1000
    reader.push(piece, at)
    times.push(piece.length, at)
  }
  reader.end()
  return times
}

test.each(FIXTURES)('reads %s %s as the gateway does, with its times', (wire, name) => {
  const bytes = readFixture(wire, name)
  const reader = createAnswerReader(wire)
  const times = feed(reader, bytes)
  const theirs = readAnswer(wire, { bytes, times })
  const ours = reader.blocks().map(({ type, content, startedAt, endedAt, isComplete }) => ({
    type,
    content,
    startedAt,
    endedAt,
    isComplete,
  }))
  expect(ours).toEqual(
    theirs.blocks.map(({ block, content, startedAt, endedAt }) => ({
      type: block.type,
      content,
      startedAt,
      endedAt,
      isComplete: block.isComplete,
    })),
  )
  expect(reader.ending()).toMatchObject({
    finishReason: theirs.finishReason,
    usage: theirs.usage,
  })
  expect(reader.ending().fault?.kind).toBe(theirs.fault?.kind)
})

const line = (event: string, data: object): Uint8Array =>
  new TextEncoder().encode(`event: ${event}\ndata: ${JSON.stringify({ type: event, ...data })}\n\n`)

const BEGIN = line('message_start', {
  message: { id: 'm', type: 'message', role: 'assistant', model: 'x', content: [], usage: {} },
})
const start = (index: number): Uint8Array =>
  line('content_block_start', { index, content_block: { type: 'text', text: '' } })
const say = (index: number, text: string): Uint8Array =>
  line('content_block_delta', { index, delta: { type: 'text_delta', text } })
const stop = (index: number): Uint8Array => line('content_block_stop', { index })

test('gives the same list while nothing changes, and the same block while it does not grow', () => {
  const reader = createAnswerReader('anthropic-messages')
  for (const bytes of [BEGIN, start(0), say(0, 'one'), stop(0), start(1)]) reader.push(bytes, 1)
  const before = reader.blocks()
  reader.push(line('ping', {}), 2)
  expect(reader.blocks()).toBe(before)
  reader.push(say(1, 'two'), 3)
  const after = reader.blocks()
  expect(after).not.toBe(before)
  expect(after[0]).toBe(before[0])
  expect(after[1]).toMatchObject({ content: 'two', isComplete: false, endedAt: 3 })
})

test('reads on from the middle of an answer whose beginning has passed, and says so', () => {
  const reader = createGuessingReader('anthropic-messages')
  const half = say(3, 'half a frame').subarray(30)
  for (const bytes of [half, say(3, 'the end '), say(3, 'of it'), stop(3)]) reader.push(bytes, 1)
  for (const bytes of [start(4), say(4, 'and more')]) reader.push(bytes, 2)
  expect(reader.isPartial()).toBe(true)
  expect(reader.blocks().map(({ content }) => content)).toEqual(['the end of it', 'and more'])
  const whole = createGuessingReader('anthropic-messages')
  for (const bytes of [line('ping', {}), BEGIN, start(0)]) whole.push(bytes, 1)
  expect(whole.isPartial()).toBe(false)
})

const ANSWER = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'x',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
}

test('reads an answer that is no stream when it is whole', () => {
  const reader = createAnswerReader('openai-chat')
  const bytes = new TextEncoder().encode(`\n ${JSON.stringify(ANSWER)}`)
  reader.push(bytes.subarray(0, 40), 1)
  reader.push(bytes.subarray(40), 2)
  expect(reader.blocks()).toEqual([])
  reader.end()
  expect(reader.blocks()).toMatchObject([{ type: 'text', content: 'Hi', startedAt: 2 }])
})

test('passes over what is no answer at all', () => {
  const reader = createAnswerReader('openai-chat')
  reader.push(new TextEncoder().encode('{"a":'), 1)
  reader.end()
  expect(reader.blocks()).toEqual([])
})

test('finds out which wire the upstream speaks, whatever the client does', () => {
  const stream = createGuessingReader('openai-chat')
  const bytes = readFixture('anthropic-messages', 'interleaved-blocks')
  feed(stream, bytes)
  expect(stream.blocks().length).toBeGreaterThan(0)
  const json = createGuessingReader('anthropic-messages')
  json.push(new TextEncoder().encode(JSON.stringify(ANSWER)), 1)
  json.end()
  expect(json.blocks()).toMatchObject([{ content: 'Hi' }])
})

test('begins anew when an attempt failed and the next one streams', () => {
  const reader = createGuessingReader('anthropic-messages')
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Later' } }
  reader.push(new TextEncoder().encode(JSON.stringify(error)), 1)
  for (const bytes of [BEGIN, start(0), say(0, 'Now')]) reader.push(bytes, 2)
  expect(reader.blocks()).toMatchObject([{ content: 'Now' }])
})
