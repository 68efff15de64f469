/**
 * `GET /api/health`: how the gateway is, its records, its store and its upstreams. Neighbours: `api.ts`; `/health` says
 * less, to everybody.
 */
import type { HealthAnswer, RecordsView, UpstreamView } from '../api/types.ts'
import type { Records } from '../records/records.ts'
import type { StoreSize } from '../store/store.ts'
import { say, type Reply } from './api-answer.ts'
import type { ApiOptions } from './api-handler.ts'
import type { GatewayState } from './state.ts'
import { VERSION } from './version.ts'

/** A store that does not answer in that time is not waited for: its state says why. */
const SIZE_MS = 2000

const OFF: RecordsView = {
  state: 'off',
  waitingExchanges: 0,
  waitingBytes: 0,
  committed: 0,
  droppedBodies: 0,
}

export async function answerHealth({ records, gateway }: ApiOptions): Promise<Reply> {
  const { open, isClosing, upstreams, url, needsKey } = gateway?.() ?? NO_GATEWAY
  const found = records?.()
  const view = found?.health() ?? OFF
  const store = found === undefined ? undefined : await sizeOf(found)
  const answer: HealthAnswer = {
    status: isClosing ? 'closing' : view.state === 'off' ? 'ok' : view.state,
    gateway: {
      name: 'sluice',
      version: VERSION,
      open,
      uptimeMs: Math.round(performance.now()),
      url,
      needsKey,
      isDemo: upstreams.length > 0 && upstreams.every(({ kind }) => kind === 'demo'),
    },
    records: view,
    store,
    upstreams,
  }
  return say(answer)
}

const NO_GATEWAY = { open: 0, isClosing: false, upstreams: [], url: '', needsKey: false }

/** Of its address the host alone: a path may be a secret. */
export const toUpstreamViews = ({ targets }: GatewayState): readonly UpstreamView[] =>
  [...targets.values()].map(({ settings, breaker, health }) => ({
    name: settings.name,
    kind: settings.kind,
    wires: settings.wires,
    host: settings.kind === 'http' ? new URL(settings.baseUrl).host : undefined,
    circuit: breaker.state,
    circuitSince: breaker.since,
    circuitWhy: breaker.state === 'closed' ? undefined : health.lastFailure,
    open: health.open,
    lastSuccessAt: health.lastSuccessAt,
    lastFailureAt: health.lastFailureAt,
    lastFailure: health.lastFailure,
  }))

async function sizeOf({ store }: Records): Promise<StoreSize | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, SIZE_MS, undefined)
  })
  try {
    return await Promise.race([store.size().catch(() => undefined), late])
  } finally {
    clearTimeout(timer)
  }
}
