import { expect, test } from 'vitest'
import { call, createBench, END, later, START, text } from '../../test/support/policy-bench.ts'
import { pass } from './verdict.ts'

test('a policy that watches sees whole blocks of the types that it names, and holds nothing', async () => {
  const seen: string[] = []
  const bench = createBench([
    {
      name: 'watch',
      watches: ['tool-call'],
      onBlock: (block) => void seen.push(block.type === 'tool-call' ? block.arguments : block.type),
    },
  ])
  const events = [START, ...text('Hi'), ...call(), ...END()]
  await bench.run(events)
  expect(seen).toEqual(['{"a":1}'])
  expect(bench.sent).toEqual(events)
})

test('one that fails while it watches changes nothing', async () => {
  for (const onBlock of [
    () => {
      throw new Error('broken')
    },
    () => Promise.reject(new Error('broken')),
  ]) {
    const bench = createBench([{ name: 'watch', onBlock }])
    const events = [START, ...text('Hi'), ...END('stop')]
    await bench.run(events)
    expect(bench.sent).toEqual(events)
    await bench.engine.settled()
  }
})

test('one that judges and watches sees what it let through itself', async () => {
  const seen: string[] = []
  const bench = createBench([
    {
      name: 'both',
      judge: ({ id }) => (id === 'a' ? pass() : { type: 'deny', reason: 'No' }),
      onBlock: (block) => void seen.push(block.type),
    },
  ])
  await bench.run(START, call({}, 'a'), call({}, 'b'), END())
  expect(seen).toEqual(['tool-call', 'text'])
})

test('what it does with a block is waited for before it is closed', async () => {
  const going = later<undefined>()
  const told: string[] = []
  const bench = createBench([
    { name: 'watch', onBlock: () => going.promise, close: () => void told.push('close') },
  ])
  await bench.run(START, text('Hi'), END('stop'))
  expect(told).toEqual([])
  going.resolve(undefined)
  await bench.engine.settled()
  expect(told).toEqual(['close'])
})
