import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { question, type Asking } from '../../test/support/questions.ts'
import { createApprovals, type ApprovalsOptions, type OwnApprovals } from './approvals.ts'
import type { CheckArguments } from './check-answer.ts'
import { APPROVALS, type ApprovalSettings } from './settings.ts'
import type { ApprovalNews } from './ticket.ts'

const MINUTE = 60_000

let news: ApprovalNews[]
let open: OwnApprovals[]
beforeEach(() => {
  vi.useFakeTimers()
  news = []
  open = []
})
afterEach(() => {
  for (const one of open) one.close()
  vi.useRealTimers()
})

function start(
  settings: Partial<ApprovalSettings> = {},
  more: ApprovalsOptions = {},
): OwnApprovals {
  const one = createApprovals({
    settings: () => ({ ...APPROVALS, ...settings }),
    onNews: (said) => void news.push(said),
    ...more,
  })
  open.push(one)
  return one
}

/** Asks, and gives back the ticket that it waits with. */
function ask(approvals: OwnApprovals, asking: Asking = {}) {
  const decision = approvals.ask(question(asking))
  const ticket = news.at(-1)?.ticket.ticket ?? ''
  return { decision, ticket }
}

const pending = (approvals: OwnApprovals): number =>
  approvals.desk.list().filter(({ status }) => status === 'pending').length

describe('a question', () => {
  test('waits with a ticket until a person passes it', async () => {
    const approvals = start()
    const { decision, ticket } = ask(approvals)
    expect(ticket).toMatch(/^[2-9B-Z]{3}-[2-9B-Z]{3}$/)
    const [shown] = await approvals.list()
    expect(shown).toMatchObject({
      ticket,
      status: 'pending',
      isWaitedFor: true,
      call: { name: 'Bash', preview: '{"command":"ls"}' },
    })
    const outcome = await approvals.decide(ticket, { type: 'pass', by: 'ann' })
    expect(outcome.type).toBe('decided')
    expect(await decision).toEqual({ type: 'pass', by: 'ann', ticket, reason: undefined })
    expect(news.map(({ type }) => type)).toEqual(['asked', 'decided'])
  })

  test('is denied with the reason of the person', async () => {
    const approvals = start()
    const { decision, ticket } = ask(approvals)
    await approvals.decide(ticket, { type: 'deny', reason: 'not today', by: 'ann' })
    expect(await decision).toMatchObject({ type: 'deny', reason: 'not today', by: 'ann' })
  })

  test('is decided once: who comes second hears who was first', async () => {
    const approvals = start()
    const { decision, ticket } = ask(approvals)
    await approvals.decide(ticket, { type: 'deny', by: 'ann' })
    const second = await approvals.decide(ticket, { type: 'pass', by: 'bob' })
    expect(second).toMatchObject({ type: 'already', ticket: { decision: { by: 'ann' } } })
    expect((await decision).type).toBe('deny')
  })

  test('is found by its ticket in any case and without the dash', async () => {
    const approvals = start()
    const { ticket } = ask(approvals)
    const typed = ticket.replace('-', '').toLowerCase()
    expect((await approvals.show(typed))?.ticket).toBe(ticket)
    expect(await approvals.decide('222-222', { type: 'pass' })).toEqual({ type: 'unknown' })
  })

  test('expires with its ticket when nobody decides in time', async () => {
    const approvals = start()
    const { decision, ticket } = ask(approvals)
    vi.advanceTimersByTime(5 * MINUTE)
    const reason = 'A person had 300 s to decide'
    expect(await decision).toEqual({ type: 'expired', ticket, by: undefined, reason })
    expect(pending(approvals)).toBe(0)
  })

  test('of a client without a stream expires before that client gives up', async () => {
    const approvals = start({ deadline: 60 * MINUTE })
    const { decision } = ask(approvals, { isStream: false })
    vi.advanceTimersByTime(4 * MINUTE)
    expect((await decision).type).toBe('expired')
  })

  test('too many are denied at once, with a reason and without a ticket', async () => {
    const approvals = start({ max: 1 })
    ask(approvals)
    const second = await approvals.ask(question({ args: '{"command":"pwd"}' }))
    expect(second).toMatchObject({ type: 'deny', ticket: '', by: undefined })
    expect(second.reason).toMatch(/Too many/)
    expect(pending(approvals)).toBe(1)
  })

  test('too much to keep is denied, and what waits stays', async () => {
    const approvals = start()
    const big = (letter: string): string => JSON.stringify({ text: letter.repeat(12_000_000) })
    ask(approvals, { args: big('a') })
    ask(approvals, { args: big('b') })
    expect((await approvals.ask(question({ args: big('c') }))).type).toBe('deny')
    expect(pending(approvals)).toBe(2)
  })
})

