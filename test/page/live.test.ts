/** Live: exchanges as they happen and as they were, in one list. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO_CONFIG } from '../../src/config/demo-config.ts'
import { BROWSER } from '../support/browser.ts'
import { startPage, type PageRig } from '../support/page.ts'

const row = (page: Page, name: RegExp): Locator => page.getByRole('row', { name })
const rows = (page: Page): Locator =>
  page.getByRole('row').filter({ hasNot: page.getByRole('columnheader') })

const say = (model: string, content = 'Say something'): object => ({
  model,
  max_tokens: 1000,
  stream: true,
  messages: [{ role: 'user', content }],
})

describe.skipIf(BROWSER === undefined)('Live', () => {
  let rig: PageRig
  beforeAll(async () => {
    rig = await startPage({ config: DEMO_CONFIG })
  })
  afterAll(() => rig.close())

  const ask = (model: string, content?: string): Promise<string> =>
    rig.ask('/v1/messages', say(model, content), { 'user-agent': 'claude-cli/2.1' })

  /** Not streamed: at once. */
  const askWhole = (model: string): Promise<string> =>
    rig.ask('/v1/messages', { ...say(model), stream: false })

  test('has one press for each kind of exchange where the gateway is a demo', async () => {
    const { page, faults, close } = await rig.open('#/live')
    await page.getByRole('heading', { name: 'No exchanges yet' }).waitFor()
    await page.getByRole('button', { name: 'Denied call' }).click()
    await row(page, /demo-dangerous.*bash.*deny/).waitFor()
    await page.getByRole('button', { name: 'Try', exact: true }).click()
    await page.getByRole('button', { name: 'Agent at work' }).click()
    await expect.poll(() => row(page, /demo-loop/).count(), { timeout: 8000 }).toBe(4)
    await page.getByRole('button', { name: 'Client leaves' }).click()
    await row(page, /The client left.*demo-long/).waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('shows an exchange while it goes on and waits for a person, and how it ended', async () => {
    const { page, faults, close } = await rig.open('#/live')
    await page.getByTitle('Connected').waitFor()
    const answer = ask('demo', 'Ship it: call deploy `{"service":"checkout","version":"2.4.0"}`')
    const line = row(page, /claude-cli.*demo .*waiting/)
    await line.waitFor()
    const foot = page.getByLabel('Summary')
    await foot.getByText('1 open').waitFor()
    await page.getByRole('button', { name: 'Waiting' }).click()
    await expect.poll(() => rows(page).count()).toBe(1)
    const [ticket] = (await rig.api.approvals({ status: 'pending' })).approvals
    await rig.api.decide(ticket?.ticket ?? '', { decision: 'pass' })
    await answer
    await page.getByRole('heading', { name: 'Nobody waits' }).waitFor()
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await row(page, /^Done.*claude-cli.*demo .*200.*deploy/).waitFor()
    await foot.getByText('0 open').waitFor()
    await ask('demo-error')
    await row(page, /Error of the upstream.*demo-error.*529/).waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('leads in two presses to what was denied, by which rule, and what the agent got', async () => {
    await ask('demo-dangerous', 'Clean up')
    const { page, faults, close } = await rig.open('#/live')
    await page.getByRole('button', { name: 'Denied' }).click()
    await row(page, /demo-dangerous/)
      .first()
      .click()
    await page.getByText('no-recursive-deletes').first().waitFor()
    await page.getByText('demo-rules').first().waitFor()
    expect(page.url()).toMatch(/#\/live\/[0-9a-z]{26}\?verdict=deny$/)
    await page.keyboard.press('Escape')
    expect(page.url()).toMatch(/#\/live\?verdict=deny$/)
    expect(faults).toEqual([])
    await close()
  })

  test('is narrowed by words, with chips that can be taken away, and says what is wrong at the word', async () => {
    await ask('demo-text')
    const { page, faults, close } = await rig.open('#/live')
    await row(page, /demo-text/)
      .first()
      .waitFor()
    await page.keyboard.press('/')
    const field = page.getByRole('combobox', { name: 'Filter' })
    await field.pressSequentially('mod')
    await page.getByRole('option', { name: /model:/ }).click()
    await field.pressSequentially('demo-te')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove model:demo-text' }).waitFor()
    await expect.poll(() => row(page, /demo-dangerous/).count()).toBe(0)
    await row(page, /demo-text/)
      .first()
      .waitFor()
    expect(page.url()).toMatch(/#\/live\?model=demo-text$/)
    await field.pressSequentially('stauts:error ')
    await page.getByText('There is no filter "stauts": did you mean "status"?').waitFor()
    await field.fill('')
    await ask('demo-text', 'a live one that fits')
    await ask('demo-thinking', 'and one that does not')
    await page.getByRole('button', { name: 'Remove model:demo-text' }).click()
    await row(page, /demo-thinking/)
      .first()
      .waitFor()
    expect(page.url()).toMatch(/#\/live$/)
    expect(faults).toEqual([])
    await close()
  })

  test('finds words in what was said, also in what is said from now on', async () => {
    await ask('demo-text', 'The pelican knows')
    // The search learns of words some time after their row is there.
    await expect
      .poll(async () => (await rig.api.exchanges({ text: 'pelican' })).items.length)
      .toBe(1)
    const { page, faults, close } = await rig.open('#/live')
    const field = page.getByRole('combobox', { name: 'Filter' })
    await field.fill('pelican')
    await field.press('Enter')
    await expect.poll(() => rows(page).count()).toBe(1)
    await ask('demo-thinking', 'Another pelican')
    await ask('demo-thinking', 'A heron')
    await row(page, /demo-thinking/).waitFor()
    await expect.poll(() => rows(page).count()).toBe(2)
    expect(faults).toEqual([])
    await close()
  })

  test('stands still while it is paused, and under the eyes of who reads further down', async () => {
    await Promise.all(Array.from({ length: 40 }, () => askWhole('demo-text')))
    const { page, faults, close } = await rig.open('#/live', { height: 600 })
    await row(page, /demo-text/)
      .first()
      .waitFor()
    await page.keyboard.press('.')
    const first = await rows(page).first().getAttribute('id')
    await Promise.all(Array.from({ length: 3 }, () => askWhole('demo-thinking')))
    await page.getByRole('button', { name: '3 new, resume' }).waitFor()
    await expect.poll(() => rows(page).first().getAttribute('id')).toBe(first)
    await page.keyboard.press('.')
    await row(page, /demo-thinking/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Follow', pressed: true }).waitFor()
    await page.getByRole('row').nth(5).hover()
    await page.mouse.wheel(0, 300)
    await page.getByRole('button', { name: 'Follow', pressed: false }).waitFor()
    const seen = rows(page).nth(14)
    const id = (await seen.getAttribute('id')) ?? ''
    const before = await page.locator(`#${id}`).boundingBox()
    await ask('demo-thinking')
    await page.getByRole('button', { name: '1 new above' }).waitFor()
    expect(await page.locator(`#${id}`).boundingBox()).toEqual(before)
    await page.keyboard.press('f')
    await page.getByRole('button', { name: 'Follow', pressed: true }).waitFor()
    await expect.poll(() => page.getByRole('button', { name: /new above/ }).count()).toBe(0)
    expect(faults).toEqual([])
    await close()
  })

  test('is walked through by keys, with the exchange beside it or over it', async () => {
    const { page, faults, close } = await rig.open('#/live')
    await row(page, /demo-text/)
      .first()
      .waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    const second = (await rows(page).nth(1).getAttribute('id')) ?? ''
    await expect.poll(() => page.locator(`#${second}`).getAttribute('aria-selected')).toBe('true')
    expect(page.url()).toMatch(/#\/live$/)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain(second.replace('row-', ''))
    // Where it was closed from inside, the keys go on in the list.
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await expect.poll(() => page.url()).toMatch(/#\/live$/)
    await expect.poll(() => page.locator('[role=rowgroup]:focus').count()).toBe(1)
    await rows(page).nth(1).click()
    await expect.poll(() => page.url()).toContain(second.replace('row-', ''))
    await page.keyboard.press('ArrowDown')
    const third = (await rows(page).nth(2).getAttribute('id')) ?? ''
    await expect.poll(() => page.url()).toContain(third.replace('row-', ''))
    const line = page.getByRole('separator', { name: 'Width of the exchange' })
    const width = Number(await line.getAttribute('aria-valuenow'))
    await line.focus()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => line.getAttribute('aria-valuenow')).toBe(String(width + 24))
    await page.setViewportSize({ width: 800, height: 700 })
    await expect.poll(() => line.count()).toBe(0)
    await page.keyboard.press('Escape')
    await rows(page).first().click()
    await page.keyboard.press('o')
    await expect.poll(() => page.url()).toMatch(/#\/exchange\//)
    expect(faults).toEqual([])
    await close()
  })

  test('says that the connection is lost, comes back by itself, and shows what was missed', async () => {
    const cable = await startCable(Number(new URL(rig.gateway.url).port))
    const context = await rig.browser.newContext()
    const page = await context.newPage()
    await page.goto(`${cable.url}/#token=${rig.gateway.adminToken()}&#/live?model=demo-tools`)
    await page.getByTitle('Connected').waitFor()
    await cable.cut()
    await page.getByText(/No connection since/).waitFor()
    await ask('demo-tools', 'Nobody sees this')
    await cable.mend()
    await row(page, /demo-tools/).waitFor({ timeout: 10_000 })
    await expect.poll(() => page.getByText(/No connection since/).count()).toBe(0)
    await ask('demo-tools', 'And this one at once')
    await expect.poll(() => row(page, /demo-tools/).count()).toBe(2)
    await context.close()
    await cable.close()
  })
})

interface Cable {
  readonly url: string
  cut(): Promise<void>
  mend(): Promise<void>
  close(): Promise<void>
}

/** A way to the gateway that can be cut. */
async function startCable(to: number): Promise<Cable> {
  const sockets = new Set<Socket>()
  const start = (port: number): Promise<Server> =>
    new Promise((resolve) => {
      const server = createServer((socket) => {
        const far = connect(to, '127.0.0.1')
        for (const one of [socket, far]) {
          sockets.add(one)
          one.on('error', () => {})
          one.on('close', () => {
            sockets.delete(one)
            socket.destroy()
            far.destroy()
          })
        }
        socket.pipe(far).pipe(socket)
      }).listen(port, '127.0.0.1', () => resolve(server))
    })
  let server = await start(0)
  const { port } = server.address() as AddressInfo
  const cut = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return {
    url: `http://127.0.0.1:${port}`,
    cut,
    async mend() {
      server = await start(port)
    },
    close: cut,
  }
}
