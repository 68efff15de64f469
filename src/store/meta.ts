/**
 * What the store knows of itself, and small notes that others leave there. Neighbours: `migrate.ts`, `open-store.ts` and
 * the chain keep things under the names below.
 */
import { SluiceError } from '../base/sluice-error.ts'
import type { Engine } from './engine.ts'
import type { RecordsDb } from './tables.ts'

/** The version of the tables. */
export const VERSION = 'version'
/** The last link that was cut off at the beginning of the chain, as JSON. */
export const ANCHOR = 'anchor'
/** What the codec needs to know of this store. */
export const CODEC = 'codec'

export async function readMeta(db: RecordsDb, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('meta')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst()
  return row?.value
}

/** Takes the place of what was there. */
export async function writeMeta(db: RecordsDb, name: string, value: string): Promise<void> {
  await db
    .insertInto('meta')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

const MAX_NAME = 500
const MAX_NOTE = 4_000_000

export const readNote = ({ db }: Engine, name: string): Promise<string | undefined> =>
  readMeta(db, toName(name))

export async function writeNote(engine: Engine, name: string, text: string): Promise<void> {
  if (text.length > MAX_NOTE || text.includes('\0'))
    throw new SluiceError(
      'wrong-use',
      `Cannot keep the note "${name}": it has at most ${MAX_NOTE} characters, and no NUL`,
    )
  await engine.transact((db) => writeMeta(db, toName(name), text))
}

function toName(name: string): string {
  if (name !== '' && name.length <= MAX_NAME && !name.includes('\0')) return `note:${name}`
  throw new SluiceError(
    'wrong-use',
    `Cannot keep a note under this name: it has from 1 to ${MAX_NAME} characters`,
  )
}
