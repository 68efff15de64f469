/**
 * What several processes have together, in the one that serves nothing: tickets, decisions, webhooks, the kill switch,
 * the admin token, and books of what was spent and said, for a worker that starts later. On Postgres it is the place of
 * all its workers among other gateways; with a file it keeps there what must outlive it. Neighbours: `workers.ts` carries
 * the messages; `others.ts` is the same in one process.
 */
import { createCounter, type FromDesk, type ToDesk } from '../approvals/branch.ts'
import { createListeners } from '../approvals/listeners.ts'
import type { Config } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import { watchConfig } from '../config/watch.ts'
import { createOrigins } from '../exchange/origins.ts'
import { createCodec } from '../records/codec.ts'
import { createJournal } from '../session/journal.ts'
import type { News } from '../shared/circle.ts'
import { openHouse, type House } from '../shared/house.ts'
import { openKeptBooks } from '../shared/kept-books.ts'
import { createLedger } from '../shared/ledger.ts'
import type { CircleMessage } from '../shared/message-circle.ts'
import { followBooks, standingOf } from '../shared/share-books.ts'
import type { Log } from '../telemetry/log.ts'
import { createAdminToken } from './admin.ts'
import { createGatewayName, openLine, STILL_HALTED, toHouseOptions } from './others.ts'

export interface HeadOffice {
  /** What all its workers are together. */
  readonly self: string
  /** The one that was made; a worker whose settings have one goes by that. */
  readonly token: string
  adminToken(): string
  setUrl(url: string): void
  /** One for each worker. */
  counter(worker: string, send: WorkerWay): WorkerCounter
  close(): Promise<void>
}

interface WorkerWay {
  desk(message: FromDesk): void
  circle(message: CircleMessage): void
}

interface WorkerCounter {
  /** The worker listens from now on: how things stand, then all news. */
  open(): void
  take(message: ToDesk): void
  hear(message: CircleMessage): void
  close(): void
}

export interface HeadOfficeOptions {
  override(settings: Settings): Settings
  readonly log: Log
}

/** How long a start waits for what other gateways know. */
const READY_MS = 5000

export async function openHeadOffice(
  config: Config,
  { override, log }: HeadOfficeOptions,
): Promise<HeadOffice> {
  let settings = override(config.settings)
  let url = ''
  const token = createAdminToken()
  const self = createGatewayName()
  const books = { ledger: createLedger(), origins: createOrigins(), sessions: createJournal() }
  const line = await openLine(settings, log, {
    self,
    address: () => url,
    standing: books.ledger.standing,
  })
  const house = openHouse({
    ...toHouseOptions(
      log,
      () => settings,
      () => url,
    ),
    self,
    line,
  })
  followBooks(books, house.circle)
  await house.ready(READY_MS)
  const closeKept = await openKept(settings, { house, ledger: books.ledger, log })
  const news = createListeners<FromDesk>()
  house.approvals.onNews((one) => news.tell({ type: 'approval', news: one }))
  house.halt.onChange((state) => news.tell({ type: 'halt', state }))
  // The workers say what is wrong with it.
  const watch =
    config.file === undefined
      ? undefined
      : watchConfig(config.file, {
          onChange: (read) => void (settings = override(read)),
          onError: () => {},
        })
  return {
    self,
    token,
    adminToken: () => settings.admin.token ?? token,
    setUrl: (given) => void (url = given),
    counter: (worker, send) =>
      openCounter(worker, send, { house, news, standing: () => standingOf(books) }),
    async close() {
      watch?.close()
      await closeKept()
      await house.close()
    },
  }
}

interface CounterRoom {
  readonly house: House
  readonly news: ReturnType<typeof createListeners<FromDesk>>
  standing(): readonly News[]
}

function openCounter(
  worker: string,
  send: WorkerWay,
  { house, news, standing }: CounterRoom,
): WorkerCounter {
  const { approvals, halt, setHalt, hub, circle } = house
  const counter = createCounter({ desk: approvals, setHalt }, send.desk)
  let stop = (): void => {}
  let isOpen = false
  const place = hub.join(worker, {
    take(letter) {
      if (isOpen && !AT_THE_DESK.has(letter.news.type)) send.circle({ type: 'letter', letter })
    },
    forget(gone) {
      if (isOpen) send.circle({ type: 'gone', gone })
    },
  })
  return {
    open() {
      isOpen = true
      send.desk({ type: 'halt', state: halt.state() })
      stop = news.add(send.desk)
      for (const one of standing())
        send.circle({ type: 'letter', letter: { from: circle.self, to: worker, news: one } })
    },
    take: counter.take,
    hear(message) {
      if (message.type === 'letter') place.send(message.letter)
      else if (message.type === 'catch-up') void circle.catchUp().then(() => send.circle(message))
    },
    close() {
      stop()
      counter.close()
      place.leave()
    },
  }
}

/** Workers hear of these by the desk. */
const AT_THE_DESK: ReadonlySet<News['type']> = new Set(['halt', 'tickets', 'remembered'])

/** With a file: this process serves nothing, so that it may wait for the disk by itself. */
async function openKept(
  settings: Settings,
  { house, ledger, log }: { house: House; ledger: ReturnType<typeof createLedger>; log: Log },
): Promise<() => Promise<void>> {
  const { records } = settings
  if (records?.location.type !== 'sqlite') return () => Promise.resolve()
  const codec = createCodec(records.secret)
  // Loaded when it is needed: it is a good part of what a gateway loads.
  const { openStore } = await import('../store/open-store.ts')
  const store = await openStore(records.location, { codec, isSynced: records.isSynced })
  const kept = await openKeptBooks({ notes: store, ledger, halt: house.halt })
  if (house.halt.isOn()) log.warn(STILL_HALTED, { by: house.halt.state().by })
  return async () => {
    await kept.close()
    await store.close()
  }
}
