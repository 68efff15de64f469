import { expect, test } from 'vitest'
import { CUT_SHORT, laterReason } from './finish.ts'

test('takes the first reason when there was none before', () => {
  expect(laterReason(undefined, 'stop')).toBe('stop')
})

test('lets the last word win', () => {
  expect(laterReason('stop', 'tool-calls')).toBe('tool-calls')
  expect(laterReason('tool-calls', 'stop')).toBe('stop')
  expect(laterReason('tool-calls', 'length')).toBe('length')
  expect(laterReason('length', 'content-filter')).toBe('content-filter')
})

test('does not let a normal end follow an answer that was cut short', () => {
  for (const before of CUT_SHORT)
    for (const after of ['stop', 'stop-sequence', 'tool-calls'] as const)
      expect([before, after, laterReason(before, after)]).toEqual([before, after, before])
})
