import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { benchAnswer, benchBody, bodyOf } from '../../bench/gateway/frames.ts'
import { chunksOf, realStreams } from '../../bench/gateway/real-streams.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-streams-'))
const WIRE = 'openai-chat'

beforeAll(() => {
  mkdirSync(join(folder, WIRE))
  const put = (name: string, bytes: Uint8Array): void =>
    writeFileSync(join(folder, WIRE, name), bytes)
  put('a-long.sse', benchBody(WIRE, 300))
  put('b-short.sse', benchBody(WIRE, 20))
  put('c-cut.sse', benchBody(WIRE, 100).subarray(0, -200))
  put('d.sse', benchBody(WIRE, 100))
  put('e.sse', benchBody(WIRE, 60))
  put('f.txt', benchBody(WIRE, 100))
})
afterAll(() => rmSync(folder, { recursive: true }))

test('whole streams of some length are sent as they are', () => {
  const streams = realStreams(folder, WIRE)
  expect(streams.map(bodyOf)).toEqual([benchBody(WIRE, 100), benchBody(WIRE, 60)])
  const lengths = [100, 60].map((chunks) => benchAnswer(WIRE, chunks).chunks)
  expect(streams.map(({ chunks }) => chunks)).toEqual(lengths)
  expect(chunksOf(folder, WIRE, 1)).toBe(Math.round(lengths.reduce((a, b) => a + b) / 2))
  expect(chunksOf(undefined, WIRE, 100)).toBe(lengths[0])
})

test('a folder without any is said', () => {
  expect(() => realStreams(folder, 'openai-responses')).toThrow('--streams: no whole stream')
})
