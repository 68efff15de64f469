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
import { ask, deny, halt, pass, type Verdict } from './verdict.ts'

const shadow = (policy: Partial<Policy>, more: Partial<Installed> = {}): Installed =>
  install({ name: 'shadow', ...policy }, { isShadow: true, ...more })

const EVENTS = [START, ...text('Hi'), ...call({ a: 1 }), ...END()]

test('a judge in shadow changes nothing and is recorded', async () => {
  for (const [verdict, type] of [
    [deny('No'), 'deny'],
    [halt('Enough'), 'halt'],
    [ask('May it?', { reason: 'It deletes' }), 'ask'],
    [pass(), 'pass'],
  ] as const) {
    const bench = createBench([shadow({ judge: () => verdict })])
    await bench.run(EVENTS)
    expect(bench.sent).toEqual(EVENTS)
    expect(bench.records).toMatchObject([{ type, isShadow: true, original: '{"a":1}' }])
  }
})

test('a judge in shadow may decide after the answer, and the engine knows when it has', async () => {
  const verdict = later<Verdict>()
  const closed: string[] = []
  const bench = createBench([
    shadow({ judge: () => verdict.promise, close: () => void closed.push('closed') }),
  ])
  await bench.run(EVENTS)
  expect([bench.records, closed]).toEqual([[], []])
  verdict.resolve(deny('Too late'))
  await bench.engine.settled()
  expect(bench.records).toMatchObject([{ type: 'deny' }])
  expect(closed).toEqual(['closed'])
})

test('a judge in shadow that never decides is waited for no longer than its time', async () => {
  const bench = createBench([shadow({ judge: () => new Promise(() => {}) }, { timeoutMs: 5 })])
  await bench.run(EVENTS)
  await bench.engine.settled()
  expect(bench.records).toMatchObject([{ type: 'error', isShadow: true }])
})

test('a client that leaves in the middle ends it, and one that has heard the end does not', async () => {
  for (const events of [EVENTS.slice(0, -2), EVENTS]) {
    const verdict = later<Verdict>()
    let signal: AbortSignal | undefined
    const bench = createBench([
      shadow({
        judge(_block, ctx) {
          ;({ signal } = ctx)
          return verdict.promise
        },
      }),
    ])
    bench.push(events)
    bench.engine.leave()
    const isWhole = events === EVENTS
    expect(signal?.aborted).toBe(!isWhole)
    verdict.resolve(pass())
    await bench.engine.settled()
    expect(bench.records).toHaveLength(isWhole ? 1 : 0)
  }
})

test('a filter in shadow sends into the void, and what it would have changed is recorded', async () => {
  const bench = createBench([
    shadow({
      onChunk(chunk, state, ctx) {
        if (state.currentBlock?.type === 'tool-call') {
          if (chunk.type === 'block-stop') ctx.send(...text('No call.'))
          return
        }
        if (chunk.type !== 'block-delta' || chunk.delta.type !== 'text') return ctx.send(chunk)
        const { block } = chunk
        const delta = { type: 'text', text: chunk.delta.text.toUpperCase() } as const
        ctx.send({ type: 'block-delta', block, delta })
      },
    }),
  ])
  await bench.run(EVENTS)
  expect(bench.sent).toEqual(EVENTS)
  expect(bench.records).toMatchObject([
    { type: 'change', isShadow: true, original: 'Hi', delivered: 'HI', block: { type: 'text' } },
    { type: 'change', original: '{"a":1}', delivered: undefined, block: { name: 'Bash' } },
    { type: 'change', original: undefined, delivered: 'No call.' },
  ])
})

test('a filter in shadow that changes nothing records nothing', async () => {
  const bench = createBench([shadow({ onChunk: (chunk, _state, ctx) => ctx.send(chunk) })])
  await bench.run(EVENTS)
  expect(bench.records).toEqual([])
})

test('a filter in shadow that ends the answer or fails is recorded, and the answer goes on', async () => {
  const cases: [NonNullable<Policy['onChunk']>, object][] = [
    [(_chunk, _state, ctx) => ctx.terminate('Enough'), { type: 'halt', reason: 'Enough' }],
    [
      () => {
        throw new Error('broken')
      },
      { type: 'error' },
    ],
  ]
  for (const [onChunk, record] of cases) {
    const bench = createBench([shadow({ onChunk }, { onError: 'pass' })])
    await bench.run(EVENTS)
    expect(bench.sent).toEqual(EVENTS)
    expect(bench.records[0]).toMatchObject({ ...record, isShadow: true })
    expect(bench.told.halt).toBe(0)
  }
})

test('a filter in shadow that takes its time is compared when it is done', async () => {
  const first = later<undefined>()
  const bench = createBench([
    shadow({
      async onChunk(chunk) {
        if (chunk.type === 'block-start') await first.promise
      },
    }),
  ])
  await bench.run(EVENTS)
  expect(bench.records).toEqual([])
  first.resolve(undefined)
  await bench.engine.settled()
  expect(bench.records).toHaveLength(2)
})

test('a filter in shadow that falls too far behind is given up, and holds nothing up', async () => {
  const bench = createBench([shadow({ onChunk: () => new Promise(() => {}) })])
  const pings = Array.from({ length: 1500 }, (): StreamEvent => ({ type: 'ping' }))
  await bench.run(START, pings, END('stop'))
  expect(bench.told.pause).toBe(0)
  expect(bench.records).toMatchObject([{ type: 'error', isShadow: true }])
  await settle()
  expect(bench.sent).toHaveLength(1503)
})
