import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { question } from '../../test/support/questions.ts'
import { createApprovals, type OwnApprovals } from './approvals.ts'
import { createBranch, createCounter, type Branch, type FromDesk, type ToDesk } from './branch.ts'
import { createHaltSwitch, type HaltState, type HaltSwitch } from './halt.ts'
import type { ApprovalNews } from './ticket.ts'

/** As a channel between processes: JSON, and later. */
const overJson = <T>(take: (message: T) => void) => {
  return (message: T): void => {
    const text = JSON.stringify(message)
    queueMicrotask(() => take(JSON.parse(text) as T))
  }
}

let main: OwnApprovals
let halt: HaltSwitch
const closes: (() => void)[] = []
beforeEach(() => {
  main = createApprovals()
  halt = createHaltSwitch()
})
afterEach(() => {
  for (const close of closes.splice(0)) close()
  main.close()
})

function worker(): { branch: Branch; halt: HaltSwitch; die(): void } {
  const own = createHaltSwitch()
  const toBranch = overJson<FromDesk>((message) => branch.take(message))
  const setHalt = (halted: boolean, by?: string, reason?: string): Promise<HaltState> =>
    Promise.resolve(halt.set(halted, by, reason))
  const counter = createCounter({ desk: main, setHalt }, toBranch)
  const branch: Branch = createBranch(overJson<ToDesk>(counter.take), own)
  closes.push(
    main.onNews((news) => toBranch({ type: 'approval', news })),
    halt.onChange((state) => toBranch({ type: 'halt', state })),
  )
  return { branch, halt: own, die: counter.close }
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

test('a question of one worker is decided at another', async () => {
  const [one, two] = [worker(), worker()]
  const decision = one.branch.ask(question())
  await settled()
  const [asked] = await two.branch.list()
  const ticket = asked?.ticket ?? ''
  expect((await two.branch.show(ticket))?.call.content).toBe('{"command":"ls"}')
  const outcome = await two.branch.decide(ticket, { type: 'pass', by: 'ann' })
  expect(outcome.type).toBe('decided')
  expect(await decision).toMatchObject({ type: 'pass', by: 'ann', ticket })
  expect((await one.branch.decide(ticket, { type: 'deny' })).type).toBe('already')
})

test('a retry that reaches another worker joins the ticket of the first', async () => {
  const [one, two] = [worker(), worker()]
  const left = new AbortController()
  void one.branch.ask(question({ signal: left.signal }))
  await settled()
  left.abort()
  const again = two.branch.ask(question({ exchangeId: 'exchange-2' }))
  await settled()
  const list = await one.branch.list()
  expect(list.length).toBe(1)
  await one.branch.decide(list[0]?.ticket ?? '', { type: 'deny' })
  expect((await again).type).toBe('deny')
})

test('the questions of a worker that dies wait for nobody, and stay', async () => {
  const one = worker()
  void one.branch.ask(question())
  await settled()
  expect(main.desk.list()[0]?.isWaitedFor).toBe(true)
  one.die()
  expect(main.desk.list()[0]).toMatchObject({ status: 'pending', isWaitedFor: false })
})

test('news reach every worker', async () => {
  const [one, two] = [worker(), worker()]
  const heard: ApprovalNews[] = []
  two.branch.onNews((news) => void heard.push(news))
  void one.branch.ask(question())
  await settled()
  expect(heard).toMatchObject([{ type: 'asked' }])
})

test('the switch that is turned at one worker is turned at all, before the answer is there', async () => {
  const [one, two] = [worker(), worker()]
  const state = await one.branch.setHalt(true, 'ann', 'stop')
  expect(state).toMatchObject({ halted: true, by: 'ann', reason: 'stop' })
  expect(one.halt.isOn()).toBe(true)
  await settled()
  expect(two.halt.state()).toMatchObject({ halted: true, by: 'ann' })
  await two.branch.setHalt(false)
  expect(halt.isOn()).toBe(false)
})

test('a first process that does not answer is an error, and no waiting for ever', async () => {
  vi.useFakeTimers()
  try {
    const branch = createBranch(() => {}, createHaltSwitch())
    const list = branch.list().catch((error: unknown) => String(error))
    await vi.advanceTimersByTimeAsync(6000)
    expect(await list).toMatch(/does not answer/)
  } finally {
    vi.useRealTimers()
  }
})
