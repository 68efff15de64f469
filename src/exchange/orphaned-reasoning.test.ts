import { expect, test } from 'vitest'
import { withoutOrphans } from './orphaned-reasoning.ts'

const NOTICE = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: '[Sluice] Bash was not run.',
}
const USER = { role: 'user', content: 'Go on.' }
const reasoning = (id: string): object => ({ type: 'reasoning', id, encrypted_content: 'gAAA' })
const call = (id: string): object => ({ type: 'function_call', id: `fc_${id}`, call_id: id })
const output = (id: string, type = 'function_call_output'): object => ({ type, call_id: id })
const idsOf = (...input: readonly object[]): unknown =>
  (
    withoutOrphans({ input })?.['input'] as readonly { id?: string; type?: string }[] | undefined
  )?.map(({ id, type }) => id ?? type ?? 'user')

test('thoughts in a row that led to what was denied go, and the ids behind them', () => {
  expect(idsOf(USER, reasoning('rs_1'), reasoning('rs_2'), NOTICE, call('a'), output('a'))).toEqual(
    ['user', 'message', 'function_call', 'function_call_output'],
  )
})

test('what was thought later keeps its calls and their ids', () => {
  for (const type of ['function_call_output', 'custom_tool_call_output', 'local_shell_call_output'])
    expect(
      idsOf(reasoning('rs_1'), NOTICE, call('a'), output('a', type), reasoning('rs_2'), call('b')),
    ).toEqual(['message', 'function_call', type, 'rs_2', 'fc_b'])
  expect(idsOf(reasoning('rs_1'), NOTICE, reasoning('rs_2'), call('b'))).toEqual([
    'message',
    'rs_2',
    'fc_b',
  ])
})

test('thoughts before what passed stay, and a conversation without a notice is not touched', () => {
  expect(idsOf(reasoning('rs_1'), call('a'), NOTICE)).toBeUndefined()
  expect(idsOf(reasoning('rs_1'), USER)).toBeUndefined()
})
