import { describe, expect, test } from 'vitest'
import type { Ticket, TicketSummary } from '../../src/approvals/ticket.ts'
import { byUrgency, mergeOver, mergeTicket, stepTo } from './ticket-order.ts'

const ticket = (name: string, more: Partial<TicketSummary> = {}): TicketSummary => ({
  ticket: name,
  status: 'pending',
  policy: 'approve',
  question: 'May it run?',
  askedAt: 0,
  deadlineAt: 60_000,
  isWaitedFor: true,
  client: {},
  exchangeId: 'e',
  conversationId: 'c',
  model: 'm',
  call: { type: 'tool-call', id: 'i', name: 'Bash', preview: '{}' },
  ...more,
})
const names = (list: readonly TicketSummary[]): readonly string[] => list.map((one) => one.ticket)

describe('order', () => {
  test('puts what runs out first on top, and behind it what nobody waits for', () => {
    const list = [
      ticket('late', { deadlineAt: 9000 }),
      ticket('left', { deadlineAt: 10, isWaitedFor: false }),
      ticket('soon', { deadlineAt: 20 }),
    ]
    expect(names(list.toSorted(byUrgency))).toEqual(['soon', 'late', 'left'])
  })

  test('steps through the list, stays at its ends, and begins with the first', () => {
    const list = ['a', 'b', 'c'].map((name) => ticket(name))
    expect(stepTo(list, 'b', 1)?.ticket).toBe('c')
    expect(stepTo(list, 'c', 1)?.ticket).toBe('c')
    expect(stepTo(list, 'a', -1)?.ticket).toBe('a')
    expect(stepTo(list, undefined, 1)?.ticket).toBe('a')
    expect(stepTo([], 'a', 1)).toBeUndefined()
  })
})

describe('news', () => {
  const decision = { type: 'edit', by: 'ann', at: 1, remember: 'once' } as const

  test('of one that ended puts it first, once', () => {
    const before = [ticket('a'), ticket('b', { status: 'expired' })]
    const after = mergeOver(before, [
      ticket('c', { status: 'expired' }),
      ticket('b', { status: 'decided' }),
    ])
    expect(names(after)).toEqual(['b', 'c', 'a'])
    expect(after[0]?.status).toBe('decided')
  })

  test('keep the arguments, which only the whole ticket has', () => {
    const whole: Ticket = {
      ...ticket('a'),
      call: { type: 'tool-call', id: 'i', preview: '{', content: '{"a":1}', isFreeText: false },
    }
    const news = ticket('a', { status: 'decided', decision: { ...decision, args: undefined } })
    const merged = mergeTicket(whole, news)
    expect(merged.call.content).toBe('{"a":1}')
    expect(merged).toMatchObject({ status: 'decided', decision: { by: 'ann' } })
    const edited = { ...merged, decision: { ...decision, args: { a: 2 } } }
    expect(mergeTicket(edited, news).decision?.args).toEqual({ a: 2 })
  })

  test('that are older than a decision do not take it back', () => {
    const decided: Ticket = {
      ...ticket('a', { status: 'decided', decision }),
      call: { type: 'tool-call', id: 'i', preview: '{', content: '{}', isFreeText: false },
    }
    expect(mergeTicket(decided, ticket('a'))).toBe(decided)
  })
})
