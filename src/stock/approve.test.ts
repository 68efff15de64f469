import { describe, expect, test } from 'vitest'
import { policyRequest, toolCall } from '../../test/support/questions.ts'
import type { PolicyContext } from '../policy/policy.ts'
import type { Verdict } from '../policy/verdict.ts'
import { approve, type ApproveOptions } from './approve.ts'

const context = {
  exchangeId: 'exchange-1',
  client: { key: 'team', agent: 'claude-cli/2.1' },
  request: policyRequest(),
  signal: new AbortController().signal,
} as unknown as PolicyContext

async function judge(
  options: ApproveOptions,
  name = 'Bash',
  args = '{"command":"git push --force"}',
): Promise<Verdict | undefined> {
  return await approve(options).judge?.(toolCall(name, args), context)
}

const isAsked = async (...given: Parameters<typeof judge>): Promise<boolean> =>
  (await judge(...given))?.type === 'ask'

test('without options a person is asked for every call', async () => {
  expect(await judge({})).toEqual({ type: 'ask', question: 'May Bash be called?' })
  expect(approve().holds).toEqual(['tool-call'])
})

test('a person is asked for the tools that are named, but for the exceptions', async () => {
  const options = { tools: ['Bash', 'mcp__*'], except: ['mcp__files__read*'] }
  expect(await isAsked(options, 'Bash')).toBe(true)
  expect(await isAsked(options, 'Read')).toBe(false)
  expect(await isAsked(options, 'mcp__mail__send')).toBe(true)
  expect(await isAsked(options, 'mcp__files__read_all')).toBe(false)
})

test('a tool of a set is no exception because another one is called so', async () => {
  const call = { ...toolCall('Read', '{}'), namespace: 'stranger' }
  const verdict = await approve({ except: ['Read'] }).judge?.(call, context)
  expect(verdict?.type).toBe('ask')
})

test('no condition on arguments is none that nothing fits', async () => {
  expect(await isAsked({ arguments: {} })).toBe(true)
})

describe('arguments', () => {
  const options = { arguments: { command: ['git push*', '*sudo *'], 'to.path': ['/etc/*'] } }
  test.each([
    ['{"command":"git push"}', true],
    ['{"command":"echo a; sudo rm b"}', true],
    ['{"command":"ls"}', false],
    ['{"to":{"path":"/etc/hosts"}}', true],
    ['{"to":{"path":"/home/hosts"}}', false],
    ['{"command":["git","push"]}', true],
    ['{"command":["bash","-c","sudo ls"]}', true],
    ['{}', false],
    ['{"__proto__":{"command":"git push"}}', false],
    // What cannot be read is not let through unseen.
    ['{"command":"l', true],
  ])('%s: asked %s', async (args, asked) => {
    expect(await isAsked(options, 'Bash', args)).toBe(asked)
  })
})

test('a condition in code decides whether a person is asked', async () => {
  const when: ApproveOptions['when'] = ({ name }) => name === 'Bash'
  expect(await isAsked({ when }, 'Bash')).toBe(true)
  expect(await isAsked({ when }, 'Read')).toBe(false)
})

test('the question is filled in from the call, shortened', async () => {
  const question = '{client} on {model}: {tool} {args.command} {args.count} {args.none}?'
  const args = JSON.stringify({ command: 'x'.repeat(500), count: [1] })
  expect(await judge({ question, reason: 'It is production' }, 'Bash', args)).toEqual({
    type: 'ask',
    question: `team on a-model: Bash ${'x'.repeat(200)}… [1] (nothing)?`,
    reason: 'It is production',
  })
})

test('what stands in arguments is no template', async () => {
  const verdict = await judge({ question: '{args.command}' }, 'Bash', '{"command":"{tool} $&"}')
  expect(verdict).toMatchObject({ question: '{tool} $&' })
})

test('a question with an unknown place is refused', () => {
  expect(() => approve({ question: 'May {toll} run?' })).toThrow(/place in braces is not known/)
})
