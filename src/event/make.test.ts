import { expect, test } from 'vitest'
import { textBlock, toolCallBlock } from './make.ts'

test('makes a text that is a whole block', () => {
  const [start, delta, stop, ...rest] = textBlock('No.')
  expect(start).toMatchObject({ type: 'block-start', block: { type: 'text' } })
  expect(delta).toMatchObject({ type: 'block-delta', delta: { type: 'text', text: 'No.' } })
  expect(stop).toMatchObject({ type: 'block-stop' })
  expect(rest).toEqual([])
})

test('makes a call from an object or from raw text', () => {
  for (const args of [{ city: 'Lima' }, '{"city":"Lima"}']) {
    const [start, delta] = toolCallBlock({ id: 'call_1', name: 'look', args })
    expect(start).toMatchObject({
      block: { type: 'tool-call', id: 'call_1', name: 'look', dialect: 'function' },
    })
    expect(delta).toMatchObject({ delta: { type: 'arguments', text: '{"city":"Lima"}' } })
  }
})

test('puts the choice on the block and on each of its events', () => {
  for (const event of [
    ...textBlock('No.', 2),
    ...toolCallBlock({ id: 'a', name: 'b', args: {} }, 2),
  ])
    expect(event).toMatchObject({ choice: 2, block: { choice: 2 } })
})

test('speaks of one block in all its events, and of another one each time', () => {
  const infos = [...textBlock('a'), ...textBlock('a')].map((event) =>
    'block' in event ? event.block : undefined,
  )
  expect(new Set(infos).size).toBe(2)
})
