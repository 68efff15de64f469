/** The frame of the page: who gets in, what is seen from everywhere. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BROWSER } from '../support/browser.ts'
import { startPage, type PageRig } from '../support/page.ts'

describe.skipIf(BROWSER === undefined)('The page', () => {
  let rig: PageRig
  beforeAll(async () => {
    rig = await startPage()
  })
  afterAll(() => rig.close())

  test('lets nobody in without the token, and in with it', async () => {
    const { page, faults, close } = await rig.open('', { isLoggedOut: true })
    await page.getByLabel('Admin token').fill('wrong')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('This is not the admin token of this gateway').waitFor()
    expect(await page.getByRole('navigation').count()).toBe(0)
    await page.getByLabel('Admin token').fill(rig.gateway.adminToken())
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('link', { name: 'Live' }).waitFor()
    await page.getByTitle('Connected').waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Admin token').waitFor()
    await page.reload()
    await page.getByLabel('Admin token').waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('takes the token out of the address of the link that the gateway prints', async () => {
    const { page, faults, close } = await rig.open('#/overview')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(page.url()).toBe(`${rig.gateway.url}/#/overview`)
    expect(faults).toEqual([])
    await close()
  })

  test('keeps a good login when a link brings a wrong token', async () => {
    const { page, faults, close } = await rig.open('#/overview')
    await page.getByTitle('Connected').waitFor()
    await page.goto('about:blank')
    // Its refusals come all at once, as they do on a busy machine.
    let refused = 0
    const isTime = new Promise((resolve) => setTimeout(resolve, 1500))
    await page.route(/\/api(\/|$)/, async (route) => {
      if (route.request().headers()['authorization'] !== 'Bearer wrong') return route.continue()
      refused += 1
      const answer = await route.fetch()
      await isTime
      return route.fulfill({ response: answer })
    })
    await page.goto(`${rig.gateway.url}/#token=wrong&#/settings`)
    await page.getByRole('heading', { name: 'Settings', exact: true }).first().waitFor()
    await page.getByTitle('Connected').waitFor()
    await page.waitForTimeout(1500)
    await page.getByTitle('Connected').waitFor()
    expect(refused).toBeGreaterThan(0)
    expect(faults).toEqual([])
    await close()
  })

  test('goes from view to view by keys, and shows which keys there are', async () => {
    const { page, faults, close } = await rig.open('#/overview')
    await page.getByTitle('Connected').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.waitForURL('**/#/policies')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Approvals').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await close()
  })

  test('shows a view that could not be loaded as soon as the gateway is there again', async () => {
    const { page, faults, close } = await rig.open('#/overview')
    await page.getByTitle('Connected').waitFor()
    const refused: string[] = []
    await page.route('**', async (route) => {
      refused.push(route.request().url())
      await route.abort()
    })
    await page.getByRole('link', { name: 'Policies' }).click()
    await expect
      .poll(() => refused.filter((url) => url.includes('policies-view')).length > 0)
      .toBe(true)
    await page.unroute('**')
    const view = page.getByRole('heading', { name: 'Policies', exact: true })
    await view.or(page.getByRole('button', { name: 'Try again' })).waitFor()
    await expect.poll(() => view.count()).toBe(1)
    expect(faults).toEqual([])
    await close()
  })
})
