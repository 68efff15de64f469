/** Policies on a past in a real file: what is found, what is passed over, and what is said of what cannot be known. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { install } from '../../src/policy/installed.ts'
import { definePolicy, type Installed, type ModelReply } from '../../src/policy/policy.ts'
import { ask, deny, pass, rewrite } from '../../src/policy/verdict.ts'
import { runBacktest, type BacktestOptions } from '../../src/replay/backtest.ts'
import { createBacktestJobs } from '../../src/replay/backtest-jobs.ts'
import type { BacktestResult } from '../../src/replay/backtest-result.ts'
import { judge } from '../../src/stock/judge/judge.ts'
import { loopBreaker } from '../../src/stock/loop-breaker.ts'
import { replaceText } from '../../src/stock/replace-text.ts'
import { rules } from '../../src/stock/rules/rules.ts'
import { openPastStore, type PastStore } from '../support/past-store.ts'

let past: PastStore
beforeEach(async () => {
  past = await openPastStore()
})
afterEach(() => past.close())

const bash = (command: string) => ({ name: 'Bash', args: { command } })

const noRm = (name = 'rules'): Installed =>
  install(
    rules({
      name,
      deny: [{ when: 'shell.commands.exists(c, c.name == "rm")', reason: 'No rm here.' }],
    }),
  )

const run = (
  policies: readonly Installed[],
  more: Partial<BacktestOptions> = {},
): Promise<BacktestResult> =>
  runBacktest({
    source: past.store,
    policies,
    select: () => policies,
    query: {},
    against: 'all',
    ...more,
  })

describe('what changes', () => {
  test('a new rule denies what passed, and an example says where', async () => {
    await past.add(['Hello', bash('ls')])
    const id = await past.add([bash('rm -rf /tmp/x'), bash('rm y')])
    const result = await run([noRm()])
    expect(result.changes).toMatchObject({ 'newly-denied': 2, 'newly-passed': 0 })
    expect(result.same).toBe(1)
    expect(result.rows).toMatchObject([
      { kind: 'newly-denied', policy: 'rules', rule: 'deny[0]', tool: 'Bash', count: 2 },
    ])
    expect(result.rows[0]?.examples[0]).toMatchObject({
      exchangeId: id,
      original: '{"command":"rm -rf /tmp/x"}',
      reason: 'No rm here.',
      before: 'pass',
    })
  })

  test('what was denied then and is not now is newly passed, also a request', async () => {
    await past.add([bash('ls')], { verdicts: [{ policy: 'old', details: { rule: 'gone' } }] })
    await past.add(['unused'], {
      row: { outcome: 'refused', status: 403, upstreamStatus: undefined },
      verdicts: [{ policy: 'old', block: undefined, original: undefined }],
    })
    const result = await run([noRm()])
    expect(result.changes['newly-passed']).toBe(2)
    expect(result.rows.map(({ policy, tool }) => [policy, tool])).toEqual([
      ['old', 'Bash'],
      ['old', 'request'],
    ])
  })

  test('compared with its own words, what others said stays', async () => {
    await past.add([bash('ls')], { verdicts: [{ policy: 'old' }] })
    await past.add([bash('rm x')], { verdicts: [{ policy: 'old' }] })
    await past.add([bash('rm y')])
    const result = await run([noRm()], { against: 'own' })
    expect(result.changes).toMatchObject({ 'newly-passed': 0, 'newly-denied': 1 })
  })

  test('a rewrite is compared with the one of then', async () => {
    const mend = (to: string): Installed =>
      install({ name: 'mend', judge: () => rewrite({ command: to }) })
    await past.add([bash('ls')], {
      verdicts: [{ policy: 'mend', type: 'rewrite', delivered: '{"command":"pwd"}' }],
    })
    expect((await run([mend('pwd')])).changes.rewritten).toBe(0)
    expect((await run([mend('id')])).rows).toMatchObject([
      { kind: 'rewritten', examples: [{ delivered: '{"command":"id"}' }] },
    ])
  })

  test('what two policies made of one call is compared in the order in which they made it', async () => {
    const mend = (name: string, key: string): Installed =>
      install({
        name,
        judge: (block) =>
          block.type === 'tool-call' ? rewrite({ ...block.args(), [key]: 1 }) : pass(),
      })
    await past.add([{ name: 'Bash', args: {} }], {
      verdicts: [
        { policy: 'one', type: 'rewrite', delivered: '{"a":1}' },
        { policy: 'two', type: 'rewrite', delivered: '{"a":1,"b":1}' },
      ],
    })
    expect((await run([mend('one', 'a'), mend('two', 'b')])).rows).toEqual([])
  })

  test('what a filter changes shows in what would be delivered', async () => {
    await past.add(['The key is swordfish.'])
    await past.add(['Nothing to see.'])
    const filter = install(
      replaceText({ replace: [{ words: ['swordfish'], with: '***' }], name: 'words' }),
    )
    const result = await run([filter])
    expect(result.rows).toMatchObject([
      {
        kind: 'rewritten',
        policy: 'words',
        count: 1,
        examples: [{ delivered: 'The key is ***.' }],
      },
    ])
  })

  test('policies in shadow change nothing and are counted apart', async () => {
    await past.add([bash('rm x')])
    const result = await run([{ ...noRm(), isShadow: true }])
    expect(result.rows).toEqual([])
    expect(result.shadow).toEqual([
      { policy: 'rules', type: 'deny', rule: 'deny[0]', tool: 'Bash', count: 1 },
    ])
  })

  test('a policy that fails is said to fail', async () => {
    await past.add([bash('ls')])
    const broken = install({
      name: 'broken',
      judge: () => {
        throw new Error('no')
      },
    })
    const result = await run([broken])
    expect(result.errors).toEqual({ broken: 1 })
    expect(result.changes['newly-denied']).toBe(1)
  })
})

describe('what policies see of the past', () => {
  test('the request, the client, the time, and who answered', async () => {
    const seen: unknown[] = []
    await past.add([bash('ls')], { row: { key: 'ci', client: 'codex', model: 'gpt' } })
    await run([
      install({
        name: 'looks',
        judge(_block, ctx) {
          const { request, client } = ctx
          seen.push(request.turns().length, request.upstream, request.conversationId)
          seen.push(client, request.model, new Date(ctx.now()).toISOString())
          return pass()
        },
      }),
    ])
    expect(seen).toEqual([
      1,
      'anthropic',
      'talk',
      { key: 'ci', agent: 'codex' },
      'gpt',
      '2026-11-01T12:00:00.000Z',
    ])
  })

  test('what they keep of a conversation, in the order of time', async () => {
    for (let count = 0; count < 6; count++)
      await past.add([bash('ls')], { row: { conversation: count % 2 === 0 ? 'a' : 'b' } })
    const third = install(
      definePolicy<'tool-call', undefined, { calls: number }>({
        name: 'third',
        memory: () => ({ calls: 0 }),
        judge: (_block, { memory }) => (++memory.calls === 3 ? deny('The third') : pass()),
      }),
    )
    const result = await run([third])
    expect(result.rows[0]?.examples.map(({ exchangeId }) => exchangeId)).toEqual([
      'exchange-000004',
      'exchange-000005',
    ])
  })

  test('a loop is a loop in the past too', async () => {
    const turns = Array.from({ length: 4 }, (_, at) => [
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: `t${at}`, name: 'Bash', input: { command: 'make' } }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: `t${at}`, content: 'failed' }],
      },
    ]).flat()
    await past.add([bash('make')], {
      request: { messages: [{ role: 'user', content: 'Build it' }, ...turns] },
    })
    const result = await run([install(loopBreaker())])
    expect(result.changes['newly-denied']).toBe(1)
  })

  test('tools have their own names again where the upstream spoke another wire', async () => {
    const name = `a.tool-with.dots-${'x'.repeat(60)}`
    const tools = [{ name, input_schema: { type: 'object' } }]
    const seen: string[] = []
    const looks = install({
      name: 'looks',
      judge(block) {
        if (block.type === 'tool-call') seen.push(block.name)
        return pass()
      },
    })
    // As the upstream was told to call it.
    const { createPastStages } = await import('../../src/exchange/past-stages.ts')
    const { WIRES } = await import('../../src/wire/wires.ts')
    const body = { model: 'm', max_tokens: 9, tools, messages: [{ role: 'user', content: 'x' }] }
    const from = WIRES['anthropic-messages']
    const written = from.readRequest(body)
    if (!written.ok) throw new Error('no request')
    const to = WIRES['openai-chat']
    expect(createPastStages({ from, to, body, model: 'm' }).length).toBeGreaterThan(0)
    const { toProfile } = await import('../../src/request/profile.ts')
    const profile = toProfile({ wire: to.name, host: undefined, vendor: undefined, model: 'm' })
    const sent = to.writeRequest(written.request, { model: 'm', isStream: true, profile })
    if (!sent.ok) throw new Error('not written')
    const told = (sent.body['tools'] as { function: { name: string } }[])[0]?.function.name ?? ''
    expect(told).not.toBe(name)
    await past.add([{ name: told, args: {} }], {
      row: { upstreamWire: 'openai-chat' },
      request: { tools },
    })
    await run([looks])
    expect(seen).toEqual([name])
  })
})

describe('what is not run', () => {
  test('exchanges without a tool call, where nobody judges anything else', async () => {
    await past.add(['Hello'])
    await past.add(['Hello again'], { verdicts: [{ policy: 'old', block: undefined }] })
    await past.add([bash('ls')])
    const calls: string[][] = []
    const source = {
      ...past.store,
      bodies: (...of: Parameters<typeof past.store.bodies>) => {
        calls.push([...of[0]])
        return past.store.bodies(...of)
      },
    }
    const result = await run([noRm()], { source })
    expect(calls.flat()).toEqual(['exchange-000002', 'exchange-000001'])
    expect(result.exchanges).toMatchObject({ seen: 3, passedOver: 1 })
    expect(result.changes['newly-passed']).toBe(1)
  })

  test('all are run where a policy wants more than calls', async () => {
    await past.add(['Hello'])
    await past.add([bash('ls')])
    const words = install(definePolicy({ name: 'words', holds: ['text'], judge: () => pass() }))
    expect((await run([words])).exchanges).toMatchObject({ seen: 2, run: 2, passedOver: 0 })
  })

  test('those whose bodies are not kept are counted and said', async () => {
    await past.add([bash('rm x')], { row: { record: 'metadata' }, isBare: true })
    await past.add([bash('rm x')], { row: { dropped: ['upstream'] }, isBare: true })
    await past.add([bash('rm x')], { row: { record: 'redacted' } })
    const result = await run([noRm()])
    expect(result.exchanges).toMatchObject({
      seen: 3,
      run: 1,
      metadataOnly: 1,
      dropped: 1,
      redacted: 1,
    })
    expect(result.changes['newly-denied']).toBe(1)
  })

  test('only the newest, where so many are asked for', async () => {
    for (let count = 0; count < 5; count++) await past.add([bash('rm x')])
    const result = await run([noRm()], { limit: 2 })
    expect(result.exchanges.seen).toBe(2)
    expect(result.rows[0]?.examples.map(({ exchangeId }) => exchangeId)).toEqual([
      'exchange-000003',
      'exchange-000004',
    ])
  })

  test('nothing more after it was stopped, and the result says that it is a part', async () => {
    for (let count = 0; count < 30; count++) await past.add([bash('rm x')])
    const stop = new AbortController()
    let judged = 0
    const result = await run(
      [
        install({
          name: 'stops',
          judge() {
            if (++judged === 10) stop.abort()
            return deny('no')
          },
        }),
      ],
      { signal: stop.signal },
    )
    expect(result.isPartial).toBe(true)
    expect(result.exchanges.seen).toBeLessThan(12)
    expect(result.changes['newly-denied']).toBeGreaterThan(5)
  })
})

describe('people and models', () => {
  const asks = install({ name: 'asks', version: '1', judge: () => ask('May it?') })

  test('nobody is asked: a question is counted, and the caller says what comes of it', async () => {
    await past.add([bash('ls')])
    const seen: string[] = []
    const behind = install({
      name: 'behind',
      judge() {
        seen.push('reached')
        return pass()
      },
    })
    const passed = await run([asks, behind])
    expect(passed).toMatchObject({ asks: 1, changes: { 'newly-asked': 1, 'newly-denied': 0 } })
    expect(seen).toEqual(['reached'])
    await run([asks, behind], { ask: 'deny' })
    expect(seen).toEqual(['reached'])
  })

  test('what a person said then holds now', async () => {
    await past.add([bash('ls')], {
      verdicts: [{ policy: 'asks', type: 'deny', details: { ticket: 'A1' }, by: 'ann' }],
    })
    await past.add([bash('ls')], {
      verdicts: [{ policy: 'asks', type: 'pass', details: { ticket: 'A2' }, by: 'ann' }],
    })
    const result = await run([asks])
    expect(result.rows).toEqual([])
    expect(result.same).toBe(2)
  })

  const judged = (): Installed => install(judge({ model: 'j', rules: 'Be strict' }))

  const replies = (): {
    readonly callModel: NonNullable<BacktestOptions['callModel']>
    readonly count: () => number
  } => {
    let count = 0
    return {
      count: () => count,
      callModel: (call): Promise<ModelReply> => {
        count += 1
        const mark = /"id"\s*:\s*"([0-9a-f]{16})"|data-([0-9a-f]{16})/.exec(JSON.stringify(call))
        const id = mark?.[1] ?? mark?.[2] ?? ''
        const text = JSON.stringify({ id, reason: 'Bad.', probability: 0.9, verdict: 'deny' })
        return Promise.resolve({
          text,
          model: 'j',
          usage: { inputTokens: 100, outputTokens: 10 },
        })
      },
    }
  }

  test('judges are asked up to a most, and what was not judged is no denial', async () => {
    for (let count = 0; count < 5; count++) await past.add([bash(`ls ${count}`)])
    const { callModel, count } = replies()
    const result = await run([judged()], {
      callModel,
      maxJudgeCalls: 3,
      costOf: (_model, usage) => (usage.inputTokens ?? 0) * 2,
    })
    expect(count()).toBe(3)
    expect(result.changes['newly-denied']).toBe(3)
    expect(result.judges).toMatchObject({
      calls: 3,
      unjudged: 2,
      inputTokens: 300,
      outputTokens: 30,
      cost: 600,
    })
  })

  test('what the same judge said of the same block is taken from the records', async () => {
    const installed = judged()
    const { policy } = installed
    const then = { policy: policy.name, version: policy.version, details: { probability: 0.9 } }
    await past.add([bash('ls')], { verdicts: [then] })
    await past.add([bash('id')], { verdicts: [{ ...then, version: 'older' }] })
    const { callModel, count } = replies()
    const result = await run([installed], { callModel })
    expect(count()).toBe(1)
    expect(result.judges).toMatchObject({ calls: 1, reused: 1, unjudged: 0 })
    expect(result.rows).toEqual([])
  })

  test('without any model nothing of that kind is judged', async () => {
    await past.add([bash('ls')])
    const result = await run([judged()])
    expect(result).toMatchObject({ rows: [], judges: { calls: 0, unjudged: 1 } })
  })
})

test('progress says how much is left', async () => {
  for (let count = 0; count < 40; count++) await past.add([bash('ls')])
  const said: { done: number; total: number; remainingMs: number | undefined }[] = []
  await run([noRm()], { onProgress: (progress) => void said.push(progress) })
  expect(said.at(-1)).toMatchObject({ done: 40, total: 40, remainingMs: 0 })
})

describe('jobs', () => {
  const jobsOf = (policies: readonly Installed[]) =>
    createBacktestJobs({
      source: past.store,
      load: () => Promise.resolve({ policies, select: () => policies, against: 'all' }),
      createId: (() => {
        let count = 0
        return () => `job-${++count}`
      })(),
      now: Date.now,
    })

  async function until<Value>(find: () => Value | undefined): Promise<Value> {
    for (;;) {
      const found = find()
      if (found !== undefined) return found
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  test.each([
    ['one conversation', () => 'the same'],
    ['many conversations', (number: number) => `number ${number}`],
  ])('one of %s runs beside everything else, never for long at once', async (_name, nameOf) => {
    for (let count = 0; count < 60; count++)
      await past.add([bash('rm x')], { row: { conversation: nameOf(count) } })
    let judged = 0
    let most = 0
    const busy = install({
      name: 'busy',
      judge() {
        judged += 1
        most = Math.max(most, judged)
        const until = performance.now() + 2
        while (performance.now() < until);
        return pass()
      },
    })
    const jobs = jobsOf([busy])
    // Counted and not timed: other work on the machine makes pauses too.
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
      judged = 0
    }, 1)
    const { id } = await jobs.start({})
    const done = await until(() => {
      const job = jobs.find(id)
      return job?.state === 'done' ? job : undefined
    })
    clearInterval(timer)
    expect(done.result?.exchanges.run).toBe(60)
    expect(done.progress).toMatchObject({ done: 60, total: 60 })
    // Sixty times two milliseconds, in slices of six.
    expect(turns).toBeGreaterThan(30)
    expect(most).toBeLessThan(6)
    await jobs.close()
  })

  test('two at once and not three, and one can be cancelled', async () => {
    for (let count = 0; count < 3; count++) await past.add([bash('rm x')])
    const waits = install({
      name: 'waits',
      judge: () => new Promise<never>(() => {}),
    })
    const jobs = jobsOf([{ ...waits, timeoutMs: 300 }])
    const one = await jobs.start({})
    await jobs.start({})
    await expect(jobs.start({})).rejects.toThrow('2 backtests are under way already')
    expect(await jobs.cancel(one.id)).toMatchObject({
      state: 'cancelled',
      result: { isPartial: true },
    })
    expect(await jobs.cancel('nobody')).toBeUndefined()
    expect(jobs.list().map(({ id }) => id)).toEqual(['job-2', 'job-1'])
    await jobs.close()
  })
})
