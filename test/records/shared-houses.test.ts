/** Several gateways on one real Postgres, below HTTP: what one tells, decides and spends, the others know. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { checkEdit } from '../../src/config/check-edit.ts'
import { APPROVALS } from '../../src/approvals/settings.ts'
import type { KeySettings } from '../../src/config/settings.ts'
import { createCodec } from '../../src/records/codec.ts'
import { createFeed, type FeedDesk, type Watcher } from '../../src/records/feed.ts'
import { openHouse, type House } from '../../src/shared/house.ts'
import { openPostgresLine } from '../../src/shared/postgres-line.ts'
import { createSharedBooks, type SharedBooks } from '../../src/shared/share-books.ts'
import { shareFeed, type SharedFeed } from '../../src/shared/share-feed.ts'
import type { FeedEvent, LivePiece, OpenExchange } from '../../src/store/feed.ts'
import { openStore } from '../../src/store/open-store.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { question } from '../support/questions.ts'

let server: TestPostgres | undefined
let url = ''
beforeAll(async () => {
  server = await startPostgres()
}, 60_000)
afterAll(() => server?.stop())
beforeEach(async () => {
  url = (await server?.createDatabase()) ?? ''
})

interface Member {
  readonly feed: SharedFeed
  readonly own: FeedDesk
  readonly house: House
  readonly books: SharedBooks
  readonly said: string[]
}

const members: Member[] = []
afterEach(async () => {
  await Promise.all(members.splice(0).map(leave))
})

async function leave({ house, books, feed }: Member): Promise<void> {
  books.close()
  feed.close()
  await house.close()
}

let count = 0
async function join({ secret }: { secret?: string } = {}): Promise<Member> {
  const said: string[] = []
  const self = `test-${process.pid}-${count++}`
  const line = openPostgresLine({
    self,
    url,
    leaseMs: 1500,
    address: () => 'http://127.0.0.1:1',
    standing: () => books.ledger.standing(),
    codec: secret === undefined ? undefined : createCodec(secret),
    log: (level, message) => said.push(`${level} ${message}`),
    async migrate() {
      const codec = createCodec(secret)
      await (await openStore({ type: 'postgres', url }, { codec })).close()
    },
  })
  const house = openHouse({
    self,
    line,
    approvals: () => APPROVALS,
    url: () => '',
    checkArguments: checkEdit,
    onWarning: (message) => said.push(message),
  })
  const books = createSharedBooks(house.circle)
  const own = createFeed()
  const feed = shareFeed(own, house.circle, { wishMs: 300 })
  const member = { house, books, said, own, feed }
  members.push(member)
  await house.ready(5000)
  return member
}

const KEY: KeySettings = {
  name: 'blue',
  hash: '',
  models: undefined,
  rate: undefined,
  budget: { tokens: 100, per: 'day' },
  concurrent: undefined,
}

test('what one spends, the others count, also one that starts later', async () => {
  const [a, b] = [await join(), await join()]
  a.books.ledger.begin(KEY)
  a.books.ledger.end(KEY, 60)
  b.books.ledger.begin(KEY)
  b.books.ledger.end(KEY, 60)
  await vi.waitFor(() => {
    expect(a.books.ledger.begin(KEY)?.fault.kind).toBe('billing')
    expect(b.books.ledger.begin(KEY)?.fault.kind).toBe('billing')
  })
  const c = await join()
  expect(c.books.ledger.standing()).toMatchObject([{ key: 'blue', tokens: 120 }])
})

test('what was said on one is known on the others, and the switch is one', async () => {
  const [a, b] = [await join(), await join()]
  a.books.origins.note('k', 'resp_1', 'up')
  a.books.sessions.keepExtra('me', 'call_1', { sealed: 'x\u0000y' })
  await a.house.setHalt(true, 'ann', 'an incident')
  await vi.waitFor(() => {
    expect(b.books.origins.find('k', 'resp_1')?.upstream).toBe('up')
    expect(b.books.sessions.recallExtra('me', 'call_1')).toEqual({ sealed: 'x\u0000y' })
    expect(b.house.halt.state()).toMatchObject({ halted: true, by: 'ann', reason: 'an incident' })
  })
  const c = await join()
  expect(c.books.origins.find('k', 'resp_1')?.upstream).toBe('up')
  expect(c.books.sessions.recallExtra('me', 'call_1')).toEqual({ sealed: 'x\u0000y' })
  expect(c.house.halt.isOn()).toBe(true)
  await c.house.setHalt(false, 'bob')
  await vi.waitFor(() =>
    expect([a, b].map(({ house }) => house.halt.isOn())).toEqual([false, false]),
  )
})

test('a call that is asked on one is decided on another, once', async () => {
  const [a, b, c] = [await join(), await join(), await join()]
  const decision = a.house.approvals.ask(question())
  const pending = async ({ house }: Member) =>
    (await house.approvals.list()).filter(({ status }) => status === 'pending')
  await vi.waitFor(async () => expect(await pending(b)).toHaveLength(1))
  const ticket = (await pending(b))[0]?.ticket ?? ''
  expect((await c.house.approvals.show(ticket))?.call.content).toBe('{"command":"ls"}')
  const outcomes = await Promise.all(
    [a, b, c].map(({ house }, at) =>
      house.approvals.decide(ticket, { type: 'pass', by: `person ${at}` }),
    ),
  )
  expect(outcomes.map(({ type }) => type).toSorted()).toEqual(['already', 'already', 'decided'])
  const first = outcomes.findIndex(({ type }) => type === 'decided')
  expect(await decision).toMatchObject({ type: 'pass', by: `person ${first}`, ticket })
})

test('a decision for a conversation holds on all', async () => {
  const [a, b] = [await join(), await join()]
  const asked = a.house.approvals.ask(question({ conversationId: 'remembered' }))
  await vi.waitFor(async () => expect(await b.house.approvals.list()).not.toHaveLength(0))
  const [one] = await b.house.approvals.list()
  await b.house.approvals.decide(one?.ticket ?? '', {
    type: 'deny',
    by: 'ann',
    remember: 'conversation',
  })
  expect(await asked).toMatchObject({ type: 'deny', by: 'ann' })
  await vi.waitFor(async () => {
    const again = b.house.approvals.ask(question({ conversationId: 'remembered' }))
    const soon = Promise.race([again, sleep(200)])
    expect(await soon).toMatchObject({ type: 'deny', by: 'ann' })
  })
})

test('a client that comes back to another gateway finds its ticket there', async () => {
  const [a, b] = [await join(), await join()]
  const left = new AbortController()
  void a.house.approvals.ask(question({ signal: left.signal }))
  await vi.waitFor(async () => expect(await b.house.approvals.list()).toHaveLength(1))
  left.abort()
  await vi.waitFor(async () =>
    expect(await b.house.approvals.list()).toMatchObject([{ isWaitedFor: false }]),
  )
  const again = b.house.approvals.ask(question())
  await vi.waitFor(async () => {
    expect(await a.house.approvals.list()).toMatchObject([{ isWaitedFor: true }])
    expect(await b.house.approvals.list()).toMatchObject([{ isWaitedFor: true }])
  })
  const [one] = await a.house.approvals.list()
  expect(one?.gateway).toBe(b.house.circle.self)
  await a.house.approvals.decide(one?.ticket ?? '', { type: 'pass', by: 'ann' })
  expect(await again).toMatchObject({ type: 'pass', by: 'ann', ticket: one?.ticket })
})

test('a decision that nobody waited for is used where the client asks again', async () => {
  const [a, b] = [await join(), await join()]
  const left = new AbortController()
  void a.house.approvals.ask(question({ signal: left.signal }))
  await vi.waitFor(async () => expect(await b.house.approvals.list()).toHaveLength(1))
  left.abort()
  const [one] = await b.house.approvals.list()
  await a.house.approvals.decide(one?.ticket ?? '', { type: 'deny', by: 'ann' })
  await vi.waitFor(async () =>
    expect(await b.house.approvals.list()).toMatchObject([{ status: 'decided' }]),
  )
  expect(await b.house.approvals.ask(question())).toMatchObject({ type: 'deny', by: 'ann' })
  // Once: the next is asked anew.
  const next = b.house.approvals.ask(question())
  expect(await Promise.race([next, sleep(200)])).toBeUndefined()
})

test('a decision is used also where nobody has heard of it yet', async () => {
  const [a, b] = [await join(), await join()]
  for (const which of ['one', 'two', 'three', 'four', 'five']) {
    const left = new AbortController()
    const asking = { conversationId: which }
    void a.house.approvals.ask(question({ ...asking, signal: left.signal }))
    const find = async () =>
      (await b.house.approvals.list()).find(({ status }) => status === 'pending')
    const one = await vi.waitFor(async () => (await find()) ?? expect.fail('no ticket'))
    left.abort()
    await vi.waitFor(async () =>
      expect(await a.house.approvals.show(one.ticket)).toMatchObject({ isWaitedFor: false }),
    )
    await a.house.approvals.decide(one.ticket, { type: 'deny', by: which })
    const again = Promise.race([b.house.approvals.ask(question(asking)), sleep(2000)])
    expect(await again).toMatchObject({ type: 'deny', by: which, ticket: one.ticket })
  }
  // Notes of how it was before come late, and change nothing.
  await sleep(300)
  for (const { house } of [a, b]) {
    const states = (await house.approvals.list()).map(({ status }) => status)
    expect(states).toEqual(Array.from({ length: 5 }, () => 'decided'))
  }
})

test('how many are under way is counted over all, and forgotten with a gateway that leaves', async () => {
  const [a, b] = [await join(), await join()]
  const key = { ...KEY, concurrent: 2, budget: undefined }
  a.books.ledger.begin(key)
  a.books.ledger.begin(key)
  await sleep(300)
  expect(b.books.ledger.begin(key)?.fault.kind).toBe('rate-limit')
  await leave(a)
  members.splice(members.indexOf(a), 1)
  await vi.waitFor(() => expect(b.books.ledger.begin(key)).toBeUndefined(), 5000)
})

test('with a secret nothing that was said stands in the tables', async () => {
  const [a, b] = [await join({ secret: 'hush' }), await join({ secret: 'hush' })]
  a.books.sessions.keepExtra('me', 'call_1', { words: 'a telling word' })
  void a.house.approvals.ask(question({ args: '{"command":"telling"}' }))
  await vi.waitFor(async () => {
    expect(b.books.sessions.recallExtra('me', 'call_1')).toEqual({ words: 'a telling word' })
    const [one] = await b.house.approvals.list()
    expect((await b.house.approvals.show(one?.ticket ?? ''))?.call.content).toContain('telling')
  })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(`select body from news union all select body from tickets`)
  await client.end()
  expect(rows.length).toBeGreaterThan(1)
  expect(JSON.stringify(rows)).not.toContain('telling')
})

/** An exchange that goes on at one of them. */
function begin({ own }: Member, id: string): { say(text: string): void; end(): void } {
  const watchers = new Set<Watcher>()
  const exchange = { id, requestId: id, gateway: 'g', startedAt: 1, endpoint: '', wire: '' }
  const open = exchange as unknown as OpenExchange
  const isOver = own.begin({
    id,
    toOpen: () => open,
    watch(watcher) {
      watchers.add(watcher)
      return () => void watchers.delete(watcher)
    },
  })
  own.tell({ type: 'begun', exchange: open })
  return {
    say(text) {
      for (const { onPiece } of watchers)
        onPiece({ id, kind: 'upstream', bytes: Buffer.from(text), at: 1 })
    },
    end() {
      isOver()
      own.tell({ type: 'finished', exchange: { id } as never })
      for (const { onEnd } of watchers) onEnd?.()
    },
  }
}

