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
import type { Decision, Policy } from './policy.ts'
import { ask, deny, halt, pass, replace, rewrite, type Verdict } from './verdict.ts'

const gate = (judge: NonNullable<Policy['judge']>, more: Partial<Policy> = {}): Policy => ({
  name: 'gate',
  ...more,
  judge,
})

test('a call that passes leaves as the very events that came', async () => {
  const bench = createBench([gate(() => pass())])
  const events = [START, ...text('Hi'), ...call(), ...END()]
  await bench.run(events)
  expect(bench.sent).toEqual(events)
  bench.sent.forEach((event, at) => expect(event).toBe(events[at]))
})

test('text flows while a call is judged, and what comes behind it waits in order', async () => {
  const verdict = later<Verdict>()
  const bench = createBench([gate(() => verdict.promise)])
  bench.push(START, text('before'), call(), text('behind'), END())
  await settle()
  expect(bench.lines()).toEqual(['text before'])
  verdict.resolve(pass())
  await settle()
  expect(bench.lines()).toEqual(['text before', 'call Bash {"a":1}', 'text behind'])
})

test('several calls are judged at once and leave in order, whoever is decided first', async () => {
  const first = later<Verdict>()
  const judged: string[] = []
  const bench = createBench([
    gate((block) => {
      judged.push(block.id)
      return block.id === 'a' ? first.promise : pass()
    }),
  ])
  bench.push(START, call({}, 'a'), call({}, 'b'))
  await settle()
  expect([judged, bench.lines()]).toEqual([['a', 'b'], []])
  first.resolve(pass())
  await settle()
  expect(bench.lines()).toHaveLength(2)
})

test('a denied call becomes a notice, and the finish a normal end if none is left', async () => {
  const bench = createBench([gate(() => deny('No pushing', { instead: 'open a request' }))])
  await bench.run(START, call({ secret: 1 }), END())
  expect(bench.lines()).toEqual([
    'text [Sluice] The call of the tool "Bash" was not allowed and was not run. No pushing. Instead: open a request.',
  ])
  expect(bench.state.finishReason).toBe('stop')
})

test.each(['length', 'refusal', 'content-filter'] as const)(
  'a finish of %s stays, whatever was denied',
  async (reason) => {
    const bench = createBench([gate(() => deny('No'))])
    await bench.run(START, call(), END(reason))
    expect(bench.state.finishReason).toBe(reason)
  },
)

test('what still comes of a denied call has no place any more', async () => {
  const bench = createBench([gate(() => deny('No'))])
  const events = call()
  const [start] = events
  const late = { type: 'other', block: (start as { block: unknown }).block } as StreamEvent
  await bench.run(START, events, late, END())
  expect(bench.sent).not.toContain(late)
})

test('an answer of which nothing is left says so', async () => {
  const bench = createBench([gate(() => replace([]))])
  await bench.run(START, call(), END())
  expect(bench.lines()).toEqual(['text [Sluice] This answer was withheld.'])
  expect(bench.state.finishReason).toBe('stop')
})

test('a block can be replaced by several, and made calls ask to be run', async () => {
  const made = { type: 'tool-call', name: 'Read', args: { path: 'x' } } as const
  const bench = createBench([
    gate(() => replace([{ type: 'text', text: 'Look first.' }, made, made]), { holds: ['text'] }),
  ])
  await bench.run(START, text('Hello'), END('stop'))
  expect(bench.lines()).toEqual([
    'text Look first.',
    'call Read {"path":"x"}',
    'call Read {"path":"x"}',
  ])
  const ids = bench.state.blocks.map(({ id }) => id)
  expect(new Set(ids).size).toBe(3)
  expect(bench.state.finishReason).toBe('tool-calls')
})

test('a rewritten call keeps its id and gets the new arguments', async () => {
  const bench = createBench([gate(() => rewrite({ b: 2 }))])
  await bench.run(START, call({ a: 1 }, 'call_7'), END())
  expect(bench.lines()).toEqual(['call Bash {"b":2}'])
  expect(bench.state.blocks[0]?.id).toBe('call_7')
  expect(bench.records).toMatchObject([
    { type: 'rewrite', original: '{"a":1}', delivered: '{"b":2}' },
  ])
})

test('halt ends the answer well-formed, with what had passed before it', async () => {
  const bench = createBench([gate((block) => (block.id === 'b' ? halt('Enough') : pass()))])
  await bench.run(START, call({}, 'a'), call({}, 'b'), text('never'), END())
  expect(bench.lines()).toEqual([
    'call Bash {}',
    'text [Sluice] This answer was ended here. Enough.',
  ])
  expect(bench.sent.at(-1)).toEqual({ type: 'message-stop' })
  expect(bench.told).toMatchObject({ done: 1, halt: 1 })
  expect(bench.state.finishReason).toBe('tool-calls')
})

test('a halt that is decided late lets nothing out that came behind it', async () => {
  const verdict = later<Verdict>()
  const bench = createBench([gate(() => verdict.promise)])
  bench.push(START, text('before'), call(), text('behind'), END())
  bench.engine.end()
  verdict.resolve(halt('Enough'))
  await bench.done
  expect(bench.lines()).toEqual([
    'text before',
    'text [Sluice] This answer was ended here. Enough.',
  ])
  expect(bench.state).toMatchObject({ finishReason: 'stop', isStopped: true })
})

test('thinking does not stand last, where what followed it is gone', async () => {
  const block = { id: 't', index: 1, type: 'thinking', redacted: false } as const
  const bench = createBench([gate(() => replace([]))])
  const thought: StreamEvent[] = [
    { type: 'block-start', block },
    { type: 'block-stop', block },
  ]
  await bench.run(START, text('Hi'), thought, call(), END())
  expect(bench.lines().at(-1)).toBe('text [Sluice] The rest of this answer was withheld.')
})

