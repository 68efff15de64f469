import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBag, type Place } from './bag.ts'

test('holds what was added and not taken out, however these come', () => {
  const steps = fc.array(fc.oneof(fc.constant('add' as const), fc.nat({ max: 30 })))
  fc.assert(
    fc.property(steps, (order) => {
      const bag = createBag<number>()
      const held = new Map<number, Place<number>>()
      let next = 0
      for (const step of order) {
        if (step === 'add') {
          held.set(next, bag.add(next))
          next += 1
        } else {
          // Twice: the second call does nothing.
          const place = held.get(step)
          if (place !== undefined) {
            bag.remove(place)
            bag.remove(place)
          }
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
  const a = bag.add('a')
  bag.add('b')
  const c = bag.add('c')
  bag.forEach((name) => {
    seen.push(name)
    bag.remove(a)
    bag.remove(c)
    if (name !== 'late') bag.add('late')
  })
  expect(seen).toEqual(['a', 'b'])
})