test('who watches one sees the exchanges of all, and their bytes when asked for', async () => {
  const [a, b] = [await join(), await join()]
  const before = begin(b, 'x-1')
  const events: FeedEvent[] = []
  const stop = a.feed.onEvent((event) => events.push(event))
  await vi.waitFor(() => expect(a.feed.open().map(({ id }) => id)).toEqual(['x-1']))
  const after = begin(b, 'x-2')
  await vi.waitFor(() => expect(a.feed.open().map(({ id }) => id)).toEqual(['x-1', 'x-2']))
  const pieces: LivePiece[] = []
  let isOver = false
  a.feed.watch(
    'x-1',
    (piece) => pieces.push(piece),
    () => void (isOver = true),
  )
  await sleep(150)
  before.say('hello')
  await vi.waitFor(() =>
    expect(Buffer.concat(pieces.map(({ bytes }) => bytes)).toString()).toBe('hello'),
  )
  before.end()
  after.end()
  await vi.waitFor(() => expect(isOver).toBe(true))
  await vi.waitFor(() => expect(a.feed.open()).toEqual([]))
  expect(events.map(({ type }) => type)).toEqual(['begun', 'begun', 'finished', 'finished'])
  stop()
  // An exchange that nobody knows is over.
  await new Promise<void>((resolve) => a.feed.watch('x-9', () => {}, resolve))
})