describe('an edit', () => {
  test('gives the call other arguments', async () => {
    const approvals = start()
    const { decision, ticket } = ask(approvals)
    await approvals.decide(ticket, { type: 'edit', args: { command: 'ls -l' }, by: 'ann' })
    expect(await decision).toMatchObject({ type: 'edit', args: { command: 'ls -l' }, by: 'ann' })
  })

  test('that the tool does not take is refused, and the call goes on waiting', async () => {
    const checkArguments = vi.fn<CheckArguments>(() => 'command is missing')
    const tool = { type: 'function', name: 'Bash', schema: {}, isStrict: undefined } as const
    const approvals = start({}, { checkArguments })
    const { ticket } = ask(approvals, { tools: [tool] })
    const outcome = await approvals.decide(ticket, { type: 'edit', args: {} })
    expect(outcome).toEqual({ type: 'wrong', message: 'command is missing' })
    expect(checkArguments).toHaveBeenCalledWith(tool, {})
    expect(pending(approvals)).toBe(1)
  })

  test('is an object for JSON, text for free text, and never nothing', async () => {
    const approvals = start()
    const json = ask(approvals)
    const text = ask(approvals, { isFreeText: true, args: 'ls' })
    const wrong = { type: 'wrong', message: expect.stringMatching(/object|string|args/) }
    expect(await approvals.decide(json.ticket, { type: 'edit', args: 'ls' })).toEqual(wrong)
    expect(await approvals.decide(json.ticket, { type: 'edit' })).toEqual(wrong)
    expect(await approvals.decide(text.ticket, { type: 'edit', args: {} })).toEqual(wrong)
    await approvals.decide(text.ticket, { type: 'edit', args: 'pwd' })
    expect(await text.decision).toMatchObject({ type: 'edit', args: 'pwd' })
  })
})

describe('a client that leaves', () => {
  test('gets no decision, and its ticket stays', async () => {
    const approvals = start()
    const left = new AbortController()
    const { decision, ticket } = ask(approvals, { signal: left.signal })
    left.abort()
    expect((await decision).type).toBe('expired')
    expect(await approvals.show(ticket)).toMatchObject({ status: 'pending', isWaitedFor: false })
    expect(news.at(-1)?.type).toBe('waiting')
  })

  test('and was gone before it asked makes no ticket', async () => {
    const approvals = start()
    expect((await approvals.ask(question({ signal: AbortSignal.abort() }))).type).toBe('expired')
    expect(news).toEqual([])
  })

  test('and asks the same again joins its ticket, and has all the time again', async () => {
    const approvals = start()
    const left = new AbortController()
    ask(approvals, { signal: left.signal })
    left.abort()
    vi.advanceTimersByTime(4 * MINUTE)
    // A retry without a stream writes the arguments another way.
    const again = ask(approvals, { exchangeId: 'exchange-2', args: '{ "command": "ls" }' })
    expect(pending(approvals)).toBe(1)
    vi.advanceTimersByTime(4 * MINUTE)
    await approvals.decide(again.ticket, { type: 'pass', by: 'ann' })
    expect((await again.decision).type).toBe('pass')
  })

  test('gets what was decided meanwhile when it asks again, once', async () => {
    const approvals = start()
    const left = new AbortController()
    const { ticket } = ask(approvals, { signal: left.signal })
    left.abort()
    await approvals.decide(ticket, { type: 'pass', by: 'ann' })
    const again = await approvals.ask(question({ exchangeId: 'exchange-2' }))
    expect(again).toMatchObject({ type: 'pass', by: 'ann', ticket })
    ask(approvals, { exchangeId: 'exchange-3' })
    expect(pending(approvals)).toBe(1)
  })

  test('gets a decision that came after the deadline, for ten minutes', async () => {
    const approvals = start()
    const first = ask(approvals)
    vi.advanceTimersByTime(5 * MINUTE)
    await first.decision
    expect((await approvals.decide(first.ticket, { type: 'pass' })).type).toBe('decided')
    vi.advanceTimersByTime(9 * MINUTE)
    expect((await approvals.ask(question({ exchangeId: 'exchange-2' }))).type).toBe('pass')
    vi.advanceTimersByTime(MINUTE)
    expect(await approvals.show(first.ticket)).toBeUndefined()
  })
})

