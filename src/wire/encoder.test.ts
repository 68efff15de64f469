/** The two modes of every encoder, on the Chat wire, where one frame often says several things. */
import { describe, expect, test } from 'vitest'
import { fromUtf8, toUtf8 } from '../../test/support/bytes.ts'
import { chain } from '../base/stage.ts'
import type { StreamEvent } from '../event/event.ts'
import { textBlock } from '../event/make.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import { toBytes, type Written } from '../sse/encode.ts'
import type { Encoder } from './wire.ts'
import { WIRE_NAMES, WIRES } from './wires.ts'

const chunk = (delta: object, finish: string | null = null): string =>
  `data: {"id":"c1","model":"owl-1","odd":1,"choices":[{"index":0,"delta":${JSON.stringify(delta)},"finish_reason":${JSON.stringify(finish)}}]}\n\n`

const CALL = {
  index: 0,
  id: 'call_1',
  type: 'function',
  function: { name: 'look', arguments: '{"at":1}' },
}
const FRAMES = [
  ': hello\n\n',
  chunk({ role: 'assistant', content: 'I look.' }),
  chunk({ tool_calls: [CALL] }),
  chunk({}, 'tool_calls'),
  'data: [DONE]\n\n',
]

function decode(text: string): StreamEvent[] {
  const stage = chain(createFrameDecoder(), WIRES['openai-chat'].createDecoder())
  return [...stage.push(toUtf8(text)), ...stage.end()]
}

const textOf = (written: readonly Written[]): string =>
  written.map((one) => fromUtf8(toBytes(one))).join('')

function encode(events: readonly StreamEvent[]): { encoder: Encoder; text: string } {
  const encoder = WIRES['openai-chat'].createEncoder({ now: () => 0, createId: () => 'made' })
  const text = textOf([...events.flatMap((event) => [...encoder.push(event)]), ...encoder.end()])
  return { encoder, text }
}

const WHOLE = FRAMES.join('')

describe('while nobody touches anything', () => {
  test('frames leave as they came', () => {
    const { encoder, text } = encode(decode(WHOLE))
    expect(text).toBe(WHOLE)
    expect(encoder.isVerbatim).toBe(true)
  })

  test('a frame leaves when the last of its events has come', () => {
    const events = decode(chunk({ role: 'assistant', content: 'Hoo.' }, 'stop'))
    const encoder = WIRES['openai-chat'].createEncoder()
    const written = events.map((event) => textOf(encoder.push(event)))
    expect(events.map(({ type }) => type)).toEqual([
      'message-start',
      'block-start',
      'block-delta',
      'block-stop',
      'finish',
      'message-stop',
    ])
    expect(written.map((text) => text !== '')).toEqual([false, false, false, false, true, false])
    expect(written.join('')).toBe(chunk({ role: 'assistant', content: 'Hoo.' }, 'stop'))
  })

  test('bytes that say nothing leave in their place', () => {
    const text = [': one\n\n', FRAMES[1], ': two\n\n', '\n', ...FRAMES.slice(2), ': three'].join('')
    expect(encode(decode(text)).text).toBe(text)
  })
})

