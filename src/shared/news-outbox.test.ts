import { expect, test } from 'vitest'
import type { News } from './circle.ts'
import { createNewsOutbox } from './news-outbox.ts'

const letter = (news: News) => ({ from: 'me', to: undefined, news })

test('the last turn of the kill switch is kept where there is no room for the rest', () => {
  const outbox = createNewsOutbox({ maxChars: 1000 })
  outbox.add(letter({ type: 'halt', state: { halted: true, at: 1 } }))
  outbox.add(letter({ type: 'halt', state: { halted: false, at: 2 } }))
  for (let i = 0; i < 100; i++) outbox.add(letter({ type: 'policy-modes' }))
  outbox.add(letter({ type: 'halt', state: { halted: true, at: 3 } }))
  for (let i = 0; i < 100; i++) outbox.add(letter({ type: 'policy-modes' }))
  const parcels = outbox.take()?.parcels ?? []
  const halts = parcels.filter(({ topic }) => topic === 'halt')
  expect(halts.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    [letter({ type: 'halt', state: { halted: true, at: 3 } })],
  ])
  expect(parcels.reduce((sum, { body }) => sum + body.length, 0)).toBeLessThan(1100)
  expect(outbox.takeDropped()).toBeGreaterThan(100)
})
