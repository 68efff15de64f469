/**
 * How long pages of the admin API take with many recorded exchanges: `tsx bench/records/api.ts [100000]`. A real gateway
 * on loopback, a real SQLite file that is filled first, the typed client.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiClient, type ApiClient } from '../../src/api/client.ts'
import { openRecords } from '../../src/records/open.ts'
import type { ExchangeRow, WriteItem } from '../../src/store/record.ts'
import { recordSettings } from '../../test/support/recorded-gateway.ts'
import { startTestGateway } from '../../test/support/gateway.ts'

const COUNT = Number(process.argv[2] ?? 100_000)
const ROUNDS = 20
const BATCH = 500
const WORDS = 'alpha beta gamma delta pelican harbour lantern copper meadow thistle'.split(' ')

const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-api-'))
const settings = { ...recordSettings(join(folder, 'records.db')), hasSearch: true }
const records = await openRecords({ settings, gateway: 'bench', prices: [] })
const begun = performance.now()
for (let at = 0; at < COUNT; at += BATCH)
  await records.store.write(Array.from({ length: BATCH }, (_, i) => toItem(at + i)))
console.log(`${COUNT} exchanges written in ${((performance.now() - begun) / 1000).toFixed(1)} s`)

const gateway = await startTestGateway({}, { records })
const api = createApiClient({ url: gateway.url, token: gateway.adminToken() })
try {
  await measureAll(api)
} finally {
  await gateway.close(0)
  await records.close(1000)
  rmSync(folder, { recursive: true, force: true })
}

async function measureAll(of: ApiClient): Promise<void> {
  const deep = await cursorAt(of, 20)
  const week = Date.now() - 7 * 86_400_000
  const cases: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['the first page of 50', () => of.exchanges()],
    ['a page of 1000', () => of.exchanges({ limit: 1000 })],
    ['a page 20,000 deep', () => of.exchanges({ cursor: deep })],
    ['by model', () => of.exchanges({ model: 'model-3' })],
    ['by model, pattern', () => of.exchanges({ model: '*-3' })],
    ['by key and status', () => of.exchanges({ key: 'key-2', status: 'error' })],
    ['by tool', () => of.exchanges({ tool: 'Bash' })],
    ['by a tool that is rare', () => of.exchanges({ tool: 'rare' })],
    ['by a tool that nobody called', () => of.exchanges({ tool: 'nothing' })],
    ['by verdict', () => of.exchanges({ verdict: 'deny' })],
    ['by conversation', () => of.exchanges({ conversation: 'conversation-77' })],
    ['by text', () => of.exchanges({ text: 'pelican harbour' })],
    ['by text that is rare', () => of.exchanges({ text: 'needle4242' })],
    ['verdicts', () => of.verdicts({ verdict: 'deny' })],
    ['conversations', () => of.conversations()],
    ['figures of a week', () => of.stats({ since: week })],
    ['policies of a week', () => of.policySummary({ since: week })],
    ['health', () => of.health()],
  ]
  for (const [name, work] of cases) {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const at = performance.now()
      await work()
      times.push(performance.now() - at)
    }
    times.sort((a, b) => a - b)
    const show = (ms = 0): string => `${ms.toFixed(1)} ms`.padStart(11)
    console.log(`${name.padEnd(30)} median ${show(times[ROUNDS / 2])}  worst ${show(times.at(-1))}`)
  }
}

async function cursorAt(of: ApiClient, pages: number): Promise<string | undefined> {
  let cursor: string | undefined
  for (let page = 0; page < pages; page++)
    cursor = (await of.exchanges({ limit: 1000, cursor })).next
  return cursor
}

function toItem(n: number): WriteItem {
  const hasTool = n % 3 === 0
  const tool = n % 10_000 === 9 ? 'rare' : 'Bash'
  return {
    type: 'exchange',
    row: toRow(n),
    pieces: [],
    verdicts: hasTool
      ? [
          {
            policy: 'rules',
            version: '1',
            type: n % 30 === 0 ? 'deny' : 'pass',
            reason: n % 30 === 0 ? 'No' : undefined,
            tags: [],
            details: {},
            by: undefined,
            block: { type: 'tool-call', id: `call-${n}`, index: 0, name: tool },
            original: '{}',
            delivered: undefined,
            isShadow: false,
            tookMs: 0.1,
          },
        ]
      : [],
    tools: hasTool ? [{ name: tool, count: 1 }] : [],
    without: [],
    text: `${WORDS[n % 10]} ${WORDS[(n >> 3) % 10]} ${WORDS[(n >> 6) % 10]} needle${n % 50_000}`,
  }
}

function toRow(n: number): ExchangeRow {
  const isError = n % 17 === 0
  return {
    id: `bench-${String(n).padStart(10, '0')}`,
    requestId: `req_${n}`,
    traceId: '0'.repeat(32),
    gateway: 'bench',
    startedAt: Date.now() - (COUNT - n) * 6000,
    durationMs: 1000 + (n % 500),
    firstByteMs: 300 + (n % 100),
    method: 'POST',
    endpoint: '/v1/messages',
    wire: 'anthropic-messages',
    upstreamWire: 'anthropic-messages',
    key: `key-${n % 5}`,
    client: 'claude-cli/2.1',
    route: '*',
    upstream: 'anthropic',
    model: `model-${n % 7}`,
    upstreamModel: `model-${n % 7}`,
    answerModel: `model-${n % 7}`,
    answerId: `msg_${n}`,
    conversation: `conversation-${Math.floor(n / 50)}`,
    isStream: true,
    status: isError ? 529 : 200,
    outcome: isError ? 'upstream-error' : 'done',
    fault: isError ? { kind: 'overloaded', message: 'Overloaded' } : undefined,
    finishReason: isError ? undefined : 'stop',
    usage: { inputTokens: 1000 + n, outputTokens: 100 },
    isUsageEstimated: false,
    cost: 4500,
    attempts: [],
    losses: [],
    violations: 0,
    bytesIn: 1000,
    bytesOut: 12_000,
    requestHeaders: {},
    query: '',
    upstreamStatus: isError ? 529 : 200,
    upstreamHeaders: {},
    record: 'bytes',
    dropped: [],
  }
}
