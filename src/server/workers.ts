/**
 * Several processes on one port, to use several cores. The first process serves nothing: it starts the
 * others, replaces one that dies, and passes on what they tell each other (`shared/circle.ts`) and what was
 * counted. What a new one must know of the time before it, calls that wait for a person and the kill switch are
 * with the first process alone (`head-office.ts`). Neighbours: `service.ts` is what each of them runs.
 */
import cluster, { type Worker } from 'node:cluster'
import { createBranch, type FromDesk, type ToDesk } from '../approvals/branch.ts'
import { createHaltSwitch } from '../approvals/halt.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { Config } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import { createMessageCircle, type CircleMessage } from '../shared/message-circle.ts'
import { createSharedBooks } from '../shared/share-books.ts'
import { createMetrics, mergeSnapshots, type MetricsSnapshot } from '../telemetry/metrics.ts'
import { createLog } from '../telemetry/log.ts'
import { createAdminToken } from './admin.ts'
import { openHeadOffice } from './head-office.ts'
import { startService, type Service } from './service.ts'
import { VERSION } from './version.ts'

export interface WorkersOptions {
  readonly count: number
  override(settings: Settings): Settings
}

export interface Running {
  readonly url: string
  adminToken(): string
  close(): Promise<void>
}

type FromWorker =
  /** From now on it listens to the others. */
  | { readonly type: 'hello' }
  | { readonly type: 'circle'; readonly message: CircleMessage }
  | { readonly type: 'listening'; readonly url: string }
  | { readonly type: 'metrics'; readonly ask: number }
  | { readonly type: 'desk'; readonly message: ToDesk }
  | { readonly type: 'snapshot'; readonly ask: string; readonly snapshot: MetricsSnapshot }

type ToWorker =
  | { readonly type: 'circle'; readonly message: CircleMessage }
  | { readonly type: 'metrics'; readonly ask: number; readonly text: string }
  | { readonly type: 'desk'; readonly message: FromDesk }
  /** The admin token that the first process made. */
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'snapshot'; readonly ask: string }

/** Says to a worker which gateway it is of. */
const HOUSE = 'SLUICE_GATEWAY'
/** A worker that dies sooner is taken for one that cannot run at all. */
const MIN_LIFE_MS = 2000
/** How long others are waited for when figures are added up. */
const SNAPSHOT_MS = 1000

export const isWorker = (): boolean => cluster.isWorker

export const startWorkers = (config: Config, options: WorkersOptions): Promise<Running> =>
  cluster.isWorker ? runWorker(config, options) : runPrimary(config, options)

async function runWorker(config: Config, { override }: WorkersOptions): Promise<Running> {
  const tell = (message: FromWorker): void => {
    if (process.connected) process.send?.(message)
  }
  const self = `${process.env[HOUSE] ?? 'gateway'}.${cluster.worker?.id ?? 0}`
  const circle = createMessageCircle(self, (message) => tell({ type: 'circle', message }))
  const { ledger, origins, sessions } = createSharedBooks(circle)
  const halt = createHaltSwitch()
  const branch = createBranch((message) => tell({ type: 'desk', message }), halt)
  let token = createAdminToken()
  const metrics = createMetrics({ version: VERSION })
  const waiting = new Map<number, (text: string) => void>()
  let asks = 0
  let service: Service | undefined
  process.on('message', (message: ToWorker) => {
    if (message.type === 'circle') circle.take(message.message)
    else if (message.type === 'metrics') waiting.get(message.ask)?.(message.text)
    else if (message.type === 'desk') branch.take(message.message)
    else if (message.type === 'token') token = message.token
    else {
      service?.readCircuits()
      void metrics
        .snapshot()
        .then((snapshot) => tell({ type: 'snapshot', ask: message.ask, snapshot }))
    }
  })
  // The port is asked for after this, by the same way: what is known arrives before the first request.
  tell({ type: 'hello' })
  const metricsText = async (): Promise<string> => {
    const ask = asks++
    const text = await new Promise<string | undefined>((resolve) => {
      waiting.set(ask, resolve)
      setTimeout(() => resolve(undefined), 2 * SNAPSHOT_MS).unref()
      tell({ type: 'metrics', ask })
    })
    waiting.delete(ask)
    return text ?? metrics.text()
  }
  const office = { approvals: branch, halt, setHalt: branch.setHalt, token: () => token }
  const shared = { ledger, origins, sessions, office, circle }
  const own = await startService(config, { override, ...shared, metrics, metricsText }).catch(
    (error: unknown) => {
      leave()
      throw error
    },
  )
  service = own
  tell({ type: 'listening', url: own.url })
  return {
    url: own.url,
    adminToken: own.adminToken,
    async close() {
      await own.close()
      leave()
    },
  }
}

/** The way to the first process would keep this one alive. */
function leave(): void {
  if (process.connected) process.disconnect()
}

async function runPrimary(config: Config, options: WorkersOptions): Promise<Running> {
  const settings = options.override(config.settings)
  const log = createLog(settings.log)
  let isClosing = false
  const workers = new Set<Worker>()
  const gather = createGather(workers)
  const office = await openHeadOffice(config, { override: options.override, log })

  function start(onReady: (url: string) => void, onFailed: () => void): void {
    const worker = cluster.fork({ [HOUSE]: office.self })
    const startedAt = Date.now()
    workers.add(worker)
    let isReady = false
    const counter = office.counter(`${office.self}.${worker.id}`, {
      desk: (message) => send(worker, { type: 'desk', message }),
      circle: (message) => send(worker, { type: 'circle', message }),
    })
    worker.on('message', (message: FromWorker) => {
      if (message.type === 'listening') {
        isReady = true
        onReady(message.url)
      } else if (message.type === 'hello') {
        send(worker, { type: 'token', token: office.token })
        counter.open()
      } else if (message.type === 'circle') counter.hear(message.message)
      else if (message.type === 'desk') counter.take(message.message)
      else if (message.type === 'snapshot') gather.take(message.ask, message.snapshot)
      else
        void gather.text().then((text) => send(worker, { type: 'metrics', ask: message.ask, text }))
    })
    worker.on('error', () => {}) // what it was sent did not arrive: it is gone, and `exit` says so
    worker.on('exit', (code: number | null, signal: string | null) => {
      workers.delete(worker)
      counter.close()
      if (isClosing) return
      if (!isReady) return onFailed()
      log.warn(`A worker ended (${signal ?? code}) and is replaced`)
      if (Date.now() - startedAt < MIN_LIFE_MS) setTimeout(replace, MIN_LIFE_MS)
      else replace()
    })
  }

  /** As often as it takes, though not without a pause. */
  function replace(): void {
    if (isClosing) return
    start(
      () => {},
      () => setTimeout(replace, MIN_LIFE_MS),
    )
  }

  const urls = await Promise.all(
    Array.from(
      { length: options.count },
      () =>
        new Promise<string>((resolve, reject) => {
          const why = 'The workers could not start: the reason stands above'
          start(resolve, () => reject(new SluiceError('wrong-use', why)))
        }),
    ),
  ).catch(async (error: unknown) => {
    isClosing = true
    await office.close()
    for (const worker of workers) worker.process.kill()
    throw error
  })
  office.setUrl(urls[0] ?? '')
  return {
    url: urls[0] ?? '',
    adminToken: office.adminToken,
    async close() {
      isClosing = true
      const gone = [...workers].map(
        (worker) => new Promise<void>((resolve) => worker.once('exit', () => resolve())),
      )
      for (const worker of workers) worker.process.kill('SIGTERM')
      const late = setTimeout(() => {
        for (const worker of workers) worker.process.kill('SIGKILL')
      }, settings.grace + 5000)
      await Promise.all(gone)
      clearTimeout(late)
      await office.close()
    },
  }
}

function send(worker: Worker, message: ToWorker): void {
  // One that dies at this moment is no fault of ours: its end is told by `exit`.
  if (worker.isConnected()) worker.send(message, () => {})
}

/** Adds up what all workers have counted. One that does not answer is left out. */
function createGather(workers: ReadonlySet<Worker>): {
  text(): Promise<string>
  take(ask: string, snapshot: MetricsSnapshot): void
} {
  const open = new Map<string, (snapshot: MetricsSnapshot) => void>()
  let asks = 0
  return {
    take: (ask, snapshot) => open.get(ask)?.(snapshot),
    async text() {
      const all = await Promise.all(
        [...workers].map(async (worker) => {
          const ask = String(asks++)
          const snapshot = await new Promise<MetricsSnapshot | undefined>((resolve) => {
            open.set(ask, resolve)
            setTimeout(() => resolve(undefined), SNAPSHOT_MS).unref()
            send(worker, { type: 'snapshot', ask })
          })
          open.delete(ask)
          return snapshot
        }),
      )
      return mergeSnapshots(all.filter((one) => one !== undefined))
    },
  }
}
