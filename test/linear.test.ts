/**
 * Cost grows with the length of a stream and not with its square, in time and in memory. Times are
 * compared with each other in one run, and with room for a busy machine.
 */
import { describe, expect, test } from 'vitest'
import {
  createAssembler,
  createFrameDecoder,
  toBytes,
  WIRE_NAMES,
  WIRES,
  type WireName,
} from '../src/index.ts'
import { heldBytes } from './support/heap.ts'

const TEXT = 'four'

/** Linear is 10, quadratic 100; a machine that was busy elsewhere for a moment gets another try. */
const NOISY = { retry: 3 }

function* chatDeltas(count: number, isInterleaved = false): Generator<string> {
  const call = (index: number, body: string): string =>
    `data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":${index},${body}}]}}]}\n\n`
  const head = (index: number): string =>
    call(
      index,
      `"id":"call_${index}","type":"function","function":{"name":"write","arguments":"{\\"a\\":\\""}`,
    )
  yield head(0)
  if (isInterleaved) yield head(1)
  for (let i = 0; i < count; i++)
    yield call(isInterleaved ? i % 2 : 0, `"function":{"arguments":"${TEXT}"}`)
  yield call(0, '"function":{"arguments":"\\"}"}')
  if (isInterleaved) yield call(1, '"function":{"arguments":"\\"}"}')
  yield 'data: {"id":"c","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n'
}

/** Everything: framed, decoded, assembled, and encoded on two wires. Gives back the milliseconds. */
function run(wire: WireName, to: WireName, frames: Iterable<string>): number {
  const framer = createFrameDecoder()
  const decoder = WIRES[wire].createDecoder()
  const encoders = [WIRES[wire].createEncoder(), WIRES[to].createEncoder()]
  const assembler = createAssembler()
  const start = performance.now()
  let written = 0
  for (const text of frames) {
    for (const frame of framer.push(toBytes(text))) {
      for (const event of decoder.push(frame)) {
        assembler.apply(event)
        for (const encoder of encoders) written += encoder.push(event).length
      }
    }
  }
  expect(assembler.state.isStopped).toBe(true)
  expect(assembler.state.blocks[0]?.isComplete).toBe(true)
  expect(written).toBeGreaterThan(0)
  return performance.now() - start
}

/** A stream of that wire with so many deltas, made by translating a Chat one. */
function streamOf(wire: WireName, count: number): string[] {
  if (wire === 'openai-chat') return [...chatDeltas(count)]
  const framer = createFrameDecoder()
  const decoder = WIRES['openai-chat'].createDecoder()
  const encoder = WIRES[wire].createEncoder()
  return [...chatDeltas(count)].flatMap((text) =>
    framer
      .push(toBytes(text))
      .flatMap((frame) => decoder.push(frame).flatMap((event) => encoder.push(event).map(String))),
  )
}

describe.each(WIRE_NAMES)('%s', (wire) => {
  const to = wire === 'anthropic-messages' ? 'openai-responses' : 'anthropic-messages'

  test('takes about ten times as long for ten times as many deltas', NOISY, () => {
    run(wire, to, streamOf(wire, 20_000)) // warm
    const short = Math.min(
      run(wire, to, streamOf(wire, 20_000)),
      run(wire, to, streamOf(wire, 20_000)),
    )
    const long = run(wire, to, streamOf(wire, 200_000))
    expect(long / short).toBeLessThan(25)
  })
})

test('holds ten megabytes of arguments in four-byte deltas in little more than that', () => {
  const before = heldBytes()
  const assembler = createAssembler()
  const framer = createFrameDecoder()
  const decoder = WIRES['openai-chat'].createDecoder()
  for (const text of chatDeltas(2_500_000)) {
    for (const frame of framer.push(toBytes(text)))
      for (const event of decoder.push(frame)) assembler.apply(event)
  }
  const [call] = assembler.state.blocks
  expect(call?.type === 'tool-call' && call.arguments.length).toBeGreaterThan(10_000_000)
  expect(heldBytes() - before).toBeLessThan(150 * 1024 * 1024)
})

test('keeps calls that interleave apart in linear time', NOISY, () => {
  run('openai-chat', 'anthropic-messages', chatDeltas(10_000, true)) // warm
  const short = run('openai-chat', 'anthropic-messages', chatDeltas(10_000, true))
  const long = run('openai-chat', 'anthropic-messages', chatDeltas(100_000, true))
  expect(long / short).toBeLessThan(25)
})
