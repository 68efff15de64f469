/** `sluice approvals`, `halt` and `resume`, as a person runs them, on a gateway with questions that a test puts. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createApprovals } from '../../src/approvals/approvals.ts'
import { createHaltSwitch } from '../../src/approvals/halt.ts'
import { sluice, start as startCommand, endOf } from '../support/command.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { question, type Asking } from '../support/questions.ts'

const approvals = createApprovals()
const halt = createHaltSwitch()
let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway(
    {},
    {
      office: {
        approvals,
        halt,
        setHalt: (...order) => Promise.resolve(halt.set(...order)),
        token: () => 'the-admin-token',
      },
    },
  )
  process.env['SLUICE_URL'] = gateway.url
  process.env['SLUICE_TOKEN'] = 'the-admin-token'
})
afterEach(() => {
  for (const { ticket } of approvals.desk.list()) approvals.desk.decide(ticket, { type: 'deny' })
})
afterAll(async () => {
  delete process.env['SLUICE_URL']
  delete process.env['SLUICE_TOKEN']
  await gateway.close(0)
})

let asks = 0

function ask(asking: Asking = {}) {
  const decision = approvals.ask(question({ exchangeId: `exchange-${asks++}`, ...asking }))
  const [first] = approvals.desk.list()
  return { decision, ticket: first?.ticket ?? '' }
}

describe('approvals', () => {
  test('are listed and shown, whatever is written in them', async () => {
    const args = JSON.stringify({ command: 'ls \u001b[2J\nticket    FAKE' })
    const { ticket } = ask({ args })
    const [list, shown, json] = await Promise.all([
      sluice(['approvals']),
      sluice(['approvals', 'show', ticket.toLowerCase()]),
      sluice(['approvals', 'list', '--json']),
    ])
    expect(list.code).toBe(0)
    expect(list.stdout).toMatch(new RegExp(`^${ticket}  Bash  May it be called\\?  .*left`))
    expect(shown.stdout).toContain('│   "command": "ls \\u001b[2J\\nticket    FAKE"')
    expect(shown.stdout).not.toContain('\u001b')
    expect(JSON.parse(json.stdout)).toMatchObject({ approvals: [{ ticket }] })
  })

  test('are passed, denied and edited, once', async () => {
    const one = ask()
    const passed = await sluice(['approvals', 'pass', one.ticket, '--by', 'ann'])
    expect([passed.code, passed.stdout]).toEqual([0, `${one.ticket} passed\n`])
    expect(await one.decision).toMatchObject({ type: 'pass', by: 'ann' })
    const again = await sluice(['approvals', 'deny', one.ticket])
    expect([again.code, again.stderr]).toEqual([1, 'sluice: Already decided by ann: pass\n'])
    const two = ask()
    await sluice(['approvals', 'edit', two.ticket, '--args', '{"command":"pwd"}'])
    expect(await two.decision).toMatchObject({ type: 'edit', args: { command: 'pwd' } })
    const three = ask({ isFreeText: true, args: 'ls' })
    await sluice(['approvals', 'edit', three.ticket, '--args', 'pwd'])
    expect(await three.decision).toMatchObject({ type: 'edit', args: 'pwd' })
  })

  test('say what is wrong: exit 1 for the ticket, 2 for the words', async () => {
    const { ticket } = ask()
    expect((await sluice(['approvals', 'pass', '222-222'])).code).toBe(1)
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['edit', ticket], /--args/],
      [['edit', ticket, '--args', 'ls'], /no JSON object/],
      [['pass', ticket, '--remember', 'ever'], /"remember" takes/],
      [['pas'], /did you mean pass/],
    ]
    await Promise.all(
      cases.map(async ([words, said]) => {
        const { code, stderr } = await sluice(['approvals', ...words])
        expect([code, stderr]).toEqual([2, expect.stringMatching(said)])
      }),
    )
  })

  test('are watched as they come, until the reader leaves', async () => {
    const child = startCommand('approvals', 'watch', '--json')
    let said = ''
    const until = (words: RegExp): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => void (words.test(said) && resolve())
        child.stdout.on('data', look)
        look()
      })
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await until(/"event":"state"/)
    const { ticket } = ask()
    await until(new RegExp(`"event":"asked".*${ticket}`))
    await approvals.decide(ticket, { type: 'deny', by: 'ann' })
    await until(/"event":"decided"/)
    child.stdout.destroy()
    ask()
    expect(await endOf(child)).toBe(0)
  })
})

test('halt and resume turn the switch', async () => {
  const on = await sluice(['halt', '--reason', 'an incident', '--by', 'ann'])
  expect([on.code, on.stdout]).toEqual([0, expect.stringMatching(/halted by ann: an incident/)])
  expect(halt.state()).toMatchObject({ halted: true, by: 'ann', reason: 'an incident' })
  expect((await sluice(['halt', '--status'])).code).toBe(1)
  expect((await sluice(['resume'])).code).toBe(0)
  expect(halt.isOn()).toBe(false)
})

test('a gateway that is not there, and a token that is not right, are said', async () => {
  const gone = await sluice(['halt', '--url', 'http://127.0.0.1:1'])
  expect([gone.code, gone.stderr]).toEqual([2, expect.stringMatching(/Cannot reach the gateway/)])
  process.env['SLUICE_TOKEN'] = 'another-token'
  const refused = await sluice(['approvals'])
  process.env['SLUICE_TOKEN'] = 'the-admin-token'
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/not the admin token/)])
})
