/** Figures over time: they are those of the store, and lead to what they are made of. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ExchangeRow, WriteItem } from '../../src/store/record.ts'
import { BROWSER } from '../support/browser.ts'
import { startPage, type PageRig } from '../support/page.ts'
import { sampleRow } from '../support/records.ts'

const MINUTE = 60_000

/** So many minutes ago. */
const item = (id: string, ago: number, over: Partial<ExchangeRow> = {}): WriteItem => ({
  type: 'exchange',
  row: sampleRow(id, { startedAt: Date.now() - ago * MINUTE, conversation: undefined, ...over }),
  pieces: [],
  verdicts: [],
  tools: [],
  without: [],
  text: undefined,
})

describe.skipIf(BROWSER === undefined)('The overview', () => {
  let rig: PageRig
  let empty: PageRig
  beforeAll(async () => {
    ;[rig, empty] = await Promise.all([startPage(), startPage()])
    const usage = { inputTokens: 1000, outputTokens: 500 }
    await rig.gateway.records.store.write([
      ...Array.from({ length: 30 }, (_, at) =>
        item(`a${at}`, 2 + at, { model: 'model-a', usage, cost: 2_000_000, firstByteMs: 100 }),
      ),
      ...Array.from({ length: 10 }, (_, at) =>
        item(`b${at}`, 3 + at, { model: 'model-b', usage, cost: 0, firstByteMs: 900 }),
      ),
      item('bad', 5, { model: 'model-b', status: 529, outcome: 'upstream-error', usage, cost: 0 }),
      // Of the hour before.
      ...Array.from({ length: 20 }, (_, at) => item(`old${at}`, 70 + at, { usage, cost: 0 })),
    ])
  })
  afterAll(async () => {
    await rig.close()
    await empty.close()
  })

  test('shows the figures of the chosen time against the one before', async () => {
    const { page, faults, close } = await rig.open('#/overview')
    const figure = (name: string) => page.locator('dl > div', { hasText: name }).first()
    await figure('Exchanges').getByText('41').waitFor()
    await expect.poll(() => figure('Exchanges').innerText()).toContain('+105 %')
    await expect.poll(() => figure('Errors').innerText()).toContain('2.4 %')
    await expect.poll(() => figure('Tokens').innerText()).toContain('61.5k')
    await expect.poll(() => figure('Cost').innerText()).toContain('$60.00')
    await page.getByRole('button', { name: '6 h' }).click()
    await figure('Exchanges').getByText('61').waitFor()
    expect(page.url()).toContain('range=6h')
    expect(faults).toEqual([])
    await close()
  })

  test('has room for its head in a narrow window', async () => {
    const { page, faults, close } = await rig.open('#/overview', { width: 390 })
    const split = await page.getByLabel('Split').boundingBox()
    const times = await page.getByRole('group', { name: 'Time' }).boundingBox()
    if (split === null || times === null) throw new Error('Both are there')
    expect(times.y).toBeGreaterThanOrEqual(split.y + split.height)
    expect(times.x + times.width).toBeLessThanOrEqual(390)
    expect(faults).toEqual([])
    await close()
  })

  test('draws a line for each model, and says in words what it draws', async () => {
    const { page, faults, close } = await rig.open('#/overview?by=model')
    const plot = page.getByRole('region', { name: 'Exchanges' })
    await plot.getByRole('img', { name: /model-a: at most .*model-b: at most/ }).waitFor()
    await expect.poll(() => plot.locator('canvas').count()).toBe(1)
    await plot.getByRole('img').press('ArrowLeft')
    await plot.getByRole('img').press('ArrowLeft')
    await expect.poll(() => plot.locator('header').innerText()).toMatch(/\d\d:\d\d:\d\d/)
    await page.getByRole('button', { name: 'As tables' }).click()
    await plot.getByRole('columnheader', { name: 'model-b' }).waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('leads from a row to the exchanges that it is made of', async () => {
    const { page, faults, close } = await rig.open('#/overview')
    const row = page.getByRole('row', { name: /model-b/ })
    await expect.poll(() => row.innerText()).toMatch(/11\s+1/)
    await page.getByRole('button', { name: 'Errors', exact: true }).click()
    await row.getByRole('link', { name: 'model-b' }).click()
    await page.waitForURL(/#\/live\?.*model=model-b/)
    await page.getByText('11 shown').waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('looks closer where one drags, and back by a double click', async () => {
    const { page, faults, close } = await rig.open('#/overview')
    const over = page.getByRole('region', { name: 'Tokens' }).locator('.u-over')
    await over.waitFor()
    const box = (await over.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    await page.mouse.move(box.x + box.width * 0.3, box.y + 30)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.6, box.y + 40, { steps: 4 })
    await page.mouse.up()
    await page.waitForURL(/from=\d+&to=\d+/)
    await page.getByRole('button', { name: 'Own time ×' }).waitFor()
    await over.dblclick()
    await page.waitForURL((url) => !url.href.includes('from='))
    expect(faults).toEqual([])
    await close()
  })

  test('says what to do where nothing was recorded yet', async () => {
    const { page, faults, close } = await empty.open('#/overview')
    await page.getByRole('heading', { name: 'Nothing in this time' }).waitFor()
    await page.getByRole('button', { name: 'Connect a client' }).click()
    await page.waitForURL('**/#/settings/connect')
    expect(faults).toEqual([])
    await close()
  })
})
