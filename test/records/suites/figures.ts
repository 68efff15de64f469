/** What is counted over the records, on both engines: conversations, figures over time, what policies decided. */
import { beforeEach, expect, test } from 'vitest'
import type { RecordStore } from '../../../src/store/store.ts'
import type { TestEngine } from '../../support/engines.ts'
import { DAWN, sampleExchange, sampleVerdict } from '../../support/records.ts'

const MINUTE = 60_000
const near = (value: number): unknown => expect.closeTo(value, 6)

export function figuresSuite(engine: TestEngine): void {
  let store: RecordStore
  beforeEach(async () => {
    store = await engine.open({ now: () => DAWN + 10 * MINUTE })
  })

  test('a conversation is summed up from its exchanges, the one that went on last first', async () => {
    await store.write([
      sampleExchange('a1', { conversation: 'a', startedAt: DAWN, client: 'codex' }),
      sampleExchange('b1', { conversation: 'b', startedAt: DAWN + 1, key: undefined }),
      sampleExchange('x', { conversation: undefined, startedAt: DAWN + 2 }),
      sampleExchange(
        'a2',
        { conversation: 'a', startedAt: DAWN + 3, model: 'gpt-5', cost: undefined },
        {
          tools: [
            { name: 'Bash', count: 2 },
            { name: 'Read', count: 1 },
          ],
          verdicts: [sampleVerdict(), sampleVerdict(), sampleVerdict({ isShadow: true })],
        },
      ),
      sampleExchange('c1', { conversation: 'c', startedAt: DAWN + 4 }),
    ])
    const first = await store.conversations({ limit: 2 })
    expect(first.items.map(({ id }) => id)).toEqual(['c', 'a'])
    expect(first.items[1]).toEqual({
      id: 'a',
      startedAt: DAWN,
      lastAt: DAWN + 3,
      firstId: 'a1',
      exchanges: 2,
      toolCalls: 3,
      clients: ['claude-cli', 'codex'],
      models: ['gpt-5', 'claude-sonnet-4-5'],
      keys: ['team'],
      inputTokens: 200,
      outputTokens: 40,
      cost: 1234.5,
      verdicts: { deny: 2 },
    })
    const second = await store.conversations({ limit: 2, cursor: first.next })
    expect(second).toMatchObject({ items: [{ id: 'b', keys: [] }], next: undefined })
    const oldest = await store.conversations({ isOldestFirst: true })
    expect(oldest.items.map(({ id }) => id)).toEqual(['b', 'a', 'c'])
  })

  test('of conversations only what fits is counted', async () => {
    await store.write([
      sampleExchange('a1', { conversation: 'a', startedAt: DAWN }),
      sampleExchange(
        'b1',
        { conversation: 'b', startedAt: DAWN + 1 },
        { tools: [{ name: 'Bash', count: 1 }] },
      ),
      sampleExchange('a2', { conversation: 'a', startedAt: DAWN + 2, status: 500 }),
    ])
    const ids = async (query: object) =>
      (await store.conversations(query)).items.map((one) => [one.id, one.exchanges])
    expect(await ids({})).toEqual([
      ['a', 2],
      ['b', 1],
    ])
    expect(await ids({ status: 200 })).toEqual([
      ['b', 1],
      ['a', 1],
    ])
    expect(await ids({ tool: 'Bash' })).toEqual([['b', 1]])
    expect(await ids({ conversation: 'a', until: DAWN + 2 })).toEqual([['a', 1]])
    expect(await ids({ model: 'nothing' })).toEqual([])
    await store.setTexts([
      { id: 'a1', text: 'one word' },
      { id: 'b1', text: 'another word' },
    ])
    expect(await ids({ text: 'word' })).toEqual([
      ['b', 1],
      ['a', 2],
    ])
    const page = await store.conversations({ text: 'word', limit: 1 })
    const next = await store.conversations({ text: 'word', limit: 1, cursor: page.next })
    expect([page, next].map(({ items }) => items[0]?.id)).toEqual(['b', 'a'])
    expect(next.next).toBeUndefined()
  })

  test('figures are counted by step and line, with the values that half and nearly all stay under', async () => {
    const items = Array.from({ length: 100 }, (_, i) =>
      sampleExchange(`x${i}`, {
        startedAt: DAWN + (i % 2) * MINUTE,
        model: i < 90 ? 'large' : 'small',
        durationMs: i + 1,
        firstByteMs: i === 0 ? undefined : i,
        outcome: i === 99 ? 'broken' : 'done',
        cost: 2,
      }),
    )
    await store.write([
      ...items,
      sampleExchange(
        'y',
        {
          startedAt: DAWN + 5 * MINUTE,
          firstByteMs: undefined,
          model: undefined,
          usage: undefined,
          cost: undefined,
        },
        {
          verdicts: [
            sampleVerdict(),
            sampleVerdict({ type: 'pass' }),
            sampleVerdict({ isShadow: true }),
          ],
        },
      ),
    ])
    const all = await store.stats({ step: MINUTE })
    expect(all).toEqual([
      {
        at: DAWN,
        of: undefined,
        exchanges: 50,
        errors: 0,
        inputTokens: 5_000,
        outputTokens: 1_000,
        cost: 100,
        // 1 + 3 + … + 99 ms of open exchanges in a minute.
        meanOpen: near(2_500 / MINUTE),
        firstByteMs: { p50: 50, p99: near(97.04) },
        durationMs: { p50: 50, p99: near(98.02) },
        verdicts: {},
      },
      {
        at: DAWN + MINUTE,
        of: undefined,
        exchanges: 50,
        errors: 1,
        inputTokens: 5_000,
        outputTokens: 1_000,
        cost: 100,
        meanOpen: near(2_550 / MINUTE),
        firstByteMs: { p50: 50, p99: near(98.02) },
        durationMs: { p50: 51, p99: near(99.02) },
        verdicts: {},
      },
      {
        at: DAWN + 5 * MINUTE,
        of: undefined,
        exchanges: 1,
        errors: 0,
        inputTokens: 0,
        outputTokens: 0,
        cost: 0,
        meanOpen: near(812.5 / MINUTE),
        firstByteMs: undefined,
        durationMs: { p50: 812.5, p99: 812.5 },
        verdicts: { deny: 1, pass: 1 },
      },
    ])
    const lines = await store.stats({ step: 10 * MINUTE, by: 'model' })
    expect(lines.map((one) => [one.of, one.exchanges])).toEqual([
      [undefined, 1],
      ['large', 90],
      ['small', 10],
    ])
    expect(
      (await store.stats({ model: 'small', step: MINUTE })).map((one) => one.exchanges),
    ).toEqual([5, 5])
    expect(await store.stats({ model: 'none' })).toEqual([])
  })

  test('a step is chosen where none is given, and one that is too short is refused', async () => {
    await store.write([
      sampleExchange('a', { startedAt: DAWN }),
      sampleExchange('b', { startedAt: DAWN + 9 * MINUTE }),
    ])
    const chosen = await store.stats({})
    expect(chosen.map(({ at }) => at)).toEqual([DAWN, DAWN + 9 * MINUTE])
    await expect(store.stats({ step: 1 })).rejects.toThrow('271 ms or more')
    await expect(store.stats({ step: 0 })).rejects.toThrow('Cannot count in steps of 0 ms')
    await expect(store.stats({ step: Number.NaN })).rejects.toThrow('Cannot count in steps')
  })

  test('beyond fifty lines the rest is one', async () => {
    const items = Array.from({ length: 120 }, (_, i) =>
      sampleExchange(`x${i}`, { startedAt: DAWN + i, model: i < 60 ? 'common' : `model-${i}` }),
    )
    await store.write(items)
    const lines = await store.stats({ step: MINUTE, by: 'model' })
    expect(lines.length).toBe(51)
    expect(lines.find(({ of }) => of === 'common')?.exchanges).toBe(60)
    expect(lines.find(({ of }) => of === '(others)')?.exchanges).toBe(11)
  })

  test('what policies decided is counted with its newest examples', async () => {
    const block = { type: 'tool-call', id: 'x', index: 0, name: 'Write' } as const
    await store.write([
      ...Array.from({ length: 5 }, (_, i) =>
        sampleExchange(
          `x${i}`,
          { startedAt: DAWN + i },
          { verdicts: [sampleVerdict({ reason: `reason ${i}` })] },
        ),
      ),
      sampleExchange(
        'y',
        { startedAt: DAWN + 9, model: 'gpt-5' },
        {
          verdicts: [
            sampleVerdict({ block, isShadow: true, version: undefined, reason: undefined }),
            sampleVerdict({ block: undefined, policy: 'other', type: 'change' }),
          ],
        },
      ),
    ])
    const all = await store.policies({})
    expect(all).toEqual([
      {
        policy: 'rules',
        version: 'v1',
        isShadow: false,
        type: 'deny',
        block: 'tool-call',
        tool: 'Bash',
        count: 5,
        examples: [4, 3, 2].map((i) => ({ exchangeId: `x${i}`, reason: `reason ${i}` })),
      },
      expect.objectContaining({
        policy: 'other',
        block: 'request',
        tool: undefined,
        type: 'change',
        count: 1,
      }),
      expect.objectContaining({
        policy: 'rules',
        version: undefined,
        isShadow: true,
        tool: 'Write',
        examples: [{ exchangeId: 'y', reason: undefined }],
      }),
    ])
    const counts = async (query: object) => (await store.policies(query)).map(({ count }) => count)
    expect(await counts({ isShadow: true })).toEqual([1])
    expect(await counts({ since: DAWN + 3, until: DAWN + 9 })).toEqual([2])
    expect(await counts({ model: 'gpt-*', policy: 'rules' })).toEqual([1])
    expect(await counts({ tool: 'Bash' })).toEqual([5])
  })
}
