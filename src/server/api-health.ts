/**
 * `GET /api/health`: how the gateway is, its records, its store and its upstreams. Neighbours: `api.ts`; `/health` says
 * less, to everybody.
 */
import type { HealthAnswer, RecordsView } from '../api/types.ts'
import type { Records } from '../records/records.ts'
import type { StoreSize } from '../store/store.ts'
import { say, type Reply } from './api-answer.ts'
import type { ApiOptions } from './api-handler.ts'
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
  const { open, isClosing, circuits } = gateway?.() ?? { open: 0, isClosing: false, circuits: {} }
  const found = records?.()
  const view = found?.health() ?? OFF
  const store = found === undefined ? undefined : await sizeOf(found)
  const answer: HealthAnswer = {
    status: isClosing ? 'closing' : view.state === 'off' ? 'ok' : view.state,
    gateway: { name: 'sluice', version: VERSION, open, uptimeMs: Math.round(performance.now()) },
    records: view,
    store,
    upstreams: Object.entries(circuits).map(([name, circuit]) => ({ name, circuit })),
  }
  return say(answer)
}

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
