/**
 * A provider, and a gateway before it: where flows are run both directly and through. Neighbours:
 * `sdk-provider.ts`, `gateway.ts`; `sdk-checks.ts` says what must come out.
 */
import type { WireName } from '../../src/event/event.ts'
import type { ExchangeReport } from '../../src/exchange/report.ts'
import { allTo, httpUpstream, route, startTestGateway, type TestGateway } from './gateway.ts'
import type { Outcome, Place } from './sdk-flow.ts'
import { startDemoProvider, type DemoProvider, type ProviderRequest } from './sdk-provider.ts'

export interface SdkBench {
  readonly provider: DemoProvider
  readonly gateway: TestGateway
  /** Where clients of that wire ask the provider, and where the gateway. */
  direct(wire: WireName): Place
  through(wire: WireName): Place
  /** Runs that, and gives back what provider and gateway saw of it. */
  watch(run: () => Promise<Outcome>): Promise<Watched>
  close(): Promise<void>
}

interface Watched {
  readonly outcome: Outcome
  readonly requests: readonly ProviderRequest[]
  readonly reports: readonly ExchangeReport[]
}

const KEY = 'sk-right'

export async function startSdkBench(): Promise<SdkBench> {
  const provider = await startDemoProvider({ key: KEY })
  const gateway = await startTestGateway({
    ...allTo(
      httpUpstream(provider.anthropic, { name: 'anthropic', wires: ['anthropic-messages'] }),
      httpUpstream(provider.openai, { name: 'openai', wires: ['openai-chat', 'openai-responses'] }),
    ),
    // Each client on its own wire, and no other vendor when that fails.
    routes: [{ ...route('*', 'anthropic'), wire: 'anthropic-messages' }, route('*', 'openai')],
  })
  const place = (anthropic: string, openai: string, wire: WireName): Place => ({
    baseUrl: wire === 'anthropic-messages' ? anthropic : openai,
    apiKey: KEY,
  })
  return {
    provider,
    gateway,
    direct: (wire) => place(provider.anthropic, provider.openai, wire),
    through: (wire) => place(gateway.url, `${gateway.url}/v1`, wire),
    async watch(run) {
      const firstRequest = provider.requests.length
      const firstReport = gateway.reports.length
      const outcome = await run()
      const requests = provider.requests.slice(firstRequest)
      await Promise.all(requests.map(({ over }) => over))
      // Lists of models are the gateway's own answer, and no exchange.
      const exchanges = requests.filter(({ path }) => !path.startsWith('/v1/models'))
      if (exchanges.length > 0) await gateway.report(firstReport + exchanges.length - 1)
      return { outcome, requests, reports: gateway.reports.slice(firstReport) }
    },
    async close() {
      await gateway.close(0)
      await provider.close()
    },
  }
}

const CLOCKS = new Set(['created', 'created_at', 'completed_at'])

/** Plain JSON, without what depends on the clock. */
export const withoutClocks = (outcome: Outcome): unknown =>
  JSON.parse(
    JSON.stringify(outcome, (name, value: unknown) => (CLOCKS.has(name) ? undefined : value)),
  )
