import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterEach, expect, test } from 'vitest'
import { createCalls } from '../../src/records/calls.ts'
import { createClient } from '../../src/records/client.ts'
import { openRecords } from '../../src/records/open.ts'
import { createQueue, type Queue, type QueueOptions } from '../../src/records/queue.ts'
import type { StateChange } from '../../src/records/state-change.ts'
import type { RecordSettings } from '../../src/store/settings.ts'
import type { RecordStore } from '../../src/store/store.ts'
import { aFinished, aPiece, aSettings, aVerdict } from '../support/finished.ts'

const undo: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one()
})

function aFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-records-'))
  undo.push(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'records.db')
}

interface Opened {
  readonly queue: Queue
  readonly store: RecordStore
  readonly changes: StateChange[]
  readonly committed: string[]
  readonly dropped: () => number
  close(): Promise<void>
}

/** A queue with its thread on a real file, and a client. */
async function open(
  settings: RecordSettings,
  { keepMs = 60_000, ...limits }: { keepMs?: number } & Partial<QueueOptions> = {},
): Promise<Opened> {
  const changes: StateChange[] = []
  const committed: string[] = []
  let dropped = 0
  const writes = createCalls(
    (message) => queue.thread.post(message),
    (isHeld) => queue.thread.hold(isHeld),
  )
  const queue: Queue = createQueue({
    settings,
    gateway: 'here',
    ...limits,
    onState: (change) => changes.push(change),
    onDropped: (bodies) => (dropped += bodies),
    onAnswer: writes.hear,
    onDown: () => writes.fail('gone'),
  })
  queue.onCommitted((ids) => committed.push(...ids))
  await queue.thread.opened
  const store = createClient({
    settings,
    gateway: 'here',
    writes,
    hurry: queue.hurry,
    keepMs,
  })
  const close = async (): Promise<void> => {
    await queue.drain(5000)
    await store.close()
    await queue.thread.close(2000)
  }
  undo.push(close)
  return { queue, store, changes, committed, dropped: () => dropped, close }
}

async function until(
  isSo: () => boolean | Promise<boolean>,
  what = 'it',
  ms = 20_000,
): Promise<void> {
  const end = performance.now() + ms
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`${what} did not come about`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const textOf = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)

test('writes what the outbox gets, says what is committed, and reads it back', async () => {
  const { queue, store, committed } = await open(aSettings(aFile()))
  queue.piece('a', aPiece('upstream', 'one '))
  queue.finish(aFinished('a', { pieces: [aPiece('upstream', 'two', 1)], verdicts: [aVerdict()] }))
  queue.later('a', 1, [aVerdict({ isShadow: true, type: 'pass' })])
  await until(() => committed.includes('a'))
  expect(await store.find('a')).toMatchObject({ id: 'a', status: 200, dropped: [] })
  expect(textOf((await store.body('a', 'upstream'))?.bytes)).toBe('one two')
  await until(async () => (await store.verdicts({ exchangeId: 'a' })).items.length === 2)
  expect((await store.verify()).broken).toBeUndefined()
  expect(queue.health()).toMatchObject({ state: 'ok', waitingExchanges: 0, committed: 1 })
})

test('writes what waits when it is closed', async () => {
  const file = aFile()
  const { queue, close } = await open(aSettings(file))
  for (let n = 0; n < 300; n++) queue.finish(aFinished(`e${n}`))
  await close()
  const again = await open(aSettings(file))
  expect((await again.store.size()).exchanges).toBe(300)
})

