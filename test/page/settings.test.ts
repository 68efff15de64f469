/** Settings: connect, keys, upstreams, the config, records. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BROWSER } from '../support/browser.ts'
import { startPage, type PageRig } from '../support/page.ts'

const SECRET = 'sk-very-secret-0123456789abcdef'
const CONFIG_KEY = 'slc_config_key_0123456789abcdef'

/** Nobody listens on port 9. */
const CONFIG = `upstreams:
  demo: { kind: demo, pace: 1 }
  dead:
    wire: openai-chat
    baseUrl: http://127.0.0.1:9/v1
    apiKey: \${DEAD_KEY}
    retry: { attempts: 1 }
routes:
  - { model: 'dead/*', to: dead }
  - { model: '*', to: demo }
breaker: { failures: 2 }
policies:
  - use: rules
    deny:
      - name: no-recursive-deletes
        when: shell.commands.exists(c, c.name == "rm" && "-r" in c.flags)
        reason: Deleting recursively is not allowed here.
`

const hello = (model = 'demo-text'): object => ({
  model,
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello' }],
})

/** What somebody would copy. */
const snippet = (page: Page, title: string): Locator =>
  page
    .locator('figure')
    .filter({ has: page.getByText(title, { exact: true }) })
    .locator('pre')

describe.skipIf(BROWSER === undefined)('Settings', () => {
  let rig: PageRig
  beforeAll(async () => {
    rig = await startPage({ config: CONFIG, env: { DEAD_KEY: SECRET } })
  })
  afterAll(() => rig.close())

  async function statusOf(key?: string): Promise<number> {
    const { status, body } = await fetch(`${rig.gateway.url}/v1/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'x-api-key': key }),
      },
      body: JSON.stringify(hello()),
    })
    await body?.cancel()
    return status
  }

  test('has lines for curl that work as they stand, and leads to what they sent', async () => {
    const { page, context, faults, close } = await rig.open('#/settings/connect/curl')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    for (const title of ['Messages', 'Chat Completions', 'Responses']) {
      const line = await snippet(page, title).textContent()
      const { stdout } = await promisify(execFile)('sh', ['-c', line ?? ''])
      expect(stdout).toMatch(/demo/)
    }
    await page.getByRole('button', { name: 'Copy: Messages' }).click()
    await page.getByText('Waiting for the first exchange of curl').waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    await promisify(execFile)('sh', ['-c', copied])
    await page.getByRole('link', { name: 'Look at its first exchange' }).click()
    await page.waitForURL('**/#/exchange/*')
    expect(faults).toEqual([])
    await close()
  })

  test('says for every client where this gateway is', async () => {
    const { page, faults, close } = await rig.open('#/settings')
    const clients = page.getByRole('navigation', { name: 'Clients' }).getByRole('link')
    await clients.first().waitFor()
    await expect.poll(() => clients.count()).toBe(10)
    for (const client of await clients.all()) {
      await client.click()
      const article = page.getByRole('article', { name: (await client.textContent()) ?? '' })
      await article.getByText(rig.gateway.url).first().waitFor()
    }
    expect(faults).toEqual([])
    await close()
  })

  test('makes a key that is shown once and closes the gateway, and revokes it', async () => {
    const { page, context, faults, close } = await rig.open('#/settings/keys')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    expect(await statusOf()).toBe(200)
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('Name', { exact: true }).fill('team-blue')
    await page.getByLabel('Requests', { exact: true }).fill('500')
    const make = page.getByRole('button', { name: 'Make the key' })
    await expect.poll(() => make.isDisabled()).toBe(true)
    await page.getByLabel('Close the gateway for clients without a key').check()
    await make.click()
    const dialog = page.getByRole('dialog', { name: 'Key of team-blue' })
    const secret = (await snippet(page, 'The key').textContent()) ?? ''
    expect(secret).toMatch(/^slc_/)

    // Whoever has not copied it is asked.
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Back to the key' }).click()
    await dialog.getByRole('button', { name: 'Copy: The key' }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await statusOf()).toBe(401)
    expect(await statusOf(secret)).toBe(200)

    const line = page.getByRole('row', { name: /team-blue/ })
    await line.getByText('500/minute').waitFor()
    expect(await page.content()).not.toContain(secret)
    await page.reload()
    await line.waitFor()
    expect(await page.content()).not.toContain(secret)

    await page.getByRole('button', { name: 'Revoke team-blue' }).click()
    await page.getByLabel('Let everybody in again without a key').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke team-blue' }).click()
    await line.getByText('revoked').waitFor()
    expect(await statusOf(secret)).toBe(401)
    await rig.api.revokeKey('team-blue', { opens: true })
    expect(await statusOf()).toBe(200)
    expect(faults).toEqual([])
    await close()
  })

  test('says what is wrong with an order for a key, and makes none', async () => {
    const { page, faults, close } = await rig.open('#/settings/keys')
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('Name', { exact: true }).fill('two words')
    await page.getByLabel('Close the gateway for clients without a key').check()
    await page.getByRole('button', { name: 'Make the key' }).click()
    await page.getByRole('alert').getByText('"name"').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await statusOf()).toBe(200)
    expect(faults).toEqual([])
    await close()
  })

  test('shows the circuit of a dead upstream as open, and why', async () => {
    const { page, faults, close } = await rig.open('#/settings/upstreams')
    const dead = page.getByRole('region', { name: 'dead' })
    await dead.getByText('working').waitFor()
    await dead.getByText('127.0.0.1:9', { exact: true }).waitFor()
    for (let count = 0; count < 3; count++) await rig.ask('/v1/chat/completions', hello('dead/any'))
    await dead.getByText('circuit open').waitFor()
    await dead.getByText('It failed too often').waitFor()
    await page.getByRole('region', { name: 'demo' }).getByText('working').waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('shows each setting with its place, and no secret', async () => {
    const { page, faults, close } = await rig.open('#/settings/config')
    const list = page.getByRole('list', { name: 'Config' })
    const row = (text: string): Locator => list.getByRole('listitem').filter({ hasText: text })
    await list.waitFor()
    const search = page.getByLabel('Search the config')
    await search.fill('apiKey')
    await row('upstreams.dead.apiKey').getByText('set, from DEAD_KEY').waitFor()
    await row('upstreams.dead.apiKey').getByText('sluice.yaml:6 by DEAD_KEY').waitFor()
    await search.fill('grace')
    await row('grace').getByText('default').waitFor()
    await page.getByLabel('Only what differs from the defaults').check()
    await page.getByText('Nothing of the config fits').waitFor()
    await search.fill('breaker.failures')
    await row('breaker.failures').getByText('sluice.yaml:11').first().waitFor()
    await search.fill('')
    await row('upstreams.dead.baseUrl').waitFor()
    expect(await page.content()).not.toContain(SECRET)
    expect(faults).toEqual([])
    await close()
  })

  test('verifies the chain of verdicts, and deletes what somebody asks for', async () => {
    await rig.ask('/v1/messages', {
      ...hello('demo-dangerous'),
      tools: [{ name: 'bash', input_schema: { type: 'object' } }],
    })
    await expect.poll(async () => (await rig.api.verifyVerdicts()).links).toBeGreaterThan(0)
    const { page, faults, close } = await rig.open('#/settings/records')
    await page.getByRole('button', { name: 'Verify the chain' }).click()
    await page
      .getByText(/^whole [1-9]\d* verdicts? checked in .*each fits the one before/)
      .waitFor()
    await page.getByLabel('Before the day').fill('2999-01-01')
    await page.getByRole('button', { name: 'Delete …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /^Delete [1-9]\d* exchanges/ }).click()
    await page.getByText(/[1-9]\d* exchanges deleted/).waitFor()
    expect((await rig.api.exchanges()).items).toEqual([])
    expect(faults).toEqual([])
    await close()
  })

  test('keeps the colours that somebody chose', async () => {
    const { page, faults, close } = await rig.open('#/settings/browser')
    const colours = (): Promise<string | null> => page.locator('html').getAttribute('data-theme')
    await page.getByRole('radio', { name: 'Dark' }).check()
    await expect.poll(colours).toBe('dark')
    await page.reload()
    await page.getByText('Running for').waitFor()
    expect(await colours()).toBe('dark')
    await page.getByRole('radio', { name: 'As the system' }).check()
    await expect.poll(colours).toBe('light')
    expect(faults).toEqual([])
    await close()
  })

  test('leads from tab to tab by arrows', async () => {
    const { page, faults, close } = await rig.open('#/settings/keys')
    await page.getByRole('tab', { name: 'Keys' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.waitForURL('**/#/settings/upstreams')
    await expect
      .poll(() => page.getByRole('tab', { name: 'Upstreams' }).getAttribute('aria-selected'))
      .toBe('true')
    expect(faults).toEqual([])
    await close()
  })
})

describe.skipIf(BROWSER === undefined)('Keys of the config', () => {
  test('say where they stand, are asked for in the lines of clients, and are not shown', async () => {
    const rig = await startPage({
      config: 'keys:\n  - { name: ci, key: "${CI_KEY}", models: ["demo-*"] }\n',
      env: { CI_KEY: CONFIG_KEY },
    })
    const { page, faults } = await rig.open('#/settings/keys')
    const line = page.getByRole('row', { name: /\bci\b/ })
    await line.getByText('sluice.yaml:').waitFor()
    await expect.poll(() => line.getByRole('button').count()).toBe(0)
    await page.getByRole('tab', { name: 'Connect' }).click()
    await page.getByText('SLUICE_KEY=YOUR_GATEWAY_KEY sluice run').waitFor()
    expect(await page.content()).not.toContain(CONFIG_KEY)
    expect(faults).toEqual([])
    await rig.close()
  })
})
