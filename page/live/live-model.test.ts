import { describe, expect, test } from 'vitest'
import type { ApiEvent, ExchangePage } from '../../src/api/types.ts'
import type { ExchangeQuery, ExchangeSummary, PageQuery } from '../../src/store/query.ts'
import { createLiveModel, type LiveModel } from './live-model.ts'

const summary = (at: number, over: Partial<ExchangeSummary> = {}): ExchangeSummary =>
  ({
    id: `x${String(at).padStart(5, '0')}`,
    requestId: `r${at}`,
    startedAt: at,
    endpoint: '/v1/messages',
    wire: 'anthropic-messages',
    model: 'm',
    status: 200,
    outcome: 'done',
    durationMs: 1,
    finishReason: 'stop',
    tools: [],
    verdicts: {},
    shadowVerdicts: {},
    ...over,
  }) as ExchangeSummary

type Query = ExchangeQuery & PageQuery

/** A past of its own, in pages of the size that is asked for. */
function createPast() {
  const past: ExchangeSummary[] = []
  const asked: Query[] = []
  return {
    asked,
    add(...items: readonly ExchangeSummary[]) {
      past.push(...items)
      past.sort((one, other) => other.startedAt - one.startedAt)
    },
    ask(query: Query): Promise<ExchangePage> {
      asked.push(query)
      const { cursor, limit = 50, since = 0, until = Infinity } = query
      const fit = past.filter(({ startedAt }) => startedAt >= since && startedAt < until)
      const from = cursor === undefined ? 0 : fit.findIndex(({ id }) => id === cursor) + 1
      const items = fit.slice(from, from + limit)
      const next = from + limit < fit.length ? items.at(-1)?.id : undefined
      return Promise.resolve({ items, next })
    },
  }
}

const STATE = { type: 'state', pending: [], halt: { halted: false }, open: [] } as const

async function start(past: ReturnType<typeof createPast>, filter = {}): Promise<LiveModel> {
  const model = createLiveModel({
    ask: past.ask,
    soon: (callback) => queueMicrotask(callback),
    later: (callback) => void setTimeout(callback, 1),
    open: () => [],
  })
  model.filterBy(filter)
  await settle()
  return model
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))
const hear = async (model: LiveModel, ...events: readonly object[]): Promise<void> => {
  for (const event of events) model.hear(event as ApiEvent)
  await settle()
}
const times = (model: LiveModel): readonly number[] =>
  model.get().rows.map(({ startedAt }) => startedAt)

describe('The list', () => {
  test('goes on below by pages and above by what happens', async () => {
    const past = createPast()
    past.add(...Array.from({ length: 450 }, (_, at) => summary(at)))
    const model = await start(past)
    expect(model.get()).toMatchObject({ isLoading: false, hasMore: true })
    expect(times(model).length).toBe(200)
    await hear(model, { type: 'begun', exchange: summary(900) })
    model.more()
    await settle()
    model.more()
    await settle()
    expect(times(model).length).toBe(451)
    expect(times(model)[0]).toBe(900)
    expect(model.get().hasMore).toBe(false)
    expect(past.asked.length).toBe(3)
  })

  test('asks for what was missed when the connection is back, until it meets what is known', async () => {
    const past = createPast()
    past.add(summary(1))
    const model = await start(past)
    await hear(model, STATE, { type: 'begun', exchange: summary(2) })
    past.add(...Array.from({ length: 300 }, (_, at) => summary(at + 2)))
    await hear(model, STATE)
    expect(times(model).length).toBe(301)
    expect(model.get().rows.every(({ state }) => state === 'done')).toBe(true)
  })

  test('leaves no hole where too much was missed: it begins anew from there', async () => {
    const past = createPast()
    past.add(summary(1))
    const model = await start(past)
    await hear(model, STATE)
    past.add(...Array.from({ length: 3000 }, (_, at) => summary(at + 2)))
    await hear(model, STATE)
    expect(times(model).length).toBe(1000)
    expect(times(model).at(-1)).toBe(2002)
    expect(model.get().hasMore).toBe(true)
    for (let page = 0; page < 11; page++) {
      model.more()
      await settle()
    }
    expect(times(model).length).toBe(3001)
    expect(model.get().hasMore).toBe(false)
  })

  test('says that one is lost which was open and was never recorded', async () => {
    const past = createPast()
    const model = await start(past)
    await hear(model, STATE, { type: 'begun', exchange: summary(5) })
    await hear(model, STATE)
    expect(model.get().rows[0]?.state).toBe('gone')
  })

  test('asks the API about one that is recorded when only that can tell', async () => {
    const past = createPast()
    const model = await start(past, { text: 'rm' })
    past.add(summary(7))
    await hear(
      model,
      { type: 'finished', exchange: summary(7) },
      { type: 'recorded', id: 'x00007' },
    )
    expect(past.asked.at(-1)).toMatchObject({ text: 'rm', since: 7 })
    expect(times(model)).toEqual([7])
  })

  test('learns the tools of a call when its bytes are read', async () => {
    const past = createPast()
    const model = await start(past)
    past.add(summary(7, { tools: [{ name: 'Bash', count: 2 }] }))
    await hear(
      model,
      { type: 'finished', exchange: summary(7, { finishReason: 'tool-calls' }) },
      { type: 'recorded', id: 'x00007' },
    )
    expect(model.get().rows[0]?.tools).toEqual([{ name: 'Bash', count: 2 }])
  })

  test('takes no answer to a filter that is no longer asked for', async () => {
    const past = createPast()
    past.add(summary(1))
    const model = createLiveModel({
      ask: async (query) => {
        if (query.model === undefined) await settle()
        return query.model === undefined ? past.ask(query) : { items: [], next: undefined }
      },
      soon: (callback) => queueMicrotask(callback),
      later: (callback) => void setTimeout(callback, 1),
      open: () => [],
    })
    model.filterBy({})
    model.filterBy({ model: 'other' })
    await settle()
    await settle()
    expect(model.get()).toMatchObject({ rows: [], isLoading: false })
  })

  test('stands still while it is paused, and says how many are new', async () => {
    const past = createPast()
    const model = await start(past)
    model.pause(true)
    await hear(
      model,
      { type: 'begun', exchange: summary(1) },
      { type: 'begun', exchange: summary(2) },
    )
    expect(model.get()).toMatchObject({ rows: [], heldCount: 2, isPaused: true })
    model.pause(false)
    await settle()
    expect(times(model)).toEqual([2, 1])
  })
})
