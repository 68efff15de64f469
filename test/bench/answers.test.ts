import { describe, expect, test } from 'vitest'
import { benchAnswer, benchBody, benchJson } from '../../bench/gateway/frames.ts'
import { benchRequest, readWanted } from '../../bench/gateway/requests.ts'
import { createStampReader, writeStamp } from '../../bench/gateway/stamps.ts'
import { createAssembler, readEvents } from '../../src/index.ts'
import { WIRE_NAMES, WIRES } from '../../src/wire/wires.ts'

describe.each(WIRE_NAMES)('%s', (wire) => {
  test('the answer is whole, with two calls and an address', async () => {
    const { state, apply } = createAssembler()
    for await (const event of readEvents(WIRES[wire], [benchBody(wire, 101)])) apply(event)
    expect(state.error).toBeUndefined()
    expect(state.isStopped).toBe(true)
    expect(state.blocks.map(({ type }) => type)).toEqual(['text', 'tool-call', 'tool-call'])
    expect(benchBody(wire, 101).toString()).toContain('ann@example.com')
  })

  test.each([50, 100, 1000])('an answer of %i chunks has as many, or a few more', (chunks) => {
    const more = benchAnswer(wire, chunks).chunks - chunks
    expect(more).toBeGreaterThanOrEqual(0)
    expect(more).toBeLessThan(Math.max(5, chunks * 0.1))
  })

  test('a very long one says a text over and over, and then ends', () => {
    const answer = benchAnswer(wire, 100_000)
    expect(answer.frameAt(answer.chunks - 1)).toBeDefined()
    expect(answer.frameAt(answer.chunks)).toBeUndefined()
    expect(answer.frameAt(90_000)).toBe(answer.frameAt(80_000))
    const last = benchAnswer(wire, 20_000)
    expect(answer.frameAt(answer.chunks - 1)?.bytes).toEqual(last.frameAt(last.chunks - 1)?.bytes)
  })

  test('the same answer as JSON has the same text', async () => {
    const json = (await benchJson(wire, 101)).toString()
    expect(json).toContain('ann@example.com')
    expect(json.match(/write_file/g)).toHaveLength(2)
  })

  test.each([2000, 100_000])('a request of %i characters says what it wants', (size) => {
    const wanted = { chunks: 50, paceMs: 20, isStream: true }
    const request = benchRequest({ ...wanted, wire, size, port: 1 })
    const body = request.subarray(request.indexOf('\r\n\r\n') + 4)
    expect(request.toString()).toContain(`content-length: ${body.length}\r\n`)
    expect(body.length / size).toBeGreaterThan(1)
    expect(body.length / size).toBeLessThan(1.2)
    expect(readWanted(body)).toEqual(wanted)
  })
})

test('a frame tells how long it was under way, once, however often it is said', () => {
  const { frameAt } = benchAnswer('anthropic-messages', 101)
  const frame = frameAt(10)
  const bytes = Buffer.from(frame?.bytes ?? '')
  writeStamp(bytes, frame?.stampAt ?? -1)
  const reader = createStampReader()
  const delays: number[] = []
  reader.read(bytes, delays)
  reader.read(bytes, delays)
  expect(delays).toHaveLength(1)
  expect(delays[0]).toBeGreaterThanOrEqual(0)
  expect(delays[0]).toBeLessThan(10_000)
})

test('a stamp that is cut is no stamp', () => {
  const bytes = Buffer.from(benchAnswer('anthropic-messages', 101).frameAt(10)?.bytes ?? '')
  const at = bytes.indexOf('~')
  writeStamp(bytes, at)
  const delays: number[] = []
  createStampReader().read(bytes.subarray(0, at + 10), delays)
  expect(delays).toEqual([])
})
