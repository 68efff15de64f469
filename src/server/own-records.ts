/**
 * Records that a gateway opens by itself, because its settings say so. Neighbours: `gateway.ts` runs with them, `records/`
 * has the threads. They are open before anything is listened on and closed after the last exchange is over. What is wrong
 * with a store is said in the log, once; a store that cannot be opened stops the start.
 */
import { hostname } from 'node:os'
import type { Settings } from '../config/settings.ts'
import { openRecords } from '../records/open.ts'
import type { Records } from '../records/records.ts'
import type { StateChange } from '../records/state-change.ts'
import { createLog, type Log } from '../telemetry/log.ts'
import type { Gateway, GatewayOptions } from './gateway-options.ts'
import { shareRecords } from './others.ts'
import { createRandom } from './random.ts'

/** What is on its way when all exchanges are over gets at least so long. */
const MIN_GRACE_MS = 5000

/** Starts a gateway with the records of its settings, unless it is given some or none are wanted. */
export async function withOwnRecords(
  settings: Settings,
  options: GatewayOptions,
  start: (settings: Settings, options: GatewayOptions) => Promise<Gateway>,
): Promise<Gateway> {
  if (options.records !== undefined || settings.records === undefined)
    return await start(settings, options)
  const log = options.log ?? createLog(settings.log)
  const own = await openRecords({
    settings: settings.records,
    gateway: options.circle?.self ?? toGatewayName(),
    prices: settings.prices,
    random: createRandom(),
    onState: (change) => tell(log, change),
  })
  const records = shareRecords(own, options.circle)
  const gateway = await start(settings, { ...options, log, records }).catch(
    async (error: unknown) => {
      await records.close(0)
      throw error
    },
  )
  return {
    ...gateway,
    async close(graceMs) {
      await gateway.close(graceMs)
      await closeRecords(records, log, Math.max(MIN_GRACE_MS, graceMs ?? settings.grace))
      if (options.log === undefined) await log.close()
    },
  }
}

/** Of this process: several may run on one machine. */
const toGatewayName = (): string => `${hostname().split('.', 1)[0] ?? 'gateway'}-${process.pid}`

async function closeRecords(records: Records, log: Log, graceMs: number): Promise<void> {
  await records.close(graceMs)
  const { waitingExchanges, why } = records.health()
  if (waitingExchanges > 0)
    log.error('Exchanges could not be recorded before the end', {
      exchanges: waitingExchanges,
      why: why ?? 'there was no time left',
    })
}

function tell(log: Log, change: StateChange): void {
  switch (change.type) {
    case 'failing':
      return log.error('Nothing can be recorded at the moment, and it is tried again', {
        why: change.why,
      })
    case 'recovered':
      return log.info('Recording goes on, and all that waited is written', {
        exchanges: change.exchanges,
        afterMs: change.afterMs,
      })
    case 'behind':
      return log.error('Exchanges are recorded without their bodies at the moment', {
        why: change.why,
      })
    case 'caught-up':
      return log.info('Bodies are recorded again', { droppedBodies: change.droppedBodies })
    case 'restarted':
      return log.warn('The thread that records was started anew', { why: change.why })
    case 'lost':
      return log.error('Something could not be recorded at all', {
        exchanges: change.lost.map(({ exchangeId }) => exchangeId).join(', '),
        why: change.lost[0]?.why ?? '',
      })
  }
}
