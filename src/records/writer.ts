/**
 * What is to be written → the store, whatever happens to it. Neighbours: `worker.ts` hands it batches, `trouble.ts` tells
 * whose fault an error is, `dropped.ts` what can be left out. Knows no thread.
 *
 * Trouble of the store (a full disk, a lock, a lost connection): the same is tried again, with longer and longer pauses.
 * Where only room is missing, rows and verdicts are written without bodies. An error that is not the store's own is
 * taken for the fault of one item: then they are written one by one, so that the others do not wait behind it, and
 * that one with less and less of it. Nothing is given up before something else could be written after it: while nothing
 * at all can be, it is the store's fault after all.
 */
import type { WriteItem } from '../store/record.ts'
import type { RecordStore } from '../store/store.ts'
import { withoutQuotes, type ExchangeItem } from './dropped.ts'
import type { Lost, Written } from './message.ts'
import { createTorn } from './torn.ts'
import { toTrouble, toWhy, type Trouble } from './trouble.ts'

export interface WriterOptions {
  store(): Pick<RecordStore, 'write'>
  /** Opens the store again, because what it had open may be what is broken. */
  reopen(): Promise<void>
  /** Whether so many bytes of bodies would take the room that is kept for rows. */
  isShort(bytes: number): boolean
  /** Called before each pause. */
  onFailing(why: string): void
  pause(ms: number): Promise<void>
  /** What has come in the meantime, to be written along. */
  more(): Promise<readonly WriteItem[]>
}

export interface Writer {
  /** Resolves when all of it is written, and what came with `more`. One after the other. */
  write(items: readonly WriteItem[]): Promise<Written>
}

const FIRST_PAUSE_MS = 50
const MAX_PAUSE_MS = 5000
/** After so many failures in a row the store is opened again. */
const REOPEN_AFTER = 3

type Attempt =
  | { readonly type: 'written'; readonly written: Written }
  | { readonly type: 'trouble'; readonly trouble: Trouble }

export function createWriter(options: WriterOptions): Writer {
  const torn = createTorn()

  /** Marks what is known to be missing; then it is written. */
  async function put(items: readonly WriteItem[]): Promise<Written> {
    const mended = torn.mend(items)
    await options.store().write(mended)
    return toWritten(mended, torn.settle(mended))
  }

  async function attempt(items: readonly WriteItem[]): Promise<Attempt> {
    if (options.isShort(bytesOf(items))) return withLess(items, NEARLY_FULL)
    try {
      return { type: 'written', written: await put(items) }
    } catch (error) {
      const trouble = toTrouble(error)
      if (trouble === undefined) return oneByOne(items, error)
      return trouble.type === 'full' ? withLess(items, trouble) : { type: 'trouble', trouble }
    }
  }

  async function withLess(items: readonly WriteItem[], trouble: Trouble): Promise<Attempt> {
    const rows = items.flatMap((item) => torn.strip(item))
    try {
      const written = rows.length === 0 ? toWritten([], torn.settle([])) : await put(rows)
      return { type: 'written', written: { ...written, droppedWhy: trouble.why } }
    } catch (error) {
      const known = toTrouble(error)
      const one = known === undefined ? await oneByOne(rows, error) : undefined
      if (one?.type === 'written')
        return { ...one, written: { ...one.written, droppedWhy: trouble.why } }
      torn.undo()
      return { type: 'trouble', trouble: known ?? trouble }
    }
  }

  async function oneByOne(items: readonly WriteItem[], first: unknown): Promise<Attempt> {
    const all: Written[] = []
    const lost: Lost[] = []
    for (const item of items) {
      const one = await reduced(item)
      if (one.type === 'trouble') return one
      if (one.type === 'written') all.push(one.written)
      else lost.push(...one.lost)
    }
    if (all.length === 0) return { type: 'trouble', trouble: { type: 'file', why: toWhy(first) } }
    return { type: 'written', written: merge([...all, { ...NOTHING, lost }]) }
  }

  /** One item, with less of it each time. */
  async function reduced(
    item: WriteItem,
  ): Promise<Attempt | { readonly type: 'lost'; readonly lost: readonly Lost[] }> {
    let last: unknown
    for (const [less, form] of formsOf(item).entries()) {
      if (less === 1) torn.strip(item)
      try {
        const written = await put([form])
        return { type: 'written', written: { ...written, lost: leftOut(item, form, last) } }
      } catch (error) {
        const trouble = toTrouble(error)
        if (trouble !== undefined) return { type: 'trouble', trouble }
        last = error
      }
    }
    if (item.type !== 'piece') return { type: 'lost', lost: [toLost(item, toWhy(last))] }
    torn.note(item.exchangeId, item.piece.kind)
    return { type: 'lost', lost: [] }
  }

  return {
    async write(given) {
      let items = given
      for (let failures = 0; ; failures++) {
        const tried = await attempt(items)
        if (tried.type === 'written') return tried.written
        options.onFailing(tried.trouble.why)
        if (failures % REOPEN_AFTER === REOPEN_AFTER - 1 && tried.trouble.type !== 'full')
          await options.reopen()
        await options.pause(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures))
        items = [...items, ...(await options.more())]
      }
    },
  }
}

