/** Policies: what each decided, its text with checks and trials on the past, and the way from shadow to acting and back. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import type { Settings } from '../../src/config/settings.ts'
import { BROWSER } from '../support/browser.ts'
import { startPage, type PageRig, type Window } from '../support/page.ts'

const CONFIG = `policies:
  - use: rules
    name: calm
    deny:
      - name: no-deletes
        when: shell.commands.exists(c, c.name == "rm")
        reason: Deleting is not allowed here.
  - use: rules
    name: notes
    deny: [{ tools: [nothing], reason: No. }]
`
const EVIL = '<img src=x onerror="window.hacked=1">\u202Etxt.exe'
const HOSTILE = `policies:
  - use: rules
    name: evil
    deny: [{ tools: [Bash], reason: ${JSON.stringify(EVIL)}, name: ${JSON.stringify(EVIL)} }]
`

describe.skipIf(BROWSER === undefined)('Policies', () => {
  let rig: PageRig
  let configured: Settings['policies']
  beforeAll(async () => {
    rig = await startPage({ config: CONFIG })
    configured = rig.gateway.settings.policies
  })
  afterAll(() => rig.close())

  const use = (policies: Settings['policies']): void =>
    rig.gateway.reload({ ...rig.gateway.settings, policies })

  /** An agent that runs a command, once it is recorded. */
  async function run(command: string): Promise<string> {
    const before = rig.gateway.reports.length
    const answer = await rig.ask('/v1/messages', {
      model: 'demo',
      max_tokens: 500,
      stream: true,
      tools: [{ name: 'Bash', input_schema: { type: 'object' } }],
      messages: [{ role: 'user', content: `call Bash \`${JSON.stringify({ command })}\`` }],
    })
    const { id } = await rig.gateway.report(before)
    await expect.poll(() => rig.api.exchange(id).then(Boolean, () => false)).toBe(true)
    return answer
  }

  const open = async (place: string): Promise<Window> => {
    const window = await rig.open(place)
    await window.page.getByRole('heading', { name: 'Policies', exact: true }).waitFor()
    return window
  }

  test('says what each policy did of how much, and leads to the call that was denied', async () => {
    await run('ls')
    await run('rm -r build')
    const { page, faults, close } = await open('#/policies')
    const row = page.getByRole('row', { name: /^1 calm rules acts/ })
    await row.getByRole('cell', { name: 'denied 1 of 2 tool calls' }).waitFor()
    // The one behind it is not asked about what was denied.
    await page
      .getByRole('row', { name: /notes/ })
      .getByRole('cell', { name: 'let all of 1 tool call pass' })
      .waitFor()
    await row.getByRole('link', { name: 'calm' }).click()
    await page.getByRole('button', { name: /deny Bash/ }).click()
    await page.getByText('rm -r build').waitFor()
    await page.getByText('rule no-deletes').waitFor()
    await page.getByText('Deleting is not allowed here.').waitFor()
    await page.getByRole('link', { name: 'Open the exchange' }).click()
    await page.waitForURL(/#\/exchange\//)
    expect(faults).toEqual([])
    await close()
  })

  test('underlines a mistake at its place while somebody types, and puts right what was meant', async () => {
    const { page, faults, close } = await open('#/policies/calm/editor')
    const field = page.getByLabel('YAML of the policy')
    const text = await field.inputValue()
    expect(text).toContain('name: calm')
    await field.fill(text.replace('shell.commands', 'shel.commands'))
    const mistakes = page.getByRole('list', { name: 'Mistakes' })
    await mistakes.getByText('there is no variable "shel"').waitFor()
    await expect.poll(() => page.locator('[data-mistake]').allTextContents()).toEqual(['shel'])
    await expect
      .poll(() => page.getByRole('button', { name: 'Save in shadow' }).isDisabled())
      .toBe(true)
    await mistakes.getByRole('button', { name: /^5:/ }).click()
    expect(await selected(page)).toBe('shel')
    await page.getByRole('button', { name: 'Did you mean shell?' }).click()
    await page.getByText('No mistakes.').waitFor()
    await expect.poll(() => page.locator('[data-mistake]').count()).toBe(0)
    await expect.poll(() => field.inputValue()).toBe(text)
    expect(faults).toEqual([])
    await close()
  })

  test('the editor has keys of its own, keeps the caret, and keeps what is not saved', async () => {
    const { page, faults, close } = await open('#/policies/notes/editor')
    const field = page.getByLabel('YAML of the policy')
    const text = await field.inputValue()
    await field.evaluate((element: HTMLTextAreaElement) => element.setSelectionRange(12, 12))
    await field.press('Enter')
    await field.pressSequentially('# why')
    await field.press('Enter')
    await field.press('Tab')
    await expect
      .poll(() => field.inputValue())
      .toBe(`${text.slice(0, 12)}\n  # why\n    ${text.slice(12)}`)
    await field.press('Control+z')
    await field.press('Escape')
    await field.press('Tab')
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(false)
    await page.getByRole('link', { name: 'All policies' }).click()
    await page.getByRole('row', { name: /notes/ }).getByText('unsaved').waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'notes' }).click()
    await page.getByRole('tab', { name: 'Editor unsaved' }).click()
    await expect.poll(() => field.inputValue()).toContain('# why')
    await page.getByRole('button', { name: 'Discard' }).click()
    await expect.poll(() => field.inputValue()).toBe(text)
    expect(faults).toEqual([])
    await close()
  })

  test('tries a new policy on what was recorded, and shows what would be denied newly', async () => {
    await run('curl https://example.com')
    const { page, faults, close } = await open('#/policies?new=deny')
    const field = page.getByLabel('YAML of the policy')
    await field.fill(
      (await field.inputValue()).replace('c.name == "rm" && "-r" in c.flags', 'c.name == "curl"'),
    )
    await page.getByRole('button', { name: 'Try on' }).click()
    const found = page.getByRole('list', { name: 'What would be different' })
    await found.getByRole('button', { name: /newly denied Bash rm-r/ }).click()
    await found.getByText('curl https://example.com').waitFor()
    await found.getByText('pass', { exact: true }).waitFor()
    await found.getByText('deny: Deleting recursively is not allowed here.').waitFor()
    await expect.poll(() => found.getByRole('link', { name: 'Open the exchange' }).count()).toBe(1)
    await page.getByText(/3 exchanges in .*: 3 run/).waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('an edit goes into shadow, is promoted, acts, and is rolled back', async () => {
    const { page, faults, close } = await open('#/policies/calm/editor')
    const field = page.getByLabel('YAML of the policy')
    await field.fill((await field.inputValue()).replace('"rm"', '"git"'))
    await page.getByRole('button', { name: 'Save in shadow' }).click()
    await page.getByText('acts now, and no longer does then').waitFor()
    await page.getByLabel('Your name').fill('Ann')
    await page.getByLabel('Note').fill('no pushes')
    await page.getByRole('dialog').getByRole('button', { name: 'Save in shadow' }).click()
    await page.getByText('edited here').waitFor()
    expect(await run('git push')).toContain('git push')
    await page.getByRole('tab', { name: 'Results' }).click()
    await page.reload()
    await page.getByText('Would have denied 1 of 1 tool call.').waitFor()

    await page.getByRole('button', { name: 'Promote' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Promote' }).click()
    await page.getByRole('button', { name: 'Put in shadow' }).waitFor()
    expect(await run('git push')).toContain('Deleting is not allowed here.')

    await page.getByRole('tab', { name: 'Versions' }).click()
    await page.reload()
    await page.getByRole('button', { name: /holds now .*Ann no pushes 2 deny/ }).waitFor()
    await page.getByRole('button', { name: /config .*deny/ }).click()
    await page.getByRole('region', { name: /What would change: 1 removed, 1 added/ }).waitFor()
    await page
      .getByRole('list', { name: 'Versions' })
      .getByRole('button', { name: 'Roll back to the config' })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
    await page.getByText('edited here').waitFor({ state: 'detached' })
    expect(await run('git push')).toContain('git push')
    expect((await rig.api.policyVersions('calm')).versions).toMatchObject([
      { by: 'Ann' },
      { isHeld: true },
    ])
    expect(faults).toEqual([])
    await close()
  })

  test('a new policy is added behind all others, removed, and can be brought back', async () => {
    const { page, faults, close } = await openAs('Ann', '#/policies?new=limit')
    await page.getByRole('button', { name: 'Save and act' }).click()
    await page.getByText('is added behind all other policies, and acts').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Save and act' }).click()
    await page.getByRole('region', { name: 'Policy not-too-much' }).getByText('new here').waitFor()
    await page.getByText('3 of 3').waitFor()
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No longer installed:').waitFor()
    await page.getByRole('link', { name: 'not-too-much' }).click()
    await page.getByRole('button', { name: /Ann/ }).click()
    await page.getByRole('button', { name: /^Bring back version/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Bring back' }).click()
    await page.getByText('holds now').waitFor()
    await rig.api.rollBackPolicy('not-too-much')
    expect(faults).toEqual([])
    await close()
  })

  test('an edit that fell when the config changed is told, and without policies there is a beginning', async () => {
    const source = await rig.api.policySource('notes')
    const yaml = (source.yaml ?? '').replace('nothing', 'less')
    await rig.api.editPolicy('notes', { yaml, mode: 'shadow', by: 'Bob' })
    use(policiesOf(CONFIG.replace('[nothing]', '[little]')))
    const { page, faults, close } = await open('#/policies')
    await page.getByText('What Bob wrote here').waitFor()
    await page.getByRole('row', { name: /notes/ }).getByText('fell back').waitFor()
    use([])
    await page.reload()
    await page.getByRole('heading', { name: 'No policy yet' }).waitFor()
    await page.getByRole('link', { name: 'Ask before a tool' }).click()
    await expect
      .poll(() => page.getByLabel('YAML of the policy').inputValue())
      .toContain('use: approve')
    use(configured)
    expect(faults).toEqual([])
    await close()
  })

  test('names, rules and reasons of others are text, and nothing in them is hidden', async () => {
    use(
      policiesOf(HOSTILE).map((one) => ({
        ...one,
        name: EVIL,
        installed: { ...one.installed, policy: { ...one.installed.policy, name: EVIL } },
      })),
    )
    await run(`echo ${EVIL}`)
    const { page, faults, close } = await open('#/policies')
    await page.getByRole('link', { name: 'txt.exe' }).first().click()
    await page.getByRole('button', { name: /deny Bash/ }).click()
    await page.getByRole('link', { name: 'Open the exchange' }).waitFor()
    await page.getByText('<img src=x onerror="window.hacked=1">⟨U+202E⟩txt.exe').last().waitFor()
    expect(await page.locator('main').innerText()).not.toContain('\u202E')
    await page.getByRole('tab', { name: 'Versions' }).click()
    await page.getByRole('button', { name: /holds now/ }).click()
    await page.getByText('use: rules').waitFor()
    expect(await page.locator('main').innerText()).not.toContain('\u202E')
    // A text that is edited is shown as it is: what turns around in it is told.
    await page.getByRole('tab', { name: 'Editor' }).click()
    await page.getByText('that turn others around, stand in line 3').waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
    use(configured)
    expect(faults).toEqual([])
    await close()
  })

  /** A window of somebody whose name is known. */
  async function openAs(name: string, place: string): Promise<Window> {
    const window = await rig.open('#/settings')
    await window.page.evaluate(
      ([who, where]) => {
        localStorage.setItem('sluice-name', JSON.stringify(who))
        location.hash = where
        location.reload()
      },
      [name, place] as const,
    )
    await window.page.getByRole('heading', { name: 'Policies', exact: true }).waitFor()
    return window
  }
})

const policiesOf = (text: string): Settings['policies'] =>
  loadConfig({
    file: 'sluice.yaml',
    text: `upstreams: { demo: { kind: demo } }\n${text}`,
    env: {},
    cwd: '/nowhere',
  }).settings.policies

const selected = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const field = document.activeElement
    return field instanceof HTMLTextAreaElement
      ? field.value.slice(field.selectionStart, field.selectionEnd)
      : ''
  })
