import { describe, expect, test } from 'vitest'
import type { BlockInfo } from '../event/block.ts'
import type { StreamEvent } from '../event/event.ts'
import { createAssembler } from './assemble.ts'
import type { StreamState } from './state.ts'

const text: BlockInfo = { type: 'text', id: 'block_0', index: 0 }
const call: BlockInfo = {
  type: 'tool-call',
  id: 'call_1',
  index: 1,
  name: 'look',
  dialect: 'function',
}
const second: BlockInfo = {
  type: 'tool-call',
  id: 'call_2',
  index: 2,
  name: 'look',
  dialect: 'function',
}

const START: StreamEvent = {
  type: 'message-start',
  id: 'm1',
  model: 'owl-1',
  wire: 'openai-chat',
  usage: { inputTokens: 7 },
}
const start = (block: BlockInfo): StreamEvent => ({ type: 'block-start', block })
const stop = (block: BlockInfo): StreamEvent => ({ type: 'block-stop', block })
const say = (block: BlockInfo, words: string): StreamEvent => ({
  type: 'block-delta',
  block,
  delta: block.type === 'text' ? { type: 'text', text: words } : { type: 'arguments', text: words },
})

const ANSWER: readonly StreamEvent[] = [
  START,
  start(text),
  say(text, 'Hel'),
  say(text, 'lo'),
  stop(text),
  start(call),
  say(call, '{"a":'),
  say(call, '1}'),
  stop(call),
  start(second),
  stop(second),
  { type: 'finish', reason: 'tool-calls', vendorReason: 'tool_calls' },
  { type: 'usage', usage: { outputTokens: 3 } },
  { type: 'message-stop' },
]

/** What the state says after each event. */
function follow(events: readonly StreamEvent[], look: (state: StreamState) => unknown): unknown[] {
  const assembler = createAssembler()
  return events.map((event) => look(assembler.apply(event)))
}

describe('after every event', () => {
  test('the current block is the one that the event belongs to', () => {
    expect(follow(ANSWER, ({ currentBlock }) => currentBlock?.id)).toEqual([
      undefined,
      ...Array.from({ length: 4 }, () => 'block_0'),
      ...Array.from({ length: 4 }, () => 'call_1'),
      ...Array.from({ length: 2 }, () => 'call_2'),
      undefined,
      undefined,
      undefined,
    ])
  })

  test('all blocks so far are there, the growing one last', () => {
    const seen = follow(ANSWER.slice(0, 9), ({ blocks }) =>
      blocks
        .map((block) =>
          block.type === 'text' ? block.text : 'arguments' in block ? block.arguments : '',
        )
        .join('|'),
    )
    expect(seen).toEqual([
      '',
      '',
      'Hel',
      'Hello',
      'Hello',
      'Hello|',
      'Hello|{"a":',
      'Hello|{"a":1}',
      'Hello|{"a":1}',
    ])
  })

  test('one block at most has just been completed, and it is the current one', () => {
    const assembler = createAssembler()
    const completed = ANSWER.flatMap((event) => {
      const { justCompleted, currentBlock } = assembler.apply(event)
      if (justCompleted === undefined) return []
      expect(justCompleted).toBe(currentBlock)
      expect(justCompleted.isComplete).toBe(true)
      expect(event.type).toBe('block-stop')
      return [justCompleted.id]
    })
    expect(completed).toEqual(['block_0', 'call_1', 'call_2'])
  })

  test('the state is the same object', () => {
    const assembler = createAssembler()
    for (const event of ANSWER) expect(assembler.apply(event)).toBe(assembler.state)
  })

  test('a block is the same object from its start to its end', () => {
    const assembler = createAssembler()
    assembler.apply(start(text))
    const [block] = assembler.state.blocks
    assembler.apply(say(text, 'Hello'))
    assembler.apply(stop(text))
    expect(assembler.state.blocks).toEqual([block])
    expect(block).toMatchObject({ text: 'Hello', isComplete: true })
  })

  test('a frame that repeats what a block holds belongs to that block, also when it is complete', () => {
    const assembler = createAssembler()
    const repeats: StreamEvent = { type: 'other', block: call }
    for (const event of [start(call), repeats]) assembler.apply(event)
    expect(assembler.state.currentBlock?.id).toBe('call_1')
    for (const event of [stop(call), start(second), repeats]) assembler.apply(event)
    expect(assembler.state.currentBlock?.id).toBe('call_1')
    expect(assembler.state.justCompleted).toBeUndefined()
    expect(assembler.state.blocks).toHaveLength(2)
  })

  test('an event of no block leaves no current block', () => {
    expect(follow([start(text), { type: 'ping' }], ({ currentBlock }) => currentBlock?.id)).toEqual(
      ['block_0', undefined],
    )
    expect(
      follow([start(text), { type: 'other' }], ({ currentBlock }) => currentBlock?.id),
    ).toEqual(['block_0', undefined])
  })
})

describe('the message', () => {
  const after = (...events: StreamEvent[]): StreamState => {
    const assembler = createAssembler()
    for (const event of events) assembler.apply(event)
    return assembler.state
  }

  test('has the name, the model and the wire that it began with', () => {
    expect(after(START)).toMatchObject({
      id: 'm1',
      model: 'owl-1',
      wire: 'openai-chat',
      usage: { inputTokens: 7 },
    })
  })

  test('goes on after its finish: usage is merged and the stop is said', () => {
    const finished = after(START, { type: 'finish', reason: 'stop' })
    expect(finished).toMatchObject({
      finishReason: 'stop',
      isStopped: false,
      usage: { inputTokens: 7 },
    })
    const state = after(
      START,
      { type: 'finish', reason: 'stop' },
      { type: 'usage', usage: { outputTokens: 3 } },
      { type: 'usage', usage: { outputTokens: 5, cacheReadTokens: 1 } },
      { type: 'message-stop' },
    )
    expect(state.usage).toEqual({ inputTokens: 7, outputTokens: 5, cacheReadTokens: 1 })
    expect(state.isStopped).toBe(true)
  })

  test('may have a block after its finish', () => {
    const state = after(START, { type: 'finish', reason: 'tool-calls' }, start(call), stop(call), {
      type: 'finish',
      reason: 'tool-calls',
    })
    expect(state).toMatchObject({
      finishReason: 'tool-calls',
      blocks: [{ id: 'call_1', isComplete: true }],
    })
  })

  test('takes the last finish, with its own word and stop sequence', () => {
    const state = after(
      { type: 'finish', reason: 'tool-calls', vendorReason: 'tool_calls' },
      { type: 'finish', reason: 'stop-sequence', vendorReason: 'stop', stopSequence: 'END' },
    )
    expect(state).toMatchObject({
      finishReason: 'stop-sequence',
      vendorFinishReason: 'stop',
      stopSequence: 'END',
    })
  })

  test('stays cut off when a normal end is said after that, and keeps the word for it', () => {
    const state = after(
      { type: 'finish', reason: 'length', vendorReason: 'max_tokens' },
      { type: 'finish', reason: 'tool-calls', vendorReason: 'tool_calls' },
    )
    expect(state).toMatchObject({ finishReason: 'length', vendorFinishReason: 'max_tokens' })
  })

  test('has the finish of the first of several choices, and the blocks of all', () => {
    const other: BlockInfo = { ...text, choice: 1 }
    const state = after(
      start(text),
      { type: 'block-start', block: other, choice: 1 },
      { type: 'finish', reason: 'stop' },
      { type: 'finish', reason: 'length', choice: 1 },
    )
    expect(state.finishReason).toBe('stop')
    expect(state.blocks.map(({ choice }) => choice)).toEqual([undefined, 1])
  })

  test('keeps its error, and what came before it', () => {
    const state = after(START, start(text), say(text, 'Hel'), {
      type: 'error',
      error: { kind: 'overloaded', message: 'Busy' },
    })
    expect(state).toMatchObject({
      error: { kind: 'overloaded' },
      blocks: [{ text: 'Hel', isComplete: false }],
    })
  })
})

describe('the limit', () => {
  test('refuses a message over it by name, over all blocks together', () => {
    const assembler = createAssembler({ maxMessageChars: 10 })
    for (const event of [
      start(text),
      say(text, '12345'),
      stop(text),
      start(call),
      say(call, '12345'),
    ])
      assembler.apply(event)
    expect(() => assembler.apply(say(call, '6'))).toThrow(
      expect.objectContaining({ code: 'message-too-large' }),
    )
    expect(() => createAssembler({ maxMessageChars: 1 }).apply(say(text, '12'))).toThrow(
      'Cannot hold a message over 1 characters: got 2',
    )
  })
})
