/** One exchange on the page: watched while it goes on, and read afterwards. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ExchangeSummary } from '../../src/store/query.ts'
import { BROWSER } from '../support/browser.ts'
import { startPage, type PageRig } from '../support/page.ts'
import { writeMessages } from '../support/scripted-messages.ts'
import type { ScriptedTurn } from '../support/scripted.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

const SHELL = {
  name: 'Bash',
  input_schema: {
    type: 'object',
    properties: { command: { type: 'string' } },
    required: ['command'],
  },
}

const toConfig = (url: string): string => `
upstreams:
  demo: { kind: demo, wire: anthropic-messages, pace: 5 }
  played: { wire: anthropic-messages, baseUrl: '${url}', apiKey: none }
routes:
  - { model: 'demo*', to: demo }
  - { model: played, to: played }
policies:
  - name: no-deleting
    use: rules
    deny:
      - name: no-recursive-rm
        when: shell.commands.exists(c, c.name == "rm" && "-r" in c.flags)
        reason: Deleting recursively is not allowed here.
        instead: Delete single files.
  - name: other-words
    use: replace-text
    replace:
      - { words: ['few sentences'], with: "[hidden]" }
  - name: ask-first
    use: approve
    tools: [Deploy]
    question: May it be deployed?
`

describe.skipIf(BROWSER === undefined)('An exchange', () => {
  let rig: PageRig
  let upstream: TestUpstream
  beforeAll(async () => {
    upstream = await startUpstream()
    rig = await startPage({ config: toConfig(upstream.url) })
  })
  afterAll(async () => {
    await rig.close()
    await upstream.close()
  })

  const ask = (model: string, more: object = {}): Promise<string> =>
    rig
      .ask('/v1/messages', {
        model,
        max_tokens: 500,
        stream: true,
        messages: [{ role: 'user', content: 'Go on' }],
        ...more,
      })
      .catch(String)

  /** The record of what was asked last. */
  async function recorded(count: number): Promise<ExchangeSummary> {
    await rig.gateway.kept(count)
    const [newest] = (await rig.api.exchanges({ limit: 1 })).items
    if (newest === undefined) throw new Error('Nothing was recorded')
    return newest
  }

  function play(turn: ScriptedTurn, options: { pace?: number } = {}): void {
    const { frames } = writeMessages(turn, upstream.requests.length, 'played')
    const body = frames.join('')
    const cuts = frames.map((_, at) => Buffer.byteLength(frames.slice(0, at + 1).join('')))
    upstream.next({ body, cuts: cuts.slice(0, -1), ...options })
  }

  let asked = 0
  const next = (): number => ++asked

  test('shows at once which call was denied, by which rule, why, and what the agent got', async () => {
    await ask('demo-dangerous', { tools: [SHELL] })
    const { id } = await recorded(next())
    const { page, faults, close } = await rig.open(`#/exchange/${id}`)
    const strip = page.getByRole('region', { name: 'What policies did' })
    await strip.getByText('Denied').waitFor()
    const said = await strip.innerText()
    expect(said).toContain('Bash')
    expect(said).toContain('rm -rf /tmp/sluice-demo-does-not-exist')
    expect(said).toContain('rule no-recursive-rm of policy no-deleting')
    expect(said).toContain('Deleting recursively is not allowed here.')
    expect(said).toContain('The agent got: [Sluice] The call of the tool "Bash" was not allowed')
    const box = await strip.boundingBox()
    expect((box?.y ?? 999) + (box?.height ?? 999)).toBeLessThan(300)
    // The same beside the block, and in words on the waterfall.
    await page.getByText('The agent got instead').waitFor()
    await page.getByRole('button', { name: /^Bash: from .* judged in .*/ }).waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('compares what came with what was delivered, block by block', async () => {
    await ask('demo-text')
    const { id } = await recorded(next())
    const { page, faults, close } = await rig.open(`#/exchange/${id}`)
    await page.getByRole('button', { name: 'Compare' }).click()
    expect(page.url()).toContain(`/exchange/${id}/compare`)
    const panel = page.getByRole('tabpanel', { name: 'Compare' })
    const block = panel.getByRole('region', { name: 'Text: changed' })
    await block.waitFor()
    const said = await block.innerText()
    expect(said).toContain('[hidden]')
    expect(said).toContain('few sentences')
    await page.keyboard.press('1')
    await page.getByRole('tabpanel', { name: 'Answer' }).waitFor()
    await page.keyboard.press('2')
    await block.waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('has no comparison where all left as it came, and folds thinking by key', async () => {
    play({ thinking: 'Let me see.\nIt is simple.', text: 'Fine.' })
    await ask('played')
    const { id } = await recorded(next())
    const { page, faults, close } = await rig.open(`#/exchange/${id}`)
    await page.getByRole('tab', { name: 'Answer 2' }).waitFor()
    await expect.poll(() => page.getByRole('tab', { name: 'Compare' }).count()).toBe(0)
    const thinking = page.locator('[data-block="b0"]')
    const fold = thinking.locator('button[aria-expanded]').first()
    await expect.poll(() => fold.getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press(']')
    await page.keyboard.press('x')
    await expect.poll(() => fold.getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press(']')
    await expect.poll(() => focusedBlock(page)).toBe('b1')
    await page.keyboard.press('[')
    await expect.poll(() => focusedBlock(page)).toBe('b0')
    expect(faults).toEqual([])
    await close()
  })

  test('is watched while it streams, and becomes its record when it is over', async () => {
    const text = Array.from({ length: 20 }, (_, at) => `word${at} `).join('')
    const steps = Array.from({ length: 20 }, () => ({ text }))
    play({ steps }, { pace: 30 })
    const { page, faults, close } = await rig.open('#/live')
    await page.getByTitle('Connected').waitFor()
    const over = ask('played')
    await expect.poll(() => rig.gateway.records.feed.open().length).toBe(1)
    const [open] = rig.gateway.records.feed.open()
    await page.evaluate((id) => (location.hash = `#/exchange/${id}`), open?.id)
    await page.getByText('Going on').waitFor()
    await page.locator('[data-block="b2"]').waitFor()
    const seen = await page.locator('[data-block]').count()
    expect(seen).toBeGreaterThan(2)
    expect(seen).toBeLessThan(20)
    // A mark on the first block: it must be the same node when the record is shown.
    await page.locator('[data-block="b0"]').evaluate((node) => node.setAttribute('data-kept', ''))
    await over
    next()
    await page.getByText('200 Done').waitFor()
    await expect.poll(() => page.locator('[data-block]').count()).toBe(20)
    await expect.poll(() => page.locator('[data-block="b0"][data-kept]').count()).toBe(1)
    await page.getByText('The model was done').waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('marks a call that is held with a running clock, and where a person can decide', async () => {
    play({ text: 'Now.', calls: [{ name: 'Deploy', args: { to: 'production' } }] })
    const { page, faults, close } = await rig.open('#/live')
    await page.getByTitle('Connected').waitFor()
    const tool = { name: 'Deploy', input_schema: { type: 'object' } }
    const over = ask('played', { tools: [tool] })
    await expect
      .poll(async () => (await rig.api.approvals({ status: 'pending' })).approvals.length)
      .toBe(1)
    const [open] = rig.gateway.records.feed.open()
    await page.evaluate((id) => (location.hash = `#/exchange/${id}`), open?.id)
    const call = page.locator('[data-block="b1"]')
    await call.getByText(/held\s+\d/).waitFor()
    await call.getByRole('link', { name: 'Decide in Approvals' }).waitFor()
    const [ticket] = (await rig.api.approvals({ status: 'pending' })).approvals
    await rig.api.decide(ticket?.ticket ?? '', {
      decision: 'deny',
      reason: 'Not on Fridays',
      by: 'Ada',
    })
    await over
    next()
    const strip = page.getByRole('region', { name: 'What policies did' })
    await strip.getByText('decided by Ada').waitFor()
    await page.getByText('200 Done').waitFor()
    await expect.poll(() => strip.innerText()).toContain('Not on Fridays')
    await expect.poll(() => call.getByText(/held\s+\d/).count()).toBe(0)
    expect(faults).toEqual([])
    await close()
  })

  test('shows hostile output as text that does nothing', async () => {
    const evil =
      '<img src=x onerror="alert(1)"></script><script>alert(2)</script> javascript:alert(3)'
    const name = 'read_\u202Etxt.exe'
    play({
      thinking: evil,
      text: `${evil} \u202Egnp.exe\u202C [a](javascript:alert(4))`,
      calls: [{ name, args: { command: evil, '<b>': '\u202Edrowssap' } }],
    })
    await ask('played', {
      tools: [{ name: 'x', input_schema: { type: 'object' } }],
      messages: [{ role: 'user', content: `${evil} \u202Eesrever` }],
    })
    const { id } = await recorded(next())
    const { page, faults, close } = await rig.open(`#/exchange/${id}`)
    const dialogs: string[] = []
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    await page.getByRole('tab', { name: 'Answer 3' }).waitFor()
    await page.locator('[data-block="b1"]').getByText('<img src=x onerror').first().waitFor()
    for (const key of ['1', '3', '4', '5', '1']) {
      await page.keyboard.press(key)
      await page.waitForTimeout(150)
      expect(await page.locator('main img, main script, main iframe, main b b').count()).toBe(0)
      expect(await page.locator('a[href^="javascript:"]').count()).toBe(0)
      expect(await page.locator('main').innerText()).not.toContain('\u202E')
    }
    expect(dialogs).toEqual([])
    expect(faults).toEqual([])
    await close()
  })

  test('says plainly that the upstream broke off, and shows what had come', async () => {
    play({ text: 'It began well and', ending: 'cut' })
    await ask('played')
    const { id } = await recorded(next())
    const { page, faults, close } = await rig.open(`#/exchange/${id}`)
    await page.getByText('200 Broke off').waitFor()
    await page
      .getByRole('alert')
      .getByText('The upstream stopped in the middle of its answer')
      .waitFor()
    await page.locator('[data-block="b0"]').getByText('It began well and').waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('says that an id is not known, and leads back', async () => {
    const { page, faults, close } = await rig.open('#/exchange/nobody-knows-this')
    await page.getByRole('heading', { name: 'There is no such exchange' }).waitFor()
    await page.getByRole('link', { name: 'Back to all exchanges' }).click()
    await page.getByRole('heading', { name: 'Live' }).waitFor()
    await page.goto(`${rig.gateway.url}/#/live/nobody-knows-this`)
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await expect.poll(() => page.url()).toMatch(/#\/live$/)
    await page.goto(`${rig.gateway.url}/#/exchange/nobody-knows-this`)
    await page.getByRole('heading', { name: 'There is no such exchange' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.url()).toMatch(/#\/live$/)
    expect(faults).toEqual([])
    await close()
  })
})

const focusedBlock = (page: Page): Promise<string | undefined> =>
  page.evaluate(
    () => document.activeElement?.closest<HTMLElement>('[data-block]')?.dataset['block'],
  )
