/**
 * The records, for a command that looks at them: where the config says, or where `sluice serve` keeps them by itself.
 * Neighbours: `log`, `show`, `export`, `records`, `replay` and `backtest`. Opens the store itself, also while a gateway
 * writes to it.
 */
import { existsSync } from 'node:fs'
import { SluiceError } from '../base/sluice-error.ts'
import { loadStore } from '../config/load-store.ts'
import { readStoreText } from '../config/records.ts'
import type { StoreSettings } from '../config/settings.ts'
import { createCodec } from '../records/codec.ts'
import { toTrouble } from '../records/trouble.ts'
import { openStore as openRecords } from '../store/open-store.ts'
import type { RecordReader, RecordStore, StoreLocation } from '../store/store.ts'
import { defaultStore, toWhere } from './default-store.ts'

/** Options of every command that looks at records. */
export const STORE_OPTIONS = { config: { type: 'string' }, store: { type: 'string' } } as const

export const STORE_HELP = `  --config FILE   whose store and key; without one ./sluice.yaml, and without that the
                  records of this user
  --store PLACE   a file or a postgres:// URL instead of the config's`

export interface OpenedStore {
  readonly reader: RecordReader
  /** For those that write too. */
  readonly store: RecordStore
  /** For people: a password is not in it. */
  readonly where: string
  close(): Promise<void>
}

export interface StoreWords {
  /** A place instead of the config's. */
  readonly store?: string | undefined
  /** Whether something is to be written. */
  readonly isWritten?: boolean
}

export async function openStore(
  config: string | undefined,
  { store: typed, isWritten = false }: StoreWords = {},
): Promise<OpenedStore> {
  const { settings, location } = readPlace(config, typed)
  const where = toWhere(location)
  if (location.type === 'sqlite' && !existsSync(location.file))
    throw new SluiceError(
      'wrong-use',
      `There are no records in "${location.file}": "sluice serve" makes them, or name another place with --store or --config`,
    )
  try {
    const store = await openRecords(location, {
      codec: createCodec(settings.secret),
      isSynced: settings.isSynced,
      hasSearch: settings.hasSearch,
      isReadOnly: !isWritten,
    })
    return { reader: store, store, where, close: () => store.close() }
  } catch (error) {
    throw toSentence(error, where)
  }
}

/** The key is the config's also for another place: it may have been moved. */
function readPlace(
  file: string | undefined,
  typed: string | undefined,
): { readonly settings: StoreSettings; readonly location: StoreLocation } {
  const { env } = process
  const cwd = process.cwd()
  const settings = loadStore({ file, env, cwd })
  const given = typed === undefined ? undefined : readStoreText(typed, cwd)
  if (given !== undefined && 'wrong' in given)
    throw new SluiceError('wrong-use', `Cannot use what --store says: ${given.wrong}`)
  return { settings, location: given ?? settings.location ?? defaultStore(env) }
}

function toSentence(error: unknown, where: string): unknown {
  if (error instanceof SluiceError) return error
  const trouble = toTrouble(error)
  if (trouble === undefined) return error
  return new SluiceError('wrong-use', `Cannot open the records in "${where}": ${trouble.why}`, {
    cause: error,
  })
}
