import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createTicketName, readTicketName } from './ticket.ts'

test('no two tickets have one name', () => {
  const names = new Set<string>()
  for (let i = 0; i < 2000; i++) {
    const name = createTicketName(randomBytes, (one) => names.has(one))
    expect(name).toMatch(/^[2-9BCDFGHJKMNPQRSTVWXZ]{3}-[2-9BCDFGHJKMNPQRSTVWXZ]{3}$/)
    names.add(name)
  }
  expect(names.size).toBe(2000)
})

test('a name that is taken is not given again', () => {
  const rounds = [new Uint8Array(12), new Uint8Array(12).fill(255), new Uint8Array(12).fill(1)]
  const name = createTicketName(
    () => rounds.shift() ?? new Uint8Array(12),
    (one) => one === '222-222',
  )
  expect(name).toBe('333-333')
})

test.each(['4XK-9TP', '4xk9tp', '4xk-9tp', '4-XK9-TP'])('%s is 4XK-9TP', (typed) => {
  expect(readTicketName(typed)).toBe('4XK-9TP')
})