describe('what is not the same', () => {
  test.each<Asking>([
    { conversationId: 'conversation-2', exchangeId: 'e' },
    { key: 'other', exchangeId: 'e' },
    { tool: 'Shell', exchangeId: 'e' },
    { args: '{"command":"l s"}', exchangeId: 'e' },
    { args: '{"command":"rm","command":"ls"}', exchangeId: 'e' },
    { policy: 'another', exchangeId: 'e' },
    // The same call twice in one answer is two calls, and so it is of two clients that wait at once.
    {},
    { exchangeId: 'e' },
  ])('is a ticket of its own: %j', (asking) => {
    const approvals = start()
    ask(approvals)
    ask(approvals, asking)
    expect(pending(approvals)).toBe(2)
  })
})

describe('a decision that is remembered', () => {
  test('holds for the same call in the conversation, and for nothing else', async () => {
    const approvals = start()
    const { ticket } = ask(approvals)
    await approvals.decide(ticket, { type: 'pass', by: 'ann', remember: 'conversation' })
    for (const exchangeId of ['exchange-2', 'exchange-3'])
      expect(await approvals.ask(question({ exchangeId }))).toMatchObject({ type: 'pass', ticket })
    ask(approvals, { exchangeId: 'exchange-4', conversationId: 'conversation-2' })
    ask(approvals, { exchangeId: 'exchange-4', args: '{"command":"rm"}' })
    expect(pending(approvals)).toBe(2)
  })

  test('holds always for the same call of the same client', async () => {
    const approvals = start({ remember: 'always' })
    const { ticket } = ask(approvals, { key: 'k1' })
    await approvals.decide(ticket, { type: 'deny', reason: 'no' })
    const other = { exchangeId: 'exchange-2', conversationId: 'conversation-2' }
    expect(await approvals.ask(question({ ...other, key: 'k1' }))).toMatchObject({ type: 'deny' })
    ask(approvals, { ...other, key: 'k2' })
    expect(pending(approvals)).toBe(1)
  })
})

test('a token is for its own ticket', async () => {
  const approvals = start()
  const one = ask(approvals)
  const two = ask(approvals, { args: '{}' })
  const token = approvals.desk.tokenOf(one.ticket) ?? ''
  expect(await approvals.isToken(one.ticket, token)).toBe(true)
  expect(await approvals.isToken(two.ticket, token)).toBe(false)
  expect(await approvals.isToken(one.ticket, '')).toBe(false)
  expect(await approvals.isToken('222-222', '')).toBe(false)
})

test('tickets that are over are forgotten, the oldest first, however many there are', async () => {
  const approvals = start()
  for (let i = 0; i < 1500; i++) {
    const { ticket } = ask(approvals, { args: `{"n":${i}}` })
    await approvals.decide(ticket, { type: 'pass' })
  }
  expect((await approvals.list()).length).toBe(1000)
})
