import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createRequestId,
  createSpanId,
  readRequestId,
  readTrace,
  writeTraceparent,
} from './trace-context.ts'

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT_ID = '00f067aa0ba902b7'

/** Digits of bytes that count up: 01 02 03 … */
const counting = (size: number): string =>
  Buffer.from(Array.from({ length: size }, (_, i) => i + 1)).toString('hex')

const random = (size: number): string => randomBytes(size).toString('hex')

const FRESH = {
  traceId: '0102030405060708090a0b0c0d0e0f10',
  spanId: '0102030405060708',
  parentId: undefined,
  isSampled: true,
  state: undefined,
}

describe('readTrace', () => {
  test('goes on in the trace of the caller, with a span of its own', () => {
    const headers = {
      traceparent: `00-${TRACE_ID}-${PARENT_ID}-01`,
      tracestate: 'vendor=a,other=b',
    }
    expect(readTrace(headers, counting)).toEqual({
      traceId: TRACE_ID,
      spanId: '0102030405060708',
      parentId: PARENT_ID,
      isSampled: true,
      state: 'vendor=a,other=b',
    })
  })

  test.each([
    ['00', false],
    ['01', true],
    ['02', false],
    ['03', true],
    ['ff', true],
  ])('reads flags %s as sampled: %s', (flags, isSampled) => {
    const trace = readTrace({ traceparent: `00-${TRACE_ID}-${PARENT_ID}-${flags}` }, counting)
    expect(trace.isSampled).toBe(isSampled)
    expect(trace.traceId).toBe(TRACE_ID)
  })

  test('reads a later version, also with more parts', () => {
    const plain = readTrace({ traceparent: `cc-${TRACE_ID}-${PARENT_ID}-01` }, counting)
    const more = readTrace({ traceparent: `cc-${TRACE_ID}-${PARENT_ID}-01-what-comes` }, counting)
    expect([plain.traceId, more.traceId]).toEqual([TRACE_ID, TRACE_ID])
  })

  test.each([
    undefined,
    '',
    'nonsense',
    `00-${TRACE_ID}-${PARENT_ID}`,
    `00-${TRACE_ID}-${PARENT_ID}-1`,
    `00-${TRACE_ID}-${PARENT_ID}-01-more`,
    `ff-${TRACE_ID}-${PARENT_ID}-01`,
    `00-${TRACE_ID.toUpperCase()}-${PARENT_ID}-01`,
    `00-${'0'.repeat(32)}-${PARENT_ID}-01`,
    `00-${TRACE_ID}-${'0'.repeat(16)}-01`,
    `00-${TRACE_ID}-${PARENT_ID}-01, 00-${TRACE_ID}-${PARENT_ID}-01`,
    ` 00-${TRACE_ID}-${PARENT_ID}-01`,
  ])('begins a fresh trace for %j, without the state', (traceparent) => {
    expect(readTrace({ traceparent, tracestate: 'vendor=a' }, counting)).toEqual(FRESH)
  })

  test.each(['', 'a=1\r\nx-evil: 1', 'a=é', `a=${'1'.repeat(1100)}`])(
    'does not pass on the state %j',
    (tracestate) => {
      const traceparent = `00-${TRACE_ID}-${PARENT_ID}-01`
      expect(readTrace({ traceparent, tracestate }, counting).state).toBeUndefined()
    },
  )

  test('never makes an id that is all zero', () => {
    const trace = readTrace({}, (size) => '00'.repeat(size))
    expect(trace.traceId).toBe(`${'0'.repeat(31)}1`)
    expect(trace.spanId).toBe(`${'0'.repeat(15)}1`)
  })

  test('reads back what it writes', () => {
    const same = fc.property(fc.boolean(), (isSampled) => {
      const trace = { ...readTrace({}, random), isSampled }
      const spanId = createSpanId(random)
      const read = readTrace({ traceparent: writeTraceparent(trace, spanId) }, random)
      expect(read).toMatchObject({ traceId: trace.traceId, parentId: spanId, isSampled })
      expect(read.spanId).not.toBe(spanId)
    })
    fc.assert(same)
  })
})

test('writes the header of the span that asks', () => {
  const trace = readTrace({ traceparent: `00-${TRACE_ID}-${PARENT_ID}-00` }, counting)
  expect(writeTraceparent(trace, 'abcdefabcdefabcd')).toBe(`00-${TRACE_ID}-abcdefabcdefabcd-00`)
})

describe('readRequestId', () => {
  const create = (): string => createRequestId(counting, 0x0193_0000_0001)

  test.each(['a', 'req_1', 'A.b:c-d_9', 'x'.repeat(128)])('keeps %s', (id) => {
    expect(readRequestId(id, create)).toBe(id)
  })

  test.each([undefined, '', 'a b', 'a\nb', 'a/b', 'é', '"', 'x'.repeat(129)])(
    'makes a new one in place of %j',
    (id) => {
      expect(readRequestId(id, create)).toBe('req_019300000001010203040506')
    },
  )

  test('those that are made are in the order of time', () => {
    const times = [0, 5, 16, 255, 256, 1_794_994_572_617, 1_794_994_572_618, 2 ** 47]
    const ids = times.map((now) => createRequestId(counting, now))
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids.map(({ length }) => length))).toEqual(new Set([28]))
  })
})
