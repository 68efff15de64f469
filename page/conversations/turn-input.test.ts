import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { readTurnInput, toFirstWords, toSideByEndpoint } from './turn-input.ts'

const messages = (list: readonly object[], more: object = {}): string =>
  JSON.stringify({ model: 'm', max_tokens: 1, messages: list, tools: [{ name: 'Bash' }], ...more })

test('takes what follows the last word of the model, and nothing before', () => {
  const input = readTurnInput(
    'anthropic-messages',
    messages([
      { role: 'user', content: 'Long ago' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Bash', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'files', is_error: true },
          { type: 'text', text: 'And now this' },
        ],
      },
    ]),
  )
  expect(input.said).toEqual([{ type: 'text', text: 'And now this' }])
  expect(input.results).toMatchObject([{ id: 'a', text: 'files', isError: true }])
  expect(input.side).toBeUndefined()
})

test('takes what tools gave back between calls of one answer, too', () => {
  const call = (id: string): object => ({
    type: 'function_call',
    call_id: id,
    name: 'exec_command',
    arguments: '{}',
  })
  const output = (id: string): object => ({
    type: 'function_call_output',
    call_id: id,
    output: `of ${id}`,
  })
  const { results, said } = readTurnInput(
    'openai-responses',
    JSON.stringify({
      model: 'm',
      input: [
        { type: 'message', role: 'user', content: 'Go' },
        call('a'),
        output('a'),
        call('b'),
        output('b'),
      ],
    }),
  )
  expect(results.map(({ id, text }) => [id, text])).toEqual([
    ['a', 'of a'],
    ['b', 'of b'],
  ])
  expect(said).toEqual([])
})

test('knows requests on the side by what they ask', () => {
  const user = [{ role: 'user', content: 'Fix the title of the page' }]
  const side = (list: readonly object[], more: object = {}): string | undefined =>
    readTurnInput('anthropic-messages', messages(list, more)).side
  expect(side(user)).toBeUndefined()
  expect(side(user, { tools: [], system: 'Write a title for this' })).toBe('Title')
  expect(side(user, { tools: [], system: 'You are helpful' })).toBeUndefined()
  expect(
    side([
      { role: 'user', content: 'Your task is to create a detailed summary of the conversation' },
    ]),
  ).toBe('Compaction')
  expect(side([{ role: 'user', content: 'Warmup' }])).toBe('Warm-up')
  expect(toSideByEndpoint('/v1/messages/count_tokens')).toBe('Token count')
  expect(toSideByEndpoint('/v1/messages')).toBeUndefined()
})

test('the first words are those of a person', () => {
  const content = [
    { type: 'text', text: '<system-reminder>Today</system-reminder>' },
    { type: 'text', text: 'Hello there' },
  ]
  const input = readTurnInput('anthropic-messages', messages([{ role: 'user', content }]))
  expect(toFirstWords(input)).toBe('Hello there')
})

test('throws at nothing', () => {
  const anything = fc.property(fc.constantFrom(...WIRE_NAMES), fc.json(), (wire, text) => {
    expect(readTurnInput(wire, text)).toBeDefined()
    expect(readTurnInput(wire, `{"messages":[${text}],"input":[${text}]}`)).toBeDefined()
    expect(readTurnInput(wire, text.slice(1))).toBeDefined()
  })
  fc.assert(anything)
})
