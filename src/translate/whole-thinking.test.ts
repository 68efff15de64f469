import { expect, test } from 'vitest'
import type { Part, ThinkingPart } from '../request/part.ts'
import type { ModelRequest } from '../request/request.ts'
import { readRequest } from '../wire/openai-chat/request-read.ts'
import { withWholeThinking } from './whole-thinking.ts'

const thought = (signature: string): ThinkingPart => ({
  type: 'thinking',
  text: signature,
  seal: { wire: 'anthropic-messages', signature },
})

function ask(...thoughts: readonly Part[]): ModelRequest {
  const read = readRequest({
    model: 'm',
    messages: [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'Done' },
    ],
  })
  if (!read.ok) throw new Error(read.problem.message)
  const turns = read.request.turns.map((turn) =>
    turn.role === 'assistant' ? { ...turn, parts: [...thoughts, ...turn.parts] } : turn,
  )
  return { ...read.request, turns }
}

const typesIn = ({ turns }: ModelRequest): readonly string[] =>
  turns.flatMap(({ parts }) => parts.map(({ type }) => type))

test('of several thoughts one came back: all of them are left to memory', () => {
  const whole = withWholeThinking(ask(thought('b')), () => [thought('a'), thought('b')])
  expect(typesIn(whole)).toEqual(['text', 'text', 'tool-call', 'tool-result'])
})

test.each([
  ['all came back', [thought('a'), thought('b')], [thought('a'), thought('b')]],
  ['another came back', [thought('c')], [thought('a'), thought('b')]],
  ['nothing is known', [thought('b')], undefined],
  ['nothing came back', [], [thought('a')]],
])('%s: stays as it is', (_, said, known) => {
  const request = ask(...said)
  expect(withWholeThinking(request, () => known)).toBe(request)
})
