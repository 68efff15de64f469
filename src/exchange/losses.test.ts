import { expect, test } from 'vitest'
import type { Loss } from '../event/loss.ts'
import { mergeLosses, toLossHeader } from './losses.ts'

const loss = (what: string, kind: Loss['kind'] = 'dropped', count = 1): Loss => ({
  kind,
  what,
  count,
})

test('says each loss by its kind and name, and nothing where nothing was lost', () => {
  expect(toLossHeader([])).toEqual({})
  expect(toLossHeader([loss('top_k'), loss('reasoning.effort', 'approximated')])).toEqual({
    'x-sluice-losses': 'dropped:top_k, approximated:reasoning.effort',
  })
})

test('lets no name of a client’s end the header or begin another', () => {
  const { 'x-sluice-losses': text } = toLossHeader([loss('tools.a\r\nset-cookie: x, dropped:y é')])
  expect(text).toBe('dropped:tools.a_set-cookie:_x__dropped:y_')
})

test('is cut between two names when there are too many', () => {
  const many = Array.from({ length: 500 }, (_, i) => loss(`field_${i}`))
  const text = toLossHeader(many)['x-sluice-losses'] ?? ''
  expect(text.length).toBeLessThanOrEqual(2000)
  expect(text).toMatch(/dropped:field_\d+$/)
})

test('counts a loss of both lists once', () => {
  expect(
    mergeLosses([loss('a'), loss('b')], [loss('a', 'dropped', 2), loss('a', 'approximated')]),
  ).toEqual([loss('a', 'dropped', 3), loss('b'), loss('a', 'approximated')])
})