test('finds tools in an answer that came in pieces', async () => {
  const { queue, store, committed } = await open(aSettings(aFile()))
  const stream = [
    'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"model":"x","usage":{"input_tokens":1,"output_tokens":1}}}\n\n',
    'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"tool_u',
    'se","id":"t1","name":"Bash","input":{}}}\n\nevent: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
    'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  ]
  queue.piece('a', aPiece('upstream', stream[0] ?? ''))
  queue.later('nobody', 0, [])
  await new Promise((resolve) => setTimeout(resolve, 100))
  queue.piece('a', aPiece('upstream', stream[1] ?? '', 1))
  queue.piece('a', aPiece('upstream', stream[2] ?? '', 2))
  queue.finish(
    aFinished('a', { pieces: [aPiece('upstream', stream[3] ?? '', 3)], tools: undefined }),
  )
  await until(() => committed.includes('a'))
  expect((await store.find('a'))?.tools).toEqual([{ name: 'Bash', count: 1 }])
})

test('can be searched by words, a moment later', async () => {
  const { queue, store } = await open(aSettings(aFile()))
  const request =
    '{"model":"x","max_tokens":9,"messages":[{"role":"user","content":"the heron stands"}]}'
  queue.finish(aFinished('a', { pieces: [aPiece('request', request)] }))
  queue.finish(aFinished('b'))
  await until(async () => (await store.list({ text: 'heron' })).items.length === 1, 'the text')
  expect((await store.list({ text: 'heron' })).items[0]?.id).toBe('a')
})

test('takes the text of exchanges from before a restart', async () => {
  const file = aFile()
  const first = await open(aSettings(file))
  const request =
    '{"model":"x","max_tokens":9,"messages":[{"role":"user","content":"a kingfisher"}]}'
  first.queue.finish(aFinished('a', { pieces: [aPiece('request', request)] }))
  await until(() => first.committed.length === 1)
  await first.close()
  const { store } = await open(aSettings(file))
  await until(async () => (await store.list({ text: 'kingfisher' })).items.length === 1)
})

test('keeps no content with "metadata", and no secret on the disk with "redacted"', async () => {
  const secret = `sk-ant-${'api03-'}${'Zq9x'.repeat(20)}AA`
  const request = `{"model":"x","max_tokens":9,"messages":[{"role":"user","content":"my key is ${secret}"}]}`
  for (const mode of ['metadata', 'redacted'] as const) {
    const file = aFile()
    const { queue, store, committed, close } = await open(aSettings(file, { mode }))
    queue.piece('a', aPiece('request', request.slice(0, 90)))
    queue.finish(
      aFinished('a', {
        pieces: [aPiece('request', request.slice(90), 1)],
        verdicts: [aVerdict({ original: secret })],
        row: { record: mode },
      }),
    )
    await until(() => committed.includes('a'))
    const kept = textOf((await store.body('a', 'request'))?.bytes)
    if (mode === 'metadata') expect(kept).toBe('')
    else expect(kept).toContain('my key is')
    expect(kept).not.toContain(secret)
    await close()
    for (const name of [file, `${file}-wal`])
      expect(readIfThere(name).includes(secret.slice(20, 50))).toBe(false)
  }
})

function readIfThere(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch {
    return Buffer.alloc(0)
  }
}

test('tells of a wrong secret when it is opened, and shows nothing of encrypted bodies', async () => {
  const file = aFile()
  const { queue, store, committed, close } = await open(aSettings(file, { secret: 'one' }))
  queue.finish(aFinished('a', { pieces: [aPiece('request', '{"said":"the heron stands"}')] }))
  await until(() => committed.includes('a'))
  expect(textOf((await store.body('a', 'request'))?.bytes)).toContain('heron')
  await close()
  for (const name of [file, `${file}-wal`]) expect(readIfThere(name).includes('heron')).toBe(false)
  const wrong = openRecords({ settings: aSettings(file, { secret: 'two' }), gateway: 'here' })
  await expect(wrong).rejects.toMatchObject({ code: 'bad-config', message: /not the secret/ })
  const none = openRecords({ settings: aSettings(file), gateway: 'here' })
  await expect(none).rejects.toThrow(/store\.key/)
})

test('says what is wrong with a place where no file can be', async () => {
  const settings = aSettings('/dev/null/records.db')
  await expect(openRecords({ settings, gateway: 'here' })).rejects.toThrow(
    /Cannot open the records/,
  )
})

test('waits while another process holds the file, says so once, and loses nothing', async () => {
  const file = aFile()
  const { queue, store, changes, committed } = await open(aSettings(file))
  const other = new DatabaseSync(file)
  other.exec('BEGIN EXCLUSIVE')
  for (let n = 0; n < 50; n++) queue.finish(aFinished(`e${n}`))
  await until(() => changes.length === 1, 'the failure')
  expect(queue.health()).toMatchObject({ state: 'failing', waitingExchanges: 50 })
  queue.finish(aFinished('more'))
  other.exec('ROLLBACK')
  other.close()
  await until(() => committed.length === 51)
  await until(() => changes.length === 2, 'the end of it')
  expect(changes[0]).toMatchObject({ type: 'failing', why: /lock/ })
  expect(changes[1]).toMatchObject({ type: 'recovered', exchanges: 51 })
  expect((await store.size()).exchanges).toBe(51)
  expect(queue.health().state).toBe('ok')
})

test('starts a new thread when one dies, and sends again what was not committed', async () => {
  const { queue, store, changes, committed } = await open(aSettings(aFile()))
  for (let n = 0; n < 20; n++) {
    queue.finish(aFinished(`e${n}`))
    if (n % 7 === 3) {
      await new Promise((resolve) => setTimeout(resolve, 22))
      queue.thread.replace()
    }
  }
  await until(() => new Set(committed).size === 20)
  expect(changes.some(({ type }) => type === 'restarted')).toBe(true)
  expect(changes.some(({ type }) => type === 'lost')).toBe(false)
  expect((await store.size()).exchanges).toBe(20)
  expect(queue.health()).toMatchObject({ waitingExchanges: 0, waitingBytes: 0 })
})

test('ends the thread that reads after a while, and starts it again when asked', async () => {
  const { store } = await open(aSettings(aFile()), { keepMs: 50 })
  expect(await store.size()).toMatchObject({ exchanges: 0 })
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(await store.size()).toMatchObject({ exchanges: 0 })
})

test('carries errors of the store over, and refuses once it is closed', async () => {
  const { store, close } = await open(aSettings(aFile()))
  await expect(store.list({ cursor: 'no cursor' })).rejects.toThrow(/cursor/i)
  await close()
  await expect(store.size()).rejects.toThrow(/closed/)
})

test('takes bodies up to its limit, and lets new exchanges wait beyond its rows', async () => {
  const file = aFile()
  const limits = { maxBytes: 2_000_000, maxRows: 30 }
  const { queue, committed, dropped } = await open(aSettings(file, { maxWait: 20_000 }), limits)
  const other = new DatabaseSync(file)
  other.exec('BEGIN EXCLUSIVE')
  expect(queue.hasRoom(2_000_000)).toBe(true)
  queue.piece('big', { ...aPiece('upstream', ''), bytes: new Uint8Array(1_999_000) })
  expect(queue.hasRoom(1001)).toBe(false)
  expect(queue.health().state).toBe('behind')
  queue.finish(aFinished('big', { pieces: [], row: { dropped: ['delivered'] } }))
  expect(dropped()).toBe(1)
  for (let n = 1; n < 30; n++) {
    expect(queue.admit()).toBe(true)
    queue.finish(aFinished(`e${n}`, { pieces: [] }))
  }
  const waits = queue.admit()
  expect(waits).toBeInstanceOf(Promise)
  other.exec('ROLLBACK')
  other.close()
  expect(await waits).toBe(true)
  await until(() => committed.length === 30)
  expect(queue.admit()).toBe(true)
  expect(queue.health()).toMatchObject({ waitingExchanges: 0, waitingBytes: 0 })
})

test('long quotes of verdicts count: who waits with them keeps others out', async () => {
  const file = aFile()
  const limits = { maxBytes: 1_000_000, maxRows: 1000 }
  const { queue, committed } = await open(aSettings(file, { onFull: 'refuse' }), limits)
  const other = new DatabaseSync(file)
  other.exec('BEGIN EXCLUSIVE')
  let count = 0
  while (count < 100 && queue.admit() === true) {
    const verdicts = [aVerdict({ original: 'x'.repeat(100_000) })]
    queue.finish(aFinished(`e${count++}`, { pieces: [], verdicts }))
  }
  expect(count).toBe(20)
  expect(queue.hasRoom(1)).toBe(false)
  other.exec('ROLLBACK')
  other.close()
  await until(() => committed.length === 20)
  expect(queue.admit()).toBe(true)
  expect(queue.health()).toMatchObject({ waitingExchanges: 0, waitingBytes: 0 })
})

test('refuses after the longest wait, or at once where the settings say so', async () => {
  const file = aFile()
  const patient = await open(aSettings(file, { maxWait: 100 }), { maxRows: 1 })
  const other = new DatabaseSync(file)
  other.exec('BEGIN EXCLUSIVE')
  patient.queue.finish(aFinished('a'))
  const began = performance.now()
  expect(await patient.queue.admit()).toBe(false)
  expect(performance.now() - began).toBeGreaterThan(90)
  other.exec('ROLLBACK')
  other.close()
  const hasty = await open(aSettings(aFile(), { onFull: 'refuse' }), { maxRows: 0 })
  expect(hasty.queue.admit()).toBe(false)
})

test('whoever reads sees what was over before it asked, also between two batches', async () => {
  const { queue, store } = await open(aSettings(aFile()))
  await store.list({})
  for (let n = 0; n < 5; n++) {
    const finished = aFinished(`now-${n}`)
    queue.finish(finished)
    expect(await store.find(finished.row.id)).toMatchObject({ id: finished.row.id })
  }
  const gone = aFinished('gone')
  queue.finish(gone)
  await store.remove({ id: gone.row.id })
  expect(await store.find(gone.row.id)).toBeUndefined()
})