describe('the first change puts the message into rewritten mode for good', () => {
  const events = decode(WHOLE)
  const isOfCall = (event: StreamEvent): boolean =>
    'block' in event && event.block?.type === 'tool-call'
  const rewritten = (changed: readonly StreamEvent[]): string => {
    const { encoder, text } = encode(changed)
    expect(encoder.isVerbatim).toBe(false)
    return text
  }

  test('an event that is left out', () => {
    const text = rewritten(events.filter((event) => !isOfCall(event)))
    expect(text.startsWith(FRAMES.slice(0, 2).join(''))).toBe(true)
    expect(text).not.toContain('call_1')
    expect(text).toContain('"finish_reason":"stop"')
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  test('an event that is put in', () => {
    const at = events.findIndex(isOfCall)
    const text = rewritten([...events.slice(0, at), ...textBlock('Wait.'), ...events.slice(at)])
    expect(text).toContain('Wait.')
    expect(text).toContain('call_1')
  })

  test('an event that is an equal copy', () => {
    rewritten(events.map((event) => ({ ...event })))
  })

  test('events that have changed places', () => {
    rewritten([...events.slice(0, 1), ...events.slice(1).toReversed()])
  })

  test('an event that comes a second time', () => {
    const [first, ...rest] = events
    rewritten(first === undefined ? [] : [first, first, ...rest])
  })

  test('nothing that waits for the rest of its frame is lost', () => {
    const whole = decode(
      `${chunk({ role: 'assistant', content: 'Hoo.', tool_calls: [CALL] })}${chunk({}, 'tool_calls')}`,
    )
    const text = rewritten(whole.filter((event) => !isOfCall(event)))
    expect(text).toContain('"content":"Hoo."')
    expect(text).not.toContain('call_1')
  })

  test('events of another wire', () => {
    const encoder = WIRES['anthropic-messages'].createEncoder()
    const text = textOf([...events.flatMap((event) => [...encoder.push(event)]), ...encoder.end()])
    expect(encoder.isVerbatim).toBe(false)
    expect(text).toContain('event: message_start')
  })
})

describe('flushing', () => {
  test('writes what waits for the rest of its frame, and ends the verbatim mode', () => {
    const encoder = WIRES['openai-chat'].createEncoder()
    const [start, blockStart, delta] = decode(FRAMES[1] ?? '')
    for (const event of [start, blockStart])
      if (event !== undefined) expect(encoder.push(event)).toEqual([])
    expect(textOf(encoder.flush())).toContain('"role":"assistant"')
    expect(encoder.isVerbatim).toBe(false)
    expect(delta === undefined ? '' : textOf(encoder.push(delta))).toContain('I look.')
    expect(encoder.flush()).toEqual([])
  })

  test('costs nothing when nothing waits', () => {
    const encoder = WIRES['openai-chat'].createEncoder()
    expect(encoder.flush()).toEqual([])
    expect(encoder.isVerbatim).toBe(true)
  })
})

describe.each(WIRE_NAMES)('the end on %s', (wire) => {
  test('is said once', () => {
    const encoder = WIRES[wire].createEncoder()
    encoder.end()
    expect(encoder.end()).toEqual([])
  })

  test('of nothing is an error', () => {
    expect(textOf(WIRES[wire].createEncoder().end())).toContain('error')
  })

  test('of an answer whose stop nobody sent is an error, also when all before it left as it came', () => {
    const source = WIRES[wire].createEncoder()
    const events = decode(WHOLE).flatMap((event) => [...source.push(event)])
    const stage = chain(createFrameDecoder(), WIRES[wire].createDecoder())
    const read = [...stage.push(toUtf8(textOf([...events, ...source.end()]))), ...stage.end()]
    const encoder = WIRES[wire].createEncoder()
    for (const event of read) if (event.type !== 'message-stop') encoder.push(event)
    expect(textOf(encoder.end())).toContain('error')
  })

  test('has a sign of life that says nothing of the answer', () => {
    const stage = chain(createFrameDecoder(), WIRES[wire].createDecoder())
    const types = stage
      .push(toUtf8(textOf(WIRES[wire].createEncoder().keepalive())))
      .map(({ type }) => type)
    expect(types).toEqual([wire === 'anthropic-messages' ? 'ping' : 'other'])
  })
})

test('the functions of an encoder and of a decoder work without their object', () => {
  for (const name of WIRE_NAMES) {
    const { push, end } = WIRES[name].createEncoder({ now: () => 0, createId: () => 'made' })
    const made: StreamEvent[] = [
      { type: 'message-start', id: 'a', model: 'm' },
      ...textBlock('Hello'),
      { type: 'finish', reason: 'stop' },
      { type: 'message-stop' },
    ]
    const text = textOf([...made.flatMap((event) => [...push(event)]), ...end()])
    const decoder = WIRES[name].createDecoder()
    const [read, over] = [decoder.push, decoder.end]
    const frames = createFrameDecoder().push(toUtf8(text))
    const events = [...frames.flatMap((frame) => [...read(frame)]), ...over()]
    expect(events.map(({ type }) => type)).toContain('message-stop')
  }
})
