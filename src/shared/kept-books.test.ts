import { expect, test } from 'vitest'
import { createHaltSwitch } from '../approvals/halt.ts'
import type { KeySettings } from '../config/settings.ts'
import { openKeptBooks, type KeptBooks, type Notes } from './kept-books.ts'
import { createLedger, type Ledger } from './ledger.ts'

const KEY: KeySettings = {
  name: 'blue',
  hash: '',
  models: undefined,
  rate: { requests: 4, per: 60_000 },
  budget: { tokens: 100, per: 'day' },
  concurrent: undefined,
}

let time = Date.UTC(2026, 0, 1)
const now = (): number => time

function createNotes(): Notes & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>()
  return {
    kept,
    note: (name) => Promise.resolve(kept.get(name)),
    setNote: (name, text) => Promise.resolve(void kept.set(name, text)),
  }
}

async function start(notes: Notes): Promise<{ ledger: Ledger; halt: HaltOf; books: KeptBooks }> {
  const ledger = createLedger(undefined, now)
  const halt = createHaltSwitch({ now })
  return { ledger, halt, books: await openKeptBooks({ notes, ledger, halt, now }) }
}
type HaltOf = ReturnType<typeof createHaltSwitch>

test('a budget, a rate and the switch outlive a restart; of the rate some has come back', async () => {
  const notes = createNotes()
  const first = await start(notes)
  for (let i = 0; i < 4; i++) expect(first.ledger.begin(KEY)).toBeUndefined()
  first.ledger.end(KEY, 60)
  first.halt.set(true, 'ann', 'an incident')
  await first.books.close()
  time += 15_000
  const second = await start(notes)
  expect(second.halt.state()).toMatchObject({ halted: true, by: 'ann', reason: 'an incident' })
  expect(second.ledger.begin(KEY)).toBeUndefined()
  expect(second.ledger.begin(KEY)?.fault.kind).toBe('rate-limit')
  second.ledger.end(KEY, 40)
  expect(second.ledger.begin(KEY)?.fault.kind).toBe('billing')
  await second.books.close()
  // Nothing is counted twice.
  const third = await start(notes)
  expect(third.ledger.standing().find(({ tokens }) => tokens > 0)?.tokens).toBe(100)
})

test('a clock that was put back gives nothing back', async () => {
  const notes = createNotes()
  const first = await start(notes)
  for (let i = 0; i < 4; i++) first.ledger.begin(KEY)
  await first.books.close()
  time -= 3_600_000
  expect((await start(notes)).ledger.begin(KEY)?.fault.kind).toBe('rate-limit')
})

test('notes that are not ours are as if there were none', async () => {
  const notes = createNotes()
  notes.kept.set('ledger', '{"spent":[1,{"key":2},{"key":"k","period":"","tokens":"x"}]}')
  notes.kept.set('halt', '[true]')
  const { ledger, halt } = await start(notes)
  expect([ledger.begin(KEY), halt.isOn()]).toEqual([undefined, false])
})

test('a store that cannot be written to is tried again', async () => {
  const notes = createNotes()
  let isFull = true
  const { ledger, books } = await start({
    ...notes,
    setNote: (name, text) =>
      isFull ? Promise.reject(new Error('full')) : notes.setNote(name, text),
  })
  ledger.begin(KEY)
  ledger.end(KEY, 7)
  await books.close()
  isFull = false
  await books.close()
  expect(notes.kept.get('ledger')).toContain('"tokens":7')
})
