import fc from 'fast-check'
import { expect, test } from 'vitest'
import { missing } from './ledger-rows.ts'
import { createLedger, type Spent } from './ledger.ts'
import { createNewsOutbox, type NewsOutbox } from './news-outbox.ts'
import type { Row } from './postgres-link.ts'

/** The table of the database, and gateways that reach it sometimes. */
function world(count: number) {
  const table = new Map<string, number>()
  const members = Array.from({ length: count }, () => {
    const outbox = createNewsOutbox()
    const ledger = createLedger((spent) =>
      outbox.add({ from: 'me', to: undefined, news: { type: 'spent', spent: [spent] } }),
    )
    return { outbox, ledger }
  })
  const rows = (): Row[] =>
    [...table].map(([name, tokens]) => {
      const [key_name, period] = JSON.parse(name) as [string, string]
      return { key_name, period, tokens, used: 0, rate_requests: null, rate_per: null }
    })
  const add = ({ key, period, tokens }: Spent): void => {
    const name = JSON.stringify([key, period])
    table.set(name, (table.get(name) ?? 0) + tokens)
  }
  /** `isLost`: it was written, and the answer did not come back. */
  const write = (outbox: NewsOutbox, isLost: boolean): void => {
    const batch = outbox.take()
    if (batch === undefined) return
    if (!written.has(batch)) for (const one of batch.spent) add(one)
    written.add(batch)
    if (!isLost) outbox.done()
  }
  const written = new Set<object>()
  return { members, rows, write }
}

const KEY = {
  name: 'k',
  hash: '',
  models: undefined,
  rate: undefined,
  budget: undefined,
  concurrent: undefined,
}

test('whoever compares with the table stands where all stand, whatever was lost on the way', () => {
  const step = fc.record({
    who: fc.nat(2),
    does: fc.constantFrom('spend', 'write', 'lose', 'compare'),
    tokens: fc.integer({ min: 1, max: 50 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { members, rows, write } = world(3)
      let sum = 0
      const compare = ({ ledger, outbox }: (typeof members)[number]): void => {
        write(outbox, false)
        for (const one of missing(rows(), ledger.standing(), outbox.unwritten())) ledger.add(one)
      }
      for (const { who, does, tokens } of steps) {
        const member = members[who] ?? members[0]
        if (member === undefined) return
        if (does === 'spend') {
          member.ledger.begin(KEY)
          member.ledger.end(KEY, tokens)
          sum += tokens
        } else if (does === 'compare') compare(member)
        else write(member.outbox, does === 'lose')
      }
      for (const member of [...members, ...members]) {
        while (member.outbox.unwritten().length > 0) write(member.outbox, false)
        compare(member)
      }
      const standing = members.map(({ ledger }) =>
        ledger.standing().reduce((all, one) => all + one.tokens, 0),
      )
      expect(standing).toEqual([sum, sum, sum])
    }),
    { seed: 8, numRuns: 300 },
  )
})

test('of a rate, only what is not known here is added', () => {
  const rate = { requests: 10, per: 60_000 }
  const row = { key_name: 'k', period: '', tokens: 0, rate_requests: 10, rate_per: 60_000 }
  const rows = [{ ...row, used: 6 }]
  const known = [{ key: 'k', period: '', tokens: 0, requests: 4, rate }]
  const waiting = [{ key: 'k', period: '', tokens: 0, requests: 1, rate }]
  expect(missing(rows, known, waiting)).toEqual([
    { key: 'k', period: '', tokens: 0, requests: 3, rate },
  ])
  expect(missing([{ ...row, used: 2 }], known, [])).toEqual([])
})
