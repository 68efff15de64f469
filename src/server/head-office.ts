/**
 * The one desk of several processes: tickets, decisions, webhooks, the kill switch and the admin token, in the process
 * that serves nothing. Neighbours: `workers.ts` carries the messages; `office.ts` is the same in one process.
 */
import { createCounter, type FromDesk, type ToDesk } from '../approvals/branch.ts'
import { createHaltSwitch } from '../approvals/halt.ts'
import { createListeners } from '../approvals/listeners.ts'
import type { Config } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import { watchConfig } from '../config/watch.ts'
import type { Log } from '../telemetry/log.ts'
import { createAdminToken } from './admin.ts'
import { createDeskApprovals } from './office.ts'

export interface HeadOffice {
  /** The one that was made; a worker whose settings have one goes by that. */
  readonly token: string
  adminToken(): string
  setUrl(url: string): void
  /** One for each worker. */
  counter(send: (message: FromDesk) => void): WorkerCounter
  close(): void
}

interface WorkerCounter {
  /** The worker listens from now on: how things stand, then all news. */
  open(): void
  take(message: ToDesk): void
  close(): void
}

export function createHeadOffice(
  config: Config,
  { override, log }: { override(settings: Settings): Settings; readonly log: Log },
): HeadOffice {
  let settings = override(config.settings)
  let url = ''
  const token = createAdminToken()
  const halt = createHaltSwitch()
  const approvals = createDeskApprovals({ settings: () => settings, url: () => url, log })
  const news = createListeners<FromDesk>()
  approvals.onNews((one) => news.tell({ type: 'approval', news: one }))
  halt.onChange((state) => news.tell({ type: 'halt', state }))
  // The workers say what is wrong with it.
  const watch =
    config.file === undefined
      ? undefined
      : watchConfig(config.file, {
          onChange: (read) => void (settings = override(read)),
          onError: () => {},
        })
  return {
    token,
    adminToken: () => settings.admin.token ?? token,
    setUrl: (given) => void (url = given),
    counter(send) {
      const counter = createCounter({ desk: approvals.desk, halt }, send)
      let stop = (): void => {}
      return {
        open() {
          send({ type: 'halt', state: halt.state() })
          stop = news.add(send)
        },
        take: counter.take,
        close() {
          stop()
          counter.close()
        },
      }
    },
    close() {
      watch?.close()
      approvals.close()
    },
  }
}
