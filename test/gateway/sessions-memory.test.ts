/**
 * What an answer costs that its client may name later and does not: what was asked and what was said, as text, and nothing of the
 * exchange that brought it. Measured after a collection, on real sockets.
 */
import { expect, test } from 'vitest'
import { withCrossing } from '../support/crossing.ts'
import { heldBytes } from '../support/heap.ts'
import { reply } from '../support/spoken.ts'

const CHAT = 'openai-chat'
const RESPONSES = 'openai-responses'
const WARM = 60
const EACH = 300

test('an answer that waits to be named holds its words, and nothing else', async () => {
  await withCrossing({ wire: CHAT }, async (crossing) => {
    let count = 0
    let asked = ''
    const words = 'What was said. '.repeat(20)
    crossing.upstream.answer((request) => {
      asked = request.body.toString()
      return reply(CHAT, { pieces: [{ text: words }], id: `x${count++}` }, request)
    })
    const ids: unknown[] = []
    const ask = async (store: boolean): Promise<void> => {
      const body = { store, input: 'What was asked. '.repeat(20) }
      const { text } = await crossing.stream(RESPONSES, body)
      ids.push(/"id":"(resp_[^"]+)"/.exec(text)?.[1])
    }
    const heldByEach = async (store: boolean): Promise<number> => {
      const before = heldBytes()
      for (let at = 0; at < EACH; at++) await ask(store)
      return (heldBytes() - before) / EACH
    }
    for (let at = 0; at < WARM; at++) await ask(true)
    // Provider and client of the test are in this process too, and keep what they like.
    const others = await heldByEach(false)
    const each = (await heldByEach(true)) - others
    // Some 320 characters of each, and the envelope of a response.
    expect(each).toBeLessThan(6_000)
    const next = { previous_response_id: ids.at(-1), input: 'Go on' }
    const { text } = await crossing.stream(RESPONSES, next)
    expect(text).toContain('response.completed')
    for (const said of ['What was asked.', 'What was said.', 'Go on']) expect(asked).toContain(said)
  })
})
