import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLossList } from '../event/loss.ts'
import { pairCalls } from './pairing.ts'
import type { Part, TextPart, ToolCallPart, ToolResultPart } from './part.ts'
import type { Turn } from './request.ts'

const text = (words: string): TextPart => ({ type: 'text', text: words })
const call = (id: string, name = 'run'): ToolCallPart => ({
  type: 'tool-call',
  id,
  name,
  dialect: 'function',
  arguments: '{}',
})
const result = (callId: string, words = 'done'): ToolResultPart => ({
  type: 'tool-result',
  callId,
  dialect: 'function',
  parts: [text(words)],
  isError: false,
})
const user = (...parts: Part[]): Turn => ({ role: 'user', parts })
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts })
const system = (...parts: Part[]): Turn => ({ role: 'system', parts })

function pair(...turns: Turn[]) {
  const losses = createLossList()
  return { turns: pairCalls(turns, losses), losses: losses.list() }
}

const missing = (callId: string): ToolResultPart => ({
  ...result(callId, 'No result was recorded for this call'),
  isError: true,
})

test('a whole conversation comes back as the same array', () => {
  const turns = [
    user(text('hi')),
    assistant(text('let me see'), call('a'), call('b')),
    user(result('b'), text('and?'), result('a')),
    assistant(text('done')),
  ]
  expect(pairCalls(turns, createLossList())).toBe(turns)
})

describe('a call without a result', () => {
  test('gets an error for one, in the turn behind it', () => {
    const { turns, losses } = pair(
      assistant(call('a'), call('b')),
      user(result('b'), text('go on')),
    )
    expect(turns).toEqual([
      assistant(call('a'), call('b')),
      user(missing('a'), result('b'), text('go on')),
    ])
    expect(losses).toEqual([{ kind: 'approximated', what: 'missing tool result', count: 1 }])
  })

  test('gets one at the very end of the conversation too', () => {
    expect(pair(user(text('hi')), assistant(call('a'))).turns).toEqual([
      user(text('hi')),
      assistant(call('a')),
      user(missing('a')),
    ])
  })

  test('gets one before a system turn', () => {
    expect(pair(assistant(call('a')), system(text('be brief'))).turns).toEqual([
      assistant(call('a')),
      user(missing('a')),
      system(text('be brief')),
    ])
  })
})

describe('a result that comes late', () => {
  test('is moved up over a user message, without a loss', () => {
    const { turns, losses } = pair(assistant(call('a')), user(text('wait')), user(result('a')))
    expect(turns).toEqual([assistant(call('a')), user(result('a'), text('wait'))])
    expect(losses).toEqual([])
  })

  test('is gathered with those of the same turn, in the order of the calls', () => {
    const { turns } = pair(
      assistant(call('a'), call('b')),
      user(result('b')),
      user(result('a')),
      user(text('go')),
    )
    expect(turns).toEqual([
      assistant(call('a'), call('b')),
      user(result('a'), result('b')),
      user(text('go')),
    ])
  })

  test('leaves the last word with the user', () => {
    const { turns } = pair(
      assistant(call('a')),
      user(text('wait')),
      assistant(text('ok')),
      user(result('a')),
    )
    expect(turns.at(-1)).toEqual(user(text('The result of the tool call stands above')))
  })
})

test('of two results for a call the first stays', () => {
  const { turns, losses } = pair(
    assistant(call('a')),
    user(result('a', 'one')),
    assistant(text('ok')),
    user(result('a', 'two'), text('next')),
  )
  expect(turns).toEqual([
    assistant(call('a')),
    user(result('a', 'one')),
    assistant(text('ok')),
    user(text('next')),
  ])
  expect(losses).toEqual([{ kind: 'dropped', what: 'duplicate tool result', count: 1 }])
})

describe('a result without a call', () => {
  const words = 'Result of a tool call that is no longer in the conversation:'

  test('becomes words of the user at its place', () => {
    const { turns, losses } = pair(user(text('summary'), result('gone', '42'), text('go on')))
    expect(turns).toEqual([user(text('summary'), text(`${words} 42`), text('go on'))])
    expect(losses).toEqual([{ kind: 'approximated', what: 'orphaned tool result', count: 1 }])
  })

  test('keeps its pictures, and the mark of the cache at its end', () => {
    const image: Part = { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } }
    const { turns } = pair(user({ ...result('gone'), parts: [image], cache: { ttl: '1h' } }))
    expect(turns).toEqual([user(text(words), { ...image, cache: { ttl: '1h' } })])
  })

  test('is never put into the mouth of the model', () => {
    const { turns } = pair(assistant(text('hm'), result('gone', '42')), user(text('go')))
    expect(turns).toEqual([assistant(text('hm')), user(text(`${words} 42`), text('go'))])
  })

  test('stands behind a system turn that held it', () => {
    const { turns } = pair(system(text('be brief'), result('gone', '42')))
    expect(turns).toEqual([system(text('be brief')), user(text(`${words} 42`))])
  })
})

