import { expect, test } from 'vitest'
import { createLane } from './lane.ts'

test('runs so many at once, and what came last first', async () => {
  const lane = createLane(1)
  const order: string[] = []
  const work = (name: string) => lane(() => Promise.resolve(void order.push(name)))
  await Promise.all([work('first'), work('second'), work('third')])
  expect(order).toEqual(['first', 'third', 'second'])
})

test('goes on after one that failed', async () => {
  const lane = createLane(1)
  await expect(lane(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await lane(() => Promise.resolve(7))).toBe(7)
})