function bytesOf(items: readonly WriteItem[]): number {
  let bytes = 0
  for (const item of items)
    if (item.type === 'piece') bytes += item.piece.bytes.length
    else if (item.type === 'exchange') for (const piece of item.pieces) bytes += piece.bytes.length
  return bytes
}

const NEARLY_FULL: Trouble = {
  type: 'full',
  why: 'the disk of the records is nearly full: make room on it',
}

const NOTHING: Written = { ids: [], droppedBodies: 0, droppedWhy: undefined, lost: [] }

const toWritten = (items: readonly WriteItem[], droppedBodies: number): Written => ({
  ...NOTHING,
  ids: items.flatMap((item) => (item.type === 'exchange' ? [item.row.id] : [])),
  droppedBodies,
})

const merge = (all: readonly Written[]): Written => ({
  ids: all.flatMap(({ ids }) => ids),
  droppedBodies: all.reduce((sum, { droppedBodies }) => sum + droppedBodies, 0),
  droppedWhy: all.find(({ droppedWhy }) => droppedWhy !== undefined)?.droppedWhy,
  lost: all.flatMap(({ lost }) => lost),
})

/** From all of it to the bare row; bodies are left out from the second on. */
function formsOf(item: WriteItem): readonly WriteItem[] {
  if (item.type === 'piece') return [item]
  const quiet = item.verdicts.map(withoutQuotes)
  if (item.type === 'verdicts') return [item, { ...item, verdicts: quiet }]
  const bare: ExchangeItem = { ...item, text: undefined }
  return [
    item,
    bare,
    { ...bare, tools: [], verdicts: quiet },
    { ...bare, tools: [], verdicts: [], row: plainRow(bare) },
  ]
}

/** The bare row is there, and its verdicts are not: that must be known. */
const leftOut = (item: WriteItem, form: WriteItem, why: unknown): readonly Lost[] =>
  item.type === 'exchange' &&
  form.type === 'exchange' &&
  form.verdicts.length < item.verdicts.length
    ? [{ exchangeId: item.row.id, what: 'verdicts', why: toWhy(why) }]
    : NOTHING.lost

/** Without what others have put into it. */
const plainRow = ({ row }: ExchangeItem): ExchangeItem['row'] => ({
  ...row,
  requestHeaders: {},
  upstreamHeaders: {},
  losses: [],
  attempts: [],
  fault: undefined,
})

const toLost = (item: Exclude<WriteItem, { type: 'piece' }>, why: string): Lost =>
  item.type === 'exchange'
    ? { exchangeId: item.row.id, what: 'exchange', why }
    : { exchangeId: item.exchangeId, what: 'verdicts', why }
