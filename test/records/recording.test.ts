/** When exchanges are recorded and when they are refused, and who opens and closes what they are recorded in. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import type { Recorder } from '../../src/store/tape.ts'
import { createCodec } from '../../src/records/codec.ts'
import type { Records } from '../../src/records/records.ts'
import { startService } from '../../src/server/service.ts'
import { openStore } from '../../src/store/open-store.ts'
import { createLog } from '../../src/telemetry/log.ts'
import {
  allTo,
  ask,
  httpUpstream,
  PATHS,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { fetchRaw, sendRequest } from '../support/raw-client.ts'
import { openTestRecords, recordSettings } from '../support/recorded-gateway.ts'
import { SMALL } from '../support/small-streams.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

let upstream: TestUpstream
let records: Records
const undo: (() => Promise<void> | void)[] = []
beforeAll(async () => {
  upstream = await startUpstream()
  records = await openTestRecords()
}, 30_000)
afterAll(async () => {
  await upstream.close()
  await records.close(5000)
})
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one()
})

const MESSAGES = 'anthropic-messages'

/** Records whose store takes nothing more, until it is told to. */
async function startFull(
  admit: Recorder['admit'],
): Promise<{ gateway: TestGateway; begun: () => number }> {
  let begun = 0
  const recorder: Recorder = {
    admit,
    begin(start) {
      begun += 1
      return records.recorder.begin(start)
    },
  }
  const gateway = await startTestGateway(allTo(httpUpstream(upstream.url)), {
    records: { ...records, recorder },
  })
  undo.push(() => gateway.close(0))
  return { gateway, begun: () => begun }
}

test.each([
  ['anthropic-messages', 529],
  ['openai-chat', 503],
  ['openai-responses', 503],
] as const)(
  'while nothing can be recorded %s is refused in its own words, and nobody is asked',
  async (wire, status) => {
    const { gateway, begun } = await startFull(() => false)
    const asked = upstream.requests.length
    const answer = await fetchRaw(gateway.url + PATHS[wire], { body: ask(wire) })
    expect(answer.status).toBe(status)
    expect(answer.headers['retry-after']).toBe('5')
    expect(answer.body.toString()).toContain('Nothing can be recorded here at the moment')
    expect((await gateway.report(0)).outcome).toBe('refused')
    expect(upstream.requests).toHaveLength(asked)
    expect(begun()).toBe(0)
    const { body } = await fetchRaw(`${gateway.url}/metrics`, { method: 'GET' })
    expect(body.toString()).toContain('sluice_records_total{result="refused"} 1\n')
  },
)

test('an exchange waits for the store and goes on when that can take it', async () => {
  let letIn: (isAdmitted: boolean) => void = () => {}
  const { gateway, begun } = await startFull(() => new Promise((resolve) => (letIn = resolve)))
  upstream.next({ body: SMALL[MESSAGES] })
  const asked = upstream.requests.length
  const call = sendRequest(gateway.url + PATHS[MESSAGES], { body: ask(MESSAGES, { stream: true }) })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(upstream.requests).toHaveLength(asked)
  letIn(true)
  expect((await call.answer).body.toString()).toBe(SMALL[MESSAGES])
  expect(begun()).toBe(1)
})

test('a client that leaves while it waits has not asked anybody', async () => {
  let letIn: (isAdmitted: boolean) => void = () => {}
  const { gateway } = await startFull(() => new Promise((resolve) => (letIn = resolve)))
  const asked = upstream.requests.length
  const call = sendRequest(gateway.url + PATHS[MESSAGES], { body: ask(MESSAGES) })
  await new Promise((resolve) => setTimeout(resolve, 50))
  call.leave()
  await call.answer
  await new Promise((resolve) => setTimeout(resolve, 20))
  letIn(true)
  expect((await gateway.report(0)).outcome).toBe('client-left')
  expect(upstream.requests).toHaveLength(asked)
})

test('what is refused anyway is refused with its own reason', async () => {
  const { gateway } = await startFull(() => false)
  const answer = await fetchRaw(gateway.url + PATHS[MESSAGES], { body: '{"model":5}' })
  expect(answer.status).toBe(400)
})

test('a gateway opens the store of its settings, and closes it with all that was on its way', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-own-'))
  undo.push(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'records.db')
  const gateway = await startTestGateway({
    ...allTo(httpUpstream(upstream.url)),
    records: recordSettings(file),
  })
  upstream.next({ body: SMALL[MESSAGES] })
  await fetchRaw(gateway.url + PATHS[MESSAGES], { body: ask(MESSAGES, { stream: true }) })
  await gateway.close(1000)
  const store = await openStore(
    { type: 'sqlite', file },
    { codec: createCodec(), isReadOnly: true },
  )
  undo.push(() => store.close())
  const { items } = await store.list({})
  expect(items).toMatchObject([{ outcome: 'done', model: 'm' }])
}, 20_000)

test('a store that cannot be opened stops the start with a reason', async () => {
  const start = startTestGateway({ records: recordSettings('/dev/null/records.db') })
  await expect(start).rejects.toThrow(/records/i)
}, 20_000)

test('a service says that new settings of records need a restart, and goes on with the old ones', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-service-'))
  undo.push(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'sluice.yaml')
  const say = (more: string): void =>
    writeFileSync(
      file,
      `listen: 127.0.0.1:0\nrecord: off\nupstreams:\n  demo: { kind: demo }\n${more}`,
    )
  say('')
  const lines: string[] = []
  const log = createLog(
    { level: 'info', format: 'json', redact: true },
    { write: (line) => void lines.push(line) },
  )
  const service = await startService(loadConfig({ file, env: {}, cwd: folder }), { log })
  undo.push(() => service.close(0))
  writeFileSync(
    file,
    `listen: 127.0.0.1:0\nstore: records.db\nupstreams:\n  demo: { kind: demo }\n`,
  )
  for (let n = 0; n < 100 && !lines.some((line) => line.includes('restart')); n++)
    await new Promise((resolve) => setTimeout(resolve, 50))
  expect(lines.join('')).toContain('Changes to record and store take effect after a restart')
  expect(existsSync(join(folder, 'records.db'))).toBe(false)
}, 20_000)
