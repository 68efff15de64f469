/** Approvals: a client waits in an open stream, a person decides on the page, the client gets it. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { TicketSummary } from '../../src/approvals/ticket.ts'
import { BROWSER } from '../support/browser.ts'
import { startPage, type PageRig, type Window } from '../support/page.ts'

const CONFIG = `policies:
  - use: approve
    tools: [Bash, '*img*']
    question: May {tool} run {args.command}?
    reason: It leaves the machine
  - use: rules
    ask:
      - { name: ask-before-release, tools: [deploy], reason: May this be released? }
approvals: { deadline: 5m }
`
const TOOLS = [
  {
    name: 'Bash',
    input_schema: {
      type: 'object',
      properties: { command: { type: 'string' }, timeout: { type: 'number' } },
      required: ['command'],
      additionalProperties: false,
    },
  },
  { name: 'get_weather', input_schema: { type: 'object' } },
  { name: 'deploy', input_schema: { type: 'object' } },
]

describe.skipIf(BROWSER === undefined)('Approvals', () => {
  let rig: PageRig
  beforeAll(async () => {
    rig = await startPage({ config: CONFIG })
  })
  afterAll(() => rig.close())
  afterEach(async () => {
    const { approvals } = await rig.api.approvals({ status: 'pending' })
    await Promise.all(approvals.map(({ ticket }) => rig.api.decide(ticket, { decision: 'deny' })))
  })

  /** A client whose call waits; `answer` is its whole stream, once it is over. */
  async function agent(
    args: object,
    { name = 'Bash', tools = TOOLS, model = 'demo' } = {},
  ): Promise<{ readonly ticket: TicketSummary; readonly answer: Promise<string> }> {
    const known = new Set((await rig.api.approvals()).approvals.map(({ ticket }) => ticket))
    const prompt = `Release it: call ${name} \`${JSON.stringify(args)}\``
    const answer = rig.ask(
      '/v1/messages',
      {
        model,
        max_tokens: 500,
        stream: true,
        tools,
        messages: [
          { role: 'user', content: 'The tests are green' },
          { role: 'assistant', content: 'Then I release it' },
          { role: 'user', content: prompt },
        ],
      },
      { 'user-agent': 'claude-cli/2.1' },
    )
    for (;;) {
      const { approvals } = await rig.api.approvals({ status: 'pending' })
      const ticket = approvals.find((one) => !known.has(one.ticket))
      if (ticket !== undefined) return { ticket, answer }
      await pause(20)
    }
  }

  /** A window of somebody whose name is known. */
  async function openAs(name: string, place = '#/approvals'): Promise<Window> {
    const window = await rig.open('#/settings')
    await window.page.evaluate(
      ([who, where]) => {
        localStorage.setItem('sluice-name', JSON.stringify(who))
        location.hash = where
        location.reload()
      },
      [name, place] as const,
    )
    await window.page.getByRole('heading', { name: 'Approvals', exact: true }).waitFor()
    return window
  }

  test('passes a call, with the name of the person, who is asked for it once', async () => {
    const { page, faults, close } = await rig.open('#/approvals')
    await page.getByRole('heading', { name: 'No call waits for you' }).waitFor()
    const { ticket, answer } = await agent({ command: 'git push' })
    await page.getByRole('region', { name: `Ticket ${ticket.ticket}` }).waitFor()
    await page.getByText('May Bash run git push?').waitFor()
    await page.getByText('It leaves the machine').waitFor()
    await page.getByText('Then I release it').waitFor()
    await page.getByText('the client is there').waitFor()
    await page
      .getByRole('timer')
      .getByText(/4 min \d\d left/)
      .waitFor()
    await page.getByRole('button', { name: 'Pass' }).click()
    await page.getByLabel('Your name').fill('Ann')
    await page.keyboard.press('Enter')
    await outcome(page, 'Passed', 'by Ann')
    expect(callOf(await answer)).toEqual({ command: 'git push' })
    await expect.poll(() => page.getByRole('button', { name: 'Pass' }).count()).toBe(0)
    expect(faults).toEqual([])
    await close()
  })

  test('denies a call by keys, and the model reads the reason', async () => {
    const { ticket, answer } = await agent({ command: 'rm -r build' })
    const { page, faults, close } = await openAs('Ann', `#/approvals/${ticket.ticket}`)
    await page.getByText('May Bash run rm -r build?').waitFor()
    await ready(page)
    await page.keyboard.press('d')
    const reason = page.getByRole('textbox', { name: 'Reason' })
    await reason.waitFor()
    // Whoever opens it again writes at once, too.
    await page.keyboard.press('Escape')
    await reason.waitFor({ state: 'detached' })
    await page.keyboard.press('d')
    await reason.waitFor()
    expect(await reason.evaluate((field) => field === document.activeElement)).toBe(true)
    await page.getByRole('button', { name: 'Too broad: name the files.' }).click()
    await expect.poll(() => reason.inputValue()).toBe('Too broad: name the files.')
    await page.keyboard.press('Enter')
    await outcome(page, 'Denied', 'by Ann')
    const said = await answer
    expect(callOf(said)).toBeUndefined()
    expect(said).toContain(
      `A person denied it (ticket ${ticket.ticket}). Too broad: name the files.`,
    )
    expect(faults).toEqual([])
    await close()
  })

  test('edits a call: checked as it is written, shown as a diff, run as edited', async () => {
    const { ticket, answer } = await agent({ command: 'git push --force', timeout: 5 })
    const { page, faults, close } = await openAs('Ann', `#/approvals/${ticket.ticket}`)
    await page.getByText('Then I release it').waitFor()
    await ready(page)
    await page.keyboard.press('e')
    const send = page.getByRole('button', { name: 'Pass with these arguments' })
    const all = page.getByLabel('All arguments')
    await expect.poll(() => send.isDisabled()).toBe(true)
    await all.fill('{ "command": 7, "speed": 1 }')
    await page.getByText(/command: expected string/).waitFor()
    await page.getByText(/speed/).last().waitFor()
    await expect.poll(() => send.isDisabled()).toBe(true)
    await all.fill('{ "command": "git push --force", "timeout": 9 }')
    await page.getByLabel('Command').fill('git push --dry-run')
    const diff = page.getByRole('region', { name: 'What changes' })
    await diff.getByText('--dry-run').waitFor()
    await page.getByLabel('For how long it holds').selectOption('conversation')
    await send.click()
    await outcome(page, 'Edited', 'by Ann')
    expect(callOf(await answer)).toEqual({ command: 'git push --dry-run', timeout: 9 })
    expect((await rig.api.approval(ticket.ticket)).approval.decision?.remember).toBe('conversation')
    expect(faults).toEqual([])
    await close()
  })

  test('counts down, says what happens at the end, and shows that nobody decided', async () => {
    const { settings } = rig.gateway
    rig.gateway.reload({ ...settings, approvals: { ...settings.approvals, deadline: 3000 } })
    const { page, faults, close } = await openAs('Ann')
    const { answer } = await agent({ command: 'git tag v1' })
    rig.gateway.reload(settings)
    await page
      .getByRole('timer')
      .getByText(/[123] s left/)
      .waitFor()
    await page.getByText('the model reads that nobody decided in time').waitFor()
    await outcome(page, 'Expired', 'Nobody decided in time')
    const said = await answer
    expect(callOf(said)).toBeUndefined()
    expect(said).toContain('nobody decided in time')
    await page.getByRole('button', { name: 'Decide all the same' }).click()
    await page.getByText('Nobody waits for it now').waitFor()
    await page.getByRole('button', { name: 'Pass' }).click()
    await outcome(page, 'Passed', 'by Ann')
    expect(faults).toEqual([])
    await close()
  })

  test('lets one of two people decide, and tells the other at once', async () => {
    const { ticket, answer } = await agent({ command: 'git push origin' })
    const place = `#/approvals/${ticket.ticket}`
    const [ann, bob] = await Promise.all([openAs('Ann', place), openAs('Bob', place)])
    await bob.page.getByRole('button', { name: 'Pass' }).waitFor()
    await ready(ann.page)
    await ann.page.keyboard.press('a')
    await outcome(bob.page, 'Passed', 'by Ann')
    for (const name of ['Pass', 'Edit', 'Deny'])
      await expect.poll(() => bob.page.getByRole('button', { name }).count()).toBe(0)
    expect(callOf(await answer)).toEqual({ command: 'git push origin' })
    expect([ann.faults, bob.faults]).toEqual([[], []])
    await Promise.all([ann.close(), bob.close()])
  })

  test('says who was first where the news of it did not arrive', async () => {
    const { ticket, answer } = await agent({ service: 'shop' }, { name: 'deploy' })
    const { page, faults, close, context } = await openAs('Bob')
    await context.route('**/api/events*', (route) => route.abort())
    await page.goto(`${rig.gateway.url}/#/approvals/${ticket.ticket}`)
    await page.reload()
    await page.getByText('May this be released?').waitFor()
    await page.getByText('ask-before-release').waitFor()
    await rig.api.decide(ticket.ticket, { decision: 'deny', by: 'Ann' })
    await page.getByRole('button', { name: 'Pass' }).click()
    await page.getByText('You came second. Already decided by Ann: deny.').waitFor()
    await outcome(page, 'Denied', 'by Ann')
    await answer
    expect(faults).toEqual([])
    await close()
  })

  test('decides once, however often a button is hit or a key repeats', async () => {
    const first = await agent({ command: 'echo one' })
    const second = await agent({ command: 'echo two' })
    const { page, faults, close } = await openAs('Ann', `#/approvals/${first.ticket.ticket}`)
    const posts: string[] = []
    page.on('request', (one) => {
      if (one.method() === 'POST') posts.push(new URL(one.url()).pathname)
    })
    await page.getByRole('button', { name: 'Pass' }).dblclick()
    await outcome(page, 'Passed', 'by Ann')
    // `g a` with the last key held down leads to what waits, and must not pass it.
    await page.getByRole('button', { name: /^Next/ }).click()
    await page.getByText('May Bash run echo two?').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.down('a')
    for (let times = 0; times < 40; times++) await page.keyboard.down('a')
    await page.keyboard.up('a')
    expect(posts).toEqual([`/api/approvals/${first.ticket.ticket}`])
    await rig.api.decide(second.ticket.ticket, { decision: 'deny' })
    await Promise.all([first.answer, second.answer])
    expect(faults).toEqual([])
    await close()
  })

  test('shows names and arguments of a hostile model as text, with nothing hidden', async () => {
    const name = '<img src=x onerror=alert(1)>\u202Etxt.exe'
    const { ticket, answer } = await agent(
      {},
      {
        model: 'demo-tool',
        tools: [
          {
            name,
            input_schema: {
              type: 'object',
              properties: { command: { type: 'string', const: '<script>alert(2)</script>\u202E' } },
              required: ['command'],
              additionalProperties: false,
            },
          } as never,
        ],
      },
    )
    const { page, faults, close } = await openAs('Ann', `#/approvals/${ticket.ticket}`)
    const alerts: string[] = []
    page.on('dialog', (dialog) => {
      alerts.push(dialog.message())
      void dialog.dismiss()
    })
    await page
      .getByRole('heading', { name: '<img src=x onerror=alert(1)>⟨U+202E⟩txt.exe' })
      .waitFor()
    expect(await page.locator('main img, main script').count()).toBe(0)
    expect(await page.locator('main').innerText()).not.toContain('\u202E')
    await ready(page)
    await page.keyboard.press('e')
    await expect
      .poll(() => page.getByLabel('Arguments', { exact: true }).inputValue())
      .toContain('\\u202e')
    await rig.api.decide(ticket.ticket, { decision: 'deny' })
    await answer
    expect(alerts).toEqual([])
    expect(faults).toEqual([])
    await close()
  })

  test('stops all tool calls from any view, and lets them run again', async () => {
    const weather = {
      model: 'demo',
      max_tokens: 500,
      stream: true,
      tools: TOOLS,
      messages: [{ role: 'user', content: 'call get_weather `{"city":"Oslo"}`' }],
    }
    const { page, faults, close } = await openAs('Ann')
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    const dialog = page.getByRole('dialog', { name: 'Stop all tool calls' })
    await dialog.getByLabel('Reason').fill('It went wild')
    expect((await rig.api.halt()).halted).toBe(false)
    await dialog.getByRole('button', { name: 'Stop them all' }).click()
    await page.getByText('All tool calls are stopped by Ann: It went wild').waitFor()
    expect(callOf(await rig.ask('/v1/messages', weather))).toBeUndefined()
    await page.getByRole('link', { name: 'Approvals' }).click()
    await page.getByRole('button', { name: 'Let tool calls run again' }).click()
    await page.getByText(/^Stopped by Ann, \d+ s ago: It went wild$/).waitFor()
    await page.getByRole('button', { name: 'Let them run', exact: true }).click()
    await page.getByRole('button', { name: 'Stop all tool calls' }).waitFor()
    expect(callOf(await rig.ask('/v1/messages', weather))).toEqual({ city: 'Oslo' })
    expect(faults).toEqual([])
    await close()
  })

  test('notifies who looks elsewhere, with no word of what the call does', async () => {
    const { page, context, faults, close } = await openAs('Ann')
    await context.grantPermissions(['notifications'])
    await page.addInitScript(() => {
      const told: unknown[] = []
      class Told extends EventTarget {
        static permission = 'granted'
        static requestPermission = (): Promise<string> => Promise.resolve('granted')
        constructor(title: string, options: object) {
          super()
          told.push({ title, ...options, one: this })
        }
        close(): void {
          told.push('closed')
        }
      }
      Object.assign(globalThis, { Notification: Told, told })
    })
    await page.reload()
    await page.getByRole('switch', { name: 'Notifications' }).click()
    await page.getByRole('switch', { name: 'Notifications', checked: true }).waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    const { ticket, answer } = await agent({ command: 'cat secret.txt' })
    await page.waitForFunction('told.length === 1')
    expect(await page.evaluate('JSON.stringify(told)')).toContain('"title":"Bash waits for you"')
    expect(await page.evaluate('JSON.stringify(told)')).not.toContain('secret')
    // The title is set when the sidebar has been drawn, which may be after the notification.
    await expect.poll(() => page.title()).toBe('(1) Sluice')
    await page.evaluate("told[0].one.dispatchEvent(new Event('click'))")
    await page.getByText('May Bash run cat secret.txt?').waitFor()
    await rig.api.decide(ticket.ticket, { decision: 'deny', by: 'Bob' })
    await outcome(page, 'Denied', 'by Bob')
    await page.waitForFunction("told.at(-1) === 'closed'")
    await answer
    await page.reload()
    await page.getByRole('switch', { name: 'Notifications', checked: true }).waitFor()
    expect(faults).toEqual([])
    await close()
  })
})

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Keys do not decide on a ticket that came up just now. */
async function ready(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Pass' }).waitFor()
  await pause(600)
}

async function outcome(page: Page, ...says: readonly string[]): Promise<void> {
  const place = page.getByRole('status', { name: 'Outcome' })
  for (const text of says) await place.getByText(text, { exact: true }).waitFor()
}

/** The arguments of the tool call in a stream of Anthropic's wire; `undefined`: there is none. */
function callOf(stream: string): unknown {
  const parts = [...stream.matchAll(/"partial_json":("(?:[^"\\]|\\.)*")/g)].map(
    ([, text]) => JSON.parse(text ?? '""') as string,
  )
  return stream.includes('"tool_use"') ? JSON.parse(parts.join('') || '{}') : undefined
}
