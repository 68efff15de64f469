/**
 * An error of a store → whether it is the store's trouble, which passes, or that of what was to be written. Neighbours:
 * `writer.ts` tries again in the first case. Knows the codes of SQLite, of Postgres and of sockets.
 */
import { SluiceError } from '../base/sluice-error.ts'

export interface Trouble {
  /** `full`: less may fit. `file`: opening it again may help. */
  readonly type: 'full' | 'locked' | 'file' | 'gone'
  /** In words that say what to do. No content: the words of a store may quote what was written. */
  readonly why: string
}

/** `undefined`: nothing is known to be wrong with the store, so that it may be the item's fault. */
export function toTrouble(error: unknown): Trouble | undefined {
  for (const one of causesOf(error)) {
    const found = ofSqlite(one) ?? ofPostgres(one) ?? ofSocket(one)
    if (found !== undefined) return found
  }
  return undefined
}

/** What may be shown of an error that nobody expected: its kind, because its words may quote content. */
export function toWhy(error: unknown): string {
  if (error instanceof SluiceError) return error.message
  const sqlite = numberOf(error, 'errcode')
  if (sqlite !== undefined) return `SQLite says ${sqlite} (${textOf(error, 'errstr') ?? 'error'})`
  const code = textOf(error, 'code')
  const name = error instanceof Error ? error.name : typeof error
  return code === undefined ? name : `${name} ${code}`
}

const MAX_CAUSES = 5

function causesOf(error: unknown): readonly unknown[] {
  const found: unknown[] = []
  let one = error
  while (one instanceof Error && found.length < MAX_CAUSES) {
    found.push(one)
    one = one.cause
  }
  return found
}

/** By the primary code, which is the lowest byte: https://www.sqlite.org/rescode.html */
const SQLITE: ReadonlyMap<number, Trouble> = new Map([
  [5, { type: 'locked', why: 'another process holds a lock on the file of the records' }],
  [6, { type: 'locked', why: 'another connection holds a lock on the records' }],
  [7, { type: 'gone', why: 'there is not enough memory to write the records' }],
  [8, { type: 'file', why: 'the file of the records cannot be written to: look at its rights' }],
  [10, { type: 'file', why: 'the disk of the records reports an error: look at the disk' }],
  [11, { type: 'file', why: 'the file of the records is damaged: move it away, and restart' }],
  [13, { type: 'full', why: 'the disk of the records is full: make room on it' }],
  [14, { type: 'file', why: 'the file of the records cannot be opened: look at its folder' }],
  [26, { type: 'file', why: 'the file of the records is no SQLite file any more: move it away' }],
])

function ofSqlite(error: unknown): Trouble | undefined {
  const code = numberOf(error, 'errcode')
  return code === undefined ? undefined : SQLITE.get(code & 0xff)
}

/** By SQLSTATE, or by its class: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const POSTGRES: ReadonlyMap<string, Trouble> = new Map([
  ['53100', { type: 'full', why: 'the disk of Postgres is full: make room on it' }],
  ['08', { type: 'gone', why: 'the connection to Postgres is lost' }],
  ['25006', { type: 'gone', why: 'Postgres takes no writes now: it is read-only' }],
  ['28', { type: 'gone', why: 'Postgres refuses the user or its password: look at "store"' }],
  ['3D000', { type: 'gone', why: 'the database of the records is not there: look at "store"' }],
  ['40', { type: 'locked', why: 'Postgres asks to try the transaction again' }],
  ['53', { type: 'gone', why: 'Postgres is out of memory or connections' }],
  ['55P03', { type: 'locked', why: 'another session holds a lock on the records' }],
  ['57', { type: 'gone', why: 'Postgres is shutting down, starting, or too slow to answer' }],
  ['58', { type: 'gone', why: 'Postgres reports an error of its system: look at its log' }],
  ['XX', { type: 'gone', why: 'Postgres reports an error of its own: look at its log' }],
])

function ofPostgres(error: unknown): Trouble | undefined {
  const code = textOf(error, 'code')
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code)) return undefined
  return POSTGRES.get(code) ?? POSTGRES.get(code.slice(0, 2))
}

const SOCKET =
  /^(?:ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|EMFILE|ENFILE)/
/** What `pg` says in words alone. */
const WORDS =
  /^(?:Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout|Client was closed|Cannot use a pool after)/i

function ofSocket(error: unknown): Trouble | undefined {
  const code = textOf(error, 'code')
  if (code === 'ENOSPC')
    return { type: 'full', why: 'the disk of the records is full: make room on it' }
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM' || code === 'EIO')
    return { type: 'file', why: `the folder of the records cannot be written to (${code})` }
  if (code !== undefined && SOCKET.test(code))
    return { type: 'gone', why: `Postgres cannot be reached (${code})` }
  const isGone = error instanceof Error && WORDS.test(error.message)
  return isGone ? { type: 'gone', why: 'the connection to Postgres is lost' } : undefined
}

function textOf(error: unknown, name: string): string | undefined {
  const value = memberOf(error, name)
  return typeof value === 'string' ? value : undefined
}

function numberOf(error: unknown, name: string): number | undefined {
  const value = memberOf(error, name)
  return typeof value === 'number' ? value : undefined
}

const memberOf = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined
