import { describe, expect, test } from 'vitest'
import type { BlockInfo } from '../event/block.ts'
import type { StreamEvent } from '../event/event.ts'
import { createStreamContext, type StreamContextOptions } from './context.ts'
import { belongsToBlock, createStreamProcessor, type StreamProcessorOptions } from './processor.ts'

const text: BlockInfo = { type: 'text', id: 'block_0', index: 0 }
const ANSWER: readonly StreamEvent[] = [
  { type: 'message-start', id: 'm1', model: 'owl-1' },
  { type: 'block-start', block: text },
  { type: 'block-delta', block: text, delta: { type: 'text', text: 'Hello' } },
  { type: 'ping' },
  { type: 'block-stop', block: text },
  { type: 'finish', reason: 'stop' },
  { type: 'usage', usage: { outputTokens: 1 } },
  { type: 'other' },
  { type: 'message-stop' },
]

interface Run {
  readonly types: readonly string[]
  readonly sent: readonly StreamEvent[]
  readonly ends: number
  readonly error: unknown
}

/** Runs the answer through a processor and counts how often its end was told. */
async function run(
  onChunk: StreamProcessorOptions['onChunk'],
  options: {
    incoming?: AsyncIterable<StreamEvent> | Iterable<StreamEvent>
    signal?: AbortSignal
    onEnd?: StreamProcessorOptions['onEnd']
  } = {},
): Promise<Run> {
  const sent: StreamEvent[] = []
  let ends = 0
  const out: StreamContextOptions = {
    send: (event) => void sent.push(event),
    ...(options.signal && { signal: options.signal }),
  }
  const processor = createStreamProcessor({
    onChunk,
    async onEnd(state, context) {
      ends += 1
      await options.onEnd?.(state, context)
    },
  })
  const error = await processor.process(options.incoming ?? ANSWER, createStreamContext(out)).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { types: sent.map(({ type }) => type), sent, ends, error }
}

describe('what is sent', () => {
  test('sends what belongs to no block by itself, and blocks only when asked to', async () => {
    const { types } = await run(() => {})
    expect(types).toEqual(['message-start', 'ping', 'finish', 'usage', 'other', 'message-stop'])
  })

  test('sends each chunk once when the callback sends it too', async () => {
    const { sent } = await run((chunk, _state, context) => context.send(chunk))
    expect(sent).toEqual(ANSWER)
  })

  test('sends a chunk of no block not at all when the callback holds it', async () => {
    const { types } = await run((chunk) =>
      chunk.type === 'usage' || chunk.type === 'ping' ? 'hold' : undefined,
    )
    expect(types).toEqual(['message-start', 'finish', 'other', 'message-stop'])
  })

  test('sends a held chunk later when the callback asks for it', async () => {
    const held: StreamEvent[] = []
    const { types } = await run(async (chunk, _state, context) => {
      if (chunk.type === 'finish') {
        held.push(chunk)
        return 'hold'
      }
      if (chunk.type === 'message-stop') await context.send(...held)
      return undefined
    })
    expect(types).toEqual(['message-start', 'ping', 'usage', 'other', 'finish', 'message-stop'])
  })

  test('takes a frame that repeats a block for a piece of that block', () => {
    expect(belongsToBlock({ type: 'other', block: text })).toBe(true)
    expect(belongsToBlock({ type: 'other' })).toBe(false)
  })

  test('does not call for the next chunk before the last one was dealt with', async () => {
    let inside = 0
    await run(async () => {
      expect(++inside).toBe(1)
      await Promise.resolve()
      inside -= 1
    })
  })

  test('reads an asynchronous source as well', async () => {
    async function* source(): AsyncGenerator<StreamEvent> {
      yield* ANSWER
    }
    const { sent } = await run((chunk, _state, context) => context.send(chunk), {
      incoming: source(),
    })
    expect(sent).toEqual(ANSWER)
  })
})

describe('the end is told once', () => {
  test('after the last chunk, with the whole state', async () => {
    const { ends, error } = await run(() => {}, {
      onEnd(state) {
        expect(state).toMatchObject({
          finishReason: 'stop',
          isStopped: true,
          blocks: [{ text: 'Hello', isComplete: true }],
        })
      },
    })
    expect({ ends, error }).toEqual({ ends: 1, error: undefined })
  })

  test('after an answer of nothing', async () => {
    expect(await run(() => {}, { incoming: [] })).toMatchObject({
      ends: 1,
      types: [],
      error: undefined,
    })
  })

  test('after it was terminated, and before the client gets its end', async () => {
    const { types, ends } = await run(
      async (chunk, _state, context) => {
        await context.send(chunk)
        if (chunk.type === 'block-delta') context.terminate('content-filter')
      },
      { onEnd: (_state, context) => context.send({ type: 'ping' }) },
    )
    expect(ends).toBe(1)
    expect(types).toEqual([
      'message-start',
      'block-start',
      'block-delta',
      'ping',
      'block-stop',
      'finish',
      'message-stop',
    ])
  })

  test('after the callback threw, and the error is handed on', async () => {
    const { ends, error } = await run((chunk) => {
      if (chunk.type === 'ping') throw new Error('no')
    })
    expect(ends).toBe(1)
    expect(error).toMatchObject({ message: 'no' })
  })

  test('after the source threw', async () => {
    function* source(): Generator<StreamEvent> {
      yield* ANSWER.slice(0, 3)
      throw new Error('gone')
    }
    const { ends, error } = await run(() => {}, { incoming: source() })
    expect(ends).toBe(1)
    expect(error).toMatchObject({ message: 'gone' })
  })

  test('after the way out threw', async () => {
    let ends = 0
    const processor = createStreamProcessor({ onChunk() {}, onEnd: () => void ends++ })
    const context = createStreamContext({ send: () => Promise.reject(new Error('closed')) })
    await expect(processor.process(ANSWER, context)).rejects.toThrow('closed')
    expect(ends).toBe(1)
  })

  test('after an abort, from which on nothing is read and nothing sent', async () => {
    const controller = new AbortController()
    const { ends, types, error } = await run(
      (chunk) => {
        if (chunk.type === 'ping') controller.abort()
      },
      { signal: controller.signal },
    )
    expect({ ends, error }).toEqual({ ends: 1, error: undefined })
    expect(types).toEqual(['message-start', 'ping'])
  })

  test('after the limit of the message was passed', async () => {
    let ends = 0
    const processor = createStreamProcessor({
      maxMessageChars: 3,
      onChunk() {},
      onEnd: () => void ends++,
    })
    await expect(
      processor.process(ANSWER, createStreamContext({ send() {} })),
    ).rejects.toMatchObject({ code: 'message-too-large' })
    expect(ends).toBe(1)
  })
})

describe('terminating', () => {
  test('reads no further, and tidies up behind the source', async () => {
    let isTidy = false
    let read = 0
    function* source(): Generator<StreamEvent> {
      try {
        for (const event of ANSWER) {
          read += 1
          yield event
        }
      } finally {
        isTidy = true
      }
    }
    await run(
      (chunk, _state, context) => (chunk.type === 'block-start' ? context.terminate() : undefined),
      { incoming: source() },
    )
    expect({ isTidy, read }).toEqual({ isTidy: true, read: 2 })
  })

  test('does not send the chunk on that was being looked at', async () => {
    const { types } = await run((chunk, _state, context) =>
      chunk.type === 'ping' ? context.terminate() : undefined,
    )
    expect(types).toEqual(['message-start', 'finish', 'message-stop'])
  })

  test('at the first chunk still gives a whole answer with its name', async () => {
    const { types, sent } = await run((_chunk, _state, context) => context.terminate())
    expect(types).toEqual(['message-start', 'finish', 'message-stop'])
    expect(sent[0]).toBe(ANSWER[0])
  })
})

test('keeps the state of two answers apart', async () => {
  const seen: number[] = []
  const processor = createStreamProcessor({
    onChunk(_chunk, _state, context) {
      context.state('count', () => ({ chunks: 0 })).chunks += 1
    },
    onEnd: (_state, context) =>
      void seen.push(context.state('count', () => ({ chunks: 0 })).chunks),
  })
  const once = (): Promise<void> => processor.process(ANSWER, createStreamContext({ send() {} }))
  await Promise.all([once(), once()])
  expect(seen).toEqual([ANSWER.length, ANSWER.length])
})
