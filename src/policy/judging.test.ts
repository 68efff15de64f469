import { runInNewContext } from 'node:vm'
import { expect, test, vi } from 'vitest'
import { call, createBench, END, START } from '../../test/support/policy-bench.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { install } from './installed.ts'
import type { Installed, Policy } from './policy.ts'
import type { Verdict } from './verdict.ts'

type Judge = NonNullable<Policy['judge']>

const gate = (judge: Judge, more: Partial<Installed> = {}): Installed =>
  install({ name: 'gate', judge }, { timeoutMs: 5, ...more })

const bad =
  (verdict: unknown): Judge =>
  () =>
    verdict as Verdict

const cyclic: Record<string, unknown> = {}
cyclic['self'] = cyclic

const RUBBISH: readonly [string, unknown][] = [
  ['nothing', undefined],
  ['null', null],
  ['a word', 'pass'],
  ['a list', [{ type: 'pass' }]],
  ['an unknown type', { type: 'allow' }],
  ['a denial without a reason', { type: 'deny' }],
  ['a denial whose way out is no text', { type: 'deny', reason: 'No', instead: {} }],
  ['a question that is none', { type: 'ask', question: 7 }],
  ['a halt without a reason', { type: 'halt' }],
  ['arguments that are a list', { type: 'rewrite', args: [] }],
  ['blocks that are no list', { type: 'replace', blocks: 'x' }],
  ['a block that is none', { type: 'replace', blocks: [null] }],
  ['a text without words', { type: 'replace', blocks: [{ type: 'text', text: 5 }] }],
  [
    'a call without a name',
    { type: 'replace', blocks: [{ type: 'tool-call', name: '', args: {} }] },
  ],
  ['a call without arguments', { type: 'replace', blocks: [{ type: 'tool-call', name: 'a' }] }],
  ['a block of an unknown type', { type: 'replace', blocks: [{ type: 'image' }] }],
  ['tags that are no list', { type: 'pass', tags: 'x' }],
  ['details that go deeper', { type: 'pass', details: { a: cyclic } }],
]

test.each(RUBBISH)('%s is no verdict, and denies', async (_what, verdict) => {
  for (const judge of [bad(verdict), bad(Promise.resolve(verdict))]) {
    const bench = createBench([gate(judge)])
    await bench.run(START, call(), END())
    expect(bench.lines()).toEqual([expect.stringContaining('could not decide: it gave no verdict')])
    expect(bench.records).toMatchObject([{ type: 'error' }])
  }
})

const UNUSABLE: readonly [string, Verdict, string][] = [
  ['arguments in a circle', { type: 'rewrite', args: cyclic }, 'cannot be written as JSON'],
  ['arguments of no JSON', { type: 'rewrite', args: { a: 1n } }, 'cannot be written as JSON'],
  ['a text for an object', { type: 'rewrite', args: 'x' }, 'gave text to a tool'],
  [
    'a made call in a circle',
    { type: 'replace', blocks: [{ type: 'tool-call', name: 'a', args: cyclic }] },
    'cannot be written as JSON',
  ],
  [
    'a made call with a name that no tool has',
    { type: 'replace', blocks: [{ type: 'tool-call', name: 'a b\n', args: {} }] },
    'name no tool can have',
  ],
]

test.each(UNUSABLE)(
  '%s cannot be carried out: the call is refused',
  async (_what, verdict, why) => {
    for (const given of [verdict, Promise.resolve(verdict)]) {
      const bench = createBench([gate(() => given, { onError: 'pass' })])
      await bench.run(START, call(), END())
      expect(bench.lines()).toEqual([expect.stringContaining(why)])
      expect(bench.records).toMatchObject([{ type: 'error', reason: expect.stringContaining(why) }])
    }
  },
)

const FAILURES: readonly [string, Judge, string][] = [
  [
    'throws',
    () => {
      throw new Error('secret')
    },
    'it failed',
  ],
  ['rejects', () => Promise.reject(new Error('secret')), 'it failed'],
  ['takes too long', () => new Promise(() => {}), 'it took too long'],
  [
    'says why in words of ours',
    () => {
      throw new SluiceError('upstream-failed', 'No model answered')
    },
    'No model answered',
  ],
]

test.each(FAILURES)('a judge that %s denies, and tells no secret', async (_how, judge, why) => {
  const bench = createBench([gate(judge)])
  await bench.run(START, call(), END())
  expect(bench.lines()).toEqual([expect.stringContaining(`could not decide: ${why}`)])
  expect(bench.lines().join()).not.toContain('secret')
  expect(bench.records).toMatchObject([{ type: 'error', reason: expect.stringContaining(why) }])
})

test.each(FAILURES)(
  'with onError: pass, a judge that %s lets the call pass',
  async (_how, judge) => {
    const bench = createBench([gate(judge, { onError: 'pass' })])
    await bench.run(START, call(), END())
    expect(bench.lines()).toEqual(['call Bash {"a":1}'])
    expect(bench.records).toMatchObject([{ type: 'error' }])
  },
)

test('a verdict that comes after its time is too late', async () => {
  let resolve: (verdict: Verdict) => void = () => {}
  const bench = createBench([gate(() => new Promise((yes) => (resolve = yes)))])
  await bench.run(START, call(), END())
  resolve({ type: 'pass' })
  await Promise.resolve()
  expect(bench.lines()).toEqual([expect.stringContaining('it took too long')])
  expect(bench.records).toHaveLength(1)
})

test('a promise of another kind is waited for too', async () => {
  const foreign = runInNewContext('Promise.resolve({ type: "pass" })') as Promise<Verdict>
  expect(foreign).not.toBeInstanceOf(Promise)
  const bench = createBench([gate(() => foreign)])
  await bench.run(START, call(), END())
  expect(bench.lines()).toEqual(['call Bash {"a":1}'])
})

test('the signal is aborted when the time is up, and when it has decided', async () => {
  const signals: AbortSignal[] = []
  for (const given of [
    new Promise<Verdict>(() => {}),
    Promise.resolve<Verdict>({ type: 'pass' }),
  ]) {
    const bench = createBench([
      gate((_block, ctx) => {
        signals.push(ctx.signal)
        return given
      }),
    ])
    await bench.run(START, call(), END())
  }
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
})

test('a rewritten call is held to the schema that the client declared', async () => {
  const { request } = createBench([]).host
  const bench = createBench([gate(() => ({ type: 'rewrite', args: { b: 1 } }))], {
    host: {
      request: { ...request, tool: () => ({ name: 'Bash' }) as never } as typeof request,
      checkArguments: () => '"a" is missing',
    },
  })
  await bench.run(START, call(), END())
  expect(bench.lines()).toEqual([
    expect.stringContaining('they do not fit the tool: "a" is missing'),
  ])
})

test('a verdict that is there at once costs no timer and no promise', () => {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const bench = createBench([gate(() => ({ type: 'pass' }))])
  bench.push(START, call(), END())
  expect(bench.lines()).toEqual(['call Bash {"a":1}'])
  expect(timers).not.toHaveBeenCalled()
  timers.mockRestore()
})
