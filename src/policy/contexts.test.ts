import { expect, test } from 'vitest'
import { call, createBench, END, later, settle, START } from '../../test/support/policy-bench.ts'
import { install } from './installed.ts'
import { createMemories } from './memories.ts'
import { definePolicy, type Policy, type PolicyContext } from './policy.ts'
import { pass } from './verdict.ts'

test('close is called once, however the answer ends', async () => {
  const ways: ((bench: ReturnType<typeof createBench>) => void | Promise<void>)[] = [
    (bench) => bench.run(START, call(), END()),
    (bench) => bench.run(START, { type: 'error', error: { kind: 'cut', message: 'Cut' } }),
    (bench) => {
      bench.push(START, call())
      bench.engine.leave()
      bench.engine.leave()
    },
    async (bench) => {
      await bench.run(START, END('stop'))
      bench.engine.leave()
      bench.contexts.close()
    },
    (bench) => bench.contexts.close(),
  ]
  for (const end of ways) {
    const told: string[] = []
    const policy: Policy = {
      name: 'told',
      judge: () => pass(),
      onFinish: () => void told.push('finish'),
      close: () => void told.push('close'),
    }
    const bench = createBench([policy])
    await end(bench)
    bench.contexts.close()
    await bench.engine.settled()
    expect(told.filter((one) => one === 'close')).toEqual(['close'])
    expect(told.at(-1)).toBe('close')
    expect(told.length).toBeLessThanOrEqual(2)
  }
})

test('onFinish sees the answer as it was delivered, and may take its time before close', async () => {
  const going = later<undefined>()
  const told: unknown[] = []
  const bench = createBench([
    {
      name: 'told',
      judge: () => ({ type: 'deny', reason: 'No' }),
      async onFinish(state, ctx) {
        told.push(state.blocks.map(({ type }) => type))
        await going.promise
        told.push(ctx.signal.aborted)
      },
      close: () => void told.push('close'),
    },
  ])
  await bench.run(START, call(), END())
  expect(told).toEqual([['text']])
  going.resolve(undefined)
  await bench.engine.settled()
  expect(told).toEqual([['text'], false, 'close'])
})

test('one that fails at the end does not keep the others from it', async () => {
  const told: string[] = []
  const failing: Policy = {
    name: 'failing',
    onFinish: () => Promise.reject(new Error('broken')),
    close() {
      throw new Error('broken')
    },
  }
  const bench = createBench([failing, { name: 'other', close: () => void told.push('close') }])
  await bench.run(START, END('stop'))
  await bench.engine.settled()
  expect(told).toEqual(['close'])
})

test('an end that never comes is waited for no longer than the policy may take', async () => {
  const told: string[] = []
  const policy: Policy = {
    name: 'slow',
    onFinish: () => new Promise(() => {}),
    close: () => void told.push('close'),
  }
  const bench = createBench([install(policy, { timeoutMs: 5 })])
  await bench.run(START, END('stop'))
  await bench.engine.settled()
  expect(told).toEqual(['close'])
})

test('a state lives as long as the exchange, and has the type that was made', async () => {
  const seen: number[] = []
  const policy = definePolicy({
    name: 'counting',
    state: () => ({ calls: 0 }),
    memory: () => new Map<string, number>(),
    judge(block, ctx) {
      ctx.state.calls += 1
      ctx.memory.set(block.name, ctx.state.calls)
      seen.push(ctx.memory.get('Bash') ?? 0)
      return pass()
    },
  })
  const bench = createBench([policy])
  await bench.run(START, call({}, 'a'), call({}, 'b'), END())
  expect(seen).toEqual([1, 2])
  const [first, second] = [createBench([policy]), createBench([policy])]
  await first.run(START, call(), END())
  await second.run(START, call(), END())
  expect(seen).toEqual([1, 2, 1, 1])
})

test('what hangs on a judgment hears the end of the exchange, also in shadow and at a model', async () => {
  const signals: AbortSignal[] = []
  const bench = createBench(
    [
      install(
        {
          name: 'asking',
          async judge(_block, ctx: PolicyContext) {
            await ctx.callModel({
              model: 'm',
              messages: [],
              maxTokens: 1,
              signal: new AbortController().signal,
            })
            return pass()
          },
        },
        { isShadow: true },
      ),
    ],
    {
      host: {
        callModel(_call, signal) {
          signals.push(signal)
          return new Promise(() => {})
        },
      },
    },
  )
  bench.push(START, call())
  await settle()
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  bench.engine.leave()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
})

test('memories are kept by policy, version and conversation, and the oldest is forgotten', () => {
  const memories = createMemories(2)
  let made = 0
  const policy: Policy = { name: 'a', version: '1', memory: () => ({ made: ++made }) }
  const first = memories.of(policy, 'one')
  expect(memories.of(policy, 'one')).toBe(first)
  expect(memories.of({ ...policy }, 'one')).toBe(first)
  expect(memories.of({ ...policy, version: '2' }, 'one')).not.toBe(first)
  expect(memories.of(policy, 'one')).toBe(first)
  memories.of(policy, 'two')
  expect(memories.of(policy, 'one')).toBe(first)
  memories.of(policy, 'three')
  memories.of(policy, 'four')
  expect(memories.of(policy, 'one')).not.toBe(first)
})
