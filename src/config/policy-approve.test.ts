/**
 * `approve` from YAML: what it comes to, and that every mistake is told at its place.
 */
import { expect, test } from 'vitest'
import { policyRequest, toolCall } from '../../test/support/questions.ts'
import type { Policy, PolicyContext } from '../policy/policy.ts'
import type { Reading } from './field.ts'
import { createNotes } from './notes.ts'
import { parseYaml } from './parse.ts'
import { approveEntry } from './policy-approve.ts'
import { section } from './section.ts'

function read(yaml: string): { policy: Policy | undefined; notes: string } {
  const notes = createNotes('sluice.yaml')
  const reading: Reading = { env: {}, notes, readFile: () => undefined }
  const node = parseYaml(yaml, notes)
  if (node === undefined) throw new Error('no YAML')
  const spot = { node, path: 'policies[0]', keyPlace: node.place }
  const found = section(approveEntry.shape).read(spot, reading)
  const policy = found === undefined ? undefined : approveEntry.make(found, reading)
  return { policy, notes: notes.hasMistakes ? notes.toError().message : '' }
}

async function judge(yaml: string, name: string, args: string): Promise<unknown> {
  const { policy, notes } = read(yaml)
  expect(notes).toBe('')
  const context = { request: policyRequest(), client: {} } as unknown as PolicyContext
  return await policy?.judge?.(toolCall(name, args), context)
}

test('nothing said asks for every call', async () => {
  expect(await judge('{}', 'Read', '{}')).toMatchObject({ type: 'ask' })
})

test('all keys together', async () => {
  const yaml = `
tools: [Bash, 'mcp__*']
except: mcp__read
arguments: { command: 'git push*', to: [a, b] }
question: May {tool} run {args.command}?
reason: It is production
`
  expect(await judge(yaml, 'Bash', '{"command":"git push -f"}')).toEqual({
    type: 'ask',
    question: 'May Bash run git push -f?',
    reason: 'It is production',
  })
  expect(await judge(yaml, 'mcp__send', '{"to":"b"}')).toMatchObject({ type: 'ask' })
  expect(await judge(yaml, 'mcp__read', '{"to":"b"}')).toEqual({ type: 'pass' })
  expect(await judge(yaml, 'Bash', '{"command":"ls"}')).toEqual({ type: 'pass' })
})

test('what is not right makes no policy', () => {
  expect(read('tools: []').policy).toBeUndefined()
})

test.each([
  ['tools: []', 'policies[0].tools: it is empty'],
  ['tools: { a: b }', 'policies[0].tools: it takes the name of a tool, or a list'],
  ['tool: Bash', 'policies[0].tool: there is no such key'],
  ['arguments: rm', 'policies[0].arguments: it takes a map from argument to pattern'],
  ['arguments: { command: [] }', 'policies[0].arguments.command: it is empty'],
  ['question: May {toll} run?', 'policies[0].question: a place in braces is not known'],
  ['reason:', 'policies[0].reason: it is empty'],
])('%s is a mistake at its place', (yaml, words) => {
  expect(read(yaml).notes).toContain(words)
})
