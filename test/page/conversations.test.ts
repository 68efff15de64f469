/** Conversations: the list, and the turns of one with what each call was, what came back, and where policies acted. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BROWSER } from '../support/browser.ts'
import { BASH, toTurn } from '../support/conversation.ts'
import { startPage, type PageRig } from '../support/page.ts'

const POLICIES = `policies:
  - use: rules
    name: no-rm
    deny:
      - when: shell.commands.exists(c, c.name == "rm")
        name: deletes
        reason: Deleting is not allowed here.
`

describe.skipIf(BROWSER === undefined)('Conversations', () => {
  let rig: PageRig
  beforeAll(async () => {
    rig = await startPage({ config: POLICIES })
  })
  afterAll(() => rig.close())

  /** As an agent does it: what the model asks for is run, and goes back to it. */
  async function converse(
    session: string,
    prompts: readonly string[],
    came: string,
  ): Promise<void> {
    const messages: object[] = []
    for (const prompt of prompts) {
      messages.push({ role: 'user', content: prompt })
      for (let turn = 0; turn < 4; turn++) {
        const text = await rig.ask(
          '/v1/messages',
          {
            model: 'claude-demo',
            max_tokens: 1000,
            tools: [BASH],
            metadata: { user_id: `user_a_session_${session}` },
            messages,
          },
          { 'user-agent': 'claude-cli/2.1 (external)' },
        )
        const { content } = JSON.parse(text) as { content: { type: string; id: string }[] }
        messages.push({ role: 'assistant', content })
        const calls = content.filter(({ type }) => type === 'tool_use')
        if (calls.length === 0) break
        messages.push({
          role: 'user',
          content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: came })),
        })
      }
    }
  }

  const turn = (page: Page, number: number) =>
    page.getByRole('region', { name: `Turn ${number}`, exact: true })

  test('shows each call with what came back, and what a policy did instead', async () => {
    await converse('first-conversation', ['Run `ls -l src`', 'Run `rm -rf /tmp/x`'], 'two files')
    const { page, faults, close } = await rig.open('#/conversations')
    const row = page.getByRole('link', { name: 'Run `ls -l src`' })
    await row.getByText('deny').waitFor()
    await row.click()
    const first = turn(page, 1)
    await first.getByText('Run `ls -l src`').waitFor()
    const call = first.getByRole('article', { name: 'Tool call Bash' })
    await call.getByText('ls -l src', { exact: true }).waitFor()
    await call.getByRole('group', { name: 'Result' }).getByText('two files').waitFor()
    await page.keyboard.press('n')
    const denied = page.getByRole('article', { name: 'Tool call Bash' }).filter({ hasText: 'deny' })
    await denied.getByText('rm -rf /tmp/x', { exact: true }).waitFor()
    await denied.getByText('by rule deletes of').waitFor()
    await denied.getByText('The agent got instead').waitFor()
    await denied.getByText('Deleting is not allowed here').first().waitFor()
    await page.waitForFunction(() => document.activeElement?.hasAttribute('data-acted') === true)
    await turn(page, 1).getByRole('link', { name: 'Exchange of turn 1' }).click()
    await page.waitForURL(/#\/exchange\//)
    expect(faults).toEqual([])
    await close()
  })

  test('shows the exact characters of arguments on demand', async () => {
    await converse('raw-conversation', ['Run `echo "a b"` now'], 'done')
    const { page, faults, close } = await rig.open('#/conversations/raw-conversation')
    const call = page.getByRole('article', { name: 'Tool call Bash' })
    await call.getByText('echo "a b"', { exact: true }).waitFor()
    await call.getByRole('button', { name: 'Raw' }).click()
    await call.getByText('{"command":"echo \\"a b\\""', { exact: false }).waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('a running turn appears and streams into it', async () => {
    await converse('live-conversation', ['Say hello'], '')
    const { page, faults, close } = await rig.open('#/conversations/live-conversation')
    await turn(page, 1).waitFor()
    const leave = new AbortController()
    const asked = fetch(`${rig.gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      signal: leave.signal,
      body: JSON.stringify({
        model: 'demo-slow',
        stream: true,
        max_tokens: 100,
        metadata: { user_id: 'user_a_session_live-conversation' },
        messages: [{ role: 'user', content: 'And what follows' }],
      }),
    }).then((answer) => answer.text())
    const second = turn(page, 2)
    await second.getByText('running').waitFor()
    await second.getByText('And what follows').waitFor()
    // Words are there while more are to come.
    await second.getByText('▍').waitFor()
    leave.abort()
    await expect(asked).rejects.toThrow('aborted')
    await second.getByText('running').waitFor({ state: 'detached' })
    await second.getByText('499 Client left').waitFor()
    await second.getByText('And what follows').waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('finds words in turns, also in those that were never opened', async () => {
    const prompts = Array.from({ length: 12 }, (_, at) => `Say something about number ${at}`)
    await converse('find-conversation', [...prompts, 'Where is the needle'], '')
    const { page, faults, close } = await rig.open('#/conversations/find-conversation', {
      height: 400,
    })
    await turn(page, 1).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('needle')
    await page.getByRole('status').filter({ hasText: '1 turn' }).waitFor()
    await page.keyboard.press('Enter')
    await turn(page, 13).getByText('Where is the needle').waitFor()
    await page.waitForFunction(() => (CSS.highlights.get('find')?.size ?? 0) > 0)
    expect(faults).toEqual([])
    await close()
  })

  test('the list is narrowed by the filters of Live, and says what to do where nothing fits', async () => {
    await converse('filter-conversation', ['Run `rm -r build`'], '')
    const { page, faults, close } = await rig.open('#/conversations?verdict=deny')
    await page.getByRole('link', { name: 'Run `rm -r build`' }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Say hello' }).count()).toBe(0)
    await page.goto(`${rig.gateway.url}/#/conversations?tool=Nothing`)
    await page.getByText('No conversation fits').waitFor()
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await page.getByRole('link', { name: 'Say hello' }).first().click()
    await page.waitForURL(/#\/conversations\/./)
    await page.getByRole('searchbox').or(page.getByPlaceholder(/Find/)).first().waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.url()).toMatch(/#\/conversations$/)
    expect(faults).toEqual([])
    await close()
  })

  test('requests on the side are folded', async () => {
    await converse('side-conversation', ['Say hi to me'], '')
    await rig.ask('/v1/messages', {
      model: 'claude-small',
      max_tokens: 100,
      system: 'Write a title for this conversation',
      metadata: { user_id: 'user_a_session_side-conversation' },
      messages: [{ role: 'user', content: 'The text to be named' }],
    })
    const { page, faults, close } = await rig.open('#/conversations/side-conversation')
    const side = turn(page, 2)
    await side.getByRole('button', { name: 'On the side: title' }).waitFor()
    await expect.poll(() => side.getByText('The text to be named').count()).toBe(0)
    await side.getByRole('button', { name: 'On the side: title' }).click()
    await side.getByText('The text to be named').waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('script in prompts, tool names, arguments and results stays text', async () => {
    const evil = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
    const name = `<b onclick=x>\u202Etool`
    await rig.gateway.records.store.write([
      toTurn('evil', 'evil-1', {
        said: [{ type: 'text', text: evil }],
        answer: [
          { type: 'text', text: evil },
          { type: 'tool_use', id: 'e1', name, input: { [evil]: evil, command: evil } },
        ],
        at: 0,
      }),
      toTurn('evil', 'evil-2', {
        said: [{ type: 'tool_result', tool_use_id: 'e1', content: evil, is_error: true }],
        answer: [{ type: 'text', text: 'done' }],
        at: 1,
      }),
    ])
    const { page, faults, close } = await rig.open('#/conversations/evil')
    await page.getByRole('group', { name: 'Result, an error' }).getByText(evil).waitFor()
    await page.getByText('⟨U+202E⟩tool').first().waitFor()
    expect(await page.locator('main img, main script, main b[onclick]').count()).toBe(0)
    await expect.poll(() => page.title()).toBe('Sluice')
    expect(faults).toEqual([])
    await close()
  })
})
