import { connect as connectTcp } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts'
import { createApiClient, type ApiClient } from '../api/client.ts'
import { ApiError } from '../api/call.ts'
import type { LiveEvent } from '../api/types.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { Records, RecordsHealth } from '../records/records.ts'
import type { FeedEvent, LivePiece, OpenExchange } from '../store/feed.ts'

let gateway: TestGateway
let api: ApiClient
afterEach(() => gateway.close(0))

const HEALTH: RecordsHealth = {
  state: 'ok',
  why: undefined,
  waitingExchanges: 0,
  waitingBytes: 0,
  committed: 0,
  droppedBodies: 0,
}

/** Records that do as a test says; what it does not say fails as a store would. */
function standIn(
  store: object = {},
  more: Partial<Records> = {},
): { records: Records; tell(event: FeedEvent): void; pass(piece: LivePiece): void; end(): void } {
  const listeners = new Set<(event: FeedEvent) => void>()
  const watchers = new Set<{ onPiece: (piece: LivePiece) => void; onEnd?: () => void }>()
  const nothing = (): Promise<undefined> => Promise.resolve(undefined)
  const quiet = { note: nothing, setNote: nothing, notePolicyVersions: nothing }
  const none = (): Promise<readonly []> => Promise.resolve([])
  const modes = { policyModes: none, gatewayKeys: none }
  const records = {
    recorder: undefined,
    store: { ...quiet, ...modes, ...store },
    feed: {
      onEvent(callback: (event: FeedEvent) => void) {
        listeners.add(callback)
        return () => void listeners.delete(callback)
      },
      open: () => [OPEN],
      watch(_id: unknown, onPiece: (piece: LivePiece) => void, onEnd?: () => void) {
        const one = { onPiece, ...(onEnd && { onEnd }) }
        watchers.add(one)
        return () => void watchers.delete(one)
      },
    },
    health: () => HEALTH,
    close: () => Promise.resolve(),
    ...more,
  } as unknown as Records
  return {
    records,
    tell: (event) => listeners.forEach((callback) => callback(event)),
    pass: (piece) => watchers.forEach(({ onPiece }) => onPiece(piece)),
    end: () => watchers.forEach(({ onEnd }) => onEnd?.()),
  }
}

const OPEN: OpenExchange = {
  id: 'one',
  requestId: 'req_one',
  gateway: 'g',
  startedAt: 1,
  endpoint: '/v1/messages',
  wire: 'anthropic-messages',
  key: undefined,
  client: undefined,
  model: 'm',
  conversation: undefined,
}

async function start(records?: Records): Promise<void> {
  gateway = await startTestGateway({}, records === undefined ? {} : { records })
  api = createApiClient({ url: gateway.url, token: gateway.adminToken() })
}

const messageOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => new Error('It worked'),
    (thrown: unknown) => thrown,
  )
  return error instanceof ApiError ? `${error.status} ${error.message}` : String(error)
}

describe('records that are off', () => {
  test('are a 503 that says what to do, and everything else goes on', async () => {
    await start()
    const works = [
      () => api.exchanges(),
      () => api.exchange('x'),
      () => api.verdicts(),
      () => api.stats(),
      () => api.policySummary(),
      () => api.removeExchanges({ key: 'k' }),
      () => api.backtests(),
      () => api.live('x').next(),
    ]
    for (const work of works)
      expect(await messageOf(work())).toMatch(/^503 Nothing is recorded here: say "record: bytes"/)
    expect(await api.health()).toMatchObject({ status: 'ok', records: { state: 'off' } })
    expect(await api.policies()).toMatchObject({ policies: [] })
    for await (const event of api.events()) {
      expect(event).toMatchObject({ type: 'state', open: [] })
      break
    }
  })
})