describe('an id that is there twice', () => {
  test('gets the number of its turn, on both sides', () => {
    const { turns, losses } = pair(
      assistant(call('call_0')),
      user(result('call_0', 'one')),
      assistant(call('call_0')),
      user(result('call_0', 'two')),
    )
    expect(turns).toEqual([
      assistant(call('call_0')),
      user(result('call_0', 'one')),
      assistant(call('call_0_t2')),
      user(result('call_0_t2', 'two')),
    ])
    expect(losses).toEqual([])
  })

  test('is told apart within a turn by the order of the results', () => {
    const { turns } = pair(
      assistant(call('x', 'read'), call('x', 'write')),
      user(result('x', 'of read'), result('x', 'of write')),
    )
    expect(turns).toEqual([
      assistant(call('x', 'read'), call('x_t0', 'write')),
      user(result('x', 'of read'), result('x_t0', 'of write')),
    ])
  })

  test('gets none that another call has', () => {
    const { turns } = pair(
      assistant(call('a')),
      user(result('a')),
      assistant(call('a'), call('a_t2')),
      user(result('a'), result('a_t2')),
    )
    expect(turns[2]).toEqual(assistant(call('a_t2_2'), call('a_t2')))
  })
})

test('a result takes on the dialect of its call', () => {
  const { turns } = pair(assistant({ ...call('a'), dialect: 'custom' }), user(result('a')))
  expect(turns[1]).toEqual(user({ ...result('a'), dialect: 'custom' }))
})

test('assistant turns in a row are one step', () => {
  const turns = [assistant(call('a')), assistant(call('b')), user(result('a'), result('b'))]
  expect(pairCalls(turns, createLossList())).toBe(turns)
})

const id = fc.constantFrom('a', 'b', 'a_t1', '')
const part: fc.Arbitrary<Part> = fc.oneof(
  fc.constant(text('words')),
  id.map((of) => call(of)),
  id.map((of) => result(of)),
)
const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc.array(part, { maxLength: 4 }).map((parts) => assistant(...parts)),
  fc
    .array(part, { maxLength: 4 })
    .map((parts) => user(...parts.filter(({ type }) => type !== 'tool-call'))),
  fc.constant(system(text('be brief'))),
)

test('whatever the history, every call is answered once and right behind it', () => {
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 8 }), (turns) => {
      const before = JSON.stringify(turns)
      const paired = pairCalls(turns, createLossList())
      expectPaired(paired)
      expect(JSON.stringify(turns)).toBe(before)
      expect(pairCalls(paired, createLossList())).toBe(paired)
    }),
    { numRuns: 300 },
  )
})

function expectPaired(turns: readonly Turn[]): void {
  const ids: string[] = []
  let open: string[] = []
  for (const [at, { role, parts }] of turns.entries()) {
    const results = parts.filter((part) => part.type === 'tool-result').map(({ callId }) => callId)
    const calls = parts.filter((part) => part.type === 'tool-call').map(({ id }) => id)
    if (role === 'assistant') {
      if (turns[at - 1]?.role !== 'assistant') expect(open).toEqual([])
      open.push(...calls)
      ids.push(...calls)
    } else if (role === 'user' && turns[at - 1]?.role === 'assistant') {
      expect([...results].sort()).toEqual([...open].sort())
      open = []
    } else expect(results).toEqual([])
    if (role !== 'user') expect(results).toEqual([])
  }
  expect(open).toEqual([])
  expect(new Set(ids).size).toBe(ids.length)
}

test('takes time in line with the length of the history', () => {
  const turns = Array.from({ length: 40_000 }, (_, at) =>
    at % 2 === 0 ? assistant(call('call_0')) : user(result('call_0')),
  )
  const started = performance.now()
  const paired = pairCalls(turns, createLossList())
  expect(performance.now() - started).toBeLessThan(2000)
  expect(paired).toHaveLength(turns.length)
})
