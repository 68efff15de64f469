/**
 * The policies of the guide do what the guide says, on all three wires.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { addTimeout } from '../docs/guide/patterns/policy-add-timeout.ts'
import { readBeforeWrite } from '../docs/guide/patterns/policy-read-before-write.ts'
import { secondOpinion } from '../docs/guide/patterns/policy-second-opinion.ts'
import { shout } from '../docs/guide/patterns/policy-shout.ts'
import { WIRE_NAMES } from '../src/index.ts'
import { testPolicy, type TestResult } from '../src/policy.ts'

function expectLegal(result: TestResult): void {
  expect(result.findings()).toEqual([])
}

describe('change the arguments of a call', () => {
  const schema = { type: 'object', properties: { command: {}, timeout: { minimum: 0 } } }
  const tools = [{ name: 'Bash', schema }, 'Read']
  const tested = testPolicy(addTimeout(60_000), { tools })

  test('adds what is missing, where the tool takes it', async () => {
    const result = await tested.onToolCall('Bash', { command: 'ls' })
    expect(result.calls).toEqual([{ name: 'Bash', args: { command: 'ls', timeout: 60_000 } }])
    expect(result).toMatchObject({ verdict: 'rewrite', tags: ['timeout'], finish: 'tool-calls' })
    expectLegal(result)
    expect((await tested.onToolCall('Bash', { timeout: 1 })).isUntouched).toBe(true)
    expect((await tested.onToolCall('Read', {})).isUntouched).toBe(true)
  })

  test('does not deliver what the tool does not take', async () => {
    const result = await testPolicy(addTimeout(-1), { tools }).onToolCall('Bash', {})
    expect(result.calls).toEqual([])
    expectLegal(result)
  })
})

test('remember something over a conversation', async () => {
  const tested = testPolicy(readBeforeWrite())
  const write = { file_path: '/p/a.ts', content: 'x' }
  const talk = tested.conversation()
  const early = await talk.onToolCall('Write', write)
  expect(early).toMatchObject({ verdict: 'deny', reason: '"/p/a.ts" was not read yet.' })
  expectLegal(early)
  await talk.onToolCall('Read', { file_path: '/p/a.ts' })
  expect((await talk.onToolCall('Write', write)).verdict).toBe('pass')
  expect((await tested.conversation().onToolCall('Write', write)).verdict).toBe('deny')
})

test('ask a model, and a person if it is unsure', async () => {
  const tested = testPolicy(secondOpinion('small'), {
    replies: ['Yes', 'no', 'unsure', 'Certainly, go ahead!', new Error('Down')],
    person: { type: 'deny', reason: 'Not now.' },
  })
  const results = []
  for (let at = 0; at < 5; at++) results.push(await tested.onToolCall('x'))
  expect(results.map(({ verdict }) => verdict)).toEqual(['pass', 'deny', 'ask', 'deny', 'error'])
  expect(results.map(({ calls }) => calls.length)).toEqual([1, 0, 0, 0, 0])
  expect(results[2]?.text).toContain('Not now.')
  expect(tested.questions.map(({ question }) => question)).toEqual(['May x be called?'])
  expect(tested.modelCalls[0]?.model).toBe('small')
  for (const result of results) expectLegal(result)
})

test.each(WIRE_NAMES)('change text while it streams: %s', async (wire) => {
  const path = new URL(`fixtures/${wire}/text-then-two-calls.sse`, import.meta.url)
  const result = await testPolicy(shout()).onStream(readFileSync(path))
  expect(result.text).toBe('I WILL READ THE NOTES FIRST.')
  expect(result.calls.map(({ name }) => name)).toEqual(['read_file', 'delete_files'])
  for (const one of WIRE_NAMES) expect(result.frames(one)).not.toContain('notes first')
  expectLegal(result)
})
