import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBag } from './bag.ts'

test('holds what was added and not taken out, however these come', () => {
  const steps = fc.array(fc.oneof(fc.constant('add' as const), fc.nat({ max: 30 })))
  fc.assert(
    fc.property(steps, (order) => {
      const bag = createBag<number>()
      const held = new Map<number, () => void>()
      let next = 0
      for (const step of order) {
        if (step === 'add') {
          held.set(next, bag.add(next))
          next += 1
        } else {
          // Twice: the second call does nothing.
          held.get(step)?.()
          held.get(step)?.()
          held.delete(step)
        }
        const seen: number[] = []
        bag.forEach((item) => seen.push(item))
        expect(seen.toSorted((a, b) => a - b)).toEqual([...held.keys()])
        expect(bag.size()).toBe(held.size)
      }
    }),
  )
})

test('those who are called may take out themselves and others, and what they add waits', () => {
  const bag = createBag<string>()
  const seen: string[] = []
  const outs = new Map(['a', 'b', 'c'].map((name) => [name, bag.add(name)]))
  bag.forEach((name) => {
    seen.push(name)
    outs.get('a')?.()
    outs.get('c')?.()
    if (name !== 'late') bag.add('late')
  })
  expect(seen).toEqual(['a', 'b'])
})
