import { describe, expect, test } from 'vitest'
import { fromUtf8, joinBytes, toUtf8 } from '../../test/support/bytes.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { createFrameDecoder, type FrameLimits } from './decode.ts'
import type { Frame } from './frame.ts'

/** Reads the pieces one after another, then the end. */
function read(pieces: readonly (string | Uint8Array)[], limits?: FrameLimits): Frame[] {
  const decoder = createFrameDecoder(limits)
  const frames = pieces.flatMap((piece) => [
    ...decoder.push(typeof piece === 'string' ? toUtf8(piece) : piece),
  ])
  return [...frames, ...decoder.end()]
}

const dataOf = (frames: readonly Frame[]): (string | undefined)[] => frames.map(({ data }) => data)
const rawOf = (frames: readonly Frame[]): string =>
  fromUtf8(joinBytes(frames.map(({ raw }) => raw)))

describe('line endings', () => {
  const endings = { LF: '\n', CR: '\r', CRLF: '\r\n' }

  for (const [name, end] of Object.entries(endings)) {
    test(`reads lines that end with ${name}`, () => {
      const frames = read([`event: a${end}data: 1${end}${end}data: 2${end}${end}`])
      expect(frames.map(({ event, data, isEnded }) => ({ event, data, isEnded }))).toEqual([
        { event: 'a', data: '1', isEnded: true },
        { event: undefined, data: '2', isEnded: true },
      ])
    })

    test(`reads lines that end with ${name} when every byte comes alone`, () => {
      const text = `event: a${end}data: 1${end}${end}data: 2${end}${end}`
      expect(dataOf(read([...text]))).toEqual(['1', '2'])
    })
  }

  test('reads all endings mixed in one stream', () => {
    const text = 'data: 1\r\ndata: 2\rdata: 3\n\r\ndata: 4\r\rdata: 5\n\n'
    expect(dataOf(read([text]))).toEqual(['1\n2\n3', '4', '5'])
    expect(dataOf(read([...text]))).toEqual(['1\n2\n3', '4', '5'])
  })

  test('takes a CR and an LF for one ending when they come in two buffers', () => {
    expect(dataOf(read(['data: 1\r', '\ndata: 2\r', '\n\r', '\n']))).toEqual(['1\n2'])
  })

  test('does not read that LF a second time when the rest of its buffer has no CR', () => {
    const frames = read(['data: 1\r', '\ndata: é\n\ndata: 3\n\n'])
    expect(dataOf(frames)).toEqual(['1\né', '3'])
    expect(frames.map(({ stray }) => stray)).toEqual([undefined, undefined])
    expect(fromUtf8(frames[1]?.raw ?? new Uint8Array(0))).toBe('data: 3\n\n')
  })

  test('takes a CR at the end of a buffer for a whole ending when no LF follows', () => {
    expect(dataOf(read(['data: 1\r', 'data: 2\r', '\r', 'data: 3\r\r']))).toEqual(['1\n2', '3'])
  })

  test('waits for the next byte after a CR, so that the LF stays with its frame', () => {
    const decoder = createFrameDecoder()
    expect(decoder.push(toUtf8('data: 1\r\n\r'))).toEqual([])
    expect(decoder.push(new Uint8Array(0))).toEqual([])
    const [frame] = decoder.push(toUtf8('\ndata: 2'))
    expect(frame?.raw).toEqual(toUtf8('data: 1\r\n\r\n'))
  })

  test('ends the frame at a last CR', () => {
    const frames = read(['data: 1\r\r'])
    expect(frames.map(({ data, isEnded }) => ({ data, isEnded }))).toEqual([
      { data: '1', isEnded: true },
    ])
  })
})