test('a call that is cut off is not delivered, whoever lets it pass', async () => {
  const bench = createBench([gate(() => pass())])
  await bench.run(START, call('{"a":'), END('length'))
  expect(bench.lines()).toEqual([expect.stringContaining('cut off')])
})

test('an error of the upstream drops what is held', async () => {
  const bench = createBench([gate(() => later<Verdict>().promise)])
  const error: StreamEvent = { type: 'error', error: { kind: 'overloaded', message: 'Busy' } }
  await bench.run(START, call(), error)
  expect(bench.sent).toEqual([START, error])
})

test('a call that never stopped does not leave', async () => {
  const bench = createBench([gate(() => pass())])
  await bench.run(START, call().slice(0, 2))
  expect(bench.lines()).toEqual([])
})

test('a person is asked, and decides in the same stream', async () => {
  const decisions: [Decision, string][] = [
    [{ type: 'pass', by: 'ann', ticket: '7' }, 'call Bash {"a":1}'],
    [{ type: 'edit', by: 'ann', ticket: '7', args: { a: 2 } }, 'call Bash {"a":2}'],
    [{ type: 'deny', by: 'ann', ticket: '7', reason: 'Not now' }, 'denied it (ticket 7). Not now'],
    [{ type: 'expired', by: undefined, ticket: '7' }, 'Not executed, ticket 7'],
  ]
  for (const [decision, expected] of decisions) {
    const bench = createBench([gate(() => ask('May it?'))], {
      host: { ask: () => Promise.resolve(decision) },
    })
    await bench.run(START, call(), END())
    expect(bench.lines()).toEqual([expect.stringContaining(expected)])
    expect(bench.records).toMatchObject([{ by: decision.by, details: { ticket: '7' } }])
  }
})

test('a person is told which rule asks', async () => {
  const rules: (string | undefined)[] = []
  const bench = createBench([gate(() => ask('May it?', { details: { rule: 'no-push' } }))], {
    host: {
      ask({ rule }) {
        rules.push(rule)
        return Promise.resolve({ type: 'pass', by: 'ann', ticket: '7' })
      },
    },
  })
  await bench.run(START, call(), END())
  expect(rules).toEqual(['no-push'])
})

test('if nobody can be asked, it is denied', async () => {
  const bench = createBench([gate(() => ask('May it?'))])
  await bench.run(START, call(), END())
  expect(bench.lines()).toEqual([expect.stringContaining('Nobody could be asked')])
  expect(bench.records).toMatchObject([{ type: 'error' }])
})

test('while the switch is thrown no call passes, also one that was judged before', async () => {
  const verdict = later<Verdict>()
  let halted: string | undefined
  const bench = createBench([gate(() => verdict.promise)], { host: { haltedBy: () => halted } })
  bench.push(START, call(), END())
  halted = 'Stopped by the operator'
  verdict.resolve(pass())
  await settle()
  expect(bench.lines()).toEqual([expect.stringContaining('Stopped by the operator')])
})

test('an eager judge begins when the arguments are whole, and is not asked again', async () => {
  const judged: string[] = []
  const bench = createBench([
    gate(
      (block) => {
        judged.push(block.type === 'tool-call' ? block.arguments : '')
        return pass()
      },
      { isEager: true },
    ),
  ])
  const [start, delta, stop] = call()
  bench.push(START, start ?? [], delta ?? [])
  expect([judged, bench.lines()]).toEqual([['{"a":1}'], []])
  bench.push(stop ?? [], END())
  expect([judged, bench.lines()]).toEqual([['{"a":1}'], ['call Bash {"a":1}']])
})

test('an eager verdict does not hold for arguments that go on: it is asked again', async () => {
  const judged: string[] = []
  const signals: AbortSignal[] = []
  const bench = createBench([
    gate(
      (block, ctx) => {
        const words = block.type === 'tool-call' ? block.arguments : ''
        judged.push(words)
        signals.push(ctx.signal)
        return words.includes('evil') ? deny('No') : later<Verdict>().promise
      },
      { isEager: true },
    ),
  ])
  const [start, delta, stop] = call()
  const more = { ...delta, delta: { type: 'arguments', text: ',{"evil":1}' } } as StreamEvent
  bench.push(START, start ?? [], delta ?? [], more, stop ?? [], END())
  expect(judged).toEqual(['{"a":1}', '{"a":1},{"evil":1}'])
  expect(signals[0]?.aborted).toBe(true)
  expect(bench.lines()).toEqual([expect.stringContaining('not allowed')])
})

test('a client that leaves ends the judgments, and nothing leaves any more', async () => {
  const verdict = later<Verdict>()
  let signal: AbortSignal | undefined
  const bench = createBench([
    gate((_block, ctx) => {
      ;({ signal } = ctx)
      return verdict.promise
    }),
  ])
  bench.push(START, call())
  bench.engine.leave()
  expect(signal?.aborted).toBe(true)
  verdict.resolve(pass())
  await settle()
  expect(bench.lines()).toEqual([])
  expect(bench.records).toEqual([])
})

test('what cannot be sent on when a verdict comes late ends the answer, and nothing else', async () => {
  const verdict = later<Verdict>()
  const failing: Policy = {
    name: 'failing',
    onChunk(chunk, _state, ctx) {
      if (chunk.type === 'block-start') throw new Error('broken')
      ctx.send(chunk)
    },
  }
  const bench = createBench([gate(() => verdict.promise), failing])
  bench.push(START, call())
  verdict.resolve(pass())
  await bench.done
  expect(bench.sent.at(-1)).toMatchObject({ type: 'error' })
})
