import { expect, test } from 'vitest'
import { callBlock, done, human, judge, runPolicy } from '../../test/support/stock-policy.ts'
import type { Turn } from '../request/request.ts'
import { loopBreaker } from './loop-breaker.ts'

const policy = loopBreaker()
const same = (times: number, result = 'nothing'): Turn[] =>
  Array.from({ length: times }, (_, i) => [
    ...done('Read', { path: 'a', limit: 1 }, { text: result, id: `r${i}` }),
  ]).flat()
const READ = callBlock('Read', { limit: 1, path: 'a' })

test('the same call in a row is denied with advice, however its arguments are ordered', async () => {
  const turns = [human('go'), ...same(3)]
  const verdict = await judge(policy, READ, runPolicy(policy, { turns }))
  expect(verdict).toMatchObject({
    type: 'deny',
    reason: '"Read" was called with the same arguments 3 times in a row and brought nothing new',
    details: { loop: 'in-row', times: 4 },
  })
  expect(verdict).toHaveProperty('instead')
  expect(
    await judge(policy, READ, runPolicy(policy, { turns: [human('go'), ...same(2)] })),
  ).toEqual({
    type: 'pass',
  })
})

test('whoever goes on after that is halted, but not within the same answer', async () => {
  const turns = [human('go'), ...same(3)]
  const memory = policy.memory?.()
  const first = runPolicy(policy, { turns, memory, exchangeId: 'one' })
  expect(await judge(policy, READ, first)).toMatchObject({ type: 'deny' })
  expect(await judge(policy, READ, first)).toMatchObject({ type: 'deny' })
  const second = runPolicy(policy, { turns, memory, exchangeId: 'two' })
  expect(await judge(policy, READ, second)).toMatchObject({ type: 'halt' })
  const mild = loopBreaker({ again: 'deny' })
  const kept = mild.memory?.()
  for (const exchangeId of ['one', 'two', 'three'])
    expect(
      await judge(mild, READ, runPolicy(mild, { turns, memory: kept, exchangeId })),
    ).toMatchObject({
      type: 'deny',
    })
})

test('a call that brought something new each time is no loop, unless that is asked for', async () => {
  const turns = [human('go'), ...[1, 2, 3, 4, 5].flatMap((i) => same(1, `line ${i}`))]
  expect(await judge(policy, READ, runPolicy(policy, { turns }))).toEqual({ type: 'pass' })
  const strict = loopBreaker({ sameResult: false })
  expect(await judge(strict, READ, runPolicy(strict, { turns }))).toMatchObject({ type: 'deny' })
})

test('a person who says something begins anew, a reminder beside a result does not', async () => {
  const spoken = [...same(3), human('try again')]
  expect(await judge(policy, READ, runPolicy(policy, { turns: spoken }))).toEqual({ type: 'pass' })
  const reminded = same(3).map((turn, i): Turn =>
    i === 5 ? { ...turn, parts: [...turn.parts, { type: 'text', text: '<reminder>' }] } : turn,
  )
  expect(await judge(policy, READ, runPolicy(policy, { turns: reminded }))).toMatchObject({
    type: 'deny',
  })
})

test('same calls of one answer count too', async () => {
  const run = runPolicy(policy)
  const verdicts = []
  for (let i = 0; i < 5; i++) verdicts.push((await judge(policy, READ, run)).type)
  expect(verdicts).toEqual(['pass', 'pass', 'pass', 'deny', 'deny'])
})

test('often within some calls is a loop, also with others between', async () => {
  const loose = loopBreaker({ within: { times: 3, calls: 6 } })
  const other = (i: number): readonly Turn[] => done('Grep', { i }, { text: `${i}` })
  const turns = [...same(1), ...other(1), ...other(2), ...same(1), ...other(3)]
  expect(await judge(loose, READ, runPolicy(loose, { turns }))).toMatchObject({
    type: 'deny',
    details: { loop: 'within', times: 3 },
  })
  const far = [...turns, ...other(4), ...other(5)]
  expect(await judge(loose, READ, runPolicy(loose, { turns: far }))).toEqual({ type: 'pass' })
})

test('two calls in turn are a loop', async () => {
  const round = (i: number): readonly Turn[] => [
    ...done('A', { x: 1 }, { text: 'a', id: `a${i}` }),
    ...done('B', { x: 2 }, { text: 'b', id: `b${i}` }),
  ]
  const turns = [...round(1), ...round(2), ...round(3), ...done('A', { x: 1 }, { text: 'a' })]
  expect(await judge(policy, callBlock('B', { x: 2 }), runPolicy(policy, { turns }))).toMatchObject(
    {
      type: 'deny',
      reason: '"B" and "A" were called in turn 4 times and brought nothing new',
    },
  )
  expect(await judge(policy, callBlock('B', { x: 3 }), runPolicy(policy, { turns }))).toEqual({
    type: 'pass',
  })
})

test('the same error again and again is told once, and halts when it comes once more', async () => {
  const fails = (times: number, isError: boolean): Turn[] =>
    Array.from({ length: times }, (_, i) => [
      ...done(
        'Bash',
        { command: `try ${i}` },
        { text: 'Error: no such host', isError, id: `e${i}` },
      ),
    ]).flat()
  const memory = policy.memory?.()
  const next = async (times: number, exchangeId: string, isError = true) =>
    (
      await judge(
        policy,
        callBlock('Bash', { command: `other ${exchangeId}` }),
        runPolicy(policy, { turns: fails(times, isError), memory, exchangeId }),
      )
    ).type
  expect(await next(3, 'one')).toBe('pass')
  // Two wires do not say that it is an error.
  expect(await next(4, 'two', false)).toBe('deny')
  expect(await next(4, 'three')).toBe('pass')
  expect(await next(5, 'four')).toBe('halt')
})

test('tools that wait for something, and those that are named, may be called as often as they like', async () => {
  const lenient = loopBreaker({ ignore: ['poll_*'] })
  const run = runPolicy(lenient)
  for (const name of ['BashOutput', 'poll_job'])
    for (let i = 0; i < 10; i++)
      expect(await judge(lenient, callBlock(name, {}), run)).toEqual({ type: 'pass' })
})

test('arguments that are no JSON, or nested without end, are compared as they are written', async () => {
  for (const args of ['{"a":', `${'['.repeat(5000)}${']'.repeat(5000)}`]) {
    const run = runPolicy(policy)
    for (let i = 0; i < 3; i++) await judge(policy, callBlock('X', args), run)
    expect(await judge(policy, callBlock('X', args), run)).toMatchObject({ type: 'deny' })
  }
})
