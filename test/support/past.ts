/**
 * A gateway that records into a real file, in front of a provider of ours: what it has served is the past that policies
 * are tried on. Neighbours: `gateway.ts`, `upstream.ts`; the tests of `test/records/` that look back.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Settings } from '../../src/config/settings.ts'
import type { WireName } from '../../src/event/event.ts'
import type { Installed } from '../../src/policy/policy.ts'
import { openRecords } from '../../src/records/open.ts'
import type { Records } from '../../src/records/records.ts'
import { runBacktest, type BacktestOptions } from '../../src/replay/backtest.ts'
import type { BacktestResult } from '../../src/replay/backtest-result.ts'
import { allTo, ask, httpUpstream, PATHS, startTestGateway, type TestGateway } from './gateway.ts'
import { fetchRaw } from './raw-client.ts'
import { startUpstream, type TestUpstream } from './upstream.ts'

export interface Past {
  readonly records: Records
  readonly gateway: TestGateway
  readonly upstream: TestUpstream
  readonly file: string
  /** Serves one exchange: what the provider says, to a client of that wire. */
  serve(answer: Uint8Array | string, of: ServedOptions): Promise<void>
  /** All that was served is in the store. */
  written(): Promise<void>
  try(policies: readonly Installed[], more?: Partial<BacktestOptions>): Promise<BacktestResult>
  close(): Promise<void>
}

interface ServedOptions {
  readonly wire: WireName
  /** What the provider speaks, if not the same. */
  readonly upstreamWire?: WireName
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly contentType?: string
  readonly status?: number
}

export async function startPast(
  policies: readonly Installed[],
  settings: Partial<Settings> = {},
  mode: 'bytes' | 'redacted' | 'metadata' = 'bytes',
): Promise<Past> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-past-'))
  const file = join(folder, 'records.db')
  const records = await openRecords({
    settings: {
      mode,
      location: { type: 'sqlite', file },
      onFull: 'wait',
      maxWait: 500,
      maxAge: undefined,
      maxBytes: undefined,
      secret: undefined,
      hasSearch: false,
      isSynced: false,
    },
    gateway: 'here',
  })
  const upstream = await startUpstream()
  const upstreams = WIRES.map((wire) =>
    httpUpstream(toBase(upstream.url, wire), { name: wire, wires: [wire] }),
  )
  const gateway = await startTestGateway(
    {
      ...allTo(...upstreams),
      routes: WIRES.map((wire) => ({ model: `${wire}/*`, wire: undefined, to: [wire], as: {} })),
      ...settings,
    },
    { policies, records },
  )
  let served = 0

  return {
    records,
    gateway,
    upstream,
    file,
    async serve(answer, { wire, upstreamWire = wire, body = {}, headers = {}, ...more }) {
      upstream.next({
        status: more.status ?? 200,
        headers: { 'content-type': more.contentType ?? 'text/event-stream' },
        body: typeof answer === 'string' ? Buffer.from(answer) : answer,
      })
      await fetchRaw(`${gateway.url}${PATHS[wire]}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'agent/1.0', ...headers },
        body: ask(wire, { model: `${upstreamWire}/m`, stream: true, ...body }),
      })
      await gateway.report(served++)
    },
    async written() {
      const until = Date.now() + 5000
      while (Date.now() < until && (await records.store.size()).exchanges < served)
        await new Promise((resolve) => setTimeout(resolve, 10))
    },
    try: (tried, more = {}) =>
      runBacktest({
        source: records.store,
        policies: tried,
        select: () => tried,
        query: {},
        against: 'all',
        ...more,
      }),
    async close() {
      await gateway.close(100)
      await records.close(1000)
      await upstream.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const WIRES: readonly WireName[] = ['anthropic-messages', 'openai-chat', 'openai-responses']

const toBase = (url: string, wire: WireName): string =>
  wire === 'anthropic-messages' ? url : `${url}/v1`
