import { expect, test } from 'vitest'
import { call, createBench, END, later, START, text } from '../../test/support/policy-bench.ts'
import { all } from './combine.ts'
import { definePolicy, type Policy } from './policy.ts'
import { ask, deny, halt, pass, replace, rewrite, strictest, type Verdict } from './verdict.ts'

const gate = (name: string, judge: NonNullable<Policy['judge']>): Policy => ({ name, judge })

test('of several verdicts the strictest decides, and of two alike the first', () => {
  const order: Verdict[] = [
    halt('h'),
    deny('d'),
    ask('a'),
    replace([]),
    rewrite({}),
    pass({ reason: 'p' }),
  ]
  for (const [at, verdict] of order.entries())
    expect(strictest(order.slice(at).toReversed()).type).toBe(verdict.type)
  expect(strictest([deny('one'), deny('two')])).toEqual(deny('one'))
  expect(strictest([])).toEqual(pass())
})

test('all are asked at once', async () => {
  const first = later<Verdict>()
  const asked: string[] = []
  const bench = createBench([
    all(
      'both',
      gate('one', () => {
        asked.push('one')
        return first.promise
      }),
      gate('two', () => {
        asked.push('two')
        return deny('Two says no')
      }),
    ),
  ])
  bench.push(START, call(), END())
  expect(asked).toEqual(['one', 'two'])
  first.resolve(pass())
  bench.engine.end()
  await bench.done
  expect(bench.lines()).toEqual([expect.stringContaining('Two says no')])
})

test('one that fails or says nonsense denies', async () => {
  for (const judge of [
    () => {
      throw new Error('broken')
    },
    () => Promise.reject(new Error('broken')),
    () => ({ type: 'allow' }) as unknown as Verdict,
    () => undefined as unknown as Verdict,
  ]) {
    const bench = createBench([
      all(
        'both',
        gate('one', judge),
        gate('two', () => pass()),
      ),
    ])
    await bench.run(START, call(), END())
    expect(bench.lines()).toEqual([expect.stringContaining('Policy "one" could not decide')])
  }
})

test('each sees only what it holds, with a state and a memory of its own', async () => {
  const seen: unknown[] = []
  const counting = (name: string, holds: 'text' | 'tool-call'): Policy =>
    definePolicy({
      name,
      holds: [holds],
      state: () => ({ name, count: 0 }),
      memory: () => [name],
      judge(block, ctx) {
        ctx.state.count += 1
        seen.push([block.type, ctx.state.name, ctx.state.count, ctx.memory])
        return pass()
      },
    })
  const bench = createBench([all('both', counting('a', 'text'), counting('b', 'tool-call'))])
  await bench.run(START, text('Hi'), call(), call({}, 'c2'), END())
  expect(seen).toEqual([
    ['text', 'a', 1, ['a']],
    ['tool-call', 'b', 1, ['b']],
    ['tool-call', 'b', 2, ['b']],
  ])
})

test('all hear when nobody waits any more, and all are closed', async () => {
  const signals: AbortSignal[] = []
  const closed: string[] = []
  const waiting = (name: string): Policy => ({
    name,
    judge(_block, ctx) {
      signals.push(ctx.signal)
      return new Promise(() => {})
    },
    close: () => void closed.push(name),
  })
  const bench = createBench([all('both', waiting('a'), waiting('b'))])
  bench.push(START, call())
  bench.engine.leave()
  await bench.engine.settled()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
  expect(closed).toEqual(['a', 'b'])
})

test('one that does more than judge cannot be among them', () => {
  expect(() => all('both', { name: 'filter', onChunk: () => {} })).toThrow(
    'Policy "filter" does more than judge',
  )
})