test('without Postgres each goes on alone, says so once, and nothing is lost when it is back', async () => {
  if (server === undefined || process.env['SLUICE_TEST_POSTGRES'] !== undefined) return
  const [a, b] = [await join(), await join()]
  await server.halt()
  const asked = a.house.approvals.ask(question())
  await vi.waitFor(() => expect([...a.said, ...b.said]).toHaveLength(2))
  for (const { books } of [a, b]) {
    books.ledger.begin(KEY)
    books.ledger.end(KEY, 60)
    expect(books.ledger.begin(KEY)).toBeUndefined()
  }
  a.books.sessions.keepExtra('me', 'call_1', { seen: 1 })
  // Decided where it was asked.
  const [one] = await a.house.approvals.list()
  const outcome = await a.house.approvals.decide(one?.ticket ?? '', { type: 'pass', by: 'ann' })
  expect(outcome.type).toBe('decided')
  expect(await asked).toMatchObject({ type: 'pass' })
  const waiting = b.house.approvals.ask(question({ conversationId: 'another' }))
  await b.house.setHalt(true, 'ann')
  await sleep(1000)
  await server.resume()
  await vi.waitFor(async () => {
    for (const { books } of [a, b]) expect(books.ledger.begin(KEY)?.fault.kind).toBe('billing')
    expect(b.books.sessions.recallExtra('me', 'call_1')).toEqual({ seen: 1 })
    expect(a.house.halt.isOn()).toBe(true)
    expect((await a.house.approvals.list()).map(({ status }) => status)).toEqual([
      'pending',
      'decided',
    ])
  }, 10_000)
  const [next] = await a.house.approvals.list()
  await a.house.approvals.decide(next?.ticket ?? '', { type: 'deny', by: 'bob' })
  expect(await waiting).toMatchObject({ type: 'deny', by: 'bob' })
  for (const { said } of [a, b])
    expect(said).toEqual([
      expect.stringMatching(/^warn Postgres cannot be reached/),
      expect.stringMatching(/^info Postgres is there again/),
    ])
  const c = await join()
  expect(c.books.ledger.standing()).toMatchObject([{ key: 'blue', tokens: 120 }])
}, 30_000)
