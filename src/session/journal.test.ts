import { expect, test } from 'vitest'
import type { SessionEntry } from './entry.ts'
import { createJournal } from './journal.ts'
import { createSessions } from './sessions.ts'

const answer = (id: string, previous?: string, text = 'Hi'): SessionEntry => ({
  type: 'answer',
  owner: 'ann',
  id,
  wire: 'openai-responses',
  ...(previous === undefined ? {} : { previous }),
  input: [{ role: 'user', content: text }],
  output: [{ type: 'message', role: 'assistant', content: id }],
})

test('whoever comes later learns from it what there is, in the order of its keeping', () => {
  const journal = createJournal()
  journal.add(answer('a'))
  journal.add(answer('b', 'a'))
  journal.add({ type: 'deletion', owner: 'ann', id: 'a', wire: 'openai-responses' })
  const late = createSessions({ now: () => 0 })
  for (const entry of journal.all()) late.add(entry)
  expect(late.findAnswer('ann', 'a')).toBeUndefined()
  const { body } = late.expandResponses('ann', { previous_response_id: 'b', input: 'Go on' }) as {
    body?: { input: unknown[] }
  }
  expect(body?.input).toHaveLength(5)
})

test('the oldest goes when there is too much', () => {
  const journal = createJournal({ maxChars: 1000 })
  for (const id of ['a', 'b', 'c', 'd']) journal.add(answer(id, undefined, 'x'.repeat(300)))
  expect(journal.all().map((entry) => 'id' in entry && entry.id)).toEqual(['c', 'd'])
})

test('what alone is too much is left out, and takes nothing else with it', () => {
  const journal = createJournal({ maxChars: 1000 })
  journal.add(answer('a'))
  journal.add(answer('b', undefined, 'x'.repeat(2000)))
  expect(journal.all()).toEqual([answer('a')])
})

test('what one has changed is not changed for the next', () => {
  const journal = createJournal()
  journal.add(answer('a'))
  expect(journal.all()[0]).not.toBe(journal.all()[0])
})
