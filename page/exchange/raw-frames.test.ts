import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { filterFrames } from './raw-filter.ts'
import { nameOf, readFrames, toPieces } from './raw-frames.ts'
import { compareSides, heldFor } from './raw-sides.ts'

const fixture = (path: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../test/fixtures/${path}.sse`, import.meta.url)))

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const messages = (bytes: Uint8Array, times: readonly number[] = []) =>
  readFrames({ wire: 'anthropic-messages', bytes, times })

describe('frames of recorded bytes', () => {
  test('have the time of the arrival that completed them, and the gap before', async () => {
    const text = 'event: ping\ndata: {"type":"ping"}\n\n'
    const bytes = encode(text + text + text)
    const half = text.length + 10
    const { frames } = await messages(bytes, [half, 1000, bytes.length - half, 5000])
    expect(frames.map(({ time, gap }) => [time, gap])).toEqual([
      [1000, undefined],
      [5000, 4000],
      [5000, 0],
    ])
    expect(frames.reduce((sum, one) => sum + one.bytes, 0)).toBe(bytes.length)
  })

  test('carry the remarks of lint that are about them', async () => {
    const { frames, remarked, errors } = await messages(
      fixture('anthropic-messages/interleaved-blocks'),
    )
    expect(errors).toBeGreaterThan(0)
    for (const place of remarked) {
      expect(frames[place]?.findings[0]?.rule).toBe('A5')
      expect(frames[place]?.name).toBe('content_block_start')
    }
  })

  test('have what is missing at the end beside the last one', async () => {
    const { frames } = await messages(fixture('anthropic-messages/message-stop-missing'))
    expect(frames.at(-1)?.findings.map(({ rule }) => rule)).toContain('A16')
  })

  test('are read without a time where none was kept', async () => {
    const { frames } = await messages(fixture('anthropic-messages/refusal'))
    expect(frames[0]?.time).toBeUndefined()
    expect(frames.length).toBeGreaterThan(3)
  })

  test('are called by what is new in a chunk, where they have no event line', () => {
    const chunk = (delta: object, finish: string | null = null): string =>
      JSON.stringify({ choices: [{ delta, finish_reason: finish }] })
    const name = (data: string): string => nameOf({ event: undefined, data })
    expect(name(chunk({ role: 'assistant', content: '' }))).toBe('delta role')
    expect(name(chunk({ content: 'a' }))).toBe('delta content')
    expect(name(chunk({ tool_calls: [] }))).toBe('delta tool_calls')
    expect(name(chunk({}, 'stop'))).toBe('finish stop')
    expect(name('{"choices":[],"usage":{}}')).toBe('usage')
    expect(name('[DONE]')).toBe('[DONE]')
    expect(name('nonsense')).toBe('no JSON')
    expect(nameOf({ event: undefined, data: undefined })).toBe('comment')
  })

  test('stop being read when nobody wants them any more', async () => {
    const leave = new AbortController()
    const bytes = encode('data: {"type":"ping"}\n\n'.repeat(60_000))
    const reading = readFrames({
      wire: 'anthropic-messages',
      bytes,
      times: [],
      signal: leave.signal,
      onProgress: () => leave.abort(),
    })
    await expect(reading).rejects.toThrow(/abort/i)
  })

  test('come in steps that are short, and none is lost', () => {
    const pieces = [...toPieces(100_000, [90_000, 5])]
    expect(pieces.every(({ from, to }) => to - from <= 32 * 1024)).toBe(true)
    expect(pieces.at(-1)).toMatchObject({ to: 100_000, time: 5 })
    expect(pieces.reduce((sum, { from, to }) => sum + to - from, 0)).toBe(100_000)
  })
})

describe('two sides', () => {
  const frame = (text: string): string => `event: a\ndata: {"t":"${text}"}\n\n`

  test('are compared frame by frame: what is on one only, and what was held', async () => {
    const came = encode(frame('1') + frame('2') + frame('2') + frame('3'))
    const left = encode(frame('1') + frame('2') + frame('x') + frame('3'))
    const size = frame('1').length
    const up = await messages(came, [size, 10, size, 20, size, 30, size, 40])
    const down = await messages(left, [size, 11, size, 21, size, 50_000, size, 90_000])
    const sides = await compareSides(up.frames, down.frames)
    expect([...sides.upstream]).toEqual([0, 1, -1, 3])
    expect([...sides.delivered]).toEqual([0, 1, -1, 3])
    expect(heldFor(up.frames[0], down.frames[0])).toBeUndefined()
    expect(heldFor(up.frames[3], down.frames[3])).toBe(89_960)
    const only = await filterFrames(
      down.frames,
      { text: '', name: '', only: 'changed' },
      { pairs: sides.delivered },
    )
    expect(only).toEqual([2])
  })
})

describe('a filter', () => {
  test('finds words as they are typed, in any case, and joins with the others', async () => {
    const { frames } = await messages(fixture('anthropic-messages/interleaved-blocks'))
    const find = (filter: object) =>
      filterFrames(frames, { text: '', name: '', only: 'all', ...filter }, {})
    expect(await find({})).toBeUndefined()
    expect(await find({ text: 'MESSAGE_STOP' })).toEqual([frames.length - 1])
    expect(await find({ text: '.*' })).toEqual([])
    expect(await find({ text: '-(["' })).toEqual([])
    const remarks = await find({ only: 'remarks' })
    expect(remarks?.length).toBeGreaterThan(0)
    expect(await find({ only: 'remarks', name: 'ping' })).toEqual([])
  })
})
