import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BlockInfo, ToolDialect } from '../event/block.ts'
import type { EventOf, StreamEvent } from '../event/event.ts'
import { createCallNames } from '../request/call-names.ts'
import type { Tool } from '../request/tool.ts'
import { createCallRestorer, needsRestoring } from './restore-calls.ts'

const TOOLS: readonly Tool[] = [
  { type: 'function', name: 'read', schema: undefined, isStrict: undefined },
  { type: 'function', name: 'files.read', schema: undefined, isStrict: undefined },
  { type: 'function', name: 'create', namespace: 'issues', schema: undefined, isStrict: undefined },
  { type: 'custom', name: 'apply_patch', grammar: undefined },
  { type: 'vendor', name: 'shell', dialect: 'local-shell', schema: {} },
]
const names = createCallNames({ tools: TOOLS, maxLength: 64 })

type CallInfo = Extract<BlockInfo, { type: 'tool-call' }>
const call = (name: string, dialect: ToolDialect = 'function'): CallInfo => ({
  type: 'tool-call',
  id: 'c1',
  index: 0,
  name,
  dialect,
  vendor: { type: 'tool_use', name },
})

/** A call in pieces, with something of the vendor's on every event. */
function eventsOf(block: BlockInfo, ...pieces: string[]): StreamEvent[] {
  const vendor = { of: 'vendor' }
  return [
    { type: 'block-start', block, vendor },
    ...pieces.map((text): StreamEvent => ({
      type: 'block-delta',
      block,
      delta: { type: 'arguments', text },
      vendor,
    })),
    { type: 'block-stop', block, vendor },
  ]
}

function restore(events: readonly StreamEvent[]): StreamEvent[] {
  const stage = createCallRestorer(names)
  return [...events.flatMap((event) => stage.push(event)), ...stage.end()]
}

const words = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '/', '\n', '\0', 'u', 'é', '😀', '\ud83d', '\ude00', '}'),
  maxLength: 30,
})

const argumentsOf = (events: readonly StreamEvent[]): string =>
  events
    .filter((event): event is EventOf<'block-delta'> => event.type === 'block-delta')
    .map(({ delta }) => (delta.type === 'arguments' ? delta.text : ''))
    .join('')

const blocksOf = (events: readonly StreamEvent[]): Set<BlockInfo | undefined> =>
  new Set(events.map((event) => ('block' in event ? event.block : undefined)))

describe('what needs nothing passes as the same events', () => {
  const text: BlockInfo = { type: 'text', id: 't', index: 0 }
  const same: readonly StreamEvent[] = [
    { type: 'message-start', id: 'm', model: 'x' },
    { type: 'block-start', block: text },
    { type: 'block-delta', block: text, delta: { type: 'text', text: 'hi' } },
    { type: 'other', block: text },
    { type: 'block-stop', block: text },
    ...eventsOf(call('read'), '{"a":', '1}'),
    ...eventsOf(call('apply_patch', 'custom'), 'free'),
    ...eventsOf(call('nobody_declared_it'), '{}'),
    { type: 'ping' },
    { type: 'finish', reason: 'tool-calls' },
    { type: 'message-stop' },
  ]

  test('one by one', () => {
    const restored = restore(same)
    expect(restored).toHaveLength(same.length)
    for (const [at, event] of restored.entries()) expect(event).toBe(same[at])
  })

  test('and where all tools are plain, no stage is needed', () => {
    expect(needsRestoring(createCallNames({ tools: TOOLS.slice(0, 1), maxLength: 64 }))).toBe(false)
    expect(needsRestoring(names)).toBe(true)
  })
})

test('a name goes back to what its client calls it, on one new block', () => {
  const from = call(names.toTarget({ name: 'files.read' }))
  const restored = restore(eventsOf(from, '{"a":1}'))
  expect(blocksOf(restored)).toEqual(new Set([{ ...from, name: 'files.read' }]))
  expect(blocksOf(restored).size).toBe(1)
  expect(argumentsOf(restored)).toBe('{"a":1}')
})

test('a namespace comes back apart from the name', () => {
  const restored = restore(eventsOf(call('issues__create')))
  expect([...blocksOf(restored)]).toMatchObject([{ name: 'create', namespace: 'issues' }])
})

test('other dialects keep their JSON, and nothing of the vendor', () => {
  const restored = restore(eventsOf(call('shell'), '{"command":["ls"]}'))
  expect([...blocksOf(restored)]).toEqual([
    { type: 'tool-call', id: 'c1', index: 0, name: 'shell', dialect: 'local-shell' },
  ])
  expect(argumentsOf(restored)).toBe('{"command":["ls"]}')
  for (const event of restored) expect(event).not.toHaveProperty('vendor')
})

test('changed events were read nowhere', () => {
  const step = {} as NonNullable<StreamEvent['step']>
  const events = eventsOf(call('shell'), '{}').map((event): StreamEvent => ({ ...event, step }))
  for (const event of restore(events)) expect(event).not.toHaveProperty('step')
})

describe('a free text that was asked for as JSON', () => {
  test('is unwrapped while it streams', () => {
    const restored = restore(eventsOf(call('apply_patch'), '{"input":', '"*** Beg', 'in\\', 'n"}'))
    expect(restored.map(({ type }) => type)).toEqual([
      'block-start',
      'block-delta',
      'block-delta',
      'block-delta',
      'block-stop',
    ])
    expect([...blocksOf(restored)]).toMatchObject([{ name: 'apply_patch', dialect: 'custom' }])
    expect(argumentsOf(restored)).toBe('*** Begin\n')
  })

  test('is the JSON itself where that is something else', () => {
    expect(argumentsOf(restore(eventsOf(call('apply_patch'), '{"inp')))).toBe('{"inp')
    expect(argumentsOf(restore(eventsOf(call('apply_patch'), '{"patch":', '"x"}')))).toBe(
      '{"patch":"x"}',
    )
  })

  test('pain 12: is not run where it broke off', () => {
    const finish: StreamEvent = { type: 'finish', reason: 'tool-calls', vendorReason: 'tool_calls' }
    const cut = restore([...eventsOf(call('apply_patch'), '{"input":"rm -rf /tm'), finish])
    expect(cut.at(-1)).toEqual({ type: 'finish', reason: 'length' })
    expect(cut.at(-2)).toMatchObject({ type: 'block-stop', isCut: true })
    const whole = restore([...eventsOf(call('apply_patch'), '{"input":"rm"}'), finish])
    expect(whole.at(-1)).toBe(finish)
    expect(whole.at(-2)).not.toHaveProperty('isCut')
  })

  test('comes out the same wherever it was cut, without an empty piece', () => {
    fc.assert(
      fc.property(words, fc.array(fc.nat(60)), (text, sizes) => {
        let rest = JSON.stringify({ input: text })
        const pieces = sizes.map((size) => {
          const piece = rest.slice(0, size)
          rest = rest.slice(size)
          return piece
        })
        const restored = restore(eventsOf(call('apply_patch'), ...pieces, rest))
        expect(argumentsOf(restored)).toBe(text)
        for (const event of restored)
          if (event.type === 'block-delta') expect(event.delta).not.toMatchObject({ text: '' })
      }),
      { numRuns: 100 },
    )
  })
})

test('calls side by side keep apart', () => {
  const [first, second] = [call('apply_patch'), { ...call('apply_patch'), id: 'c2', index: 1 }]
  const restored = restore([
    ...eventsOf(first, '{"input":"one"}'),
    ...eventsOf(second, '{"input":"two"}'),
  ])
  expect(blocksOf(restored).size).toBe(2)
  expect(argumentsOf(restored)).toBe('onetwo')
})
