/**
 * Who comes in, and what is known of them: keys of the config and keys that were made since, as one. Neighbours:
 * `gateway.ts` asks it before each exchange, `gateway-keys.ts` follows the store, `access.ts` compares, `api-keys.ts` is the
 * desk where keys are made. Knows no endpoint.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { KeySettings, Settings } from '../config/settings.ts'
import { whereKeyStands } from '../config/source.ts'
import type { Ledger } from '../shared/ledger.ts'
import type { Log } from '../telemetry/log.ts'
import { checkKey, type Access } from './access.ts'
import type { KeyDesk } from './api-keys.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { createGatewayKeys } from './gateway-keys.ts'
import { shareKeys } from './others.ts'

export interface Doorman {
  /** `configured`: those of the config that holds for this request. */
  check(headers: IncomingHttpHeaders, configured: readonly KeySettings[]): Access
  /** All keys that hold now. */
  keys(): readonly KeySettings[]
  /** Whether nobody comes in without one. */
  needsKey(): boolean
  readonly desk: KeyDesk
  /** Before the first request: nobody comes in whom the store would keep out. */
  refresh(): Promise<void>
  close(): void
}

export interface DoormanOptions {
  readonly options: Pick<GatewayOptions, 'records' | 'circle' | 'origin'>
  settings(): Settings
  readonly ledger: Pick<Ledger, 'standing'>
  readonly log: Log
}

export function createDoorman({ options, settings, ledger, log }: DoormanOptions): Doorman {
  const made = shareKeys(
    createGatewayKeys({ store: () => options.records?.store, log, now: Date.now }),
    options.circle,
  )
  return {
    check(headers, configured) {
      const ring = made.ring(configured)
      const access = checkKey(headers, ring.keys, ring)
      if (access.ok && access.key !== undefined) made.used(access.key.name)
      return access
    },
    keys: () => made.ring(settings().keys).keys,
    needsKey: () => made.ring(settings().keys).needsKey,
    desk: {
      made,
      configured: () => settings().keys,
      where: (name) => whereKeyStands(options.origin?.().source, name),
      spent: ledger.standing,
    },
    refresh: made.refresh,
    close: made.close,
  }
}
