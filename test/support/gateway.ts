/**
 * A gateway of ours on a free port of loopback, in front of upstreams that a test names. Neighbours:
 * `upstream.ts` plays a provider, `raw-client.ts` a client.
 */
import { demoSettings } from '../../src/config/load.ts'
import type { KeySettings, Settings } from '../../src/config/settings.ts'
import type { WireName } from '../../src/event/event.ts'
import type { ExchangeReport } from '../../src/exchange/report.ts'
import type { Route } from '../../src/exchange/route.ts'
import { startGateway, type Gateway, type GatewayOptions } from '../../src/server/gateway.ts'
import { createLog } from '../../src/telemetry/log.ts'
import type { HttpUpstreamSettings, UpstreamSettings } from '../../src/upstream/settings.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'

export interface TestGateway extends Gateway {
  /** Of every exchange that is over, in order. */
  readonly reports: readonly ExchangeReport[]
  /** The report of that number, from 0, as soon as it is there. */
  report(index: number): Promise<ExchangeReport>
  /** What was logged, as JSON lines. */
  readonly lines: readonly string[]
  readonly settings: Settings
}

export async function startTestGateway(
  settings: Partial<Settings> = {},
  options: Omit<GatewayOptions, 'onReport'> = {},
): Promise<TestGateway> {
  const reports: ExchangeReport[] = []
  const lines: string[] = []
  const wakes: (() => void)[] = []
  const whole: Settings = {
    ...demoSettings(),
    listen: { host: '127.0.0.1', port: 0 },
    grace: 2000,
    ...settings,
  }
  const gateway = await startGateway(whole, {
    log: createLog(
      { level: 'debug', format: 'json', redact: true },
      { write: (line) => void lines.push(line) },
    ),
    ...options,
    onReport(report) {
      reports.push(report)
      for (const wake of wakes.splice(0)) wake()
    },
  })
  return {
    ...gateway,
    reports,
    lines,
    settings: whole,
    async report(index) {
      for (;;) {
        const report = reports[index]
        if (report !== undefined) return report
        await new Promise<void>((resolve) => wakes.push(resolve))
      }
    },
  }
}

/** The settings of an upstream over HTTP, on all wires if not said, quick to fail. */
export function httpUpstream(
  baseUrl: string,
  more: Partial<HttpUpstreamSettings> = {},
): HttpUpstreamSettings {
  return {
    kind: 'http',
    name: 'up',
    wires: WIRE_NAMES,
    baseUrl,
    apiKey: undefined,
    auth: 'auto',
    headers: {},
    query: {},
    proxy: undefined,
    ca: undefined,
    stream: 'client',
    limits: { connect: 2000, firstByte: 10_000, idle: 10_000, total: 60_000 },
    retry: { attempts: 1, backoff: 10, maxBackoff: 50, maxRetryAfter: 1000 },
    breaker: { failures: 0, cooldown: 1000 },
    ...more,
  }
}

/** Everything goes to these, in their order. */
export const allTo = (
  ...upstreams: readonly UpstreamSettings[]
): Pick<Settings, 'upstreams' | 'routes'> => ({
  upstreams,
  routes: [route('*', ...upstreams.map(({ name }) => name))],
})

export const route = (model: string, ...to: readonly string[]): Route => ({
  model,
  wire: undefined,
  to,
  as: {},
})

export const key = (name: string, hash: string, more: Partial<KeySettings> = {}): KeySettings => ({
  name,
  hash,
  models: undefined,
  rate: undefined,
  budget: undefined,
  concurrent: undefined,
  ...more,
})

/** Where clients of that wire ask. */
export const PATHS: Readonly<Record<WireName, string>> = {
  'anthropic-messages': '/v1/messages',
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
}

/** The smallest request of that wire. */
export function ask(wire: WireName, more: object = {}): string {
  const messages = [{ role: 'user', content: 'Hello' }]
  const bodies = {
    'anthropic-messages': { model: 'm', max_tokens: 100, messages },
    'openai-chat': { model: 'm', messages },
    'openai-responses': { model: 'm', input: 'Hello' },
  }
  return JSON.stringify({ ...bodies[wire], ...more })
}
