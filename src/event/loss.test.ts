import { expect, test } from 'vitest'
import { createLossList } from './loss.ts'

test('lists the same loss once, with how often it happened', () => {
  const losses = createLossList()
  losses.add('dropped', 'citation')
  losses.add('dropped', 'choice')
  losses.add('dropped', 'citation')
  losses.add('approximated', 'citation')
  expect(losses.list()).toEqual([
    { kind: 'dropped', what: 'citation', count: 2 },
    { kind: 'dropped', what: 'choice', count: 1 },
    { kind: 'approximated', what: 'citation', count: 1 },
  ])
})

test('does not grow without end, and goes on counting what it knows', () => {
  const losses = createLossList()
  for (let i = 0; i < 1000; i++) losses.add('dropped', `block ${i}`)
  losses.add('dropped', 'block 0')
  expect(losses.list()).toHaveLength(100)
  expect(losses.list()[0]).toEqual({ kind: 'dropped', what: 'block 0', count: 2 })
})
