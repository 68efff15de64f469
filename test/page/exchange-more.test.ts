/** An exchange's request, raw frames, details and what can be done with it, in a real browser. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BROWSER } from '../support/browser.ts'
import { startPage, type PageRig, type Window } from '../support/page.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

const run = promisify(execFile)
const KEY = 'sluice-test-key-of-the-page-0123456789'
const SHELL = {
  name: 'Bash',
  description: 'Runs a command',
  input_schema: { type: 'object', properties: { command: { type: 'string' } } },
}
const BROKEN = readFileSync(
  new URL('../fixtures/anthropic-messages/interleaved-blocks.sse', import.meta.url),
)

const CONFIG = (url: string): string => `upstreams:
  demo: { kind: demo, wire: anthropic-messages, pace: 10 }
  chat: { kind: demo, wire: openai-chat, pace: 0 }
  broken: { wire: anthropic-messages, baseUrl: "${url}" }
keys:
  - { name: tester, key: ${KEY} }
routes:
  - { model: 'broken', to: broken }
  - { model: 'over-there', to: chat, as: demo-text }
  - { model: '*', to: demo }
policies:
  - use: rules
    name: no-rm
    deny:
      - when: shell.commands.exists(c, c.name == "rm")
        reason: Deleting is not allowed here.
`

describe.skipIf(BROWSER === undefined)('An exchange', () => {
  let rig: PageRig
  let upstream: TestUpstream
  beforeAll(async () => {
    upstream = await startUpstream()
    upstream.always({ body: BROKEN })
    rig = await startPage({ config: CONFIG(upstream.url) })
  })
  afterAll(async () => {
    await rig.close()
    await upstream.close()
  })

  /** Sends a request and gives back the id of its record. */
  async function record(path: string, body: object): Promise<string> {
    const requestId = `test-${Math.random().toString(36).slice(2)}`
    const headers = { 'x-sluice-key': KEY, 'x-request-id': requestId }
    await rig.ask(path, body, { 'anthropic-version': '2023-06-01', ...headers })
    for (;;) {
      const found = await rig.api.exchange(requestId).catch(() => undefined)
      if (found !== undefined) return found.exchange.id
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  /** The one that was recorded last, as soon as it is another. */
  async function newestBut(id: string): Promise<string> {
    for (;;) {
      const [newest] = (await rig.api.exchanges({ limit: 1 })).items
      if (newest !== undefined && newest.id !== id) return newest.id
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  const messages = (model: string, text: string, more: object = {}): object => ({
    model,
    max_tokens: 100,
    stream: true,
    messages: [{ role: 'user', content: text }],
    ...more,
  })

  async function openTab(id: string, tab: string): Promise<Window> {
    const window = await rig.open(`#/exchange/${id}`)
    await window.page.getByRole('tab', { name: tab }).click()
    return window
  }

  const choose = async (page: Page, menu: string, item: string): Promise<void> => {
    await page.getByRole('button', { name: menu, exact: true }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }

  test('is copied as a curl command that sends the same bytes', async () => {
    const text = `it's "quoted" $HOME\n\tand \\ more`
    const id = await record('/v1/messages?beta=true', messages('demo-text', text))
    const { page, context, faults, close } = await rig.open(`#/exchange/${id}`)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await choose(page, 'Copy', 'Copy as curl')
    await page.getByText('Copied').waitFor()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    expect(command).not.toContain(KEY)
    const { stdout } = await run('sh', ['-c', command], {
      env: { PATH: process.env['PATH'], SLUICE_KEY: KEY },
    })
    expect(stdout).toContain('message_stop')
    const newest = await newestBut(id)
    const bodies = [id, newest].map(async (one) => (await rig.api.body(one, 'request')).text())
    const [before, after] = await Promise.all(bodies)
    expect(after).toBe(before)
    expect(faults).toEqual([])
    await close()
  })

  test('is saved as the bytes that the provider sent, and as a line with everything', async () => {
    const id = await record('/v1/messages', messages('broken', 'hello'))
    const { page, faults, close } = await rig.open(`#/exchange/${id}`)
    const saving = page.waitForEvent('download')
    await choose(page, 'Save', 'Save recording')
    const file = await saving
    expect(file.suggestedFilename()).toBe(`${id}.upstream.sse`)
    expect(readFileSync(await file.path()).equals(BROKEN)).toBe(true)
    const savingAll = page.waitForEvent('download')
    await choose(page, 'Save', 'Save everything')
    const line = JSON.parse(readFileSync(await (await savingAll).path(), 'utf8'))
    expect(line.exchange.id).toBe(id)
    expect(line.bodies.upstream.text).toBe(BROKEN.toString())
    expect(line.bodies.upstream.times.length).toBeGreaterThan(0)
    expect(faults).toEqual([])
    await close()
  })

  test('has the remarks of lint beside the frames that they are about', async () => {
    const id = await record('/v1/messages', messages('broken', 'hello'))
    const { page, faults, close } = await openTab(id, 'Raw')
    const list = page.getByRole('listbox', { name: 'Frames' })
    await list.getByRole('option', { name: 'Frame 4, content_block_start, error A5' }).waitFor()
    await expect.poll(() => list.getByRole('option', { name: /error/ }).count()).toBe(2)
    await page.getByRole('button', { name: 'Next remark' }).click()
    const frame = page.getByRole('region', { name: 'Frame 4' })
    await frame.getByText('block 1 started while another was open').waitFor()
    await frame.getByText(/One block is open at a time/).waitFor()
    await list.press('ArrowDown')
    await page.getByRole('region', { name: 'Frame 5' }).waitFor()
    await page.getByLabel('Only').selectOption('With remarks')
    await page.getByText('2 of 16 frames').waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('marks frames that a policy kept back and those that it wrote', async () => {
    const id = await record('/v1/messages', messages('demo-dangerous', 'go', { tools: [SHELL] }))
    const { page, faults, close } = await openTab(id, 'Raw')
    const list = page.getByRole('listbox', { name: 'Frames' })
    await list
      .getByRole('option', { name: /content_block_delta, did not leave/ })
      .first()
      .click()
    await page.getByText(/It came and did not leave like this/).waitFor()
    await page.getByRole('radio', { name: 'As it left' }).click()
    await page.getByLabel('Only').selectOption('Only on this side')
    await page.getByLabel('Find in frames').fill('NOT allowed here')
    await list
      .getByRole('option', { name: /did not come/ })
      .first()
      .click()
    await page
      .getByRole('region', { name: /Frame/ })
      .getByText(/not allowed here/)
      .waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('shows the parts of a request of each wire', async () => {
    const tool = { name: 'look_up', description: 'Looks up', parameters: { type: 'object' } }
    const requests = [
      ['/v1/messages', messages('demo-text', 'Hi there', { system: 'Be brief', tools: [SHELL] })],
      [
        '/v1/chat/completions',
        {
          model: 'demo-text',
          max_tokens: 100,
          messages: [
            { role: 'system', content: 'Be brief' },
            { role: 'user', content: 'Hi there' },
          ],
          tools: [{ type: 'function', function: tool }],
        },
      ],
      [
        '/v1/responses',
        {
          model: 'demo-text',
          max_output_tokens: 100,
          instructions: 'Be brief',
          input: 'Hi there',
          tools: [{ type: 'function', ...tool }],
        },
      ],
    ] as const
    for (const [path, body] of requests) {
      const { page, faults, close } = await openTab(await record(path, body), 'Request')
      await page.getByRole('region', { name: 'System prompt' }).getByText('Be brief').waitFor()
      await page.getByRole('region', { name: 'Turns' }).getByText('Hi there').waitFor()
      await page.getByRole('region', { name: 'Settings' }).getByText('100').waitFor()
      const tools = page.getByRole('region', { name: 'Tools' })
      await tools.getByRole('button', { name: /Bash|look_up/ }).click()
      await tools.getByText('object').waitFor()
      await page.getByLabel('Find in the request').fill('hi THERE')
      await page.getByText('1 place').waitFor()
      expect(faults).toEqual([])
      await close()
    }
  })

  test('shows both sides of a translated request, and what was lost', async () => {
    const id = await record('/v1/messages', messages('over-there', 'Hi', { top_k: 5 }))
    const { page, faults, close } = await openTab(id, 'Request')
    await page.getByRole('radio', { name: 'Upstream got' }).click()
    await page.getByText('demo-text', { exact: true }).waitFor()
    await page.getByRole('radio', { name: 'Changes' }).click()
    const lost = page.getByRole('list', { name: 'Losses of the translation' })
    await lost.getByText('top_k').waitFor()
    const diff = page.getByRole('region', { name: /What was changed in the request/ })
    await diff.getByText('over-there').waitFor()
    await page.getByRole('tab', { name: 'Details' }).click()
    await lost.getByText('dropped').waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('plays again with its own timing, and can be paused and moved', async () => {
    const id = await record('/v1/messages', messages('demo-text', 'Hi'))
    const { page, faults, close } = await rig.open(`#/exchange/${id}`)
    await choose(page, 'Replay', 'Play here')
    const dialog = page.getByRole('dialog', { name: 'Playback' })
    await dialog.getByRole('radio', { name: 'At once' }).click()
    const again = dialog.getByRole('button', { name: 'Play from the start' })
    await again.waitFor()
    const answer = dialog.getByRole('region', { name: 'Answer' })
    const all = await answer.getByRole('article').innerText()
    await dialog.getByRole('slider', { name: 'Position' }).press('Home')
    await dialog.getByText(/The first byte came after/).waitFor()
    await dialog.getByRole('radio', { name: '1×' }).click()
    await dialog.getByRole('button', { name: /Play/ }).click()
    await answer.getByRole('article').waitFor()
    await again.waitFor()
    await expect.poll(() => answer.getByRole('article').innerText()).toBe(all)
    expect(faults).toEqual([])
    await close()
  })

  test('is sent again, with a key that is asked for', async () => {
    const id = await record('/v1/messages', messages('demo-text', 'Once more'))
    const { page, faults, close } = await rig.open(`#/exchange/${id}`)
    await choose(page, 'Replay', 'Send again')
    const dialog = page.getByRole('dialog', { name: 'Send again' })
    await dialog.getByRole('button', { name: 'Send' }).click()
    await dialog.getByText(/needs a key/).waitFor()
    await dialog.getByLabel('Gateway key').fill(KEY)
    await dialog.getByRole('button', { name: 'Send' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(page.url()).not.toContain(id)
    await page.getByRole('tab', { name: 'Request' }).click()
    await page.getByRole('region', { name: 'Turns' }).getByText('Once more').waitFor()
    expect(
      await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])),
    ).not.toContain(KEY)
    expect(faults).toEqual([])
    await close()
  })

  test('is deleted after a question, and not without', async () => {
    const id = await record('/v1/messages', messages('demo-text', 'Forget me'))
    const { page, faults, close } = await openTab(id, 'Details')
    await page.getByRole('button', { name: /Delete this record/ }).click()
    await page.getByRole('button', { name: 'Keep it' }).click()
    expect((await rig.api.exchange(id)).exchange.id).toBe(id)
    await page.getByRole('button', { name: /Delete this record/ }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.waitForURL(/#\/live/)
    await expect(rig.api.exchange(id)).rejects.toThrow(/no such exchange/)
    expect(faults).toEqual([])
    await close()
  })

  test('shows hostile names and texts as text', async () => {
    const bad =
      '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>'
    const tools = [{ ...SHELL, description: `${bad}\u202Egnp.exe` }]
    const id = await record(
      '/v1/messages',
      messages(`demo-text ${bad}`, bad, { system: bad, tools }),
    )
    const { page, faults, close } = await openTab(id, 'Request')
    await page.getByRole('region', { name: 'Turns' }).getByText(bad).waitFor()
    await page.getByText('⟨U+202E⟩').first().waitFor()
    for (const form of ['JSON', 'Text']) await page.getByRole('radio', { name: form }).click()
    await page.getByRole('tab', { name: 'Raw' }).click()
    await page.getByRole('listbox', { name: 'Frames' }).getByRole('option').first().click()
    await page.getByRole('tab', { name: 'Details' }).click()
    await page.getByRole('region', { name: 'Ids' }).waitFor()
    expect(await page.title()).not.toContain('owned')
    expect(faults).toEqual([])
    await close()
  })
})
