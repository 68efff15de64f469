import { expect, test } from 'vitest'
import type { Letter, News } from './circle.ts'
import { createHub, joinHub, type HubCircle } from './hub.ts'
import { createMessageCircle, type CircleMessage, type MessageCircle } from './message-circle.ts'

const NEWS: News = { type: 'policy-modes' }

function listen(circle: HubCircle | MessageCircle): { heard: Letter[]; lost: string[] } {
  const heard: Letter[] = []
  const lost: string[] = []
  circle.onLetter((letter) => heard.push(letter))
  circle.onGone((isMeant) => lost.push(...['a', 'a.1', 'b', 'c'].filter(isMeant)))
  return { heard, lost }
}

test('what one tells, all others hear, and the one it is for alone where it names one', () => {
  const hub = createHub()
  const [a, b, c] = ['a', 'b', 'c'].map((id) => joinHub(hub, id))
  if (a === undefined || b === undefined || c === undefined) throw new Error('Not there')
  const all = [a, b, c].map(listen)
  a.tell(NEWS)
  b.tell(NEWS, 'c')
  expect(all.map(({ heard }) => heard.map(({ from }) => from))).toEqual([[], ['a'], ['a', 'b']])
})

test('letters for one who is not here go by the way to the others', () => {
  const hub = createHub()
  const away: Letter[] = []
  const way = hub.join(undefined, { take: (letter) => away.push(letter) })
  const a = joinHub(hub, 'a')
  const b = listen(joinHub(hub, 'b'))
  a.tell(NEWS, 'somewhere.2')
  a.tell(NEWS, 'b')
  a.tell(NEWS)
  expect(away.map(({ to }) => to)).toEqual(['somewhere.2', undefined])
  expect(b.heard.map(({ to }) => to)).toEqual(['b', undefined])
  way.lose({ allBut: 'b' })
  way.lose({ who: 'a' })
  expect(b.lost).toEqual(['a', 'a.1', 'c', 'a', 'a.1'])
})

test('who leaves is gone for the others', () => {
  const hub = createHub()
  const a = joinHub(hub, 'a')
  const b = listen(joinHub(hub, 'b'))
  a.leave()
  expect(b.lost).toEqual(['a', 'a.1'])
})

test('over messages it is the same, and catching up waits for an answer', async () => {
  const hub = createHub()
  const sent: CircleMessage[] = []
  const worker = createMessageCircle('a.1', (message) => sent.push(message))
  const there = listen(worker)
  const place = hub.join('a.1', { take: (letter) => worker.take({ type: 'letter', letter }) })
  const b = joinHub(hub, 'b')
  const other = listen(b)
  b.tell(NEWS)
  worker.tell(NEWS, 'b')
  for (const message of sent) if (message.type === 'letter') place.send(message.letter)
  expect([there.heard.length, other.heard.length]).toEqual([1, 1])
  worker.take({ type: 'gone', gone: { who: 'c' } })
  expect(there.lost).toEqual(['c'])
  let isDone = false
  const caught = worker.catchUp().then(() => (isDone = true))
  await Promise.resolve()
  expect(isDone).toBe(false)
  worker.take(sent.at(-1) ?? { type: 'catch-up', ask: 0 })
  await caught
})
