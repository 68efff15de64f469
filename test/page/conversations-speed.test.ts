/** A conversation of thousands of blocks: nothing that a hand does makes it wait. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BROWSER } from '../support/browser.ts'
import { toTurn } from '../support/conversation.ts'
import { findLongTasks } from '../support/long-tasks.ts'
import { startPage, type PageRig } from '../support/page.ts'

describe.skipIf(BROWSER === undefined)('Conversations', () => {
  let rig: PageRig
  beforeAll(async () => {
    rig = await startPage()
  })
  afterAll(() => rig.close())

  const turn = (page: Page, number: number) =>
    page.getByRole('region', { name: `Turn ${number}`, exact: true })

  test('a conversation of 5,000 blocks opens at once and scrolls without a long task', async () => {
    await rig.gateway.records.store.write(toLongConversation())
    const open = async () => {
      const window = await rig.open('#/conversations')
      await window.page.getByRole('link', { name: /The long one/ }).waitFor()
      return window
    }
    const long = await findLongTasks(open, async (page) => {
      await page.getByRole('link', { name: /The long one/ }).click()
      await turn(page, 1).getByText('Text 0 of turn 0').waitFor()
      await page.getByRole('region', { name: 'Turns', exact: true }).hover()
      for (let step = 0; step < 60; step++) {
        await page.mouse.wheel(0, step % 10 === 9 ? 60_000 : 700)
        await page.waitForTimeout(25)
      }
      await page.keyboard.press('End')
      await turn(page, 500).getByText('Text 0 of turn 499').waitFor()
    })
    expect(long).toEqual([])
  })
})

/** 500 turns of ten blocks: thinking, texts, calls of several kinds, and what came back. */
function toLongConversation() {
  return Array.from({ length: 500 }, (_, at) => {
    const said =
      at === 0
        ? [{ type: 'text', text: 'The long one' }]
        : [0, 1, 2, 3].map((call) => ({
            type: 'tool_result',
            tool_use_id: `call-${at - 1}-${call}`,
            content: `line of a result ${call}\n`.repeat(30),
          }))
    const call = (place: number, name: string, input: object) => ({
      type: 'tool_use',
      id: `call-${at}-${place}`,
      name,
      input,
    })
    const answer = [
      { type: 'thinking', thinking: `Thought of turn ${at} `.repeat(20), signature: 's' },
      ...[0, 1, 2, 3, 4].map((place) => ({
        type: 'text',
        text: `Text ${place} of turn ${at}: ${'some words '.repeat(30)}`,
      })),
      call(0, 'Bash', { command: 'ls -la\ncat package.json', description: 'Look' }),
      call(1, 'Edit', {
        file_path: `src/file-${at}.ts`,
        old_string: 'const a = 1\nconst b = 2\n'.repeat(5),
        new_string: 'const a = 1\nconst b = 3\n'.repeat(5),
      }),
      call(2, 'Read', { file_path: `src/file-${at}.ts`, limit: 20 }),
      call(3, 'lookup', { query: { deep: { list: [1, 2, 3], text: 'x'.repeat(200) } } }),
    ]
    return toTurn('long', `long-${String(at).padStart(4, '0')}`, { said, answer, at })
  })
}