describe('a store that fails', () => {
  test('is a 503 with the reason of the records, and the log says so without content', async () => {
    const list = (): Promise<never> => Promise.reject(new Error('SQLITE_IOERR: disk I/O error'))
    const why = 'The disk is full: make room on it'
    const health = (): RecordsHealth => ({ ...HEALTH, state: 'failing', why })
    await start(standIn({ list, size: list }, { health }).records)
    expect(await messageOf(api.exchanges({ text: 'secret words' }))).toBe(`503 ${why}`)
    expect(gateway.lines.join()).toContain('The records could not be read')
    expect(gateway.lines.join()).not.toContain('secret words')
    expect(await api.health()).toMatchObject({
      status: 'failing',
      records: { state: 'failing', why },
    })
    expect((await api.health()).store).toBeUndefined()
  })

  test('tells what is wrong with the question apart from what is wrong with itself', async () => {
    const errors = [
      new SluiceError('wrong-use', 'Cannot go on from this cursor: use "next"'),
      new SluiceError('wrong-use', 'Cannot use the records: their thread is started anew'),
    ]
    await start(standIn({ list: () => Promise.reject(errors.shift() ?? new Error()) }).records)
    expect(await messageOf(api.exchanges())).toMatch(/^400 Cannot go on/)
    expect(await messageOf(api.exchanges())).toMatch(/^503 Cannot use the records/)
  })
})

describe('live', () => {
  async function follow(): Promise<{ events: LiveEvent[]; over: Promise<void> }> {
    const events: LiveEvent[] = []
    const over = (async () => {
      for await (const event of api.live('req_one')) events.push(event)
    })()
    await vi.waitFor(() => expect(events.length).toBe(1))
    return { events, over }
  }
  const piece = (text: string): LivePiece => ({
    id: 'one',
    kind: 'upstream',
    bytes: new TextEncoder().encode(text),
    at: 7,
  })

  test('ends when the gateway that served it is gone', async () => {
    const { records, tell, pass } = standIn()
    await start(records)
    const { events, over } = await follow()
    pass(piece('a\u0000ü'))
    tell({ type: 'gone', id: 'another' })
    tell({ type: 'gone', id: 'one' })
    await over
    expect(events.map(({ type }) => type)).toEqual(['exchange', 'piece', 'end'])
    expect(events[1]).toMatchObject({ at: 7, bytes: piece('a\u0000ü').bytes })
  })

  test('ends also when its last word does not come', async () => {
    const { records, end } = standIn()
    await start(records)
    const { events, over } = await follow()
    end()
    await over
    expect(events.at(-1)).toEqual({ type: 'end' })
  })

  test('comes back after the gateway was restarted with another token, and says how things stand', async () => {
    await start(standIn().records)
    const onGone = vi.fn<() => void>()
    const finding = createApiClient(() => ({ url: gateway.url, token: gateway.adminToken() }))
    const states: string[] = []
    for await (const event of finding.events({ againMs: 10, onGone })) {
      states.push(event.type)
      if (states.length === 2) break
      await gateway.close(0)
      await start(standIn().records)
    }
    expect(states).toEqual(['state', 'state'])
    expect(onGone).toHaveBeenCalled()
  })

  test('drops a listener who does not read, and nobody else', async () => {
    const { records, pass } = standIn()
    await start(records)
    const { hostname, port } = new URL(gateway.url)
    const lazy = connectTcp(Number(port), hostname)
    lazy.write(
      `GET /api/events?frames=all HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${gateway.adminToken()}\r\n\r\n`,
    )
    lazy.pause()
    const isDropped = new Promise((resolve) => lazy.on('close', resolve))
    lazy.on('error', () => {})
    const { events } = await follow()
    const large = { ...piece(''), bytes: new Uint8Array(256 * 1024) }
    for (let i = 0; i < 100; i++) {
      pass(large)
      // Who reads is in this process too, and must not fall behind because the machine is busy.
      do await new Promise((resolve) => setTimeout(resolve, 1))
      while (events.length < i)
    }
    lazy.resume()
    await isDropped
    await vi.waitFor(() => expect(events.length).toBe(101), { timeout: 10_000 })
  })
})
