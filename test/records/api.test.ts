/** The admin API on records: a real gateway with a real store, and every answer held to the API's own description. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ApiError } from '../../src/api/call.ts'
import { createApiClient, type ApiClient } from '../../src/api/client.ts'
import { ROUTE_NAMES } from '../../src/api/routes.ts'
import type { ApiErrorBody, ApiEvent, LiveEvent } from '../../src/api/types.ts'
import { demoSettings } from '../../src/config/load.ts'
import { install } from '../../src/policy/installed.ts'
import { definePolicy } from '../../src/policy/policy.ts'
import { deny, pass } from '../../src/policy/verdict.ts'
import { checkCall, type Described } from '../support/openapi.ts'
import { startRecorded, type RecordedGateway } from '../support/recorded-gateway.ts'

const noShell = definePolicy({
  name: 'no-shell',
  version: '1',
  judge: (block) => (block.name === 'Bash' ? deny('No shell here') : pass()),
})
const NO_SHELL = {
  name: 'no-shell',
  use: './no-shell.ts',
  version: '1',
  installed: install(noShell),
  models: undefined,
  keys: undefined,
  routes: undefined,
  route: undefined,
  key: undefined,
}
const TOOLS = [
  { name: 'Bash', input_schema: { type: 'object', properties: { command: { type: 'string' } } } },
]

let gateway: RecordedGateway
let api: ApiClient
let described: Described
const seen = new Set<string>()
const realFetch = globalThis.fetch

beforeAll(async () => {
  // Slow enough to be watched.
  const upstreams = demoSettings().upstreams.map((one) => ({ ...one, pace: 20 }))
  const settings = { policies: [NO_SHELL], upstreams }
  gateway = await startRecorded(settings, { record: { hasSearch: true } })
  api = createApiClient({ url: gateway.url, token: gateway.adminToken() })
  const response = await get('/api/openapi.json')
  described = (await response.json()) as Described
  // From here on every call of the client is held to the description.
  vi.stubGlobal('fetch', checkedFetch)
  await ask('demo-text', { session: 'one', text: 'Hello there' })
  await ask('demo-dangerous', { session: 'one', text: 'Clean up', tools: TOOLS })
  await ask('demo-text', { session: 'two', text: 'A pelican', stream: false })
  await ask('demo-error', { session: 'two', text: 'Again' })
  await gateway.kept(4)
})
afterAll(async () => {
  vi.unstubAllGlobals()
  await gateway.close(0)
})

const get = (path: string, init: RequestInit = {}): Promise<Response> =>
  realFetch(`${gateway.url}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${gateway.adminToken()}`, ...init.headers },
  })

async function checkedFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await realFetch(url, init)
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream')) return response
  const { method = 'GET', body } = init
  const text = await response.clone().text()
  const sent = typeof body === 'string' ? (JSON.parse(body) as unknown) : undefined
  const { status } = response
  seen.add(checkCall(described, { method, url, body: sent, status, type, text }).operationId)
  return response
}

interface Asked {
  readonly session: string
  readonly text: string
  readonly tools?: readonly object[]
  readonly stream?: boolean
}

async function ask(model: string, { session, text, tools, stream = true }: Asked): Promise<string> {
  const messages = [{ role: 'user', content: text }]
  const response = await realFetch(`${gateway.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-session-id': session, 'user-agent': 'tester/1.0' },
    body: JSON.stringify({ model, max_tokens: 500, stream, messages, ...(tools && { tools }) }),
  })
  return await response.text()
}

const messageOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => new Error('It worked'),
    (thrown: unknown) => thrown,
  )
  return error instanceof ApiError ? `${error.status} ${error.message}` : String(error)
}

describe('exchanges', () => {
  test('are listed in pages, and the client walks over them', async () => {
    const first = await api.exchanges({ limit: 3 })
    expect(first.items.length).toBe(3)
    expect(first.next).toBeDefined()
    const second = await api.exchanges({ limit: 3, cursor: first.next })
    expect(second).toMatchObject({ items: [{ model: 'demo-text' }] })
    expect(second.next).toBeUndefined()
    const all: string[] = []
    for await (const one of api.eachExchange({ limit: 1, isOldestFirst: true })) all.push(one.id)
    expect(all).toEqual([...first.items, ...second.items].map(({ id }) => id).toReversed())
  })

  test('are filtered by what they were', async () => {
    const idsOf = async (query: Parameters<ApiClient['exchanges']>[0]): Promise<number> =>
      (await api.exchanges(query)).items.length
    expect(await idsOf({ model: 'demo-d*' })).toBe(1)
    expect(await idsOf({ conversation: 'one' })).toBe(2)
    expect(await idsOf({ status: 'error' })).toBe(1)
    expect(await idsOf({ verdict: 'deny', policy: 'no-shell' })).toBe(1)
    expect(await idsOf({ tool: 'Bash', hasTools: true })).toBe(1)
    expect(await idsOf({ client: 'tester/*', wire: 'anthropic-messages' })).toBe(4)
    expect(await idsOf({ since: Date.now() - 60_000, until: Date.now() + 1000 })).toBe(4)
    expect(await idsOf({ until: Date.now() - 60_000 })).toBe(0)
    await vi.waitFor(async () => expect(await idsOf({ text: 'pelican' })).toBe(1), 5000)
  })

  test('are shown with their verdicts, by either id', async () => {
    const [one] = (await api.exchanges({ verdict: 'deny' })).items
    const shown = await api.exchange(one?.id ?? '')
    expect(shown.exchange).toMatchObject({
      model: 'demo-dangerous',
      conversation: 'one',
      client: 'tester/1.0',
      tools: [{ name: 'Bash', count: 1 }],
      bodies: { request: expect.any(Number), upstream: expect.any(Number) },
    })
    expect(shown.verdicts).toMatchObject([
      { policy: 'no-shell', version: '1', type: 'deny', reason: 'No shell here' },
    ])
    expect((await api.exchange(one?.requestId ?? '')).exchange.id).toBe(one?.id)
  })

  test('give out their bytes, as a file that no browser runs', async () => {
    const [one] = (await api.exchanges({ verdict: 'deny' })).items
    const id = one?.id ?? ''
    const request = await api.body(id, 'request')
    expect(await request.json()).toMatchObject({ model: 'demo-dangerous' })
    const delivered = await api.body(id, 'delivered')
    expect(delivered.headers.get('content-type')).toBe('text/event-stream')
    expect(delivered.headers.get('content-disposition')).toBe(
      `attachment; filename="${id}.delivered.sse"`,
    )
    expect(delivered.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await delivered.text()).toContain('No shell here')
    expect(await (await api.body(id, 'upstream')).text()).toContain('tool_use')
    expect(await messageOf(api.body(id, 'sent'))).toMatch(/^404 .*ask for "request"/)
    // @ts-expect-error There is no such body.
    expect(await messageOf(api.body(id, 'delivred'))).toMatch(/^400 .*did you mean delivered/)
  })

  test('say when their bytes passed', async () => {
    const [one] = (await api.exchanges({ verdict: 'deny' })).items
    const id = one?.id ?? ''
    const { times } = await api.bodyTimes(id, 'upstream')
    const bytes = await (await api.body(id, 'upstream')).arrayBuffer()
    const sizes = times.filter((_, at) => at % 2 === 0)
    const moments = times.filter((_, at) => at % 2 === 1)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(bytes.byteLength)
    expect(moments).toEqual(moments.toSorted((a, b) => a - b))
    expect(await messageOf(api.bodyTimes(id, 'sent'))).toMatch(/^404 .*ask for "request"/)
    // @ts-expect-error There is no such body.
    expect(await messageOf(api.bodyTimes(id, 'snet'))).toMatch(/^400 .*did you mean sent/)
  })

  test('are read as blocks, as they came and as they left', async () => {
    const [one] = (await api.exchanges({ verdict: 'deny' })).items
    const { upstream, delivered, isSame, changes, verdicts } = await api.blocks(one?.id ?? '')
    const call = upstream?.blocks.find(({ type }) => type === 'tool-call')
    expect(call).toMatchObject({ name: 'Bash', isComplete: true, startedAt: expect.any(Number) })
    expect(call?.content).toContain('command')
    expect(delivered?.blocks.some(({ content }) => content.includes('No shell here'))).toBe(true)
    expect(delivered?.blocks.some(({ type }) => type === 'tool-call')).toBe(false)
    expect(isSame).toBe(false)
    expect(changes.map(({ type }) => type)).toContain('removed')
    expect(verdicts.length).toBe(1)
    const [plain] = (await api.exchanges({ model: 'demo-text' })).items
    expect(await api.blocks(plain?.id ?? '')).toMatchObject({
      isSame: true,
      upstream: { form: 'json', blocks: [{ type: 'text' }] },
    })
  })

  test('that are not there are a 404', async () => {
    const works = [api.exchange, api.blocks, api.removeExchange]
    for (const work of works)
      expect(await messageOf(work('none'))).toMatch(/^404 There is no such exchange/)
    expect(await messageOf(api.live('none').next())).toMatch(/^404/)
    expect(await messageOf(api.conversation('none'))).toMatch(/^404/)
    expect(await messageOf(api.backtest('none'))).toMatch(/^404/)
  })

  test('say what is wrong with a query', async () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['/api/exchanges?modle=x', /did you mean "model"\?/],
      ['/api/exchanges?limit=1001', /1 to 1000/],
      ['/api/exchanges?cursor=nonsense', /cursor/],
      ['/api/exchanges?text=%21%21', /letters or digits/],
      ['/api/stats?step=1000', /Say "since" beside "step"/],
      ['/api/stats?step=1000&since=365d', /steps/],
      ['/api/events?frames=some', /it takes all/],
      ['/api/health?x=1', /it takes none/],
    ]
    for (const [path, words] of cases) {
      const response = await get(path)
      expect([path, response.status]).toEqual([path, 400])
      const { error } = (await response.json()) as ApiErrorBody
      expect(error.message).toMatch(words)
    }
    const which = await get('/api/exchanges', { method: 'DELETE' })
    expect([which.status, await which.text()]).toEqual([400, expect.stringMatching(/one of/)])
  })
})

test('conversations, verdicts, figures and policies are told', async () => {
  const conversations = await api.conversations()
  expect(conversations.items.map(({ id, exchanges }) => [id, exchanges])).toEqual([
    ['two', 2],
    ['one', 2],
  ])
  const each: string[] = []
  for await (const { id } of api.eachConversation({ limit: 1 })) each.push(id)
  expect(each).toEqual(['two', 'one'])
  const one = await api.conversation('one')
  expect(one.conversation.verdicts).toMatchObject({ deny: 1 })
  expect(one.exchanges.items.map(({ model }) => model)).toEqual(['demo-text', 'demo-dangerous'])
  expect((await api.verdicts({ verdict: 'deny' })).items.length).toBe(1)
  const verdicts = []
  for await (const verdict of api.eachVerdict({ policy: 'no-shell' })) verdicts.push(verdict)
  expect(verdicts.length).toBeGreaterThan(0)
  expect(await api.verifyVerdicts()).toMatchObject({ links: verdicts.length })
  expect((await api.verifyVerdicts()).broken).toBeUndefined()
  const { buckets } = await api.stats({ since: Date.now() - 3_600_000, by: 'model' })
  expect(buckets.reduce((sum, { exchanges }) => sum + exchanges, 0)).toBe(4)
  expect(buckets.map((bucket) => bucket.of)).toContain('demo-dangerous')
  const { policies } = await api.policySummary()
  expect(policies).toContainEqual(
    expect.objectContaining({ policy: 'no-shell', type: 'deny', tool: 'Bash', count: 1 }),
  )
})

test('policies are turned into shadow and back, and the list says so', async () => {
  const before = await api.policies()
  expect(before.policies).toMatchObject([{ name: 'no-shell', isShadow: false }])
  expect(before.versions).toMatchObject([{ policy: 'no-shell', version: '1' }])
  const { mode } = await api.setPolicyMode('no-shell', { mode: 'shadow', by: 'ann' })
  expect(mode).toMatchObject({ policy: 'no-shell', version: '1', mode: 'shadow', by: 'ann' })
  expect((await api.policies()).policies).toMatchObject([{ mode: { mode: 'shadow', by: 'ann' } }])
  await api.setPolicyMode('no-shell', { mode: 'acts' })
  expect(await messageOf(api.setPolicyMode('no-shel', { mode: 'acts' }))).toMatch(
    /^404 .*did you mean no-shell/,
  )
  // @ts-expect-error There is no such mode.
  expect(await messageOf(api.setPolicyMode('no-shell', { mode: 'on' }))).toMatch(/^400 .*"acts"/)
})

test('policies are written, checked and rolled back', async () => {
  expect(await api.policySource('no-shell')).toMatchObject({ editable: false })
  expect((await api.checkPolicies({ yaml: '- use: ruls' })).mistakes).toMatchObject([
    { line: 1, column: 8, endColumn: 12, hint: 'rules' },
  ])
  const yaml = '- { use: rules, name: written, deny: [{ when: "true", reason: No. }] }'
  const order = { yaml, mode: 'shadow', by: 'ann', note: 'a try' } as const
  expect(await api.addPolicy(order)).toMatchObject({ policy: { name: 'written', isShadow: true } })
  expect(await api.editPolicy('written', order)).toMatchObject({ policy: { edit: { by: 'ann' } } })
  expect(await messageOf(api.editPolicy('no-shell', order))).toMatch(/^400 It is of the program/)
  expect((await api.policyVersions('written')).versions).toMatchObject([{ isHeld: true }])
  expect(await api.rollBackPolicy('written')).toEqual({})
  expect(await messageOf(api.rollBackPolicy('writen'))).toMatch(/^404/)
})

test('policies are tried on the past', async () => {
  const order = {
    policies: ['no-shell'],
    query: { conversation: 'one', since: Date.now() - 60_000 },
  }
  const { backtest } = await api.startBacktest(order)
  expect(backtest).toMatchObject({ policies: ['no-shell'], order: { policies: ['no-shell'] } })
  await vi.waitFor(async () => {
    const { backtest: now } = await api.backtest(backtest.id)
    expect(now).toMatchObject({ state: 'done', result: { exchanges: { seen: 2 }, same: 1 } })
  }, 5000)
  expect((await api.backtests()).backtests).toMatchObject([{ id: backtest.id, state: 'done' }])
  expect((await api.cancelBacktest(backtest.id)).backtest.state).toBe('done')
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ polices: ['x'] }, /did you mean "policies"/],
    [{ policies: 'x' }, /"policies" takes a list/],
    [{ policies: ['no-shel'] }, /did you mean no-shell/],
    [{ query: { modle: 'x' } }, /did you mean "model"/],
    [{ query: { limit: 5 } }, /no parameter "limit"/],
    [{ examples: -1 }, /0 to 100/],
  ]
  for (const [body, words] of wrong) expect(await messageOf(api.startBacktest(body))).toMatch(words)
})

test('keys are made and revoked, and the config is shown', async () => {
  expect(await messageOf(api.createKey({ name: 'ann' }))).toMatch(/^409 .*"closes": true/)
  const order = { name: 'ann', models: ['demo*'], rate: '5/minute', concurrent: 2, closes: true }
  const { key } = await api.createKey({ ...order, budget: { tokens: 5, per: 'month' } })
  expect((await api.keys()).keys).toEqual([key])
  expect(await messageOf(api.revokeKey('an'))).toMatch(/^404 .*did you mean "ann"/)
  expect((await api.revokeKey('ann', { by: 'bob', opens: true })).key.revokedBy).toBe('bob')
  const { values, routes } = await api.config()
  expect(values.find(({ path }) => path === 'upstreams.demo.pace')).toMatchObject({
    value: '20ms',
    from: 'program',
  })
  expect(routes).toEqual([{ model: '*', to: ['demo'], as: {} }])
})

test('health says how everything is', async () => {
  const health = await api.health()
  expect(health).toMatchObject({
    status: 'ok',
    gateway: { name: 'sluice' },
    records: { state: 'ok' },
    store: { exchanges: expect.any(Number) },
  })
  expect(health.upstreams.every(({ circuit }) => circuit === 'closed')).toBe(true)
})

describe('live', () => {
  test('events say what goes on, with bytes where they are asked for', async () => {
    const stop = new AbortController()
    const events: ApiEvent[] = []
    const over = (async () => {
      for await (const event of api.events({ frames: 'all', signal: stop.signal })) {
        events.push(event)
        if (event.type === 'recorded') stop.abort()
      }
    })()
    await vi.waitFor(() => expect(events[0]?.type).toBe('state'))
    const answer = await ask('demo-dangerous', { session: 'three', text: 'Clean', tools: TOOLS })
    await over
    const types = events.map(({ type }) => type)
    expect(types.filter((type) => type !== 'piece')).toEqual([
      'state',
      'begun',
      'verdict',
      'finished',
      'recorded',
    ])
    expect(textOf(events, 'request')).toContain('"Clean"')
    expect(textOf(events, 'upstream')).toContain('tool_use')
    expect(textOf(events, 'delivered')).toBe(answer)
    // What was judged is content, and is asked for by the id.
    expect(JSON.stringify(events.find(({ type }) => type === 'verdict'))).not.toContain('original')
  })

  test('one exchange is followed to its end', async () => {
    const asked = ask('demo-text', { session: 'four', text: 'Slowly' })
    const stop = new AbortController()
    let id = ''
    for await (const event of api.events({ signal: stop.signal })) {
      if (event.type === 'state') id = event.open[0]?.id ?? id
      if (event.type === 'begun') id = event.exchange.id
      if (id !== '') break
    }
    const events: LiveEvent[] = []
    for await (const event of api.live(id)) events.push(event)
    const answer = await asked
    expect(events[0]).toMatchObject({ type: 'exchange', exchange: { id, model: 'demo-text' } })
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['finished', 'end'])
    expect(textOf(events, 'upstream')).toBe(answer)
    await vi.waitFor(async () => expect((await api.exchange(id)).exchange.id).toBe(id), 5000)
    expect(await messageOf(api.live(id).next())).toMatch(/^409 It is over/)
  })

  const textOf = (events: readonly (ApiEvent | LiveEvent)[], kind: string): string =>
    events
      .map((event) =>
        event.type === 'piece' && event.kind === kind ? new TextDecoder().decode(event.bytes) : '',
      )
      .join('')
})

test('exchanges are taken away by id, by time and by key', async () => {
  const { items } = await api.exchanges({ conversation: 'two', limit: 1 })
  const id = items[0]?.id ?? ''
  expect(await api.removeExchange(id)).toEqual({ removed: 1 })
  expect(await messageOf(api.exchange(id))).toMatch(/^404/)
  expect(await api.removeExchanges({ key: 'nobody' })).toEqual({ removed: 0 })
  expect((await api.removeExchanges({ before: Date.now() + 1000 })).removed).toBeGreaterThan(2)
  expect((await api.exchanges()).items).toEqual([])
  expect((await api.verifyVerdicts()).broken).toBeUndefined()
})

test('the whole table was called, and is described without a loose end', async () => {
  await api.index()
  await api.halt()
  await api.setHalt({ halted: false })
  await api.approvals({ status: 'pending' })
  await messageOf(api.approval('222-222'))
  await messageOf(api.decide('222-222', { decision: 'pass' }))
  await api.backtests()
  await messageOf(api.startBacktest({ yaml: '- use: nothing' }))
  await messageOf(api.cancelBacktest('none'))
  await (await fetch(`${gateway.url}/api/openapi.json`, { headers: admin() })).text()
  const operations = Object.values(described.paths).flatMap((path) => Object.values(path))
  expect(operations.length).toBe(ROUTE_NAMES.length)
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  const isStream = (name: string): boolean => /Events$|Live$/.test(name)
  for (const { operationId } of operations)
    if (!isStream(operationId)) expect([...seen]).toContain(operationId)
  const text = JSON.stringify(described)
  for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g))
    expect(Object.keys(described.components.schemas)).toContain(name)
})

const admin = (): Record<string, string> => ({ authorization: `Bearer ${gateway.adminToken()}` })
