import { expect, test } from 'vitest'
import {
  call,
  createBench,
  END,
  later,
  settle,
  START,
  text,
} from '../../test/support/policy-bench.ts'
import type { StreamEvent } from '../event/event.ts'
import { install } from './installed.ts'
import type { Installed, Policy } from './policy.ts'

type OnChunk = NonNullable<Policy['onChunk']>

const filter = (onChunk: OnChunk, more: Partial<Installed> = {}): Installed =>
  install({ name: 'filter', onChunk }, more)

const passing: OnChunk = (chunk, _state, ctx) => ctx.send(chunk)

const wordsOf = (chunk: StreamEvent): string =>
  chunk.type === 'block-delta' && 'text' in chunk.delta ? chunk.delta.text : ''

test('what it sends leaves once, and what belongs to no block leaves by itself', async () => {
  const bench = createBench([
    filter((chunk, _state, ctx) => {
      ctx.send(chunk)
      ctx.send(chunk)
    }),
  ])
  const events = [START, ...text('Hi'), ...END('stop')]
  await bench.run(events)
  expect(bench.sent).toEqual(events)
})

test('what it does not send does not leave, and hold keeps back another event', async () => {
  const bench = createBench([filter((chunk) => (chunk.type === 'ping' ? 'hold' : undefined))])
  await bench.run(START, text('Hi'), { type: 'ping' }, END('stop'))
  expect(bench.sent.map(({ type }) => type)).toEqual(['message-start', 'finish', 'message-stop'])
})

test('the next events wait while it thinks, and the upstream does when they are many', async () => {
  const first = later<undefined>()
  const bench = createBench([
    filter(async (chunk, _state, ctx) => {
      if (wordsOf(chunk) === 'slow') await first.promise
      ctx.send(chunk)
    }),
  ])
  bench.push(START, text('slow'))
  for (let at = 0; at < 1200; at++) bench.push({ type: 'ping' })
  await settle()
  expect(bench.told.pause).toBe(1)
  expect(bench.told.resume).toBe(0)
  first.resolve(undefined)
  bench.push(END('stop'))
  bench.engine.end()
  await bench.done
  expect(bench.told.resume).toBe(1)
  expect(bench.sent.at(-1)).toEqual({ type: 'message-stop' })
})

test('terminate ends the answer well-formed, with a word or without', async () => {
  for (const reason of ['Too long', undefined]) {
    const bench = createBench([
      filter((chunk, _state, ctx) => {
        if (wordsOf(chunk) === 'stop here') ctx.terminate(reason)
        else ctx.send(chunk)
      }),
    ])
    await bench.run(START, text('Hi'), text('stop here'), text('never'), END('stop'))
    expect(bench.lines().slice(0, 2)).toEqual(['text Hi', 'text '])
    expect(bench.lines().join()).not.toContain('never')
    expect(bench.state.isStopped).toBe(true)
    expect(bench.told).toMatchObject({ done: 1, halt: 1 })
    expect(bench.records).toMatchObject([{ type: 'halt', reason }])
  }
})

const failures: readonly [string, OnChunk][] = [
  [
    'throws',
    () => {
      throw new Error('secret words')
    },
  ],
  ['rejects', () => Promise.reject(new Error('secret words'))],
  ['takes too long', () => new Promise(() => {})],
]

test.each(failures)('one that %s ends the answer as an error', async (_how, onChunk) => {
  const bench = createBench([
    filter(
      (chunk, state, ctx) =>
        chunk.type === 'block-delta' ? onChunk(chunk, state, ctx) : passing(chunk, state, ctx),
      {
        timeoutMs: 5,
      },
    ),
  ])
  await bench.run(START, text('Hi'), END('stop'))
  expect(bench.sent.at(-1)).toMatchObject({
    type: 'error',
    error: { message: 'Policy "filter" failed: the answer ends here' },
  })
  expect(bench.records).toMatchObject([{ type: 'error' }])
  expect(JSON.stringify(bench.sent)).not.toContain('secret')
})

test.each(failures)(
  'with onError: pass, one that %s loses nothing of what it held back',
  async (_how, onChunk) => {
    // Holds back the last two letters of each piece, and a call as a whole.
    let held = ''
    const holding: OnChunk = (chunk, state, ctx) => {
      if (wordsOf(chunk) === 'boom') return onChunk(chunk, state, ctx)
      if (state.currentBlock?.type === 'tool-call') return undefined
      if (chunk.type !== 'block-delta') return ctx.send(chunk)
      const words = held + wordsOf(chunk)
      held = words.slice(-2)
      const { block } = chunk
      ctx.send({ type: 'block-delta', block, delta: { type: 'text', text: words.slice(0, -2) } })
      return undefined
    }
    const bench = createBench([filter(holding, { onError: 'pass', timeoutMs: 5 })])
    const [start, delta, stop] = text('Hello')
    const boom = { ...delta, delta: { type: 'text', text: 'boom' } } as StreamEvent
    await bench.run(START, [start, delta, boom, stop] as StreamEvent[], call(), END())
    expect(bench.lines()).toEqual(['text Helloboom', 'call Bash {"a":1}'])
    expect(bench.records).toMatchObject([{ type: 'error', reason: expect.any(String) }])
  },
)

test('with onError: pass, a call that it was still holding leaves whole', async () => {
  const bench = createBench([
    filter(
      (chunk, state) => {
        if (state.justCompleted?.type === 'tool-call') throw new Error('broken')
        return undefined
      },
      { onError: 'pass' },
    ),
  ])
  const events = [START, ...call(), ...END()]
  await bench.run(events)
  expect(bench.sent).toEqual(events)
})

test('who was too slow has no say any more', async () => {
  const late = later<undefined>()
  const bench = createBench([
    filter(
      async (chunk, _state, ctx) => {
        if (chunk.type !== 'block-delta') return ctx.send(chunk)
        await late.promise
        ctx.send(...text('late words'))
      },
      { onError: 'pass', timeoutMs: 5 },
    ),
  ])
  await bench.run(START, text('Hi'), END('stop'))
  late.resolve(undefined)
  await settle()
  expect(bench.lines()).toEqual(['text Hi'])
})

test('a later policy sees only what an earlier one let through', async () => {
  const seen: string[] = []
  const bench = createBench([
    filter((chunk, _state, ctx) => {
      if (wordsOf(chunk) !== 'secret') ctx.send(chunk)
    }),
    install({
      name: 'watch',
      onBlock: (block) => void seen.push('text' in block ? block.text : ''),
    }),
  ])
  await bench.run(START, text('open'), text('secret'), END('stop'))
  expect(seen).toEqual(['open', ''])
})
