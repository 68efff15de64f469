/**
 * What must outlive the process of a gateway that is alone ↔ notes in its store: what keys have spent, and the kill
 * switch. Neighbours: `store/store.ts` has the notes; on Postgres tables for all gateways do the same. Written a second
 * later, so that a crash forgets one second; a store that cannot be written to is tried again, and said by the records.
 */
import type { HaltState, HaltSwitch } from '../approvals/halt.ts'
import { isObject, parseObject, toList, toText } from '../base/json.ts'
import type { RecordStore } from '../store/store.ts'
import type { Ledger, Spent } from './ledger.ts'

export type Notes = Pick<RecordStore, 'note' | 'setNote'>

export interface KeptBooks {
  /** With what is not written yet. */
  close(): Promise<void>
}

export interface KeptBooksOptions {
  readonly notes: Notes
  readonly ledger: Ledger
  readonly halt: HaltSwitch
  readonly now?: () => number
}

const EVERY_MS = 1000
const LEDGER = 'ledger'
const HALT = 'halt'

/** Resolves when what was kept is in the books. */
export async function openKeptBooks(options: KeptBooksOptions): Promise<KeptBooks> {
  const { notes, ledger, halt, now = Date.now } = options
  for (const spent of readSpent(await notes.note(LEDGER), now())) ledger.add(spent)
  const state = readHalt(await notes.note(HALT))
  if (state !== undefined) halt.follow(state)
  const written = new Map<string, string>([
    [LEDGER, JSON.stringify(ledger.standing())],
    [HALT, JSON.stringify(halt.state())],
  ])
  let work: Promise<void> = Promise.resolve()

  async function put(name: string, text: string, note: string): Promise<void> {
    if (written.get(name) === text) return
    await notes.setNote(name, note)
    written.set(name, text)
  }

  async function write(): Promise<void> {
    const spent = JSON.stringify(ledger.standing())
    await put(LEDGER, spent, `{"at":${now()},"spent":${spent}}`)
    const turned = JSON.stringify(halt.state())
    await put(HALT, turned, turned)
  }

  const inTurn = (): Promise<void> => (work = work.then(write).catch(() => {}))
  const timer = setInterval(() => void inTurn(), EVERY_MS).unref()
  // The switch is for emergencies: a second may be too long.
  const stop = halt.onChange(() => void inTurn())
  return {
    close() {
      clearInterval(timer)
      stop()
      return inTurn()
    },
  }
}

/** Of a rate some has come back since. */
function readSpent(note: string | undefined, now: number): readonly Spent[] {
  const read = parseObject(note ?? '')
  const at = typeof read?.['at'] === 'number' ? read['at'] : now
  const passed = Math.max(0, now - at)
  return toList(read?.['spent']).flatMap((one): Spent[] => {
    if (!isObject(one)) return []
    const { key, period, tokens, requests, rate } = one
    if (typeof key !== 'string' || typeof period !== 'string') return []
    const limit = readRate(rate)
    const used = Number(requests) || 0
    return [
      {
        key,
        period,
        tokens: Number(tokens) || 0,
        requests:
          limit === undefined ? 0 : Math.max(0, used - (passed * limit.requests) / limit.per),
        ...(limit === undefined ? undefined : { rate: limit }),
      },
    ]
  })
}

function readRate(rate: unknown): Spent['rate'] {
  if (!isObject(rate)) return undefined
  const { requests, per } = rate
  return typeof requests === 'number' && typeof per === 'number' && requests > 0 && per > 0
    ? { requests, per }
    : undefined
}

function readHalt(note: string | undefined): HaltState | undefined {
  const read = parseObject(note ?? '')
  const { halted, at } = read ?? {}
  if (typeof halted !== 'boolean' || typeof at !== 'number') return undefined
  return { halted, at, by: toText(read?.['by']), reason: toText(read?.['reason']) }
}
