/**
 * Other gateways on the same Postgres, and what of a lone gateway must outlive it. Neighbours: `gateway.ts` runs with
 * what this gives; `shared/` is the inside; with several processes `workers.ts` and `head-office.ts` do it for all of
 * them. Where the store is a file or nothing, nothing is shared and nothing costs.
 */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { createHaltSwitch } from '../approvals/halt.ts'
import { checkEdit } from '../config/check-edit.ts'
import type { Settings } from '../config/settings.ts'
import { createCodec } from '../records/codec.ts'
import type { Records } from '../records/records.ts'
import type { Circle } from '../shared/circle.ts'
import { openHouse } from '../shared/house.ts'
import { openKeptBooks } from '../shared/kept-books.ts'
import { createLedger } from '../shared/ledger.ts'
import type { LineOptions, PostgresLine } from '../shared/postgres-line.ts'
import { createSharedBooks } from '../shared/share-books.ts'
import { shareFeed } from '../shared/share-feed.ts'
import { createLog, type Log } from '../telemetry/log.ts'
import { createAdminToken } from './admin.ts'
import type { Gateway, GatewayOptions } from './gateway-options.ts'
import type { GatewayKeys } from './gateway-keys.ts'
import type { PolicyModes } from './policy-modes.ts'

/** How long a start waits for what others know. */
const READY_MS = 5000

type Start = (settings: Settings, options: GatewayOptions) => Promise<Gateway>

/** Starts a gateway together with the others of its Postgres, unless it was given its place among some already. */
export async function withOthers(
  settings: Settings,
  options: GatewayOptions,
  start: Start,
): Promise<Gateway> {
  const url = postgresOf(settings)
  if (url === undefined || options.circle !== undefined) return await start(settings, options)
  const log = options.log ?? createLog(settings.log)
  let current = settings
  let address = ''
  const self = createGatewayName()
  const line = await openLine(settings, log, {
    self,
    address: () => address,
    standing: () => books.ledger.standing(),
  })
  const house = openHouse({
    ...toHouseOptions(
      log,
      () => current,
      () => address,
    ),
    self,
    line,
  })
  const books = createSharedBooks(house.circle)
  const close = async (): Promise<void> => {
    books.close()
    await house.close()
    if (options.log === undefined) await log.close()
  }
  const { ledger, origins, sessions } = books
  const token = createAdminToken()
  const { approvals, halt, setHalt, circle } = house
  const office = { approvals, halt, setHalt, token: () => token }
  // Records are opened meanwhile.
  const ready = house.ready(READY_MS)
  const given = { ledger, origins, sessions, office, circle, ...options, log, ready }
  const gateway = await start(settings, given).catch(async (error: unknown) => {
    await close()
    throw error
  })
  address = gateway.url
  return {
    ...gateway,
    reload(next) {
      gateway.reload(next)
      current = next
    },
    async close(graceMs) {
      await gateway.close(graceMs)
      await close()
    },
  }
}

/** The feed of all, where there are others. */
export function shareRecords(records: Records, circle: Circle | undefined): Records {
  if (circle === undefined) return records
  const feed = shareFeed(records.feed, circle)
  return {
    ...records,
    feed,
    close(graceMs) {
      feed.close()
      return records.close(graceMs)
    },
  }
}

/** A policy that is turned here is looked at by the others at once, and not only when they look by themselves. */
export function shareModes(modes: PolicyModes, circle: Circle | undefined): PolicyModes {
  if (circle === undefined) return modes
  const stop = circle.onLetter(({ news }) => {
    if (news.type === 'policy-modes') void modes.refresh()
  })
  return {
    ...modes,
    async set(mode) {
      await modes.set(mode)
      circle.tell({ type: 'policy-modes' })
    },
    async edit(edit, isNext) {
      const added = await modes.edit(edit, isNext)
      circle.tell({ type: 'policy-modes' })
      return added
    },
    close() {
      stop()
      modes.close()
    },
  }
}

/** A key that is made or revoked here holds or falls with the others at once, and not only when they look. */
export function shareKeys(keys: GatewayKeys, circle: Circle | undefined): GatewayKeys {
  if (circle === undefined) return keys
  const stop = circle.onLetter(({ news }) => {
    if (news.type === 'gateway-keys') void keys.refresh()
  })
  const told =
    <In extends readonly unknown[], Out>(work: (...given: In) => Promise<Out>) =>
    async (...given: In): Promise<Out> => {
      const result = await work(...given)
      circle.tell({ type: 'gateway-keys' })
      return result
    }
  return {
    ...keys,
    add: told(keys.add),
    revoke: told(keys.revoke),
    forget: told(keys.forget),
    close() {
      stop()
      keys.close()
    },
  }
}

/** What keys have spent and the kill switch, over a restart: of a gateway that is alone with its file. */
export async function withKeptBooks(
  settings: Settings,
  options: GatewayOptions,
  start: Start,
): Promise<Gateway> {
  const { records, circle, ledger = createLedger() } = options
  if (records === undefined || circle !== undefined || options.office !== undefined)
    return await start(settings, options)
  const halt = createHaltSwitch()
  const kept = await openKeptBooks({ notes: records.store, ledger, halt })
  if (halt.isOn()) options.log?.warn(STILL_HALTED, { by: halt.state().by })
  const gateway = await start(settings, { ...options, ledger, halt })
  return {
    ...gateway,
    async close(graceMs) {
      await gateway.close(graceMs)
      await kept.close()
    },
  }
}

export const STILL_HALTED =
  'All tool calls are halted, as they were when this gateway was stopped: "sluice resume" lets them through again'

/** Where to find others; `undefined` where there are none. */
const postgresOf = ({ store }: Settings): string | undefined =>
  store.location?.type === 'postgres' ? store.location.url : undefined

/** No two that ever lived are called the same. */
export function createGatewayName(): string {
  const host = (hostname().split('.', 1)[0] ?? '').replaceAll(/[^\w-]/g, '').slice(0, 40)
  return `${host === '' ? 'gateway' : host}-${process.pid}-${randomBytes(3).toString('hex')}`
}

export const toHouseOptions = (
  log: Log,
  settings: () => Settings,
  url: () => string,
): Pick<Parameters<typeof openHouse>[0], 'approvals' | 'url' | 'checkArguments' | 'onWarning'> => ({
  approvals: () => settings().approvals,
  url: () => settings().admin.url ?? url(),
  checkArguments: checkEdit,
  onWarning: (message, fields) => log.warn(message, fields),
})

/** Nobody else needs to load what talks to Postgres. */
export async function openLine(
  settings: Settings,
  log: Log,
  of: Pick<LineOptions, 'self' | 'address' | 'standing'>,
): Promise<PostgresLine | undefined> {
  const url = postgresOf(settings)
  if (url === undefined) return undefined
  const { openPostgresLine } = await import('../shared/postgres-line.ts')
  const { secret } = settings.store
  return openPostgresLine({
    ...of,
    url,
    codec: secret === undefined ? undefined : createCodec(secret),
    log: (level, message, fields) => log[level](message, fields),
    async migrate() {
      const { openStore } = await import('../store/open-store.ts')
      const store = await openStore({ type: 'postgres', url }, { codec: createCodec(secret) })
      await store.close()
    },
  })
}
