import { createServer, connect, type Socket, type Server } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRecords } from '../../src/records/open.ts'
import { createQueue, type Queue } from '../../src/records/queue.ts'
import type { StateChange } from '../../src/records/state-change.ts'
import { createCodec } from '../../src/records/codec.ts'
import { openStore } from '../../src/store/open-store.ts'
import { aFinished, aPiece, aSettings, aVerdict } from '../support/finished.ts'
import { hasPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'

const isThere = await hasPostgres()
let postgres: TestPostgres | undefined
beforeAll(async () => {
  if (isThere) postgres = await startPostgres()
})
afterAll(() => postgres?.stop())

/** A connection that hangs is given up after 10 seconds: too long for every run. */
const WAYS =
  process.env['SLUICE_TEST_LONG'] === '1' ? (['refuse', 'hang'] as const) : (['refuse'] as const)

type Way = 'open' | 'refuse' | 'reset' | 'hang'

/** Stands between, and does to the connection what networks do. */
async function aProxy(port: number): Promise<{ port: number; set(way: Way): void; close(): void }> {
  let way: Way = 'open'
  const sockets = new Set<Socket>()
  const server: Server = createServer((client) => {
    if (way === 'refuse') return client.destroy()
    const behind = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (data: Buffer) => way === 'open' && to.write(data))
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.on('error', () => to.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    set(next) {
      // What hung is not given back: bytes are missing in it.
      const isOver = next === 'refuse' || next === 'reset' || way === 'hang'
      way = next === 'reset' ? 'open' : next
      if (isOver) for (const socket of sockets) socket.resetAndDestroy()
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function until(isSo: () => boolean, what: string): Promise<void> {
  const end = performance.now() + 50_000
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`${what} did not come about`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test.skipIf(!isThere)(
  'a Postgres that refuses, resets and hangs loses nothing, and is told of once',
  async () => {
    const url = new URL((await postgres?.createDatabase()) ?? '')
    const proxy = await aProxy(Number(url.port))
    const through = new URL(url)
    through.port = String(proxy.port)
    const location = { type: 'postgres', url: through.href } as const
    const changes: StateChange[] = []
    const committed = new Set<string>()
    const queue: Queue = createQueue({
      settings: aSettings('', { location }),
      gateway: 'here',
      onState: (change) => changes.push(change),
      onAnswer: () => {},
      onDown: () => {},
    })
    queue.onCommitted((ids) => ids.forEach((id) => committed.add(id)))
    let count = 0
    const some = (): void => {
      for (let n = 0; n < 20; n++)
        queue.finish(aFinished(`e${count++}`, { verdicts: [aVerdict()] }))
    }
    try {
      await queue.thread.opened
      some()
      await until(() => committed.size === count, 'the first')
      for (const way of WAYS) {
        const told = changes.length
        proxy.set(way)
        some()
        await until(() => queue.health().state === 'failing', `the failure by ${way}`)
        expect(queue.health()).toMatchObject({ why: /Postgres/, waitingExchanges: 20 })
        some()
        proxy.set('open')
        await until(() => committed.size === count, `what waited while it ${way}s`)
        await until(() => queue.health().state === 'ok', 'the end of it')
        expect(changes.slice(told)).toMatchObject([
          { type: 'failing' },
          { type: 'recovered', exchanges: 40 },
        ])
      }
      proxy.set('reset')
      some()
      await until(() => committed.size === count, 'what came after the reset')
    } finally {
      await queue.drain(5000)
      await queue.thread.close(5000)
      proxy.close()
    }
    expect(changes.some(({ type }) => type === 'lost' || type === 'restarted')).toBe(false)
    const store = await openStore({ type: 'postgres', url: url.href }, { codec: createCodec() })
    expect((await store.size()).exchanges).toBe(count)
    expect(await store.verify()).toMatchObject({ links: count, broken: undefined })
    await store.close()
  },
  120_000,
)

test.skipIf(!isThere)(
  'tools of a long answer that ends while Postgres is gone are found all the same',
  async () => {
    const url = new URL((await postgres?.createDatabase()) ?? '')
    const proxy = await aProxy(Number(url.port))
    const through = new URL(url)
    through.port = String(proxy.port)
    const queue: Queue = createQueue({
      settings: aSettings('', { location: { type: 'postgres', url: through.href } }),
      gateway: 'here',
      onAnswer: () => {},
      onDown: () => {},
    })
    const answer =
      '{"id":"m","type":"message","role":"assistant","model":"x","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}'
    try {
      await queue.thread.opened
      queue.piece('long', aPiece('upstream', answer.slice(0, 100), 0))
      await until(() => queue.health().waitingBytes === 0, 'what goes ahead')
      proxy.set('refuse')
      const pieces = [aPiece('upstream', answer.slice(100), 1)]
      queue.finish(aFinished('long', { pieces, tools: undefined, row: { isStream: false } }))
      await until(() => queue.health().state === 'failing', 'the failure')
      proxy.set('open')
      await until(() => queue.health().committed === 1, 'what waited')
    } finally {
      await queue.drain(5000)
      await queue.thread.close(5000)
      proxy.close()
    }
    const store = await openStore({ type: 'postgres', url: url.href }, { codec: createCodec() })
    expect(await store.find('long')).toMatchObject({ tools: [{ name: 'Bash', count: 1 }] })
    await store.close()
  },
  120_000,
)

test('a Postgres that is not there stops the start, and the password is not shown', async () => {
  const location = { type: 'postgres', url: 'postgres://sluice:hidden@127.0.0.1:1/none' } as const
  const opening = openRecords({ settings: aSettings('', { location }), gateway: 'here' })
  const error = await opening.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  expect(String(error)).toMatch(/Cannot open the records/)
  expect(String(error)).not.toContain('hidden')
})
