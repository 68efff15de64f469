import { expect, test } from 'vitest'
import { createOrigins, type Origin } from './origins.ts'

test('tells each client where its own answers are, and no other', () => {
  const origins = createOrigins()
  origins.note('a', 'resp_1', 'one')
  origins.note(undefined, 'resp_1', 'two')
  expect(origins.find('a', 'resp_1')?.upstream).toBe('one')
  expect(origins.find(undefined, 'resp_1')?.upstream).toBe('two')
  expect(origins.find('b', 'resp_1')?.upstream).toBeUndefined()
})

test('a key cannot be named so that it is taken for another', () => {
  const origins = createOrigins()
  origins.note('a","b', 'c', 'one')
  expect(origins.find('a', 'b","c')?.upstream).toBeUndefined()
  origins.note('null', 'x', 'one')
  expect(origins.find(undefined, 'x')?.upstream).toBeUndefined()
})

test('forgets the oldest when it is full, and one that was noted again is new', () => {
  const origins = createOrigins({ max: 2 })
  origins.note('k', '1', 'up')
  origins.note('k', '2', 'up')
  origins.note('k', '1', 'up')
  origins.note('k', '3', 'up')
  expect(['1', '2', '3'].map((id) => origins.find('k', id)?.upstream)).toEqual([
    'up',
    undefined,
    'up',
  ])
})

test('keeps no id that is empty or without bounds', () => {
  const origins = createOrigins()
  for (const id of ['', 'x'.repeat(257)]) {
    origins.note('k', id, 'up')
    expect(origins.find('k', id)?.upstream).toBeUndefined()
  }
})

test('tells of what is new, and takes what others tell', () => {
  const told: Origin[] = []
  const origins = createOrigins({ onNote: (origin) => told.push(origin) })
  origins.note('k', '1', 'up')
  origins.note('k', '1', 'up')
  origins.note('k', '1', 'other')
  origins.note('k', '', 'up')
  origins.add({ answerId: '2', upstream: 'up' })
  expect(told).toEqual([
    { key: 'k', answerId: '1', upstream: 'up' },
    { key: 'k', answerId: '1', upstream: 'other' },
  ])
  expect(origins.find(undefined, '2')?.upstream).toBe('up')
  const later = createOrigins()
  for (const origin of origins.all()) later.add(origin)
  expect([later.find('k', '1')?.upstream, later.find(undefined, '2')?.upstream]).toEqual([
    'other',
    'up',
  ])
})
