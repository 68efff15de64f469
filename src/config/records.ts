/**
 * `record`, `store` and `prices` as they were read → settings. Neighbours: `shape-records.ts` reads them, `load.ts`
 * puts them into the whole, `cli/` says where records go when the file does not.
 */
import { resolve } from 'node:path'
import type { Price, RecordSettings } from '../store/settings.ts'
import type { StoreLocation } from '../store/store.ts'
import * as defaults from './defaults.ts'
import type { Reading } from './field.ts'
import type { Settings, StoreSettings } from './settings.ts'
import type { RawConfig } from './shape.ts'
import { readStoreWords, type StoreText } from './shape-records.ts'

type RawStore = Exclude<RawConfig['values']['store'], StoreText | undefined>

export function toStore(
  { values, spots }: RawConfig,
  folder: string,
  reading: Reading,
): StoreSettings {
  const { store, record: mode = defaults.STORE.mode } = values
  if (store === undefined || 'type' in store)
    return {
      ...defaults.STORE,
      mode,
      location: store === undefined ? undefined : toLocation(store, folder),
    }
  noteOdd(store, reading)
  const { keep, size, full, wait, key, search, sync } = store.values
  const place = toPlace(store)
  if (mode === 'off' && key !== undefined && spots.record !== undefined)
    reading.notes.warning(
      spots.record.node.place,
      spots.record.path,
      'nothing is recorded, so the key of the store is only for reading what is there',
    )
  return {
    mode,
    location: place === undefined ? undefined : toLocation(place, folder),
    onFull: full ?? defaults.STORE.onFull,
    maxWait: wait ?? defaults.STORE.maxWait,
    maxAge: limit(keep, defaults.STORE.maxAge),
    maxBytes: limit(size, defaults.STORE.maxBytes),
    secret: key?.text,
    hasSearch: search ?? defaults.STORE.hasSearch,
    isSynced: sync ?? defaults.STORE.isSynced,
  }
}

export function toPrices({ values }: RawConfig): readonly Price[] {
  return (values.prices ?? []).flatMap(({ name, value: { values: price } }) =>
    price.input === undefined || price.output === undefined
      ? []
      : [
          {
            model: name,
            input: price.input,
            output: price.output,
            cacheRead: price.cacheRead,
            cacheWrite: price.cacheWrite,
          },
        ],
  )
}

/** What is recorded and where; `undefined`: nothing, because the file says so or names no place. */
export function toRecords({ mode, location, ...rest }: StoreSettings): RecordSettings | undefined {
  return mode === 'off' || location === undefined ? undefined : { ...rest, mode, location }
}

/** The settings with a place for records where the file names none. */
export function withStore(settings: Settings, location: StoreLocation): Settings {
  if (settings.store.location !== undefined) return settings
  const store = { ...settings.store, location }
  return { ...settings, store, records: toRecords(store) }
}

/** A place as a person types it on the command line, or what is wrong with it. */
export function readStoreText(
  typed: string,
  folder: string,
): StoreLocation | { readonly wrong: string } {
  const read = readStoreWords(typed)
  return 'wrong' in read ? read : toLocation(read, folder)
}

const limit = (said: number | undefined, otherwise: number | undefined): number | undefined =>
  said === undefined ? otherwise : Number.isFinite(said) ? said : undefined

function toPlace({ values: { file, url } }: RawStore): StoreText | undefined {
  return url ?? (file === undefined ? undefined : { type: 'file', text: file })
}

const toLocation = ({ type, text }: StoreText, folder: string): StoreLocation =>
  type === 'url' ? { type: 'postgres', url: text } : { type: 'sqlite', file: resolve(folder, text) }

function noteOdd({ spots, values }: RawStore, reading: Reading): void {
  const { file, url, sync, wait, key } = spots
  if (file !== undefined && url !== undefined)
    reading.notes.mistake(url.keyPlace, url.path, 'there is a file already: keep one of the two')
  if (sync !== undefined && values.url?.type === 'url')
    reading.notes.mistake(
      sync.keyPlace,
      sync.path,
      'this is for a file: of Postgres, synchronous_commit on the server says it',
    )
  if (wait !== undefined && values.full === 'refuse')
    reading.notes.mistake(wait.keyPlace, wait.path, 'nothing waits with full: refuse: remove it')
  if (key !== undefined && values.key?.hasVariables === false)
    reading.notes.warning(
      key.node.place,
      key.path,
      'the key stands in the file in the clear: take it from a variable as in ${SLUICE_STORE_KEY}',
    )
}
