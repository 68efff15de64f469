/**
 * Where records are kept when the config names no place: a file in the state folder of this user. Neighbours: `serve.ts`
 * and `run-gateway.ts` record there, `open-store.ts` reads there. A gateway runs without it too.
 */
import { accessSync, constants, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { withStore } from '../config/records.ts'
import type { Settings } from '../config/settings.ts'
import type { Environment } from '../config/variables.ts'
import { stateFolder } from '../server/state-file.ts'
import type { StoreLocation } from '../store/store.ts'

export function defaultStore(env: Environment): StoreLocation {
  return { type: 'sqlite', file: join(stateFolder(env), 'records.db') }
}

/** Of a server only its host and database are shown. */
export function toWhere(location: StoreLocation): string {
  if (location.type === 'sqlite') return location.file
  const { host, pathname } = new URL(location.url)
  return `postgres://${host}${pathname}`
}

export interface Recording {
  /** For the settings of the start, and for those that are read later. */
  place(settings: Settings): Settings
  /** Why nothing is recorded though nobody said so. */
  readonly warning: string | undefined
}

/** Whether the usual place can be written to is seen before anything relies on it. */
export function readyDefaultStore(settings: Settings, env: Environment): Recording {
  const place = (read: Settings): Settings => withStore(read, defaultStore(env))
  const isWanted = settings.store.location === undefined && settings.store.mode !== 'off'
  if (!isWanted || canWrite(stateFolder(env))) return { place, warning: undefined }
  return {
    place: (read) => read,
    warning: `nothing is recorded, because ${stateFolder(env)} cannot be written to: name a place with store in the config, or say record: off`,
  }
}

function canWrite(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}