describe('fields', () => {
  test('strips one space behind the colon, and only one', () => {
    expect(dataOf(read(['data:1\n\ndata: 1\n\ndata:  1\n\ndata:\t1\n\n']))).toEqual([
      '1',
      '1',
      ' 1',
      '\t1',
    ])
  })

  test('joins several data lines with a line feed', () => {
    expect(dataOf(read(['data: a\ndata:\ndata: b\n\n']))).toEqual(['a\n\nb'])
  })

  test('tells no data from empty data', () => {
    expect(dataOf(read(['event: a\n\ndata:\n\ndata: \n\n']))).toEqual([undefined, '', ''])
  })

  test('takes a field without a colon for one with an empty value', () => {
    const [frame] = read(['event\ndata\n\n'])
    expect(frame).toMatchObject({ event: '', data: '', stray: undefined })
  })

  test('lets the last event line win', () => {
    expect(read(['event: a\nevent: b\ndata: 1\n\n'])[0]?.event).toBe('b')
  })

  test('forgets the event and the data of a frame with its end', () => {
    expect(read(['event: a\ndata: 1\n\n: nothing\n\n'])[1]).toMatchObject({
      event: undefined,
      data: undefined,
    })
  })

  test('passes over comments, ids and retry times', () => {
    const text = ': hello\n:\nid: 7\nid\nretry: 100\nretry\ndata: 1\n: bye\n\n'
    const [frame] = read([text])
    expect(frame).toMatchObject({ data: '1', stray: undefined })
    expect(rawOf(read([text]))).toBe(text)
  })

  test('keeps lines that are no field of SSE', () => {
    const [frame] = read(['error: {"message":"no"}\n{\n "a": 1\n}\ndatax: 1\nevents\nidx: 1\n\n'])
    expect(frame).toMatchObject({
      event: undefined,
      data: undefined,
      stray: 'error: {"message":"no"}\n{\n "a": 1\n}\ndatax: 1\nevents\nidx: 1',
    })
  })

  test('does not take a name that only begins alike, or has another case, for a field', () => {
    const [frame] = read(['dat: 1\nDATA: 1\n data: 1\neven: 1\n\n'])
    expect(frame).toMatchObject({ event: undefined, data: undefined })
  })

  test('gives a frame for blank lines alone, so that no byte is lost', () => {
    expect(rawOf(read(['\n\n\ndata: 1\n\n\n']))).toBe('\n\n\ndata: 1\n\n\n')
  })
})

describe('the beginning and the end', () => {
  const BOM = '\uFEFF'

  test('passes over a byte order mark at the beginning, and keeps its bytes', () => {
    for (const pieces of [
      [`${BOM}data: 1\n\n`],
      [...toUtf8(`${BOM}data: 1\n\n`)].map((byte) => Uint8Array.of(byte)),
    ]) {
      const frames = read(pieces)
      expect(dataOf(frames)).toEqual(['1'])
      expect(joinBytes(frames.map(({ raw }) => raw))).toEqual(toUtf8(`${BOM}data: 1\n\n`))
    }
  })

  test('takes a byte order mark anywhere else for text', () => {
    const frames = read([
      `data: 1\n\n${BOM}data: 2\n\n`,
      `data: ${BOM}3\n\n`,
      `\n${BOM}data: 4\n\n`,
    ])
    expect(dataOf(frames)).toEqual(['1', undefined, `${BOM}3`, undefined, undefined])
  })

  test('gives a last frame that no blank line ended, and says so', () => {
    for (const text of [
      'data: 1\n\ndata: 2\n',
      'data: 1\n\ndata: 2',
      'data: 1\n\ndata: 2\r',
      'data: 1\n\ndata: 2\r\n',
    ]) {
      const frames = read([text])
      expect(frames.map(({ data, isEnded }) => ({ data, isEnded }))).toEqual([
        { data: '1', isEnded: true },
        { data: '2', isEnded: false },
      ])
      expect(rawOf(frames)).toBe(text)
    }
  })

  test('gives nothing for nothing', () => {
    expect(read([])).toEqual([])
    expect(read(['', new Uint8Array(0), ''])).toEqual([])
  })

  test('does not mind empty buffers anywhere', () => {
    expect(dataOf(read(['', 'data', '', ': 1\n', '', '\n', '']))).toEqual(['1'])
  })

  test('gives frames as soon as their blank line is there', () => {
    const decoder = createFrameDecoder()
    expect(decoder.push(toUtf8('data: 1\n'))).toHaveLength(0)
    expect(decoder.push(toUtf8('\ndata: 2\n\ndata: 3'))).toHaveLength(2)
    expect(decoder.push(toUtf8('\n\n'))).toHaveLength(1)
    expect(decoder.end()).toHaveLength(0)
  })
})

