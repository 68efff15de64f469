import { expect, test } from 'vitest'
import { createBench, later, settle } from '../../test/support/policy-bench.ts'
import { human, requestOf } from '../../test/support/stock-policy.ts'
import { install } from './installed.ts'
import type { Installed, Policy } from './policy.ts'
import { judgeRequest, type RequestOutcome } from './requests.ts'
import { change, deny, pass } from './verdict.ts'

type OnRequest = NonNullable<Policy['onRequest']>

const REQUEST = requestOf([human('Hello')])

const at = (onRequest: OnRequest, more: Partial<Installed> = {}): Installed =>
  install({ name: 'door', onRequest }, { timeoutMs: 5, ...more })

const run = (
  bench: ReturnType<typeof createBench>,
  ...installed: readonly Installed[]
): Promise<RequestOutcome> => judgeRequest(REQUEST, installed, bench.host, bench.contexts)

test('nothing said is a pass, and nothing is recorded', async () => {
  const bench = createBench([])
  const outcome = await run(
    bench,
    at(() => undefined),
    at(() => pass()),
  )
  expect(outcome).toEqual({ type: 'pass', request: REQUEST, isChanged: false })
  expect(bench.records).toEqual([])
})

test('each sees what the one before it has changed', async () => {
  const bench = createBench([])
  const outcome = await run(
    bench,
    at((request) => change({ ...request, model: `${request.model}-a` })),
    at((request) => change({ ...request, model: `${request.model}-b` })),
  )
  expect(outcome).toMatchObject({ isChanged: true, request: { model: 'model-a-b' } })
  expect(bench.records).toMatchObject([{ type: 'change' }, { type: 'change' }])
})

test('a refusal ends it, with its reason and what is allowed instead', async () => {
  const bench = createBench([])
  const outcome = await run(
    bench,
    at(() => deny('Not from here', { instead: 'ask at home' })),
    at(() => {
      throw new Error('must not be asked')
    }),
  )
  expect(outcome).toEqual({
    type: 'deny',
    reason: 'Not from here. Instead: ask at home.',
    policy: 'door',
  })
})

const FAILURES: readonly [string, OnRequest][] = [
  [
    'throws',
    () => {
      throw new Error('broken')
    },
  ],
  ['rejects', () => Promise.reject(new Error('broken'))],
  ['takes too long', () => new Promise(() => {})],
  ['says nonsense', () => ({ type: 'allow' }) as never],
  ['denies without a reason', () => ({ type: 'deny' }) as never],
  ['changes it to nothing', () => ({ type: 'change', request: undefined }) as never],
  ['changes it to no request', () => Promise.resolve(change({ turns: [{}] } as never))],
]

test.each(FAILURES)('one that %s refuses, or passes if its config says so', async (_how, fail) => {
  const bench = createBench([])
  expect(await run(bench, at(fail))).toMatchObject({
    type: 'deny',
    reason: 'Policy "door" could not decide.',
  })
  expect(await run(bench, at(fail, { onError: 'pass' }))).toMatchObject({
    type: 'pass',
    isChanged: false,
  })
  expect(bench.records).toMatchObject([{ type: 'error' }, { type: 'error' }])
})

test('one in shadow holds nothing up and changes nothing; what it would have done is recorded', async () => {
  const verdict = later<ReturnType<typeof deny>>()
  const bench = createBench([])
  const outcome = await run(
    bench,
    at(() => verdict.promise, { isShadow: true, timeoutMs: 1000 }),
    at((request) => change({ ...request, model: 'other' }), { isShadow: true }),
  )
  expect(outcome).toMatchObject({ type: 'pass', isChanged: false })
  verdict.resolve(deny('Not from here'))
  bench.contexts.finish(bench.state)
  await bench.contexts.settled()
  expect(bench.records).toMatchObject([
    { type: 'change', isShadow: true },
    { type: 'deny', isShadow: true },
  ])
})

test('a client that leaves is not waited for, and the policy hears of it', async () => {
  const leaves: (() => void)[] = []
  let signal: AbortSignal | undefined
  const bench = createBench([], {
    host: {
      onLeave(callback) {
        leaves.push(callback)
        return () => {}
      },
    },
  })
  const outcome = run(
    bench,
    at(
      (_request, ctx) => {
        ;({ signal } = ctx)
        return new Promise(() => {})
      },
      { timeoutMs: 60_000 },
    ),
  )
  await settle()
  for (const leave of leaves) leave()
  expect(await outcome).toMatchObject({ type: 'deny' })
  expect(signal?.aborted).toBe(true)
})
