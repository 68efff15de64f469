/** Live with ten thousand exchanges: nothing that a hand does makes it wait. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCodec } from '../../src/records/codec.ts'
import { openStore } from '../../src/store/open-store.ts'
import { BROWSER } from '../support/browser.ts'
import { findLongTasks } from '../support/long-tasks.ts'
import { startPage, type PageRig } from '../support/page.ts'
import { sampleExchange, sampleVerdict } from '../support/records.ts'

const COUNT = 10_000

const row = (page: Page, name: RegExp): Locator => page.getByRole('row', { name })

describe.skipIf(BROWSER === undefined)('Ten thousand exchanges', () => {
  let rig: PageRig
  const folder = mkdtempSync(join(tmpdir(), 'sluice-many-'))
  beforeAll(async () => {
    const file = join(folder, 'records.db')
    await fill(file)
    rig = await startPage({ record: { location: { type: 'sqlite', file } } })
  })
  afterAll(async () => {
    await rig.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('scroll to the last one without a task of over 50 ms', async () => {
    const open = async () => {
      const window = await rig.open('#/live')
      await row(window.page, /model-9999\b/).waitFor()
      await window.page.getByRole('row').nth(5).hover()
      return window
    }
    const long = await findLongTasks(open, async (page) => {
      const foot = page.getByLabel('Summary')
      const isWhole = (): Promise<boolean> =>
        foot.getByText('10.0k shown', { exact: true }).isVisible()
      for (let turn = 0; turn < 300 && !(turn % 10 === 9 && (await isWhole())); turn++)
        await page.mouse.wheel(0, 6000)
      expect(await isWhole()).toBe(true)
      for (let turn = 0; turn < 30; turn++) await page.mouse.wheel(0, -400)
      await page.keyboard.press('f')
      await row(page, /model-9999\b/).waitFor()
    })
    expect(long).toEqual([])
  })

  test('every view is there within 200 ms, with what it has to show', async () => {
    const { page, faults, close } = await rig.open('#/live')
    await row(page, /model-9999\b/).waitFor()
    const views = [
      ['Conversations', '#/conversations'],
      ['Approvals', '#/approvals'],
      ['Policies', '#/policies'],
      ['Overview', '#/overview'],
      ['Settings', '#/settings'],
      ['model-9990', `#/exchange/${idOf(9990)}`],
      ['Live', '#/live'],
    ] as const
    const took = new Map<string, number[]>()
    for (let round = 0; round < 4; round++)
      for (const [title, hash] of views) {
        const ms = await page.evaluate(openView, { title, hash })
        // The first time its program comes along.
        took.set(title, [...(took.get(title) ?? []), ...(round === 0 ? [] : [ms])])
      }
    const slow = [...took].filter(([, times]) => Math.min(...times) > 200)
    expect(slow).toEqual([])
    expect(faults).toEqual([])
    await close()
  })
})

/** Runs in the page: milliseconds until a view is drawn and nothing in it waits any more. */
async function openView({ title, hash }: { title: string; hash: string }): Promise<number> {
  const began = performance.now()
  location.hash = hash
  const isThere = (): boolean =>
    [...document.querySelectorAll('h1')].some((head) => head.textContent.includes(title)) &&
    document.querySelector('.loading') === null
  while (!isThere() && performance.now() - began < 10_000)
    await new Promise((resolve) => requestAnimationFrame(resolve))
  await new Promise((resolve) => requestAnimationFrame(resolve))
  return Math.round(performance.now() - began)
}

const idOf = (n: number): string => `01many${String(n).padStart(20, '0')}`

/** A store as it is after a long week. */
async function fill(file: string): Promise<void> {
  const store = await openStore({ type: 'sqlite', file }, { codec: createCodec(undefined) })
  const start = Date.now() - COUNT * 1000
  for (let from = 0; from < COUNT; from += 500)
    await store.write(
      Array.from({ length: 500 }, (_, at) => from + at).map((n) =>
        sampleExchange(
          idOf(n),
          { startedAt: start + n * 1000, model: `model-${n}`, conversation: `talk-${n % 50}` },
          {
            tools: n % 3 === 0 ? [{ name: 'Bash', count: 2 }] : [],
            verdicts: n % 9 === 0 ? [sampleVerdict()] : [],
          },
        ),
      ),
    )
  await store.close()
}