describe('UTF-8', () => {
  test('reads sequences of one to four bytes, wherever they are cut', () => {
    const text = 'event: ä€\ndata: aß→😀z\ndata: \u{10FFFF}\n\ndata: é\r\n\r\n'
    const bytes = toUtf8(text)
    for (let at = 0; at <= bytes.length; at++) {
      const frames = read([bytes.slice(0, at), bytes.slice(at)])
      expect(frames[0]).toMatchObject({ event: 'ä€', data: 'aß→😀z\n\u{10FFFF}' })
      expect(frames[1]).toMatchObject({ data: 'é' })
      expect(rawOf(frames)).toBe(text)
    }
    expect(dataOf(read([...bytes].map((byte) => Uint8Array.of(byte))))).toEqual([
      'aß→😀z\n\u{10FFFF}',
      'é',
    ])
  })

  test('keeps bytes that are no UTF-8 exactly, and reads the rest', () => {
    const bytes = joinBytes([
      toUtf8('data: '),
      Uint8Array.of(0xff, 0x80, 0xc0, 0xe2, 0x82),
      toUtf8('\n\ndata: 2\r\n\r\ndata: '),
      Uint8Array.of(0xf0, 0x9f),
    ])
    for (let at = 0; at <= bytes.length; at++) {
      const frames = read([bytes.slice(0, at), bytes.slice(at)])
      expect(frames.map(({ raw }) => raw.length)).toEqual([13, 11, 8])
      expect(joinBytes(frames.map(({ raw }) => raw))).toEqual(bytes)
      expect(frames[1]?.data).toBe('2')
      expect(frames[0]?.data).toBe(new TextDecoder().decode(bytes.slice(6, 11)))
    }
  })
})

describe('the limit', () => {
  const tooLarge = (run: () => unknown): void => {
    let thrown: unknown
    try {
      run()
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(SluiceError)
    expect(thrown).toMatchObject({ code: 'frame-too-large' })
  }

  test('lets a frame through that has just as many bytes', () => {
    const frame = 'data: 12\n\n'
    expect(dataOf(read([frame.repeat(3)], { maxFrameBytes: frame.length }))).toEqual([
      '12',
      '12',
      '12',
    ])
    expect(dataOf(read([...frame.repeat(3)], { maxFrameBytes: frame.length }))).toEqual([
      '12',
      '12',
      '12',
    ])
  })

  test('refuses a frame over the limit by name, with the numbers', () => {
    tooLarge(() => read(['data: 12\n\n'], { maxFrameBytes: 9 }))
    expect(() => read(['data: 12\n\n'], { maxFrameBytes: 9 })).toThrow(
      'Cannot hold a frame over 9 bytes: got 10',
    )
  })

  test('refuses a frame that is spread over buffers as soon as it is too large', () => {
    const decoder = createFrameDecoder({ maxFrameBytes: 1000 })
    tooLarge(() => {
      for (let i = 0; i < 300; i++) decoder.push(toUtf8('data'))
    })
  })

  test('counts bytes and not characters', () => {
    expect(dataOf(read(['data: €€\n\n'], { maxFrameBytes: 14 }))).toEqual(['€€'])
    tooLarge(() => read(['data: €€\n\n'], { maxFrameBytes: 13 }))
  })

  test('refuses a frame that many short lines make too large', () => {
    tooLarge(() =>
      read(
        Array.from({ length: 100 }, () => ': waiting\n'),
        { maxFrameBytes: 500 },
      ),
    )
  })
})

test('its two functions can be taken out of it', () => {
  const { push, end } = createFrameDecoder()
  const frames = [...push(Buffer.from('data: a\n\ndata: b')), ...end()]
  expect(frames.map(({ data }) => data)).toEqual(['a', 'b'])
})
